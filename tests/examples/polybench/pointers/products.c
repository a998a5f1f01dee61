/* products.c - statistics and linear algebra made of products. */
#include "polybench.h"

#include <math.h>

/* Means of the m columns of data (n rows). */
static void column_means(int m, int n, double float_n, double *data, double *mean)
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= float_n;
    }
}

void kernel_correlation(int m, int n, double float_n, double *data, double *corr, double *mean, double *stddev)
{
    column_means(m, n, float_n, data, mean);
    for (int j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        stddev[j] = sqrt(stddev[j] / float_n);
        if (stddev[j] <= 0.1) /* a column that is constant, but for rounding */
            stddev[j] = 1.0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i * m + j] = (data[i * m + j] - mean[j]) / (sqrt(float_n) * stddev[j]);
    for (int i = 0; i < m; i++) {
        corr[i * m + i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += data[k * m + i] * data[k * m + j];
            corr[i * m + j] = sum;
            corr[j * m + i] = sum;
        }
    }
}

void kernel_covariance(int m, int n, double float_n, double *data, double *cov, double *mean)
{
    column_means(m, n, float_n, data, mean);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i * m + j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i * m + j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i * m + j] += data[k * m + i] * data[k * m + j];
            cov[i * m + j] /= float_n - 1.0;
            cov[j * m + i] = cov[i * m + j];
        }
}

void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double *tmp, double *A, double *B, double *C,
                double *D)
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i * nj + j] = 0.0;
            for (int k = 0; k < nk; k++)
                tmp[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i * nl + j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i * nl + j] += tmp[i * nj + k] * C[k * nl + j];
        }
}

/* Z = X Y */
static void multiply(int rows, int inner, int columns, double *X, double *Y, double *Z)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            Z[i * columns + j] = 0.0;
            for (int k = 0; k < inner; k++)
                Z[i * columns + j] += X[i * inner + k] * Y[k * columns + j];
        }
}

void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double *E, double *A, double *B, double *F, double *C, double *D,
                double *G)
{
    multiply(ni, nk, nj, A, B, E);
    multiply(nj, nm, nl, C, D, F);
    multiply(ni, nj, nl, E, F, G);
}

void kernel_atax(int m, int n, double *A, double *x, double *y, double *tmp)
{
    for (int j = 0; j < n; j++)
        y[j] = 0.0;
    for (int i = 0; i < m; i++) {
        tmp[i] = 0.0;
        for (int j = 0; j < n; j++)
            tmp[i] += A[i * n + j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i * n + j] * tmp[i];
    }
}

void kernel_bicg(int m, int n, double *A, double *s, double *q, double *p, double *r)
{
    for (int j = 0; j < m; j++)
        s[j] = 0.0;
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * A[i * m + j];
            q[i] += A[i * m + j] * p[j];
        }
    }
}

void kernel_doitgen(int nr, int nq, int np, double *A, double *C4, double *sum)
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0.0;
                for (int s = 0; s < np; s++)
                    sum[p] += A[(r * nq + q) * np + s] * C4[s * np + p];
            }
            for (int p = 0; p < np; p++)
                A[(r * nq + q) * np + p] = sum[p];
        }
}

void kernel_mvt(int n, double *x1, double *x2, double *y_1, double *y_2, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] += A[i * n + j] * y_1[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] += A[j * n + i] * y_2[j];
}

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double *C, double *A, double *B)
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
}

void kernel_gemver(int n, double alpha, double beta, double *A, double *u1, double *v1, double *u2, double *v2, double *w,
                   double *x, double *y, double *z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            x[i] += beta * A[j * n + i] * y[j];
        x[i] += z[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] += alpha * A[i * n + j] * x[j];
}

void kernel_gesummv(int n, double alpha, double beta, double *A, double *B, double *tmp, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            tmp[i] += A[i * n + j] * x[j];
            y[i] += B[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

/* A is symmetric; only its lower triangle is read. */
void kernel_symm(int m, int n, double alpha, double beta, double *C, double *A, double *B)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double below = 0.0; /* what the part right of the diagonal, read below it, adds */
            for (int k = 0; k < i; k++) {
                C[k * n + j] += alpha * B[i * n + j] * A[i * m + k];
                below += B[k * n + j] * A[i * m + k];
            }
            C[i * n + j] = beta * C[i * n + j] + alpha * (B[i * n + j] * A[i * m + i] + below);
        }
}

void kernel_syr2k(int n, int m, double alpha, double beta, double *C, double *A, double *B)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            C[i * n + j] *= beta;
            for (int k = 0; k < m; k++)
                C[i * n + j] += alpha * (A[j * m + k] * B[i * m + k] + B[j * m + k] * A[i * m + k]);
        }
}

void kernel_syrk(int n, int m, double alpha, double beta, double *C, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            C[i * n + j] *= beta;
            for (int k = 0; k < m; k++)
                C[i * n + j] += alpha * A[i * m + k] * A[j * m + k];
        }
}

/* A is lower triangular with ones on its diagonal. */
void kernel_trmm(int m, int n, double alpha, double *A, double *B)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B[i * n + j] += A[k * m + i] * B[k * n + j];
            B[i * n + j] *= alpha;
        }
}
