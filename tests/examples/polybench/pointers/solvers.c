/* solvers.c - factorizations and systems, filters and dynamic programming. */
#include "polybench.h"

#include <math.h>

void kernel_cholesky(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i * n + j] -= A[i * n + k] * A[j * n + k];
            A[i * n + j] /= A[j * n + j];
        }
        for (int k = 0; k < i; k++)
            A[i * n + i] -= A[i * n + k] * A[i * n + k];
        A[i * n + i] = sqrt(A[i * n + i]);
    }
}

void kernel_durbin(int n, double *r, double *y)
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

void kernel_gramschmidt(int m, int n, double *A, double *R, double *Q)
{
    for (int k = 0; k < n; k++) {
        double squares = 0.0;
        for (int i = 0; i < m; i++)
            squares += A[i * n + k] * A[i * n + k];
        R[k * n + k] = sqrt(squares);
        for (int i = 0; i < m; i++)
            Q[i * n + k] = A[i * n + k] / R[k * n + k];
        for (int j = k + 1; j < n; j++) {
            R[k * n + j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k * n + j] += Q[i * n + k] * A[i * n + j];
            for (int i = 0; i < m; i++)
                A[i * n + j] -= Q[i * n + k] * R[k * n + j];
        }
    }
}

void kernel_lu(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i * n + j] -= A[i * n + k] * A[k * n + j];
            A[i * n + j] /= A[j * n + j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i * n + j] -= A[i * n + k] * A[k * n + j];
    }
}

void kernel_ludcmp(int n, double *A, double *b, double *x, double *y)
{
    kernel_lu(n, A);
    for (int i = 0; i < n; i++) { /* forward, with ones on the diagonal */
        double value = b[i];
        for (int j = 0; j < i; j++)
            value -= A[i * n + j] * y[j];
        y[i] = value;
    }
    for (int i = n - 1; i >= 0; i--) { /* backward */
        double value = y[i];
        for (int j = i + 1; j < n; j++)
            value -= A[i * n + j] * x[j];
        x[i] = value / A[i * n + i];
    }
}

void kernel_trisolv(int n, double *L, double *x, double *b)
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i * n + j] * x[j];
        x[i] /= L[i * n + i];
    }
}

/* Deriche's smoothing filter: a recursion each way along the rows, then along the columns. */
void kernel_deriche(int w, int h, double alpha, double *imgIn, double *imgOut, double *y1, double *y2)
{
    double e1 = exp(-alpha), e2 = exp(-2.0 * alpha);
    double k = (1.0 - e1) * (1.0 - e1) / (1.0 + 2.0 * alpha * e1 - e2);
    double a1 = k, a2 = k * e1 * (alpha - 1.0), a3 = k * e1 * (alpha + 1.0), a4 = -k * e2;
    double b1 = 2.0 * e1, b2 = -e2;

    for (int i = 0; i < w; i++) {
        double x = 0.0, last = 0.0, before = 0.0;
        for (int j = 0; j < h; j++) {
            y1[i * h + j] = a1 * imgIn[i * h + j] + a2 * x + b1 * last + b2 * before;
            x = imgIn[i * h + j];
            before = last;
            last = y1[i * h + j];
        }
    }
    for (int i = 0; i < w; i++) {
        double x = 0.0, x_before = 0.0, last = 0.0, before = 0.0;
        for (int j = h - 1; j >= 0; j--) {
            y2[i * h + j] = a3 * x + a4 * x_before + b1 * last + b2 * before;
            x_before = x;
            x = imgIn[i * h + j];
            before = last;
            last = y2[i * h + j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i * h + j] = y1[i * h + j] + y2[i * h + j];

    for (int j = 0; j < h; j++) {
        double x = 0.0, last = 0.0, before = 0.0;
        for (int i = 0; i < w; i++) {
            y1[i * h + j] = a1 * imgOut[i * h + j] + a2 * x + b1 * last + b2 * before;
            x = imgOut[i * h + j];
            before = last;
            last = y1[i * h + j];
        }
    }
    for (int j = 0; j < h; j++) {
        double x = 0.0, x_before = 0.0, last = 0.0, before = 0.0;
        for (int i = w - 1; i >= 0; i--) {
            y2[i * h + j] = a3 * x + a4 * x_before + b1 * last + b2 * before;
            x_before = x;
            x = imgOut[i * h + j];
            before = last;
            last = y2[i * h + j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i * h + j] = y1[i * h + j] + y2[i * h + j];
}

void kernel_floyd_warshall(int n, int *path)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int through = path[i * n + k] + path[k * n + j];
                path[i * n + j] = path[i * n + j] < through ? path[i * n + j] : through;
            }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Pairs of an RNA sequence: bases are 0 to 3, and two that add up to 3 pair. */
void kernel_nussinov(int n, char *seq, int *table)
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i * n + j] = larger(table[i * n + j], table[i * n + j - 1]);
            if (i + 1 < n)
                table[i * n + j] = larger(table[i * n + j], table[(i + 1) * n + j]);
            if (i + 1 < n)
                table[i * n + j] = larger(table[i * n + j], table[(i + 1) * n + j - 1] + (i < j - 1 && seq[i] + seq[j] == 3));
            for (int k = i + 1; k < j; k++)
                table[i * n + j] = larger(table[i * n + j], table[i * n + k] + table[(k + 1) * n + j]);
        }
}
