/* diag.c - see diag.h. */
#include "diag.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "show.h"

void
diag_init(struct diag *diag, struct arena *arena)
{
    *diag = (struct diag){.arena = arena};
}

void
diag_add(struct diag *diag, enum severity severity, const char *code, struct place place, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);

    if (severity == SEVERITY_WARNING && diag->werror)
        severity = SEVERITY_ERROR;
    diag->n_errors += severity == SEVERITY_ERROR;
    diag->n_warnings += severity == SEVERITY_WARNING;
    struct finding *finding = ARENA_PUSH(diag->arena, diag->findings, diag->n_findings);
    *finding = (struct finding){.severity = severity,
                                .place = place,
                                .text = arena_copy_n(diag->arena, text.data, text.length),
                                .code = code};
    text_release(&text);
    if (!diag->quiet)
        show_finding(finding);
}

enum { LONGEST_NAME = 63 };

static bool
same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Levenshtein distance without regard to case, counting a swap of neighbours as one; names longer than LONGEST_NAME are as far
 * as can be. */
static int
edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_NAME || m > LONGEST_NAME)
        return 2 * LONGEST_NAME;
    int rows[3][LONGEST_NAME + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int best = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])
                && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        int *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m];
}

const char *
diag_nearest(const char *given, const char *const *candidates, int n)
{
    const char *nearest = NULL;
    int limit = (int)(strlen(given) + 1) / 3; /* one mistake in three letters is a slip, more is another word */
    for (int i = 0; i < n; i++) {
        int distance = edit_distance(given, candidates[i]);
        if (distance <= limit) {
            limit = distance - 1;
            nearest = candidates[i];
        }
    }
    return nearest;
}

int
environment_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pkwrap: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return EXIT_ENVIRONMENT;
}
