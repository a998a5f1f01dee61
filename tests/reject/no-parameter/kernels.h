void f(int n, double *x, double *z1, double *z2);
