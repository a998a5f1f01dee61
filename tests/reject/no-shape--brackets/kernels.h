void f(int n, double q[][3]);
