#ifndef VOIDS_H
#define VOIDS_H

/* x *= *alpha, complex. */
void zscale(int n, const void *alpha, void *x);

/* Sum of squares; no symbol to link. */
static inline double squares(int n, const double x[])
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Nothing in, nothing out. */
void nothing(void);

#endif
