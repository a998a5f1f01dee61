#ifndef NAMES_H
#define NAMES_H

/* Names that mean something in the wrapper: args, nargs, module, "result".
   A second line with a back\slash, a "quote", a ??/ trigraph and an é. */
double clash(double args, double nargs, double module, double result, double kwnames, double pkwrap);
/* All capitals, and the same in lower case. */
double capitals(double N, double n, double I, int M, const double *A);
/* A parameter like the function. */
double shadow(double shadow);
/* No names at all. */
double unnamed(double, int);
/* One function's name with another's ending. */
double capitals_run(double x);
double while_(double cell, double *cell_cell);

#define N 7
#define I 9

#endif
