/* heat.h - heat conduction in a thin rectangular plate, with tracer particles that drift along the heat flux.
 *
 * Fields live on a grid of ny rows and nx columns with spacing h (m); element [j][i] belongs to the point (i*h, j*h).
 * Particles are kept as one array a coordinate. SI units throughout.
 */
#ifndef HEAT_H
#define HEAT_H

/* One explicit step of the heat equation, five-point stencil.
 *
 * u    temperature at the old time (K)
 * out  temperature at the new time (K); the edge of the plate is kept at its temperature
 * r    diffusivity * dt / h^2, dimensionless; stable up to 0.25
 */
void heat_step(int ny, int nx, const double u[ny][nx], double out[restrict ny][nx], double r);

/* The heat flux -k grad u by central differences, one-sided at the edge (W/m^2).
 *
 * k       conductivity (W/(m K))
 * qx, qy  components of the flux along a row and along a column
 */
void heat_flux(int ny, int nx, const double u[ny][nx], double k, double h, double qx[restrict ny][nx],
               double qy[restrict ny][nx]);

/* The energy in the plate above absolute zero (J): capacity * h^2 * the sum of u.
 *
 * capacity  heat capacity per area (J/(m^2 K))
 */
double heat_energy(int ny, int nx, const double u[ny][nx], double capacity, double h);

/* Moves n tracer particles for one time step: their velocity relaxes towards the local flux, then they drift; the walls
 * reflect them.
 *
 * x, y      positions (m), inside the plate
 * vx, vy    velocities (m/s)
 * mobility  velocity per flux (m^3/J)
 * relax     dt / relaxation time, between 0 and 1
 * Returns the number of particles that hit a wall.
 */
int push_tracers(int n, double x[n], double y[n], double vx[n], double vy[n], int ny, int nx, const double qx[ny][nx],
                 const double qy[ny][nx], double h, double mobility, double relax, double dt);

#endif
