void f(int *m, double *x);
