/* polybench.h - 30 numerical kernels, declared with pointers and sizes; the arrays lie row by row.
 *
 * Written from the definitions of what they compute; names and order of the parameters are those of PolyBench/C, the benchmark
 * suite of this collection of kernels.
 */
#ifndef POLYBENCH_H
#define POLYBENCH_H

/* Correlation matrix of the m columns of data, which has n rows and is standardized on the way. */
void kernel_correlation(int m, int n, double float_n, double *data, double *corr, double *mean, double *stddev);
/* Covariance matrix of the m columns of data, which is centred on the way. */
void kernel_covariance(int m, int n, double float_n, double *data, double *cov, double *mean);
/* D = alpha A B C + beta D, with tmp = alpha A B. */
void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double *tmp, double *A, double *B, double *C,
                double *D);
/* G = (A B) (C D), with E and F the two inner products. */
void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double *E, double *A, double *B, double *F, double *C, double *D,
                double *G);
/* y = A^T (A x). */
void kernel_atax(int m, int n, double *A, double *x, double *y, double *tmp);
/* q = A p and s = A^T r: the products of the BiCG method. */
void kernel_bicg(int m, int n, double *A, double *s, double *q, double *p, double *r);
/* Each row A[r][q] times the matrix C4. */
void kernel_doitgen(int nr, int nq, int np, double *A, double *C4, double *sum);
/* x1 += A y_1 and x2 += A^T y_2. */
void kernel_mvt(int n, double *x1, double *x2, double *y_1, double *y_2, double *A);
/* C = alpha A B + beta C. */
void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double *C, double *A, double *B);
/* A += u1 v1^T + u2 v2^T, then x += beta A^T y + z, then w += alpha A x. */
void kernel_gemver(int n, double alpha, double beta, double *A, double *u1, double *v1, double *u2, double *v2, double *w,
                   double *x, double *y, double *z);
/* y = alpha A x + beta B x. */
void kernel_gesummv(int n, double alpha, double beta, double *A, double *B, double *tmp, double *x, double *y);
/* C = alpha A B + beta C with a symmetric A, of which the lower triangle is read. */
void kernel_symm(int m, int n, double alpha, double beta, double *C, double *A, double *B);
/* C = alpha (A B^T + B A^T) + beta C, the lower triangle. */
void kernel_syr2k(int n, int m, double alpha, double beta, double *C, double *A, double *B);
/* C = alpha A A^T + beta C, the lower triangle. */
void kernel_syrk(int n, int m, double alpha, double beta, double *C, double *A);
/* B = alpha A^T B with a unit lower triangular A. */
void kernel_trmm(int m, int n, double alpha, double *A, double *B);
/* A = L L^T, L in the place of its lower triangle. */
void kernel_cholesky(int n, double *A);
/* Solves the Yule-Walker equations of the Toeplitz matrix of r. */
void kernel_durbin(int n, double *r, double *y);
/* A = Q R by modified Gram-Schmidt; A is used up. */
void kernel_gramschmidt(int m, int n, double *A, double *R, double *Q);
/* A = L U in place, without pivoting. */
void kernel_lu(int n, double *A);
/* Solves A x = b by A = L U; y is L^-1 b. */
void kernel_ludcmp(int n, double *A, double *b, double *x, double *y);
/* Solves L x = b, L lower triangular. */
void kernel_trisolv(int n, double *L, double *x, double *b);
/* Deriche's recursive smoothing of an image. */
void kernel_deriche(int w, int h, double alpha, double *imgIn, double *imgOut, double *y1, double *y2);
/* Shortest paths between all pairs. */
void kernel_floyd_warshall(int n, int *path);
/* Most base pairs of an RNA sequence, for every part of it. */
void kernel_nussinov(int n, char *seq, int *table);
/* Heat equation, implicit in alternating directions. */
void kernel_adi(int tsteps, int n, double *u, double *v, double *p, double *q);
/* Maxwell's equations in the plane, finite differences in time. */
void kernel_fdtd_2d(int tmax, int nx, int ny, double *ex, double *ey, double *hz, double *_fict_);
/* Heat equation in a cube, explicit. */
void kernel_heat_3d(int tsteps, int n, double *A, double *B);
/* Jacobi steps on a line. */
void kernel_jacobi_1d(int tsteps, int n, double *A, double *B);
/* Jacobi steps in the plane. */
void kernel_jacobi_2d(int tsteps, int n, double *A, double *B);
/* Gauss-Seidel sweeps in the plane. */
void kernel_seidel_2d(int tsteps, int n, double *A);

#endif
