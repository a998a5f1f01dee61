/* stub.c - see stub_internal.h. */
#include "stub_internal.h"

#include <string.h>

struct place
stub_place(const struct stub_source *source, int node)
{
    const struct pytree *tree = source->tree;
    return (struct place){pytree_name(tree, tree->files[source->file]), tree->nodes[node].line, tree->nodes[node].column + 1};
}

const char *
stub_doc(const struct stub_source *source, int node)
{
    if (source->tree->nodes[node].kind != PY_TEXT)
        return "";
    const char *text = pytree_name(source->tree, node);
    size_t indent = (size_t)-1;
    for (const char *line = strchr(text, '\n'); line; line = strchr(line, '\n')) {
        size_t n = strspn(++line, " ");
        if (line[n] != '\n' && line[n] != '\0' && n < indent)
            indent = n;
    }
    struct text out = {0};
    for (const char *line = text + strspn(text, " \n"); *line;) {
        size_t n = strcspn(line, "\n");
        text_add_n(&out, line, n);
        line += n;
        if (*line == '\n') {
            text_add(&out, "\n");
            line++;
            size_t blanks = strspn(line, " ");
            line += blanks < indent ? blanks : indent;
        }
    }
    while (out.length > 0 && strchr(" \n", out.data[out.length - 1]))
        out.length--;
    const char *doc = arena_copy_n(source->arena, out.length ? out.data : "", out.length);
    text_release(&out);
    return doc;
}

/* --- types --- */

/* The types that a TypeVar of the file stands for, as a union; false where the name is none. */
static bool
type_variable(const struct stub_source *source, const char *name, struct stub_type *type)
{
    const struct pytree *tree = source->tree;
    PYTREE_EACH(tree, s, pytree_child(tree, tree->files[source->file], 1)) {
        if (tree->nodes[s].kind != PY_ASSIGN || tree->nodes[s + 1].kind != PY_CALL)
            continue;
        int call = s + 1, target = pytree_child(tree, s, 1);
        if (tree->nodes[target].kind != PY_NAME || strcmp(pytree_name(tree, target), name) != 0
            || tree->nodes[call + 1].kind != PY_NAME || strcmp(pytree_name(tree, call + 1), "TypeVar") != 0)
            continue;
        *type = (struct stub_type){.kind = STUB_UNION};
        for (int k = 2; k < tree->nodes[call].n_children; k++) {
            int part = pytree_child(tree, call, k), column;
            int kind = tree->nodes[part].kind;
            if (kind == PY_STRING || kind == PY_NAME)
                stub_type_parse(ARENA_PUSH(source->arena, type->parts, type->n_parts), source->arena,
                                pytree_name(tree, part), &column);
        }
        return type->n_parts > 0;
    }
    return false;
}

static void set_kind(struct stub_source *source, struct model_type *out, const struct stub_type *type);

/* A union is an array if one of its cases is, since that may be written; what the cases do not share stays open. */
static void
set_union(struct stub_source *source, struct model_type *out, const struct stub_type *type)
{
    bool first = true;
    for (int i = 0; i < type->n_parts; i++) {
        struct model_type part = {0};
        if (type->parts[i].kind == STUB_NONE)
            continue;
        set_kind(source, &part, &type->parts[i]);
        if (first) {
            out->kind = part.kind;
            out->dtype = part.dtype;
            out->dims = part.dims;
            out->n_dims = part.n_dims;
            out->class_name = part.class_name;
            out->is_pointer = part.is_pointer;
        } else {
            bool array = out->kind == KIND_ARRAY || part.kind == KIND_ARRAY;
            if (out->kind != part.kind)
                out->kind = array ? KIND_ARRAY : KIND_OBJECT;
            if (out->dtype != part.dtype)
                out->dtype = PKW_NO_DTYPE;
            if (out->n_dims != part.n_dims)
                out->n_dims = 0;
            out->is_pointer |= part.is_pointer;
        }
        first = false;
    }
}

static void
set_kind(struct stub_source *source, struct model_type *out, const struct stub_type *type)
{
    struct stub_type variable;
    switch (type->kind) {
    case STUB_SCALAR:
        out->kind = KIND_SCALAR;
        out->dtype = type->dtype;
        break;
    case STUB_ARRAY:
        out->kind = KIND_ARRAY;
        out->dtype = type->dtype;
        out->is_pointer = true;
        out->n_dims = type->rank;
        out->dims = arena_take(source->arena, (size_t)type->rank, sizeof *out->dims);
        for (int i = 0; i < type->rank; i++)
            out->dims[i] = (struct model_dim){.kind = DIM_FREE, .text = ""};
        break;
    case STUB_STRING:
        out->kind = KIND_STRING;
        break;
    case STUB_NONE:
        out->kind = KIND_OBJECT;
        out->is_void = true;
        break;
    case STUB_NAME:
        if (type_variable(source, type->name, &variable)) {
            set_union(source, out, &variable);
        } else {
            out->kind = KIND_CLASS;
            out->class_name = type->name;
        }
        break;
    case STUB_UNION:
        set_union(source, out, type);
        break;
    default:
        out->kind = KIND_OBJECT;
        break;
    }
}

static const char *
set_type(struct stub_source *source, struct model_type *out, const char *text, int *column)
{
    struct stub_type *type = arena_take(source->arena, 1, sizeof *type);
    *out = (struct model_type){.spelling = text};
    const char *error = stub_type_parse(type, source->arena, text, column);
    if (error)
        return error;
    out->annotation = type;
    set_kind(source, out, type);
    return NULL;
}

void
stub_model_type(struct stub_source *source, struct model_type *type, int node)
{
    int column = 0;
    if (source->tree->nodes[node].kind != PY_TEXT) {
        *type = (struct model_type){.spelling = "", .kind = KIND_UNSUPPORTED, .reason = "it has no annotation"};
        return;
    }
    const char *text = pytree_name(source->tree, node);
    const char *error = set_type(source, type, text, &column);
    if (!error)
        return;
    struct place place = stub_place(source, node);
    place.column += column + source->is_stub; /* the quote */
    diag_add(source->diag, source->is_stub ? SEVERITY_ERROR : SEVERITY_WARNING, "annotation", place,
             "cannot read the type '%s': %s", text, error);
    source->failed |= source->is_stub;
    type->kind = KIND_UNSUPPORTED;
    type->reason = arena_printf(source->arena, "its type '%s' cannot be read: %s", text, error);
}

void
stub_model_type_text(struct stub_source *source, struct model_type *type, const char *text)
{
    int column;
    if (set_type(source, type, text, &column))
        type->kind = KIND_OBJECT;
}

/* --- functions --- */

struct decorations {
    const char *low_level;
    bool pure, is_inline, overload, property;
    const char *unknown; /* one that Pyccel does not have, or "async"; NULL: none */
};

/* Pyccel's own and those of `typing` and Python that its stubs use. */
static bool
is_known_decorator(const char *name)
{
    static const char *const known[] = {"allow_negative_index", "elemental", "inline",   "low_level",   "overload",
                                        "private",              "property",  "pure",     "stack_array", "types"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}


static struct decorations
read_decorators(const struct stub_source *source, int list)
{
    const struct pytree *tree = source->tree;
    struct decorations d = {0};
    PYTREE_EACH(tree, decorator, list) {
        int name = tree->nodes[decorator].kind == PY_CALL ? decorator + 1 : decorator;
        if (tree->nodes[name].kind != PY_NAME && tree->nodes[name].kind != PY_ATTRIBUTE)
            continue;
        const char *word = pytree_name(tree, name);
        d.pure |= strcmp(word, "pure") == 0;
        d.is_inline |= strcmp(word, "inline") == 0;
        d.overload |= strcmp(word, "overload") == 0;
        d.property |= strcmp(word, "property") == 0;
        if (strcmp(word, "async") == 0 || (source->is_stub && !is_known_decorator(word)))
            d.unknown = word;
        if (strcmp(word, "low_level") == 0 && tree->nodes[decorator].n_children == 2) {
            int argument = pytree_child(tree, decorator, 1);
            if (tree->nodes[argument].kind == PY_STRING)
                d.low_level = pytree_name(tree, argument);
        }
    }
    return d;
}

/* Pyccel's stubs put the star one place early where a slash is there too: the first keyword-only one is none. */
static int
misplaced(const struct stub_source *source, int arguments)
{
    const struct pytree *tree = source->tree;
    bool slash = false;
    PYTREE_EACH(tree, argument, arguments) {
        slash |= tree->nodes[argument].kind == PY_ARGUMENT_POSITIONAL;
        if (tree->nodes[argument].kind == PY_ARGUMENT_KEYWORD)
            return source->is_stub && slash ? argument : -1;
    }
    return -1;
}

static void
read_params(struct stub_source *source, struct model_function *out, int arguments, const char *class_name)
{
    const struct pytree *tree = source->tree;
    int plain = misplaced(source, arguments);
    PYTREE_EACH(tree, argument, arguments) {
        int kind = tree->nodes[argument].kind, text = pytree_child(tree, argument, 1);
        struct model_param *param = ARENA_PUSH(source->arena, out->params, out->n_params);
        *param = (struct model_param){.name = pytree_name(tree, argument), .position = out->n_params - 1};
        param->place = stub_place(source, argument);
        param->positional_only = kind == PY_ARGUMENT_POSITIONAL;
        param->keyword_only = kind == PY_ARGUMENT_KEYWORD && argument != plain;
        if (tree->nodes[text].kind == PY_TEXT)
            param->default_text = pytree_name(tree, text);
        param->nullable = param->default_text && strcmp(param->default_text, "None") == 0;
        bool is_self = class_name && param->position == 0 && tree->nodes[argument + 1].kind != PY_TEXT;
        if (is_self)
            param->type = (struct model_type){.spelling = class_name, .kind = KIND_CLASS, .class_name = class_name};
        else
            stub_model_type(source, &param->type, argument + 1);
        const struct stub_type *type = param->type.annotation;
        if (type && type->kind == STUB_ARRAY)
            param->order = type->order ? type->order : type->rank > 1 ? "C" : NULL;
        for (int i = 0; type && type->kind == STUB_UNION && i < type->n_parts; i++)
            param->nullable |= type->parts[i].kind == STUB_NONE;
        if (kind == PY_ARGUMENT_STAR || kind == PY_ARGUMENT_STARS) {
            out->is_variadic = true;
            out->reason = arena_printf(source->arena, "'%s' takes any number of arguments", param->name);
        } else if (param->type.kind == KIND_UNSUPPORTED && !out->reason) {
            out->reason = arena_printf(source->arena, "parameter '%s': %s", param->name, param->type.reason);
        }
    }
}

/* "f(a, /, b, *, c=True)" */
static const char *
signature_of(const struct stub_source *source, const struct model_function *function)
{
    struct text text = {0};
    text_printf(&text, "%s(", function->name);
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        bool before = i > 0 && function->params[i - 1].positional_only;
        if (before && !param->positional_only)
            text_add(&text, ", /");
        if (param->keyword_only && (i == 0 || !function->params[i - 1].keyword_only))
            text_add(&text, i > 0 ? ", *" : "*, ");
        text_printf(&text, "%s%s", i > 0 ? ", " : "", param->name);
        if (param->default_text)
            text_printf(&text, "=%s", param->default_text);
    }
    if (function->n_params > 0 && function->params[function->n_params - 1].positional_only)
        text_add(&text, ", /");
    text_add(&text, ")");
    const char *copy = arena_copy_n(source->arena, text.data, text.length);
    text_release(&text);
    return copy;
}

static bool
returns_value(const struct pytree *tree, int body)
{
    for (int i = body; i < tree->nodes[body].end; i++) {
        if (tree->nodes[i].kind == PY_FUNCTION) /* it returns to somebody else */
            i = tree->nodes[i].end - 1;
        else if (tree->nodes[i].kind == PY_RETURN && tree->nodes[i + 1].kind != PY_NONE_)
            return true;
    }
    return false;
}

void
stub_function(struct stub_source *source, struct model_function *out, int node, const char *class_name)
{
    const struct pytree *tree = source->tree;
    int decorators = pytree_child(tree, node, 0), result = pytree_child(tree, node, 2), body = pytree_child(tree, node, 4);
    struct decorations d = read_decorators(source, decorators);
    *out = (struct model_function){.name = pytree_name(tree, node), .place = stub_place(source, node)};
    out->header = out->place.file;
    out->doc = stub_doc(source, pytree_child(tree, node, 3));
    out->has_body = !source->is_stub || d.is_inline;
    read_params(source, out, pytree_child(tree, node, 1), class_name);
    if (tree->nodes[result].kind == PY_TEXT)
        stub_model_type(source, &out->returns, result);
    else
        out->returns = (struct model_type){
            .spelling = "", .kind = KIND_OBJECT, .is_void = source->is_stub ? !d.is_inline : !returns_value(tree, body)};
    if (out->returns.is_void)
        out->returns.is_pointer = false;
    if (out->returns.kind == KIND_UNSUPPORTED && !out->reason)
        out->reason = arena_printf(source->arena, "its result: %s", out->returns.reason);
    if (d.unknown)
        out->reason = strcmp(d.unknown, "async") == 0
                          ? "it is a coroutine ('async def')"
                          : arena_printf(source->arena, "its decorator '@%s' is not one of Pyccel's", d.unknown);
    struct model_python *python = arena_take(source->arena, 1, sizeof *python);
    *python = (struct model_python){.module = source->module,
                                    .class_name = class_name,
                                    .low_level = d.low_level,
                                    .signature = signature_of(source, out),
                                    .is_pure = d.pure,
                                    .is_inline = d.is_inline,
                                    .is_overload = d.overload,
                                    .is_property = d.property};
    out->python = python;
    const char *arrow = tree->nodes[result].kind == PY_TEXT ? pytree_name(tree, result) : NULL;
    out->declaration = arena_printf(source->arena, arrow ? "def %s -> %s" : "def %s", python->signature, arrow);
}
