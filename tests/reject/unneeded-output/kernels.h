double f(int n, double *x);
