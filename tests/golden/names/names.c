#include "names.h"
#undef N
#undef I

double clash(double args, double nargs, double module, double result, double kwnames, double pkwrap)
{
    return args + 2 * nargs + 4 * module + 8 * result + 16 * kwnames + 32 * pkwrap;
}

double capitals(double N, double n, double I, int M, const double *A)
{
    return N + 2 * n + 4 * I + 8 * M + A[0];
}

double shadow(double shadow)
{
    return -shadow;
}

double unnamed(double a, int b)
{
    return a * b;
}

double capitals_run(double x)
{
    return x + 1;
}

double while_(double cell, double *cell_cell)
{
    *cell_cell = 2 * cell;
    return cell;
}
