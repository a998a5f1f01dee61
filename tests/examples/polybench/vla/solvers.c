/* solvers.c - factorizations and systems, filters and dynamic programming. */
#include "polybench.h"

#include <math.h>

void kernel_cholesky(int n, double A[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
}

void kernel_durbin(int n, double r[n], double y[n])
{
    double z[n], alpha = -r[0], beta = 1.0;
    y[0] = -r[0];
    for (int k = 1; k < n; k++) {
        double sum = r[k];
        beta *= 1.0 - alpha * alpha;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -sum / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
    for (int k = 0; k < n; k++) {
        double squares = 0.0;
        for (int i = 0; i < m; i++)
            squares += A[i][k] * A[i][k];
        R[k][k] = sqrt(squares);
        for (int i = 0; i < m; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < n; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
}

void kernel_lu(int n, double A[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n])
{
    kernel_lu(n, A);
    for (int i = 0; i < n; i++) { /* forward, with ones on the diagonal */
        double value = b[i];
        for (int j = 0; j < i; j++)
            value -= A[i][j] * y[j];
        y[i] = value;
    }
    for (int i = n - 1; i >= 0; i--) { /* backward */
        double value = y[i];
        for (int j = i + 1; j < n; j++)
            value -= A[i][j] * x[j];
        x[i] = value / A[i][i];
    }
}

void kernel_trisolv(int n, double L[n][n], double x[n], double b[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
}

/* Deriche's smoothing filter: a recursion each way along the rows, then along the columns. */
void kernel_deriche(int w, int h, double alpha, double imgIn[w][h], double imgOut[w][h], double y1[w][h], double y2[w][h])
{
    double e1 = exp(-alpha), e2 = exp(-2.0 * alpha);
    double k = (1.0 - e1) * (1.0 - e1) / (1.0 + 2.0 * alpha * e1 - e2);
    double a1 = k, a2 = k * e1 * (alpha - 1.0), a3 = k * e1 * (alpha + 1.0), a4 = -k * e2;
    double b1 = 2.0 * e1, b2 = -e2;

    for (int i = 0; i < w; i++) {
        double x = 0.0, last = 0.0, before = 0.0;
        for (int j = 0; j < h; j++) {
            y1[i][j] = a1 * imgIn[i][j] + a2 * x + b1 * last + b2 * before;
            x = imgIn[i][j];
            before = last;
            last = y1[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        double x = 0.0, x_before = 0.0, last = 0.0, before = 0.0;
        for (int j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * x + a4 * x_before + b1 * last + b2 * before;
            x_before = x;
            x = imgIn[i][j];
            before = last;
            last = y2[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i][j] = y1[i][j] + y2[i][j];

    for (int j = 0; j < h; j++) {
        double x = 0.0, last = 0.0, before = 0.0;
        for (int i = 0; i < w; i++) {
            y1[i][j] = a1 * imgOut[i][j] + a2 * x + b1 * last + b2 * before;
            x = imgOut[i][j];
            before = last;
            last = y1[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        double x = 0.0, x_before = 0.0, last = 0.0, before = 0.0;
        for (int i = w - 1; i >= 0; i--) {
            y2[i][j] = a3 * x + a4 * x_before + b1 * last + b2 * before;
            x_before = x;
            x = imgOut[i][j];
            before = last;
            last = y2[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i][j] = y1[i][j] + y2[i][j];
}

void kernel_floyd_warshall(int n, int path[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int through = path[i][k] + path[k][j];
                path[i][j] = path[i][j] < through ? path[i][j] : through;
            }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Pairs of an RNA sequence: bases are 0 to 3, and two that add up to 3 pair. */
void kernel_nussinov(int n, char seq[n], int table[n][n])
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i][j] = larger(table[i][j], table[i][j - 1]);
            if (i + 1 < n)
                table[i][j] = larger(table[i][j], table[i + 1][j]);
            if (i + 1 < n)
                table[i][j] = larger(table[i][j], table[i + 1][j - 1] + (i < j - 1 && seq[i] + seq[j] == 3));
            for (int k = i + 1; k < j; k++)
                table[i][j] = larger(table[i][j], table[i][k] + table[k + 1][j]);
        }
}
