/* library.c - what is known of functions that have no body here. */
#include <stddef.h>
#include <string.h>

#include "analysis_internal.h"

/* A name that ends with * stands for all that begin so. */
static const struct row {
    const char *name;
    enum library_kind kind;
} rows[] = {
    /* C's own: their prototypes say what they write */
    {"memcpy", LIBRARY_CONST_TELLS}, {"memmove", LIBRARY_CONST_TELLS}, {"memset", LIBRARY_CONST_TELLS},
    {"memccpy", LIBRARY_CONST_TELLS}, {"mempcpy", LIBRARY_CONST_TELLS}, {"bcopy", LIBRARY_CONST_TELLS},
    {"bzero", LIBRARY_CONST_TELLS}, {"explicit_bzero", LIBRARY_CONST_TELLS}, {"swab", LIBRARY_CONST_TELLS},
    {"strcpy", LIBRARY_CONST_TELLS}, {"strncpy", LIBRARY_CONST_TELLS}, {"strcat", LIBRARY_CONST_TELLS},
    {"strncat", LIBRARY_CONST_TELLS}, {"stpcpy", LIBRARY_CONST_TELLS}, {"stpncpy", LIBRARY_CONST_TELLS},
    {"sprintf", LIBRARY_CONST_TELLS}, {"snprintf", LIBRARY_CONST_TELLS}, {"qsort", LIBRARY_CONST_TELLS},
    {"qsort_r", LIBRARY_CONST_TELLS}, {"frexp*", LIBRARY_CONST_TELLS}, {"modf*", LIBRARY_CONST_TELLS},
    {"remquo*", LIBRARY_CONST_TELLS}, {"sincos*", LIBRARY_CONST_TELLS}, {"lgamma*_r", LIBRARY_CONST_TELLS},
    {"fgets", LIBRARY_CONST_TELLS}, {"fread", LIBRARY_CONST_TELLS}, {"read", LIBRARY_CONST_TELLS},
    {"strtod", LIBRARY_CONST_TELLS}, {"strtol", LIBRARY_CONST_TELLS}, {"strtoul", LIBRARY_CONST_TELLS},
    {"__builtin_memcpy", LIBRARY_CONST_TELLS}, {"__builtin_memmove", LIBRARY_CONST_TELLS},
    {"__builtin_memset", LIBRARY_CONST_TELLS}, {"__builtin___mem*_chk", LIBRARY_CONST_TELLS},
    /* numerical libraries with const where it belongs */
    {"cblas_*", LIBRARY_CONST_TELLS}, {"LAPACKE_*", LIBRARY_CONST_TELLS}, {"MPI_*", LIBRARY_CONST_TELLS},
    {"gsl_*", LIBRARY_CONST_TELLS},
    /* what writes nothing that its caller sees through its pointers */
    {"free", LIBRARY_READS}, {"fclose", LIBRARY_READS}, {"fflush", LIBRARY_READS}, {"fwrite", LIBRARY_READS},
    {"fputs", LIBRARY_READS}, {"fputc", LIBRARY_READS}, {"puts", LIBRARY_READS}, {"strlen", LIBRARY_READS},
    {"strcmp", LIBRARY_READS}, {"strncmp", LIBRARY_READS}, {"memcmp", LIBRARY_READS}, {"perror", LIBRARY_READS},
    {"__assert_fail", LIBRARY_READS}, {"__builtin_expect", LIBRARY_READS}, {"__builtin_prefetch", LIBRARY_READS},
    {"__builtin_assume_aligned", LIBRARY_READS}, {"__builtin_object_size", LIBRARY_READS},
    {"__builtin_constant_p", LIBRARY_READS},
    {"printf", LIBRARY_PRINTS}, {"fprintf", LIBRARY_PRINTS}, {"dprintf", LIBRARY_PRINTS},
};

static bool matches(const char *pattern, const char *name)
{
    size_t length = strcspn(pattern, "*");
    if (strncmp(pattern, name, length) != 0)
        return false;
    if (pattern[length] == '\0')
        return name[length] == '\0';
    const char *ending = pattern + length + 1;
    size_t n = strlen(name), m = strlen(ending);
    return n >= length + m && strcmp(name + n - m, ending) == 0;
}

enum library_kind library_kind(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (matches(rows[i].name, name))
            return rows[i].kind;
    return LIBRARY_UNKNOWN;
}
