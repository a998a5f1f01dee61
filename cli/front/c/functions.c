/* functions.c - one function's declaration: its parameters, its result, its comment, and whether it can be wrapped. */
#include <string.h>

#include "unit_internal.h"
#include "doc_internal.h"

/* --- the declaration, as one line --- */

/* Behind the stars of a "(*" and their qualifiers: "(*const ". */
static const char *
behind_stars(const char *at)
{
    static const char *const qualifiers[] = {"const", "volatile", "restrict"};
    for (bool moved = true; moved;) {
        size_t skipped = strspn(at, "* ");
        at += skipped;
        moved = skipped > 0;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
            size_t length = strlen(qualifiers[i]);
            if (strncmp(at, qualifiers[i], length) == 0) {
                at += length;
                moved = true;
            }
        }
    }
    return at;
}

/* Where a parameter's name goes in its type's spelling: inside the innermost "(*", before the first extent or a parameter list,
 * else behind. */
static size_t
name_position(const char *spelling)
{
    for (const char *star = strstr(spelling, "(*"); star != NULL; star = strstr(star + 1, "(*")) {
        const char *at = behind_stars(star + 1);
        if (*at == ')' || *at == '[')
            return (size_t)(at - spelling);
    }
    const char *list = strstr(spelling, " (");
    if (list != NULL && strncmp(list, " (unnamed", 9) != 0)
        return (size_t)(list + 1 - spelling);
    return strcspn(spelling, "[");
}

static void
add_declarator(struct text *out, const char *spelling, const char *name)
{
    size_t at = name_position(spelling);
    text_add_n(out, spelling, at);
    if (*name != '\0' && at > 0 && spelling[at - 1] != '*' && spelling[at - 1] != ' ')
        text_add(out, " ");
    text_add(out, name);
    text_add(out, spelling + at);
}

/* "name(int n, double x[n])": what stands where the name of a variable of the result's type would. */
static void
add_parameters(struct text *out, const struct model_function *function, bool has_prototype)
{
    text_printf(out, "%s(", function->name);
    for (int i = 0; i < function->n_params; i++) {
        if (i > 0)
            text_add(out, ", ");
        add_declarator(out, function->params[i].type.spelling, function->params[i].name);
    }
    if (function->is_variadic)
        text_add(out, ", ...");
    else if (function->n_params == 0 && has_prototype)
        text_add(out, "void");
    text_add(out, ")");
}

static const char *
declaration_text(struct arena *arena, const struct model_function *function, bool has_prototype)
{
    struct text text = {0}, inner = {0};
    if (function->is_static)
        text_add(&text, "static ");
    if (function->is_inline)
        text_add(&text, "inline ");
    add_parameters(&inner, function, has_prototype);
    add_declarator(&text, function->returns.spelling, inner.data);
    const char *copy = arena_copy_n(arena, text.data, text.length);
    text_release(&inner);
    text_release(&text);
    return copy;
}

/* --- parameters --- */

static void
add_evidence(struct arena *arena, struct model_param *param, const char *text)
{
    *ARENA_PUSH(arena, param->evidence, param->n_evidence) = (struct model_evidence){param->place, text};
}

/* What the declaration alone says about writes. */
static void
judge_writes(struct arena *arena, struct model_param *param)
{
    const struct model_type *type = &param->type;
    param->writes = WRITES_NO; /* a copy of the caller's value */
    for (int i = 0; i < param->n_attributes; i++) /* a const structure may point to what is written */
        if (param->attributes[i].writes > param->writes)
            param->writes = param->attributes[i].writes;
    if (!type->is_pointer)
        return;
    if (type_is_read_only(type)) {
        add_evidence(arena, param, "const");
    } else {
        param->writes = WRITES_MAYBE;
        add_evidence(arena, param, "not const");
    }
}

static void
param_describe(struct unit *unit, CXCursor cursor, int position, struct model_param *out)
{
    struct arena *arena = unit->front->arena;
    out->name = clang_take_string(arena, clang.getCursorSpelling(cursor));
    out->position = position;
    out->order = "C";
    unit_place(unit, clang.getCursorLocation(cursor), &out->place, NULL);
    type_describe(unit, clang.getCursorType(cursor), false, &out->type);
    if (out->type.n_dims > 0)
        extents_fill(unit, cursor, &out->type);
    if (out->type.kind == KIND_STRUCT)
        struct_describe(unit, clang.getCursorType(cursor), out);
    judge_writes(arena, out);
}

/* Parameters without a name get one for manifests that no other parameter has. */
static void
name_unnamed(struct arena *arena, struct model_function *function)
{
    for (int i = 0; i < function->n_params; i++) {
        struct model_param *param = &function->params[i];
        if (param->name[0] != '\0')
            continue;
        param->shown = arena_printf(arena, "arg%d", i);
        while (model_param_position(function, param->shown) >= 0)
            param->shown = arena_printf(arena, "%s_", param->shown);
    }
}

/* --- whether it can be wrapped --- */

static const char *
param_obstacle(struct arena *arena, const struct model_param *param)
{
    if (param->type.reason == NULL)
        return NULL;
    const char *spelling = param->type.spelling;
    if (*param->name == '\0')
        return arena_printf(arena, "parameter %d (%s): %s", param->position + 1, spelling, param->type.reason);
    return arena_printf(arena, "parameter '%s' (%s): %s", param->name, spelling, param->type.reason);
}

static const char *
find_obstacle(struct arena *arena, const struct model_function *function, bool has_prototype)
{
    if (!has_prototype)
        return "it is declared without a prototype";
    if (function->is_variadic)
        return "it takes a variable number of arguments";
    for (int i = 0; i < function->n_params; i++) {
        const char *obstacle = param_obstacle(arena, &function->params[i]);
        if (obstacle != NULL)
            return obstacle;
    }
    if (function->returns.reason != NULL)
        return arena_printf(arena, "result (%s): %s", function->returns.spelling, function->returns.reason);
    return NULL;
}

void
function_describe(struct unit *unit, CXCursor cursor, struct model_function *out)
{
    struct arena *arena = unit->front->arena;
    out->name = clang_take_string(arena, clang.getCursorSpelling(cursor));
    out->header = unit->header;
    unit_place(unit, clang.getCursorLocation(cursor), &out->place, NULL);

    unsigned start, end;
    struct place ignored;
    CXSourceRange extent = clang.getCursorExtent(cursor);
    bool starts_here = unit_place(unit, clang.getRangeStart(extent), &ignored, &start);
    bool ends_here = unit_place(unit, clang.getRangeEnd(extent), &ignored, &end);
    out->doc = starts_here && ends_here ? doc_of_declaration(arena, unit->text, unit->length, start, end) : "";

    int n = clang.Cursor_getNumArguments(cursor);
    out->n_params = n > 0 ? n : 0;
    out->params = arena_take(arena, out->n_params, sizeof *out->params);
    for (int i = 0; i < out->n_params; i++)
        param_describe(unit, clang.Cursor_getArgument(cursor, i), i, &out->params[i]);
    name_unnamed(arena, out);
    type_describe(unit, clang.getCursorResultType(cursor), true, &out->returns);
    out->is_static = clang.Cursor_getStorageClass(cursor) == CX_SC_Static;
    out->is_inline = clang.Cursor_isFunctionInlined(cursor) != 0;
    out->is_variadic = clang.Cursor_isVariadic(cursor) != 0;
    out->has_body = clang.isCursorDefinition(cursor) != 0;
    CXType type = clang.getCanonicalType(clang.getCursorType(cursor));
    bool has_prototype = type.kind != CXType_FunctionNoProto;
    out->declaration = declaration_text(arena, out, has_prototype);
    out->reason = find_obstacle(arena, out, has_prototype);
}
