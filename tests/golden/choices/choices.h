#ifndef CHOICES_H
#define CHOICES_H

/* Sum of the elements where mask is set, or of all. */
double masked(int n, const double *x, const unsigned char *mask);
/* Defaults of every kind. */
double defaults(double a, int b, float c, double _Complex d, const char *e, char f, unsigned long long g, long double h);
/* Median by sorting in work. */
double median(int n, const double *x, double *work);
/* Written and restrict, beside another written array. */
void swap(int n, double *restrict a, double *restrict b);
/* Runs without the GIL, always. */
void released(int n, double *x);
/* Keeps the GIL, always. */
void held(int n, double *x);
enum order { ROWS = 101, COLUMNS = 102 };

/* Values filled in: constants, sizes, expressions. */
int filled(int n, const double *x, int lda, int twice, long inc, enum order order);
/* A size that only an optional array has. */
void fill(int n, double value, double *out);
/* Only by keyword. */
double keyword(double a, double b);

#endif
