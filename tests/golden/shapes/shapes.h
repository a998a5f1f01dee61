#ifndef SHAPES_H
#define SHAPES_H

#include <stdint.h>

#define NX 3
#define NY 4u

/* Fixed extents. */
double fixed(const double a[NX][NY], const double b[3]);
/* Variable extents, an expression among them. */
double variable(int n, int m, const double a[n][m], const double b[2 * n + 1][m]);
/* Pointers to rows. */
double rows(int n, const double (*a)[4]);
/* Fortran order. */
double element(int n, int m, const double *a, int i, int j);
/* Free dimensions: only the rank is known. */
float first(const float *a);
/* Sizes of several widths. */
int64_t sizes(int8_t a, uint16_t b, int64_t c, const int8_t *x, const uint16_t *y, const int64_t *z);
/* The size is an argument here, since it is no bare dimension. */
double strided(int n, int step, const double *x);
/* A dimension divided, a remainder, a difference. */
double mixed(int n, int k, const double *half, const double *rest, const double *less);

#endif
