/* library.c - what C's functions do whose bodies nobody sees: the C library, BLAS, LAPACK, FFTW, HDF5, MPI. */
#include "lower_internal.h"

/* See analysis/library.h. The first row that fits counts. */
static const struct library_row rows[] = {
    /* memory */
    {"memcpy memmove __builtin_memcpy __builtin_memmove __memcpy_chk __memmove_chk __builtin___memcpy_chk "
     "__builtin___memmove_chk", "wr..", '0', LIBRARY_COPIES},
    {"mempcpy __mempcpy_chk memccpy", "wr..", '0', LIBRARY_COPIES},
    {"bcopy", "rw.", '.', LIBRARY_PLAIN}, /* of numbers; the arguments are the other way round */
    {"memset __builtin_memset __memset_chk __builtin___memset_chk", "w...", '0', LIBRARY_PLAIN},
    {"bzero explicit_bzero __builtin_bzero", "w.", '.', LIBRARY_PLAIN},
    {"swab", "rw.", '.', LIBRARY_PLAIN},
    {"malloc calloc aligned_alloc valloc memalign pvalloc alloca __builtin_alloca __builtin_malloc __builtin_calloc "
     "__builtin_alloca_with_align", "..", 'm', LIBRARY_PLAIN},
    {"realloc reallocarray __builtin_realloc", "r..", 'b', LIBRARY_PLAIN},
    {"posix_memalign", "n..", '.', LIBRARY_PLAIN},
    {"free cfree __builtin_free", "r", '.', LIBRARY_PLAIN},
    /* strings */
    {"strcpy strncpy strcat strncat __builtin_strcpy __builtin_strncpy __builtin_strcat __builtin_strncat strlcpy strlcat "
     "stpcpy stpncpy __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk __builtin___str*_chk __builtin___stp*_chk",
     "wr..", '0', LIBRARY_PLAIN},
    {"strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll strspn strcspn memcmp bcmp __builtin_strlen "
     "__builtin_strcmp __builtin_memcmp __builtin_strncmp wcslen", "r", '.', LIBRARY_PLAIN},
    {"strchr strrchr strstr strpbrk strchrnul memchr memrchr rawmemchr index rindex strcasestr memmem basename "
     "__builtin_strchr __builtin_strrchr __builtin_strstr __builtin_memchr", "r", '0', LIBRARY_PLAIN},
    {"strdup strndup __strdup __builtin_strdup wcsdup", "r.", 'm', LIBRARY_PLAIN},
    {"strtok", "wr", '0', LIBRARY_PLAIN},
    {"strtok_r __strtok_r", "wrk", '0', LIBRARY_PLAIN},
    {"strsep", "ar", '0', LIBRARY_PLAIN},
    {"strtod strtof strtold strtol strtoul strtoll strtoull strtoimax strtoumax __isoc23_strto*", "rk.", '.', LIBRARY_PLAIN},
    {"atoi atol atoll atof", "r", '.', LIBRARY_PLAIN},
    {"strerror getenv setlocale ctime asctime localtime gmtime tmpnam dlerror nl_langinfo", "r", '.', LIBRARY_PLAIN},
    {"strxfrm", "wr.", '.', LIBRARY_PLAIN},
    {"to* is*", ".", '.', LIBRARY_PLAIN},
    {"__ctype_*", ".", '.', LIBRARY_PLAIN},
    /* input and output */
    {"printf fprintf dprintf __builtin_printf __builtin_fprintf syslog", "rr", '.', LIBRARY_PRINTS},
    {"sprintf snprintf __builtin_sprintf __builtin_snprintf swprintf __sprintf_chk __snprintf_chk "
     "__builtin___sprintf_chk __builtin___snprintf_chk", "w....", '.', LIBRARY_PRINTS},
    {"asprintf", "nr", '.', LIBRARY_PRINTS},
    {"vprintf", "ra", '.', LIBRARY_PLAIN},
    {"vfprintf vdprintf vsyslog", "rra", '.', LIBRARY_PLAIN},
    {"vsprintf", "wra", '.', LIBRARY_PLAIN},
    {"vsnprintf __builtin_vsnprintf __builtin___vsnprintf_chk", "w.ra", '.', LIBRARY_PLAIN},
    {"scanf __isoc99_scanf __isoc23_scanf", "r", '.', LIBRARY_SCANS},
    {"fscanf sscanf __isoc99_fscanf __isoc99_sscanf __isoc23_fscanf __isoc23_sscanf", "rr", '.', LIBRARY_SCANS},
    {"fopen fdopen freopen tmpfile popen opendir", "rr", 'm', LIBRARY_PLAIN},
    {"fclose pclose fflush feof ferror clearerr fileno rewind fseek ftell fseeko ftello fgetc getc getchar fputc putc putchar "
     "ungetc fputs puts perror fwrite setbuf remove rename unlink close closedir write fsync mkdir rmdir access isatty",
     "r", '.', LIBRARY_PLAIN},
    {"fgets gets", "w.r", '0', LIBRARY_PLAIN},
    {"fread", "w..r", '.', LIBRARY_PLAIN},
    {"read pread", ".w..", '.', LIBRARY_PLAIN},
    {"getline", "nwr", '.', LIBRARY_PLAIN},
    {"getdelim", "nw.r", '.', LIBRARY_PLAIN},
    {"fgetpos", "rw", '.', LIBRARY_PLAIN},
    {"stat fstat lstat", "rw", '.', LIBRARY_PLAIN},
    {"getcwd", "w.", '0', LIBRARY_PLAIN},
    /* time, random numbers, the process */
    {"time", "w", '.', LIBRARY_PLAIN},
    {"clock_gettime clock_getres", ".w", '.', LIBRARY_PLAIN},
    {"gettimeofday", "ww", '.', LIBRARY_PLAIN},
    {"times", "w", '.', LIBRARY_PLAIN},
    {"getrusage", ".w", '.', LIBRARY_PLAIN},
    {"nanosleep", "rw", '.', LIBRARY_PLAIN},
    {"localtime_r gmtime_r", "rw", '1', LIBRARY_PLAIN},
    {"asctime_r ctime_r", "rw", '1', LIBRARY_PLAIN},
    {"mktime timegm", "w", '.', LIBRARY_PLAIN},
    {"strftime", "w.rr", '.', LIBRARY_PLAIN},
    {"difftime clock", ".", '.', LIBRARY_PLAIN},
    {"rand_r", "w", '.', LIBRARY_PLAIN},
    {"erand48 nrand48 jrand48", "w", '.', LIBRARY_PLAIN},
    {"rand random srand srandom drand48 lrand48 mrand48 srand48 arc4random sysconf getpid usleep sleep", ".", '.',
     LIBRARY_PLAIN},
    {"exit abort _exit _Exit quick_exit __assert_fail __builtin_trap __builtin_unreachable __builtin_abort", "r", '.',
     LIBRARY_PLAIN},
    /* sorting */
    {"qsort", "w..f", '.', LIBRARY_PLAIN},
    {"qsort_r", "w..fr", '.', LIBRARY_PLAIN},
    {"bsearch", "rr..f", '1', LIBRARY_PLAIN},
    /* mathematics */
    {"frexp frexpf frexpl __builtin_frexp*", ".w", '.', LIBRARY_PLAIN},
    {"modf modff modfl __builtin_modf*", ".w", '.', LIBRARY_PLAIN},
    {"remquo remquof remquol", "..w", '.', LIBRARY_PLAIN},
    {"sincos sincosf sincosl __builtin_sincos*", ".ww", '.', LIBRARY_PLAIN},
    {"lgamma_r lgammaf_r lgammal_r", ".w", '.', LIBRARY_PLAIN},
    {"nan nanf nanl __builtin_nan* __builtin_inf* __builtin_huge_val*", "r", '.', LIBRARY_PLAIN},
    {"abs labs llabs fabs* sqrt* cbrt* hypot* exp* log* pow* sin* cos* tan* asin* acos* atan* ceil* floor* round* trunc* rint* "
     "nearbyint* lround* llround* lrint* llrint* fmod* fmin* fmax* fdim* fma* copysign* erf* tgamma* lgamma* ldexp* scalb* "
     "ilogb* nextafter* j0 j1 jn y0 y1 yn creal* cimag* cabs* carg* conj* cexp* clog* csqrt* cpow* csin* ccos* ctan* cproj*",
     ".", '.', LIBRARY_PLAIN},
    /* the compiler's own */
    {"__builtin_expect __builtin_expect_with_probability __builtin_prefetch __builtin_object_size "
     "__builtin_dynamic_object_size __builtin_constant_p __builtin_assume __builtin_isnan __builtin_isinf* "
     "__builtin_isfinite __builtin_signbit* __builtin_fabs* __builtin_sqrt* __builtin_clz* __builtin_ctz* "
     "__builtin_popcount* __builtin_ffs* __builtin_bswap* __builtin_abs __builtin_copysign* __builtin_is* __builtin_fma* "
     "__builtin_fmin* __builtin_fmax* __builtin_floor* __builtin_ceil* __builtin_pow* __builtin_exp* __builtin_log* "
     "__builtin_sin __builtin_cos __builtin_return_address __builtin_frame_address __builtin_cpu_supports "
     "__builtin_cpu_init", "r", '.', LIBRARY_PLAIN},
    {"__builtin_assume_aligned", "r..", '0', LIBRARY_PLAIN},
    {"__builtin_add_overflow* __builtin_sub_overflow* __builtin_mul_overflow* __builtin_?add*_overflow "
     "__builtin_?mul*_overflow __builtin_sadd*_overflow __builtin_uadd*_overflow __builtin_usub*_overflow "
     "__builtin_umul*_overflow", "..w", '.', LIBRARY_PLAIN},
    {"__builtin_va_start __builtin_va_end", ".", '.', LIBRARY_PLAIN},
    {"__sync_synchronize __atomic_thread_fence __atomic_signal_fence", ".", '.', LIBRARY_PLAIN},
    {"__sync_*", "w..", '.', LIBRARY_PLAIN},
    {"omp_get_* omp_in_* omp_set_num_threads omp_set_dynamic", ".", '.', LIBRARY_PLAIN},
    {"omp_*_lock omp_*_nest_lock", "w", '.', LIBRARY_PLAIN},
    /* BLAS and LAPACK as Fortran calls them */
    {"?copy_ ccopy_", "rrrwr", '.', LIBRARY_PLAIN},
    {"?swap_", "rwrwr", '.', LIBRARY_PLAIN},
    {"?axpy_", "rrrrwr", '.', LIBRARY_PLAIN},
    {"?scal_ csscal_ zdscal_", "rrwr", '.', LIBRARY_PLAIN},
    {"?dot_ cdot?_ zdot?_ sdsdot_ dsdot_ ?nrm2_ scnrm2_ dznrm2_ ?asum_ scasum_ dzasum_ i?amax_ i?amin_ ?lange_ ?lansy_ "
     "?lamch_ ilaenv_ lsame_", "r", '.', LIBRARY_PLAIN},
    {"?rot_ csrot_ zdrot_", "rwrwrrr", '.', LIBRARY_PLAIN},
    {"?rotg_", "wwww", '.', LIBRARY_PLAIN},
    {"?gemv_", "rrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?symv_ ?hemv_", "rrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?gbmv_", "rrrrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?trmv_ ?trsv_", "rrrrrrwr", '.', LIBRARY_PLAIN},
    {"?ger_ ?geru_ ?gerc_", "rrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?syr_ ?her_", "rrrrrwr", '.', LIBRARY_PLAIN},
    {"?syr2_ ?her2_", "rrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?gemm_", "rrrrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?symm_ ?hemm_", "rrrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?syrk_ ?herk_", "rrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?syr2k_ ?her2k_", "rrrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?trmm_ ?trsm_", "rrrrrrrrrwr", '.', LIBRARY_PLAIN},
    {"?gesv_", "rrwrwwrw", '.', LIBRARY_PLAIN},
    {"?getrf_ ?getf2_", "rrwrww", '.', LIBRARY_PLAIN},
    {"?getrs_", "rrrrrrwrw", '.', LIBRARY_PLAIN},
    {"?getri_", "rwrrwrw", '.', LIBRARY_PLAIN},
    {"?potrf_ ?potri_ ?potf2_", "rrwrw", '.', LIBRARY_PLAIN},
    {"?potrs_", "rrrrrwrw", '.', LIBRARY_PLAIN},
    {"?posv_", "rrrwrwrw", '.', LIBRARY_PLAIN},
    {"?gtsv_", "rrwwwwrw", '.', LIBRARY_PLAIN},
    {"?gbtrf_", "rrrrwrww", '.', LIBRARY_PLAIN},
    {"?gbtrs_", "rrrrrrrrwrw", '.', LIBRARY_PLAIN},
    {"?gbsv_", "rrrrwrwwrw", '.', LIBRARY_PLAIN},
    {"ssyev_ dsyev_", "rrrwrwwrw", '.', LIBRARY_PLAIN},
    {"cheev_ zheev_", "rrrwrwwrww", '.', LIBRARY_PLAIN},
    {"sgeev_ dgeev_", "rrrwrwwwrwrwrw", '.', LIBRARY_PLAIN},
    {"sgesvd_ dgesvd_", "rrrrwrwwrwrwrw", '.', LIBRARY_PLAIN},
    {"?geqrf_", "rrwrwwrw", '.', LIBRARY_PLAIN},
    {"?orgqr_ ?ungqr_", "rrrwrrwrw", '.', LIBRARY_PLAIN},
    {"?gels_", "rrrrwrwrwrw", '.', LIBRARY_PLAIN},
    {"?lacpy_", "rrrrrwr", '.', LIBRARY_PLAIN},
    {"?laset_", "rrrrrwr", '.', LIBRARY_PLAIN},
    {"xerbla_", "r", '.', LIBRARY_PLAIN},
    /* libraries with const where it belongs */
    {"cblas_* LAPACKE_* openblas_* mkl_* MKL_*", "t", '.', LIBRARY_PLAIN},
    {"gsl_*_alloc gsl_*_calloc", ".", 'm', LIBRARY_PLAIN},
    {"fftw_execute fftwf_execute fftwl_execute fftw_destroy_plan fftwf_destroy_plan fftw_free fftwf_free fftw_cleanup*", "r", '.',
     LIBRARY_PLAIN},
    {"fftw_execute_split_dft fftwf_execute_split_dft", "rwwww", '.', LIBRARY_PLAIN},
    {"fftw_execute_* fftwf_execute_* fftwl_execute_*", "rww", '.', LIBRARY_PLAIN},
    {"fftw_malloc fftwf_malloc fftw_alloc_*", ".", 'm', LIBRARY_PLAIN},
    {"MPI_Send MPI_Ssend MPI_Bsend MPI_Rsend", "r", '.', LIBRARY_PLAIN},
    {"MPI_Recv", "w.....w", '.', LIBRARY_PLAIN},
    {"MPI_Bcast", "w", '.', LIBRARY_PLAIN},
    {"MPI_Allreduce MPI_Reduce MPI_Scan MPI_Exscan", "rw....r", '.', LIBRARY_PLAIN},
    {"MPI_Allgather MPI_Alltoall MPI_Gather MPI_Scatter", "r..w...r", '.', LIBRARY_PLAIN},
    {"MPI_Allgatherv MPI_Gatherv", "r..wrr..", '.', LIBRARY_PLAIN},
    {"MPI_Scatterv", "rrr.w...", '.', LIBRARY_PLAIN},
    {"MPI_Comm_rank MPI_Comm_size", ".w", '.', LIBRARY_PLAIN},
    {"MPI_Wtime MPI_Barrier MPI_Abort MPI_Finalize", ".", '.', LIBRARY_PLAIN},
    {"MPI_*", "t", '.', LIBRARY_PLAIN},
    {"H5*", "t", '.', LIBRARY_PLAIN},
};

const struct library_row *
library_rows(int *n)
{
    *n = (int)(sizeof rows / sizeof *rows);
    return rows;
}
