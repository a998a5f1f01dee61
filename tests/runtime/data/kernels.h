/* Kernels of the runtime tests: one for each thing that a call can be asked to do. */
#ifndef KERNELS_H
#define KERNELS_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum color { RED = 1, GREEN = 2 };

/* y += a x */
void axpy(int n, double a, const double *x, double *y);
/* out = 2 in, of a row-major matrix */
void twice(int n, int m, const double *in, double *out);
/* b[i][j] += 10 i + j, for a matrix in row-major order */
void mark(int n, int m, double *b);
/* The same for a matrix in column-major order. */
void mark_f(int n, int m, double *b);
/* b[i][j][k] = 100 i + 10 j + k; all of it */
void mark_cube(int n, int m, int l, double *b);
/* Sets every second element to 42. */
void even(int n, double *out);
/* sum of x */
double total(int n, const double *x);
/* out[i] = x[i] * factor; the caller may leave out away */
void scaled(int n, const double *x, double *out, double factor);
/* out[i] += v; the caller may leave out away */
void filled(int n, double v, double *out);
/* out[i] = x[i]^2, through a workspace of 2 n elements */
void squares(int n, const double *x, double *out, double *work);
/* y[i] += x[i], with arrays that may not overlap */
void add_restrict(int n, const double *restrict x, double *restrict y);
/* The last element of x moves along y: shows an overlap. */
void shift(int n, const double *x, double *y);
/* Mean in *mean, *count grows by n; returns 0. */
int moments(int n, const double *x, double *mean, int64_t *count);
/* *alpha x, where alpha is behind a pointer */
void scale_by(int n, const double *alpha, double *x);
/* Sum of x, weighted where weights are given. */
double weighted(int n, const double *x, const double *weights);
/* Number of bytes before the NUL, or -1 */
int length(const char *text);
/* The text that was given. */
const char *echo_text(const char *text);
char next_char(char c);
enum color other(enum color c);
bool negate(bool b);
/* n is an int, of an array of bytes */
int64_t count_int(int n, const int8_t *x);
int64_t count_int64(int64_t n, const int8_t *x);
/* Rows times columns, the rows twice as many as n plus one */
double planes(int n, const double a[n][3], const double *b);
int64_t rows(int n, int ld, const double *a);
/* conjugate */
void conjugate(int n, const double _Complex *x, double _Complex *y);
void add_half(int n, const _Float16 *x, _Float16 *y);
/* bfloat16, as its bits: y[i] = -x[i] */
void negate_bfloat16(int n, const uint16_t *x, uint16_t *y);
void add_long_double(int n, const long double *x, long double *y);
void invert_bools(int n, const bool *x, bool *y);
void add_int64(int n, const int64_t *x, int64_t *y);
/* Adds 1 to a counter without an atomic operation, `times` times with a pause in the middle of each; returns it. */
int64_t racy_count(int times);
int64_t racy_add(int64_t n, double *x);
int64_t racy_reset(void);
/* y = 1, and x[1] = 9, which the manifest does not say */
void sneaky(int n, int m, double *x, double *y);
/* All of out but its last element becomes 5, though the manifest says that all of it is. */
void lazy(int n, double *out);
void reads_first(int n, double *out, double *copy);
float reads_for_result(int n, float *out);

/* *out = *value */
void echo_float16(const _Float16 *value, _Float16 *out);

#define ECHO(name, type) type echo_##name(type value);
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

#endif
