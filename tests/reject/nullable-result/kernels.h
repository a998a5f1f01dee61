void f(int *info);
