void f(int n, const void *alpha);
