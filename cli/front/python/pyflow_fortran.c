/* pyflow_fortran.c - what BLAS, LAPACK and MPI do, as Pyccel's standard library declares them: pyccel.stdlib.internal.blas and the
 * like. Their stubs name the arguments in Fortran's order and say nothing of writes.
 */
#include <string.h>

#include "pyflow_parts_internal.h"

/* Names, separated by blanks; ? is a letter of s, d, c and z. Of each argument: w written, r read; those that follow are read. */
static const struct {
    const char *names, *arguments;
} rows[] = {
    /* BLAS 1 */
    {"?copy", "rrrw"},
    {"?swap ?rot csrot zdrot", "rwrw"},
    {"?rotm", "rwrw"},
    {"?rotg ?rotmg", "wwwww"},
    {"?axpy", "rrrrw"},
    {"?scal csscal zdscal", "rrw"},
    {"?dot ?dotu ?dotc sdsdot dsdot ?nrm2 scnrm2 dznrm2 ?asum scasum dzasum i?amax i?amin ?cabs1", "r"},
    /* BLAS 2 */
    {"?gemv", "rrrrrrrrrw"},
    {"?gbmv", "rrrrrrrrrrrw"},
    {"?symv ?hemv", "rrrrrrrrw"},
    {"?sbmv ?hbmv", "rrrrrrrrrw"},
    {"?spmv ?hpmv", "rrrrrrrw"},
    {"?trmv ?trsv", "rrrrrrw"},
    {"?tbmv ?tbsv", "rrrrrrrw"},
    {"?tpmv ?tpsv", "rrrrrw"},
    {"?ger ?geru ?gerc ?syr2 ?her2 ?spr2 ?hpr2", "rrrrrrrw"},
    {"?syr ?her ?spr ?hpr", "rrrrrw"},
    /* BLAS 3 */
    {"?gemm", "rrrrrrrrrrrw"},
    {"?symm ?hemm ?syr2k ?her2k", "rrrrrrrrrrw"},
    {"?syrk ?herk", "rrrrrrrrw"},
    {"?trmm ?trsm", "rrrrrrrrrw"},
    /* LAPACK */
    {"?gesv", "rrwrwwrw"},
    {"?getrf ?getf2", "rrwrww"},
    {"?getrs", "rrrrrrwrw"},
    {"?getri", "rwrrwrw"},
    {"?potrf ?potri ?potf2", "rrwrw"},
    {"?potrs", "rrrrrwrw"},
    {"?posv", "rrrwrwrw"},
    {"?gtsv", "rrwwwwrw"},
    {"?gbtrf", "rrrrwrww"},
    {"?gbtrs", "rrrrrrrrwrw"},
    {"?gbsv", "rrrrwrwwrw"},
    {"?pbtrf", "rrrwrw"},
    {"?pbtrs", "rrrrrrwrw"},
    {"?pttrf", "rwww"},
    {"spttrs dpttrs", "rrrrwrw"},
    {"cpttrs zpttrs", "rrrrrwrw"},
    {"?trtrs", "rrrrrrrwrw"},
    {"?geqrf", "rrwrwwrw"},
    {"?gels", "rrrrwrwrwrw"},
    {"ssyev dsyev", "rrrwrwwrw"},
    {"cheev zheev", "rrrwrwwrww"},
    {"sgeev dgeev", "rrrwrwwwrwrwrw"},
    {"cgeev zgeev", "rrrwrwwrwrwrww"},
    {"sgesvd dgesvd", "rrrrwrwwrwrwrw"},
    {"?lacpy", "rrrrrw"},
    {"?laset", "rrrrrw"},
    /* MPI: the last argument is the status */
    {"mpi_send mpi_ssend mpi_bsend mpi_rsend", "rrrrrrw"},
    {"mpi_recv", "wrrrrrww"},
    {"mpi_bcast", "wrrrrw"},
    {"mpi_reduce", "rwrrrrrw"},
    {"mpi_allreduce mpi_scan", "rwrrrrw"},
    {"mpi_gather mpi_scatter", "rrrwrrrrw"},
    {"mpi_allgather mpi_alltoall", "rrrwrrrw"},
};

/* Whether the pattern of that length fits the name. */
static bool
fits(const char *pattern, size_t length, const char *name)
{
    size_t i = 0;
    for (; i < length && name[i]; i++)
        if (pattern[i] == '?' ? !strchr("sdcz", name[i]) : pattern[i] != name[i])
            return false;
    return i == length && name[i] == '\0';
}

const char *
known_fortran(const char *dotted)
{
    static const char *const modules[] = {"pyccel.stdlib.internal.blas.", "pyccel.stdlib.internal.lapack.",
                                          "pyccel.stdlib.internal.mpi."};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strncmp(dotted, modules[i], strlen(modules[i])) == 0)
            name = dotted + strlen(modules[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && name; i++)
        for (const char *at = rows[i].names; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            if (fits(at, length, name))
                return rows[i].arguments;
            at += length;
        }
    return NULL;
}
