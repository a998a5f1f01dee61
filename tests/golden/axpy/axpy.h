#ifndef AXPY_H
#define AXPY_H

/* y += a*x, element by element. */
void axpy(int n, double a, const double *x, double *y);

/* Not listed in the manifest. */
void unlisted(void);

#endif
