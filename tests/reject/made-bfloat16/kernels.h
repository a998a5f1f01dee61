void f(int n, unsigned short *x);
