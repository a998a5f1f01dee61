#include "rare.h"

#include <complex.h>
#include <string.h>

double scaled(double x, const double *scale, int *calls)
{
    if (calls)
        ++*calls;
    return scale ? *scale * x : x;
}

int lengths(const char *text, const char *suffix, const char *fixed)
{
    return (int)(strlen(text) + (suffix ? strlen(suffix) : 100) + 1000 * strlen(fixed));
}

long codes(int n, const char *text)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += text[i];
    return sum;
}

double filled(char c, _Bool b, double d, float _Complex z, enum side side, unsigned char u, const double *none, const char *text)
{
    return c + 1000.0 * b + d + crealf(z) + side + u + (none ? 1e9 : 0) + 1e6 * (strcmp(text, "a \"b\"\\") == 0);
}

double fortran_(const int *n, const int *m, const double *a)
{
    double sum = 0;
    for (int i = 0; i < *n * *m; i++)
        sum += a[i] * (i % *n);
    return sum;
}

double rows(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n * WIDTH; i++)
        sum += x[i];
    return sum;
}

void real_parts(int n, const double *pairs, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = pairs[2 * i];
}

int count_true(int n, const unsigned char *mask)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += mask[i];
    return count;
}

void column_sums(int n, int m, const double *a, double *sums)
{
    for (int j = 0; j < m; j++) {
        sums[j] = 0;
        for (int i = 0; i < n; i++)
            sums[j] += a[i + n * j];
    }
}

int numbers(int n, double *out, double *sum)
{
    *sum = 0;
    for (int i = 0; i < n; i++)
        *sum += out[i] = i;
    return n;
}

int choose(int n, enum side side, const int *list)
{
    return n * (int)side + (n > 0 ? list[0] : 0);
}

void twice(int n, int n2, int n4, double *out)
{
    for (int i = 0; i < n4; i++)
        out[i] = n + n2;
}

void sly(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
