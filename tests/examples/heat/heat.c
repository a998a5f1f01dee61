/* heat.c - the kernels of heat.h, written for one core and host memory. */
#include "heat.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void heat_step(int ny, int nx, const double u[ny][nx], double out[restrict ny][nx], double r)
{
    if (ny == 0 || nx == 0)
        return;
    memcpy(out[0], u[0], (size_t)nx * sizeof(double));
    for (int j = 1; j < ny - 1; j++) {
        out[j][0] = u[j][0];
        for (int i = 1; i < nx - 1; i++)
            out[j][i] = u[j][i] + r * (u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] - 4.0 * u[j][i]);
        out[j][nx - 1] = u[j][nx - 1];
    }
    memcpy(out[ny - 1], u[ny - 1], (size_t)nx * sizeof(double));
}

void heat_flux(int ny, int nx, const double u[ny][nx], double k, double h, double qx[restrict ny][nx],
               double qy[restrict ny][nx])
{
    for (int j = 0; j < ny; j++) {
        /* At an edge the difference reaches over one cell instead of two. */
        int south = j > 0 ? j - 1 : 0, north = j < ny - 1 ? j + 1 : j;
        for (int i = 0; i < nx; i++) {
            int west = i > 0 ? i - 1 : 0, east = i < nx - 1 ? i + 1 : i;
            qx[j][i] = east == west ? 0.0 : -k * (u[j][east] - u[j][west]) / ((east - west) * h);
            qy[j][i] = north == south ? 0.0 : -k * (u[north][i] - u[south][i]) / ((north - south) * h);
        }
    }
}

double heat_energy(int ny, int nx, const double u[ny][nx], double capacity, double h)
{
    double sum = 0.0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            sum += u[j][i];
    return capacity * h * h * sum;
}

/* Bilinear interpolation of a field at (x, y), in units of the grid spacing. */
static double interpolate(int ny, int nx, const double field[ny][nx], double x, double y)
{
    int i = (int)x, j = (int)y;
    if (i > nx - 2)
        i = nx - 2;
    if (j > ny - 2)
        j = ny - 2;
    double fx = x - i, fy = y - j;
    return (1.0 - fy) * ((1.0 - fx) * field[j][i] + fx * field[j][i + 1]) +
           fy * ((1.0 - fx) * field[j + 1][i] + fx * field[j + 1][i + 1]);
}

/* Moves one coordinate and reflects it at 0 and at `length`. True when it met a wall. */
static bool drift(double *position, double *velocity, double dt, double length)
{
    *position += *velocity * dt;
    if (*position >= 0.0 && *position <= length)
        return false;
    *position = *position < 0.0 ? fmin(-*position, length) : fmax(2.0 * length - *position, 0.0);
    *velocity = -*velocity;
    return true;
}

int push_tracers(int n, double x[n], double y[n], double vx[n], double vy[n], int ny, int nx, const double qx[ny][nx],
                 const double qy[ny][nx], double h, double mobility, double relax, double dt)
{
    if (ny < 2 || nx < 2)
        return 0;
    int hits = 0;
    for (int p = 0; p < n; p++) {
        double ux = mobility * interpolate(ny, nx, qx, x[p] / h, y[p] / h);
        double uy = mobility * interpolate(ny, nx, qy, x[p] / h, y[p] / h);
        vx[p] += relax * (ux - vx[p]);
        vy[p] += relax * (uy - vy[p]);
        bool hit_x = drift(&x[p], &vx[p], dt, (nx - 1) * h);
        bool hit_y = drift(&y[p], &vy[p], dt, (ny - 1) * h);
        hits += hit_x || hit_y;
    }
    return hits;
}
