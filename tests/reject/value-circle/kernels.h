void f(int n, double *x, int ld);
