/* constants.c - the values of what only the preprocessor knows: macros such as #define N 7, and expressions with them.
 *
 * One more parse, of a file that exists in memory only. It includes the headers and makes an enumerator of each text, a line
 * each; where a text is no integer constant, clang finds an error in that line, and nowhere else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types_internal.h"
#include "unit_internal.h"
#include "base/files.h"

static const char probe_name[] = "pkwrap-constants.c";
static const char probe_prefix[] = "pkwrap_constant_";

struct values {
    struct model_constant *constants;
    bool *known;
    int n;
};

struct model_constant
constant_from(const char *name, CXCursor enumerator, bool is_unsigned)
{
    struct model_constant constant = {.name = name, .value = clang.getEnumConstantDeclValue(enumerator)};
    if (is_unsigned) {
        constant.value = (int64_t)clang.getEnumConstantDeclUnsignedValue(enumerator);
        constant.is_large = constant.value < 0;
    }
    return constant;
}

/* One line that the compiler could read as an expression, and nothing that could end it or hide what follows. */
static bool
is_expression(const char *text)
{
    static const char characters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +-*/%()<>=&|^~!?:.,'[]";
    int depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth < 0 || strchr(characters, *at) == NULL || (at[0] == '/' && (at[1] == '/' || at[1] == '*')))
            return false;
    }
    return *text != '\0' && depth == 0;
}

static enum CXChildVisitResult
find_variable(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang.getCursorKind(cursor) == CXCursor_DeclRefExpr
        && clang.getCursorKind(clang.getCursorReferenced(cursor)) == CXCursor_VarDecl)
        *(bool *)data = true;
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult
read_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
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
        struct model_constant *constant = &values->constants[i];
        *constant = constant_from(constant->name, cursor, clang_is_unsigned(clang.getEnumDeclIntegerType(parent)));
        clang.visitChildren(cursor, find_variable, &constant->is_variable);
        values->known[i] = true;
    }
    clang.disposeString(spelling);
    return CXChildVisit_Continue;
}

/* An enumerator that clang found an error in has a value all the same: forget it. */
static void
forget_wrong_lines(CXTranslationUnit tu, struct values *values, int first_line)
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

/* The file's text; the line of the first one in *first_line. */
static void
write_probe(struct front *front, struct text *text, const char *const *texts, int n, int *first_line)
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
        if (is_expression(texts[i]))
            text_printf(text, "enum { %s%d = (%s) };", probe_prefix, i, texts[i]);
        text_add(text, "\n");
    }
}

static int
read_values(struct front *front, const char *const *texts, struct values *values)
{
    struct text text = {0};
    int first_line;
    write_probe(front, &text, texts, values->n, &first_line);
    struct CXUnsavedFile file = {probe_name, text.data, text.length};
    struct words words = {0};
    front_arguments(front, front->options->n_headers > 0 ? front_path(front, front->options->headers[0]) : NULL, &words);
    words_add(front->arena, &words, "-ferror-limit=0"); /* every unknown text is one */
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

int
front_constants(struct diag *diag, struct arena *arena, const struct front_options *options, const char *const *texts,
                int n_texts, struct model_constant *constants, bool *known)
{
    memset(known, 0, (size_t)n_texts * sizeof *known);
    for (int i = 0; i < n_texts; i++)
        constants[i] = (struct model_constant){.name = texts[i]};
    if (n_texts == 0)
        return EXIT_DONE;
    struct front front;
    int status = front_open(&front, arena, diag, options);
    if (status == EXIT_DONE)
        status = read_values(&front, texts, &(struct values){constants, known, n_texts});
    front_close(&front);
    return status;
}
