/* stencils.c - neighbours in time and space. */
#include "polybench.h"

/* Heat equation by alternating directions, each step implicit in one of them; the boundary is 1. */
void kernel_adi(int tsteps, int n, double *u, double *v, double *p, double *q)
{
    double step = 1.0 / n, mu1 = 2.0 / tsteps / (step * step), mu2 = 1.0 / tsteps / (step * step);
    double a = -mu1 / 2.0, b = 1.0 + mu1, d = -mu2 / 2.0, e = 1.0 + mu2;

    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++) { /* columns of v, from u */
            v[i] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = v[i];
            for (int j = 1; j < n - 1; j++) {
                double pivot = a * p[i * n + j - 1] + b;
                p[i * n + j] = -a / pivot;
                q[i * n + j] =
                    (-d * u[j * n + i - 1] + (1.0 + 2.0 * d) * u[j * n + i] - d * u[j * n + i + 1] - a * q[i * n + j - 1])
                    / pivot;
            }
            v[(n - 1) * n + i] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
        }
        for (int i = 1; i < n - 1; i++) { /* rows of u, from v */
            u[i * n] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = u[i * n];
            for (int j = 1; j < n - 1; j++) {
                double pivot = d * p[i * n + j - 1] + e;
                p[i * n + j] = -d / pivot;
                q[i * n + j] =
                    (-a * v[(i - 1) * n + j] + (1.0 + 2.0 * a) * v[i * n + j] - a * v[(i + 1) * n + j] - d * q[i * n + j - 1])
                    / pivot;
            }
            u[i * n + n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
        }
    }
}

/* Maxwell's equations in the plane, with a source at the first row. */
void kernel_fdtd_2d(int tmax, int nx, int ny, double *ex, double *ey, double *hz, double *_fict_)
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < ny; j++)
            ey[j] = _fict_[t];
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i * ny + j] -= 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}

/* One explicit step of the heat equation inside the cube, from `now` to `next`. */
static void heat_step(int n, double *now, double *next)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                next[(i * n + j) * n + k] =
                    now[(i * n + j) * n + k]
                    + 0.125 * (now[((i + 1) * n + j) * n + k] - 2.0 * now[(i * n + j) * n + k] + now[((i - 1) * n + j) * n + k])
                    + 0.125 * (now[(i * n + (j + 1)) * n + k] - 2.0 * now[(i * n + j) * n + k] + now[(i * n + (j - 1)) * n + k])
                    + 0.125 * (now[(i * n + j) * n + k + 1] - 2.0 * now[(i * n + j) * n + k] + now[(i * n + j) * n + k - 1]);
}

void kernel_heat_3d(int tsteps, int n, double *A, double *B)
{
    for (int t = 0; t < tsteps; t++) {
        heat_step(n, A, B);
        heat_step(n, B, A);
    }
}

void kernel_jacobi_1d(int tsteps, int n, double *A, double *B)
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0;
    }
}

void kernel_jacobi_2d(int tsteps, int n, double *A, double *B)
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i * n + j] =
                    0.2 * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i - 1) * n + j] + A[(i + 1) * n + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i * n + j] =
                    0.2 * (B[i * n + j] + B[i * n + j - 1] + B[i * n + j + 1] + B[(i - 1) * n + j] + B[(i + 1) * n + j]);
    }
}

void kernel_seidel_2d(int tsteps, int n, double *A)
{
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i * n + j] =
                    (A[(i - 1) * n + j - 1] + A[(i - 1) * n + j] + A[(i - 1) * n + j + 1] + A[i * n + j - 1] + A[i * n + j]
                     + A[i * n + j + 1] + A[(i + 1) * n + j - 1] + A[(i + 1) * n + j] + A[(i + 1) * n + j + 1])
                    / 9.0;
}
