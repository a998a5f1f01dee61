void f(double x[3]);
