void f(int n, double *x);
