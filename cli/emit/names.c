/* names.c - names in generated C that cannot mean something else. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "emit_internal.h"
#include "base/files.h"

/* Words that a variable of a wrapper cannot be called: C's keywords, the wrapper's own names, and object-like macros of
 * the headers that every generated file includes. */
static const char *const reserved[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
    "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof", "bool", "true",
    "false", "complex", "pkwrap", "module", "args", "nargs", "kwnames", "bad", "result", "errno", "stdin", "stdout",
    "stderr", "environ", "unix", "linux", "assert", "i386", "alignas", "alignof", "size_t", "nullptr", "constexpr", "thread_local",
};

static bool
is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    for (int dtype = PKW_NO_DTYPE + 1; dtype < PKW_N_DTYPES; dtype++) /* of its variables: int32_t */
        if (strcmp(dtype_ctype((pkw_dtype)dtype), name) == 0)
            return true;
    return false;
}

/* Prefixes that are Python's and ours. */
static bool
has_taken_prefix(const char *name)
{
    return strncmp(name, "pkw_", 4) == 0 || strncmp(name, "Py", 2) == 0 || name[0] == '_';
}

static bool
names_constant(const struct plan_expr *expr, const char *name)
{
    for (int i = 0; i < expr->n_ops; i++)
        if (expr->ops[i].code == OP_CONST && expr->ops[i].name != NULL && strcmp(expr->ops[i].name, name) == 0)
            return true;
    return false;
}

bool
kernel_names_constant(const struct plan_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->n_params; i++) {
        const struct plan_param *param = &kernel->params[i];
        if (names_constant(&param->value, name))
            return true;
        for (int k = 0; k < param->rank; k++)
            if (names_constant(&param->shape[k], name))
                return true;
    }
    return false;
}

static bool
is_taken(const struct emission *e, int position, const char *name)
{
    for (int i = 0; i < position; i++) {
        /* Cells have a second variable, NAME_cell. */
        size_t length = strlen(e->locals[i]);
        if (strcmp(e->locals[i], name) == 0
            || (strncmp(e->locals[i], name, length) == 0 && strcmp(name + length, "_cell") == 0))
            return true;
    }
    return strcmp(e->kernel->c_name, name) == 0 || is_reserved(name) || kernel_names_constant(e->kernel, name);
}

static bool
all_capitals(const char *name)
{
    for (; *name != '\0'; name++)
        if (islower((unsigned char)*name))
            return false;
    return true;
}

void
name_locals(struct emission *e)
{
    struct arena *arena = e->plan->arena;
    e->locals = arena_take(arena, (size_t)e->kernel->n_params, sizeof *e->locals);
    for (int i = 0; i < e->kernel->n_params; i++) {
        char *name = arena_copy(arena, e->kernel->params[i].c_name);
        if (all_capitals(name))
            for (char *at = name; *at != '\0'; at++)
                *at = (char)tolower((unsigned char)*at);
        if (has_taken_prefix(name))
            name = arena_printf(arena, "c_%s", name);
        while (is_taken(e, i, name))
            name = arena_printf(arena, "%s_", name);
        e->locals[i] = name;
    }
}

const char *
shown_place(const struct plan *plan, struct place place)
{
    const char *file = place.file ? place.file : "";
    if (file[0] != '<') {
        const char *name = path_name(file);
        file = name;
        for (int i = 0; i < plan->n_headers; i++)
            if (strcmp(path_name(plan->headers[i]), name) == 0 && plan->headers[i][0] != '/')
                file = plan->headers[i];
    }
    return arena_printf(plan->arena, "%s:%d", file, place.line);
}
