void f(int n, ...);
