#include "choices.h"

#include <string.h>

double masked(int n, const double *x, const unsigned char *mask)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        if (mask == NULL || mask[i])
            sum += x[i];
    return sum;
}

double defaults(double a, int b, float c, double _Complex d, const char *e, char f, unsigned long long g, long double h)
{
    return a + b + c + __real__ d + 10.0 * __imag__ d + (double)strlen(e) + f + (double)g + (double)h;
}

double median(int n, const double *x, double *work)
{
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && work[k - 1] > x[i]; k--)
            work[k] = work[k - 1];
        work[k] = x[i];
    }
    return n > 0 ? work[n / 2] : 0.0;
}

void swap(int n, double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void released(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1.0;
}

void held(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1.0;
}

int filled(int n, const double *x, int lda, int twice, long inc, enum order order)
{
    return n + (n > 0 && x[0] > 0.0) + 10 * lda + 100 * twice + 1000 * (int)inc + 10000 * (int)order;
}

void fill(int n, double value, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = value;
}

double keyword(double a, double b)
{
    return a - b;
}
