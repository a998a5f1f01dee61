#ifndef RARE_H
#define RARE_H

/* What the manifest's rarer keys turn into. */
#define WIDTH 3
enum side { LEFT = 10, RIGHT = 20 };

/* *scale, or 1 without one, times x; counts the calls in *calls where there is a counter. */
double scaled(double x, const double *scale, int *calls);
/* Length of text and of suffix; suffix may be NULL. */
int lengths(const char *text, const char *suffix, const char *fixed);
/* Sum of the codes of `n` characters. */
long codes(int n, const char *text);
/* Every scalar filled in: what the manifest says of them, added up. */
double filled(char c, _Bool b, double d, float _Complex z, enum side side, unsigned char u, const double *none, const char *text);
/* n and m behind pointers, as Fortran has them. */
double fortran_(const int *n, const int *m, const double *a);
/* Sum of x[n][WIDTH]. */
double rows(int n, const double *x);
/* Real parts of z = (re, im) pairs. */
void real_parts(int n, const double *pairs, double *out);
/* Number of true ones. */
int count_true(int n, const unsigned char *mask);
/* Column sums of a matrix stored by columns. */
void column_sums(int n, int m, const double *a, double *sums);
/* The first n numbers, their sum in *sum; returns their number. */
int numbers(int n, double *out, double *sum);
int choose(int, enum side, const int *);
/* Twice the size, all of it computed. */
void twice(int n, int n2, int n4, double *out);
/* Adds 1 to x; says that it does not. */
void sly(int n, double *x);

#endif
