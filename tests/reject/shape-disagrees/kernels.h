#define DIM 4
void f(int n, double x[n][DIM]);
