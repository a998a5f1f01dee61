void f(int n);
void g(int n);
