#include "shapes.h"

double fixed(const double a[NX][NY], const double b[3])
{
    return a[2][3] + b[2];
}

double variable(int n, int m, const double a[n][m], const double b[2 * n + 1][m])
{
    return n > 0 && m > 0 ? a[n - 1][m - 1] + b[2 * n][m - 1] : 0.0;
}

double rows(int n, const double (*a)[4])
{
    return n > 0 ? a[n - 1][3] : 0.0;
}

double element(int n, int m, const double *a, int i, int j)
{
    return i < n && j < m ? a[i + n * j] : 0.0;
}

float first(const float *a)
{
    return a[0];
}

int64_t sizes(int8_t a, uint16_t b, int64_t c, const int8_t *x, const uint16_t *y, const int64_t *z)
{
    return a + b + c + x[0] + y[0] + z[0];
}

double strided(int n, int step, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i * step];
    return sum;
}

double mixed(int n, int k, const double *half, const double *rest, const double *less)
{
    return n + k + half[0] + rest[0] + less[0];
}
