/* constants.c - the values of names that only the preprocessor knows: macros such as #define N 7.
 *
 * One more parse, of a file that exists in memory only. It includes the headers and makes an enumerator of each name, a line
 * each; where a name is no integer constant, clang finds an error in that line, and nowhere else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit_internal.h"
#include "base/files.h"

static const char probe_name[] = "pkwrap-constants.c";
static const char probe_prefix[] = "pkwrap_constant_";

struct values {
    int64_t *values;
    bool *known;
    int n;
};

static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *name != '\0' && strspn(name, letters) == strlen(name) && (*name < '0' || *name > '9');
}

static enum CXChildVisitResult read_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct values *values = data;
    enum CXCursorKind kind = clang.getCursorKind(cursor);
    if (kind == CXCursor_EnumDecl)
        return CXChildVisit_Recurse;
    if (kind != CXCursor_EnumConstantDecl)
        return CXChildVisit_Continue;
    CXString spelling = clang.getCursorSpelling(cursor);
    const char *name = clang.getCString(spelling);
    if (strncmp(name, probe_prefix, sizeof probe_prefix - 1) == 0) {
        int i = atoi(name + sizeof probe_prefix - 1);
        values->values[i] = clang.getEnumConstantDeclValue(cursor);
        values->known[i] = true;
    }
    clang.disposeString(spelling);
    return CXChildVisit_Continue;
}

/* An enumerator that clang found an error in has a value all the same: forget it. */
static void forget_wrong_lines(CXTranslationUnit tu, struct values *values, int first_line)
{
    unsigned n = clang.getNumDiagnostics(tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang.getDiagnostic(tu, i);
        if (clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXFile file = NULL;
            unsigned line = 0;
            clang.getExpansionLocation(clang.getDiagnosticLocation(diagnostic), &file, &line, NULL, NULL);
            int which = (int)line - first_line;
            if (file != NULL && clang.File_isEqual(file, clang.getFile(tu, probe_name)) && which >= 0 && which < values->n)
                values->known[which] = false;
        }
        clang.disposeDiagnostic(diagnostic);
    }
}

/* The file's text; the line of the first name in *first_line. */
static void write_probe(struct front *front, struct text *text, const char *const *names, int n, int *first_line)
{
    *first_line = 1;
    for (int i = 0; i < front->options->n_headers; i++) {
        const char *path = front_path(front, front->options->headers[i]);
        if (path != NULL) {
            text_printf(text, "#include \"%s\"\n", path_real(front->arena, path));
            ++*first_line;
        }
    }
    for (int i = 0; i < n; i++) {
        if (is_identifier(names[i]))
            text_printf(text, "enum { %s%d = (%s) };", probe_prefix, i, names[i]);
        text_add(text, "\n");
    }
}

static int read_values(struct front *front, const char *const *names, struct values *values)
{
    struct text text = {0};
    int first_line;
    write_probe(front, &text, names, values->n, &first_line);
    struct CXUnsavedFile file = {probe_name, text.data, text.length};
    struct words words = {0};
    front_arguments(front, front->options->n_headers > 0 ? front_path(front, front->options->headers[0]) : NULL, &words);
    words_add(front->arena, &words, "-ferror-limit=0"); /* every unknown name is one */
    CXTranslationUnit tu;
    enum CXErrorCode error = clang.parseTranslationUnit2(front->index, probe_name, words.values, words.n, &file, 1,
                                                         CXTranslationUnit_None, &tu);
    if (error == CXError_Success) {
        clang.visitChildren(clang.getTranslationUnitCursor(tu), read_enumerator, values);
        forget_wrong_lines(tu, values, first_line);
        clang.disposeTranslationUnit(tu);
    }
    text_release(&text);
    return error == CXError_Success ? EXIT_DONE : EXIT_INPUT;
}

int front_constants(struct diag *diag, struct arena *arena, const struct front_options *options, const char *const *names,
                    int n_names, int64_t *values, bool *known)
{
    memset(known, 0, (size_t)n_names * sizeof *known);
    if (n_names == 0)
        return EXIT_DONE;
    struct front front;
    int status = front_open(&front, arena, diag, options);
    if (status == EXIT_DONE)
        status = read_values(&front, names, &(struct values){values, known, n_names});
    front_close(&front);
    return status;
}
