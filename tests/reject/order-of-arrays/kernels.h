void f(double x[2][3]);
