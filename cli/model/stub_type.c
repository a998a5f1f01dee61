/* stub_type.c - recursive descent over the text of an annotation.
 *
 *   type  = item { "|" item }
 *   item  = "(" [types] ")" "(" [types] ")"                    address of a function
 *         | string                                             quoted type inside another one
 *         | name [ "[" ":" {"," ":"} "]" [ "(" "order" "=" ("C"|"F") ")" ] ]
 *         | name "[" arguments "]"                             Final, Annotated, tuple, list, ...
 */
#include "stub_type.h"

#include <ctype.h>
#include <string.h>

struct reader {
    struct arena *arena;
    const char *text, *at;
    const char *error;
    int depth;
};

static const struct {
    const char *name;
    pkw_dtype dtype;
} scalars[] = {
    /* Pyccel's int is 64 bits wide, its float a double. */
    {"int", PKW_I64},
    {"float", PKW_F64},
    {"complex", PKW_C128},
#define X(id, name, kind, size, ctype, slot) {name, PKW_##id},
    PKW_DTYPES(X)
#undef X
};

static bool
fail(struct reader *r, const char *error)
{
    if (!r->error)
        r->error = error;
    return false;
}

static void
skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool
take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool
expect(struct reader *r, char c)
{
    return take(r, c) || fail(r, arena_printf(r->arena, "expected '%c'", c));
}

/* The last part of a dotted name: numpy.float64 is float64. NULL: no name here. */
static const char *
take_name(struct reader *r)
{
    const char *name = NULL;
    do {
        skip_blanks(r);
        const char *start = r->at;
        while (isalnum((unsigned char)*r->at) || *r->at == '_' || (unsigned char)*r->at >= 0x80)
            r->at++;
        if (r->at == start || isdigit((unsigned char)*start)) {
            r->at = start;
            return NULL;
        }
        name = arena_copy_n(r->arena, start, (size_t)(r->at - start));
    } while (take(r, '.'));
    return name;
}

static bool take_type(struct reader *r, struct stub_type *type);

/* Types separated by commas up to `close`; a "..." at the end sets *repeated. */
static bool
take_types(struct reader *r, struct stub_type *type, char close, bool *repeated)
{
    if (take(r, close))
        return true;
    do {
        skip_blanks(r);
        if (strncmp(r->at, "...", 3) == 0) {
            r->at += 3;
            *repeated = true;
        } else if (close == ']' && *r->at == '(' && r->at[1] == ')') { /* tuple[()] */
            r->at += 2;
        } else if (!take_type(r, ARENA_PUSH(r->arena, type->parts, type->n_parts))) {
            return false;
        }
    } while (take(r, ','));
    return expect(r, close);
}

/* The text of a quoted string, without its quotes. NULL: none here. */
static const char *
take_string(struct reader *r)
{
    skip_blanks(r);
    char quote = *r->at;
    if (quote != '\'' && quote != '"')
        return NULL;
    const char *end = strchr(r->at + 1, quote);
    if (!end)
        return NULL;
    const char *text = arena_copy_n(r->arena, r->at + 1, (size_t)(end - r->at - 1));
    r->at = end + 1;
    return text;
}

/* What follows "Annotated[": a type, then words. */
static bool
take_annotated(struct reader *r, struct stub_type *type)
{
    if (!take_type(r, type))
        return false;
    while (take(r, ',')) {
        const char *word = take_string(r);
        if (!word)
            return fail(r, "expected a string such as \"alias\"");
        type->is_alias |= strcmp(word, "alias") == 0;
        type->is_stack |= strcmp(word, "stack") == 0;
    }
    return expect(r, ']');
}

static bool
take_order(struct reader *r, struct stub_type *type)
{
    if (!take(r, '('))
        return true;
    const char *word = take_name(r);
    if (!word || strcmp(word, "order") != 0 || !expect(r, '='))
        return fail(r, "expected 'order=C' or 'order=F'");
    const char *order = take_string(r);
    if (!order)
        order = take_name(r);
    if (!order || (strcmp(order, "C") != 0 && strcmp(order, "F") != 0))
        return fail(r, "expected 'order=C' or 'order=F'");
    type->order = order;
    return expect(r, ')');
}

static bool
take_extents(struct reader *r, struct stub_type *type)
{
    type->kind = STUB_ARRAY;
    do {
        if (!expect(r, ':'))
            return fail(r, "expected ':'");
        type->rank++;
    } while (take(r, ','));
    return expect(r, ']') && take_order(r, type);
}

/* What has arguments in brackets. */
static bool
take_generic(struct reader *r, struct stub_type *type, const char *name)
{
    static const struct {
        const char *name;
        enum stub_kind kind;
    } generics[] = {
        {"tuple", STUB_TUPLE}, {"Tuple", STUB_TUPLE}, {"list", STUB_LIST}, {"List", STUB_LIST},   {"set", STUB_SET},
        {"Set", STUB_SET},     {"dict", STUB_DICT},   {"Dict", STUB_DICT}, {"Union", STUB_UNION},
    };
    if (strcmp(name, "Final") == 0 || strcmp(name, "const") == 0) {
        bool ok = take_type(r, type) && expect(r, ']');
        type->is_final = true;
        return ok;
    }
    if (strcmp(name, "Annotated") == 0)
        return take_annotated(r, type);
    if (strcmp(name, "Optional") == 0) {
        type->kind = STUB_UNION;
        ARENA_PUSH(r->arena, type->parts, type->n_parts)->kind = STUB_NONE;
        return take_type(r, ARENA_PUSH(r->arena, type->parts, type->n_parts)) && expect(r, ']');
    }
    for (size_t i = 0; i < sizeof generics / sizeof *generics; i++)
        if (strcmp(name, generics[i].name) == 0) {
            type->kind = generics[i].kind;
            return take_types(r, type, ']', &type->repeated);
        }
    return fail(r, arena_printf(r->arena, "'%s[...]' is no type that Pyccel prints", name));
}

static void
set_name(struct stub_type *type, const char *name)
{
    static const struct {
        const char *name;
        enum stub_kind kind;
    } words[] = {{"str", STUB_STRING}, {"None", STUB_NONE}, {"tuple", STUB_TUPLE},
                 {"list", STUB_LIST},  {"set", STUB_SET},   {"dict", STUB_DICT}};
    *type = (struct stub_type){.kind = STUB_NAME, .name = name};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].name) == 0)
            *type = (struct stub_type){.kind = words[i].kind};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(name, scalars[i].name) == 0)
            *type = (struct stub_type){.kind = STUB_SCALAR, .dtype = scalars[i].dtype};
}

static bool
take_item(struct reader *r, struct stub_type *type)
{
    const char *quoted = take_string(r);
    if (quoted) {
        struct reader inner = {.arena = r->arena, .text = quoted, .at = quoted, .depth = r->depth};
        if (take_type(&inner, type) && (skip_blanks(&inner), *inner.at == '\0'))
            return true;
        return fail(r, inner.error ? inner.error : "expected one type between the quotes");
    }
    if (take(r, '(')) {
        struct stub_type result = {0};
        bool repeated = false;
        type->kind = STUB_FUNCTION;
        return take_types(r, &result, ')', &repeated) && expect(r, '(') && take_types(r, type, ')', &repeated);
    }
    const char *name = take_name(r);
    if (!name)
        return fail(r, *r->at ? "expected a type" : "expected a type, but the annotation ends");
    skip_blanks(r);
    if (strcmp(name, "const") == 0 && *r->at != '\0' && *r->at != '[') { /* older sources: "const float[:]" */
        bool ok = take_item(r, type);
        type->is_final = true;
        return ok;
    }
    if (!take(r, '[')) {
        set_name(type, name);
        return true;
    }
    skip_blanks(r);
    if (*r->at == ':') {
        set_name(type, name);
        if (type->kind != STUB_SCALAR && type->kind != STUB_NAME)
            return fail(r, arena_printf(r->arena, "there are no arrays of '%s'", name));
        return take_extents(r, type);
    }
    return take_generic(r, type, name);
}

static bool
take_type(struct reader *r, struct stub_type *type)
{
    enum { DEEPEST = 50 };
    if (r->depth++ > DEEPEST)
        return fail(r, "types are nested too deeply");
    bool ok = take_item(r, type);
    skip_blanks(r);
    if (ok && *r->at == '|') {
        struct stub_type first = *type;
        *type = (struct stub_type){.kind = STUB_UNION};
        *ARENA_PUSH(r->arena, type->parts, type->n_parts) = first;
        while (ok && take(r, '|'))
            ok = take_item(r, ARENA_PUSH(r->arena, type->parts, type->n_parts));
    }
    r->depth--;
    return ok;
}

const char *
stub_type_parse(struct stub_type *type, struct arena *arena, const char *text, int *column)
{
    struct reader r = {.arena = arena, .text = text, .at = text};
    *type = (struct stub_type){0};
    bool ok = take_type(&r, type);
    skip_blanks(&r);
    if (ok && *r.at) {
        fail(&r, "expected the end of the annotation");
        ok = false;
    }
    *column = (int)(r.at - text);
    return ok ? NULL : r.error;
}
