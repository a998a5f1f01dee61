#include "voids.h"

void zscale(int n, const void *alpha, void *x)
{
    double _Complex *z = x;
    for (int i = 0; i < n; i++)
        z[i] *= *(const double _Complex *)alpha;
}

void nothing(void)
{
}
