/* polybench.h - 30 numerical kernels, declared with C99: variable length arrays.
 *
 * Written from the definitions of what they compute; names and order of the parameters are those of PolyBench/C, the benchmark
 * suite of this collection of kernels.
 */
#ifndef POLYBENCH_H
#define POLYBENCH_H

/* Correlation matrix of the m columns of data, which has n rows and is standardized on the way. */
void kernel_correlation(int m, int n, double float_n, double data[n][m], double corr[m][m], double mean[m], double stddev[m]);
/* Covariance matrix of the m columns of data, which is centred on the way. */
void kernel_covariance(int m, int n, double float_n, double data[n][m], double cov[m][m], double mean[m]);
/* D = alpha A B C + beta D, with tmp = alpha A B. */
void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj], double A[ni][nk],
                double B[nk][nj], double C[nj][nl], double D[ni][nl]);
/* G = (A B) (C D), with E and F the two inner products. */
void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj], double A[ni][nk], double B[nk][nj], double F[nj][nl],
                double C[nj][nm], double D[nm][nl], double G[ni][nl]);
/* y = A^T (A x). */
void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double tmp[m]);
/* q = A p and s = A^T r: the products of the BiCG method. */
void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n]);
/* Each row A[r][q] times the matrix C4. */
void kernel_doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np], double sum[np]);
/* x1 += A y_1 and x2 += A^T y_2. */
void kernel_mvt(int n, double x1[n], double x2[n], double y_1[n], double y_2[n], double A[n][n]);
/* C = alpha A B + beta C. */
void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj], double A[ni][nk], double B[nk][nj]);
/* A += u1 v1^T + u2 v2^T, then x += beta A^T y + z, then w += alpha A x. */
void kernel_gemver(int n, double alpha, double beta, double A[n][n], double u1[n], double v1[n], double u2[n], double v2[n],
                   double w[n], double x[n], double y[n], double z[n]);
/* y = alpha A x + beta B x. */
void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double tmp[n], double x[n], double y[n]);
/* C = alpha A B + beta C with a symmetric A, of which the lower triangle is read. */
void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m], double B[m][n]);
/* C = alpha (A B^T + B A^T) + beta C, the lower triangle. */
void kernel_syr2k(int n, int m, double alpha, double beta, double C[n][n], double A[n][m], double B[n][m]);
/* C = alpha A A^T + beta C, the lower triangle. */
void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m]);
/* B = alpha A^T B with a unit lower triangular A. */
void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n]);
/* A = L L^T, L in the place of its lower triangle. */
void kernel_cholesky(int n, double A[n][n]);
/* Solves the Yule-Walker equations of the Toeplitz matrix of r. */
void kernel_durbin(int n, double r[n], double y[n]);
/* A = Q R by modified Gram-Schmidt; A is used up. */
void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n]);
/* A = L U in place, without pivoting. */
void kernel_lu(int n, double A[n][n]);
/* Solves A x = b by A = L U; y is L^-1 b. */
void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n]);
/* Solves L x = b, L lower triangular. */
void kernel_trisolv(int n, double L[n][n], double x[n], double b[n]);
/* Deriche's recursive smoothing of an image. */
void kernel_deriche(int w, int h, double alpha, double imgIn[w][h], double imgOut[w][h], double y1[w][h], double y2[w][h]);
/* Shortest paths between all pairs. */
void kernel_floyd_warshall(int n, int path[n][n]);
/* Most base pairs of an RNA sequence, for every part of it. */
void kernel_nussinov(int n, char seq[n], int table[n][n]);
/* Heat equation, implicit in alternating directions. */
void kernel_adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n]);
/* Maxwell's equations in the plane, finite differences in time. */
void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], double _fict_[tmax]);
/* Heat equation in a cube, explicit. */
void kernel_heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n]);
/* Jacobi steps on a line. */
void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n]);
/* Jacobi steps in the plane. */
void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n]);
/* Gauss-Seidel sweeps in the plane. */
void kernel_seidel_2d(int tsteps, int n, double A[n][n]);

#endif
