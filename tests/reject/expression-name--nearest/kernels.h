void f(int nx, double *x);
