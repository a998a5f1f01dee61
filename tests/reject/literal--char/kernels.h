void f(int i, unsigned char b, float s, double d, double _Complex z, _Bool t, char c, const char *text, double *x);
