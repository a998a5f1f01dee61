#include "kernels.h"

double f(int n, double *x)
{
    return n > 0 ? x[0] : 0;
}
