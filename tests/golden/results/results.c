#include "results.h"

double total(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

status extrema(size_t n, const double *x, double *low, double *high)
{
    if (n == 0)
        return 1;
    *low = *high = x[0];
    for (size_t i = 1; i < n; i++) {
        *low = x[i] < *low ? x[i] : *low;
        *high = x[i] > *high ? x[i] : *high;
    }
    return 0;
}

void accumulate(int n, const float *x, long long *count, double *sum)
{
    ++*count;
    for (int i = 0; i < n; i++)
        *sum += x[i];
}

void twice(int n, const double *x, double *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = 2.0 * x[i];
}

double running(int n, const double *x, double *sums, int *status)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sums[i] = sum += x[i];
    *status = n;
    return sum;
}

void scale(int n, const double *factor, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= *factor;
}

const char *status_name(status code)
{
    static const char *const names[] = {"done", "empty"};
    return code >= 0 && code < 2 ? names[code] : NULL;
}

char letter(int index)
{
    return (char)('a' + index);
}

_Bool positive(double x)
{
    return x > 0.0;
}
