/* stencils.c - neighbours in time and space. */
#include "polybench.h"

/* Heat equation by alternating directions, each step implicit in one of them; the boundary is 1. */
void kernel_adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    double step = 1.0 / n, mu1 = 2.0 / tsteps / (step * step), mu2 = 1.0 / tsteps / (step * step);
    double a = -mu1 / 2.0, b = 1.0 + mu1, d = -mu2 / 2.0, e = 1.0 + mu2;

    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++) { /* columns of v, from u */
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                double pivot = a * p[i][j - 1] + b;
                p[i][j] = -a / pivot;
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - d * u[j][i + 1] - a * q[i][j - 1]) / pivot;
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < n - 1; i++) { /* rows of u, from v */
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                double pivot = d * p[i][j - 1] + e;
                p[i][j] = -d / pivot;
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - a * v[i + 1][j] - d * q[i][j - 1]) / pivot;
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

/* Maxwell's equations in the plane, with a source at the first row. */
void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], double _fict_[tmax])
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < ny; j++)
            ey[0][j] = _fict_[t];
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

/* One explicit step of the heat equation inside the cube, from `now` to `next`. */
static void heat_step(int n, double now[n][n][n], double next[n][n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                next[i][j][k] = now[i][j][k] + 0.125 * (now[i + 1][j][k] - 2.0 * now[i][j][k] + now[i - 1][j][k])
                                + 0.125 * (now[i][j + 1][k] - 2.0 * now[i][j][k] + now[i][j - 1][k])
                                + 0.125 * (now[i][j][k + 1] - 2.0 * now[i][j][k] + now[i][j][k - 1]);
}

void kernel_heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n])
{
    for (int t = 0; t < tsteps; t++) {
        heat_step(n, A, B);
        heat_step(n, B, A);
    }
}

void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0;
    }
}

void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j]);
    }
}

void kernel_seidel_2d(int tsteps, int n, double A[n][n])
{
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1])
                          / 9.0;
}
