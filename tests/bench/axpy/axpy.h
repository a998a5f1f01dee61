/* axpy.h - the function that every wrapper of this benchmark wraps. */
#ifndef AXPY_H
#define AXPY_H

/* Adds a times x to y. */
void axpy(int n, double a, const double *x, double *y);

#endif
