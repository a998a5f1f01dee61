#ifndef RESULTS_H
#define RESULTS_H

#include <stddef.h>

typedef int status;

/* Sum of x. */
double total(int n, const double *x);
/* Smallest and largest element; 0, or 1 where there is none. */
status extrema(size_t n, const double *x, double *low, double *high);
/* Adds 1 to *count, and x's sum to *sum. */
void accumulate(int n, const float *x, long long *count, double *sum);
/* out = 2*x. */
void twice(int n, const double *x, double *restrict out);
/* The sum, and the running sums. */
double running(int n, const double *x, double *sums, int *status);
/* Reads the factor behind a pointer. */
void scale(int n, const double *factor, double *x);
/* Name of a status; NULL for an unknown one. */
const char *status_name(status code);
/* The last letter. */
char letter(int index);
_Bool positive(double x);

#endif
