/* products.c - statistics and linear algebra made of products. */
#include "polybench.h"

#include <math.h>

/* Means of the m columns of data (n rows). */
static void column_means(int m, int n, double float_n, double data[n][m], double mean[m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
}

void kernel_correlation(int m, int n, double float_n, double data[n][m], double corr[m][m], double mean[m], double stddev[m])
{
    column_means(m, n, float_n, data, mean);
    for (int j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] = sqrt(stddev[j] / float_n);
        if (stddev[j] <= 0.1) /* a column that is constant, but for rounding */
            stddev[j] = 1.0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] = (data[i][j] - mean[j]) / (sqrt(float_n) * stddev[j]);
    for (int i = 0; i < m; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += data[k][i] * data[k][j];
            corr[i][j] = sum;
            corr[j][i] = sum;
        }
    }
}

void kernel_covariance(int m, int n, double float_n, double data[n][m], double cov[m][m], double mean[m])
{
    column_means(m, n, float_n, data, mean);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= float_n - 1.0;
            cov[j][i] = cov[i][j];
        }
}

void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj], double A[ni][nk], double B[nk][nj],
                double C[nj][nl], double D[ni][nl])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}

/* Z = X Y */
static void multiply(int rows, int inner, int columns, double X[rows][inner], double Y[inner][columns], double Z[rows][columns])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            Z[i][j] = 0.0;
            for (int k = 0; k < inner; k++)
                Z[i][j] += X[i][k] * Y[k][j];
        }
}

void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj], double A[ni][nk], double B[nk][nj], double F[nj][nl],
                double C[nj][nm], double D[nm][nl], double G[ni][nl])
{
    multiply(ni, nk, nj, A, B, E);
    multiply(nj, nm, nl, C, D, F);
    multiply(ni, nj, nl, E, F, G);
}

void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double tmp[m])
{
    for (int j = 0; j < n; j++)
        y[j] = 0.0;
    for (int i = 0; i < m; i++) {
        tmp[i] = 0.0;
        for (int j = 0; j < n; j++)
            tmp[i] += A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * tmp[i];
    }
}

void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n])
{
    for (int j = 0; j < m; j++)
        s[j] = 0.0;
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}

void kernel_doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np], double sum[np])
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0.0;
                for (int s = 0; s < np; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            for (int p = 0; p < np; p++)
                A[r][q][p] = sum[p];
        }
}

void kernel_mvt(int n, double x1[n], double x2[n], double y_1[n], double y_2[n], double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] += A[i][j] * y_1[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] += A[j][i] * y_2[j];
}

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

void kernel_gemver(int n, double alpha, double beta, double A[n][n], double u1[n], double v1[n], double u2[n], double v2[n],
                   double w[n], double x[n], double y[n], double z[n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            x[i] += beta * A[j][i] * y[j];
        x[i] += z[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] += alpha * A[i][j] * x[j];
}

void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double tmp[n], double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            tmp[i] += A[i][j] * x[j];
            y[i] += B[i][j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

/* A is symmetric; only its lower triangle is read. */
void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double below = 0.0; /* what the part right of the diagonal, read below it, adds */
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                below += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * (B[i][j] * A[i][i] + below);
        }
}

void kernel_syr2k(int n, int m, double alpha, double beta, double C[n][n], double A[n][m], double B[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < m; k++)
                C[i][j] += alpha * (A[j][k] * B[i][k] + B[j][k] * A[i][k]);
        }
}

void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < m; k++)
                C[i][j] += alpha * A[i][k] * A[j][k];
        }
}

/* A is lower triangular with ones on its diagonal. */
void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] *= alpha;
        }
}
