void f(int n, double x[n][2*n+1]);
