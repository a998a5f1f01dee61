void f(const char *name);
