#include "kernels.h"

#include <sched.h>
#include <string.h>

void
axpy(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void
twice(int n, int m, const double *in, double *out)
{
    for (int i = 0; i < n * m; i++)
        out[i] = 2 * in[i];
}

void
mark(int n, int m, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * m + j] += 10 * i + j;
}

void
mark_f(int n, int m, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j * n + i] += 10 * i + j;
}

void
mark_cube(int n, int m, int l, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                b[(i * m + j) * l + k] = 100 * i + 10 * j + k;
}

void
even(int n, double *out)
{
    for (int i = 0; i < n; i += 2)
        out[i] = 42;
}

double
total(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void
scaled(int n, const double *x, double *out, double factor)
{
    for (int i = 0; i < n; i++)
        out[i] = x[i] * factor;
}

void
filled(int n, double v, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] += v;
}

void
squares(int n, const double *x, double *out, double *work)
{
    for (int i = 0; i < n; i++)
        work[n + i] = work[i] = x[i];
    for (int i = 0; i < n; i++)
        out[i] = work[n + i] * work[i];
}

void
add_restrict(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}

void
shift(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}

int
moments(int n, const double *x, double *mean, int64_t *count)
{
    *mean = n > 0 ? total(n, x) / n : 0;
    *count += n;
    return 0;
}

void
scale_by(int n, const double *alpha, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= *alpha;
}

double
weighted(int n, const double *x, const double *weights)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += weights == NULL ? x[i] : weights[i] * x[i];
    return sum;
}

int
length(const char *text)
{
    return text == NULL ? -1 : (int)strlen(text);
}

const char *
echo_text(const char *text)
{
    return text;
}

char
next_char(char c)
{
    return (char)(c + 1);
}

enum color
other(enum color c)
{
    return c == RED ? GREEN : RED;
}

bool
negate(bool b)
{
    return !b;
}

int64_t
count_int(int n, const int8_t *x)
{
    (void)x;
    return n;
}

int64_t
count_int64(int64_t n, const int8_t *x)
{
    (void)x;
    return n;
}

double
planes(int n, const double a[n][3], const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            sum += a[i][j] * b[2 * i + 1];
    return sum;
}

int64_t
rows(int n, int ld, const double *a)
{
    (void)a;
    return (int64_t)n * 1000 + ld;
}

void
conjugate(int n, const double _Complex *x, double _Complex *y)
{
    for (int i = 0; i < n; i++)
        y[i] = conj(x[i]);
}

void
add_half(int n, const _Float16 *x, _Float16 *y)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] + x[i];
}

void
negate_bfloat16(int n, const uint16_t *x, uint16_t *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] ^ 0x8000;
}

void
add_long_double(int n, const long double *x, long double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}

void
invert_bools(int n, const bool *x, bool *y)
{
    for (int i = 0; i < n; i++)
        y[i] = !x[i];
}

void
add_int64(int n, const int64_t *x, int64_t *y)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}

static volatile int64_t counter;

int64_t
racy_count(int times)
{
    for (int i = 0; i < times; i++) {
        int64_t seen = counter;
        sched_yield();
        counter = seen + 1;
    }
    return counter;
}

int64_t
racy_add(int64_t n, double *x)
{
    (void)x;
    (void)n;
    return racy_count(1);
}

int64_t
racy_reset(void)
{
    int64_t seen = counter;
    counter = 0;
    return seen;
}

void
echo_float16(const _Float16 *value, _Float16 *out)
{
    *out = *value;
}

void
sneaky(int n, int m, double *x, double *y)
{
    for (int i = 0; i < n * m; i++)
        y[i] = 1;
    if (n * m > 1)
        x[1] = 9;
}

void
lazy(int n, double *out)
{
    for (int i = 0; i < n - 1; i++)
        out[i] = 5;
}

void
reads_first(int n, double *out, double *copy)
{
    for (int i = 0; i < n; i++) {
        copy[i] = 1 - 2 * out[i];
        out[i] = i;
    }
}

float
reads_for_result(int n, float *out)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += out[i];
        out[i] = 1;
    }
    return sum;
}

#undef ECHO
#define ECHO(name, type) \
    type echo_##name(type value) { return value; }
ECHO(int8, int8_t)
ECHO(int16, int16_t)
ECHO(int32, int32_t)
ECHO(int64, int64_t)
ECHO(uint8, uint8_t)
ECHO(uint16, uint16_t)
ECHO(uint32, uint32_t)
ECHO(uint64, uint64_t)
ECHO(size_t, size_t)
ECHO(float, float)
ECHO(double, double)
ECHO(long_double, long double)
ECHO(complex64, float _Complex)
ECHO(complex128, double _Complex)
