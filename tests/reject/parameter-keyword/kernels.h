void f(double in, double out);
