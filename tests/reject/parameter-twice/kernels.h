void f(double a, double b);
