void f(int n, const double *x);
