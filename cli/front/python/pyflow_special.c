/* pyflow_special.c - code that runs without being called by its name: special methods of classes, decorators. */
#include <string.h>

#include "pyflow_parts_internal.h"

/* --- decorators --- */

static bool
is_one_of(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(words, word) is_one_of(words, sizeof(words) / sizeof *(words), word)

/* What a name, or an attribute of a module, means outside of functions; -1: something else. */
static int
binding_of(struct flow *flow, int file, int node)
{
    const struct pynode *n = &flow->tree->nodes[node];
    if (n->kind == PY_NAME)
        return flow_global(flow, file, n->name);
    int base = n->kind == PY_ATTRIBUTE ? binding_of(flow, file, node + 1) : -1;
    return base >= 0 ? flow_attribute_of(flow, base, n->name) : -1;
}

/* def decorator(f): return f */
static bool
is_identity(const struct flow *flow, int def)
{
    const struct pytree *tree = flow->tree;
    int node = flow->defs[def].node, arguments = pytree_child(tree, node, 1), body = pytree_child(tree, node, 4);
    return tree->nodes[node + 1].n_children == 0 && tree->nodes[arguments].n_children == 1 && tree->nodes[body].n_children == 1
           && tree->nodes[body + 1].kind == PY_RETURN && tree->nodes[body + 2].kind == PY_NAME && flow->slots[body + 2] == 0;
}

/* Decorators of other modules that leave a function what it is. */
bool
flow_is_decorator(const char *dotted)
{
    static const char *const plain[] = {"numba.njit",         "numba.jit",      "numba.vectorize", "numba.guvectorize",
                                        "numba.cfunc",        "numba.cuda.jit", "typing.overload", "typing.final",
                                        "abc.abstractmethod", "builtins.classmethod"};
    return IS_ONE_OF(plain, dotted);
}

static enum flow_decoration
decoration_of(struct flow *flow, struct flow_def *def, int decorator)
{
    static const char *const pyccel[] = {"pure",   "stack_array", "inline",  "types",    "elemental",
                                         "private", "low_level",  "template", "allow_negative_index"};
    const struct pynode *n = &flow->tree->nodes[decorator];
    if (n->kind == PY_NAME && strcmp(flow->tree->strings[n->name], "async") == 0)
        return DECORATION_PLAIN;
    int binding = binding_of(flow, def->file, n->kind == PY_CALL ? decorator + 1 : decorator);
    const struct flow_binding *b = binding >= 0 ? &flow->bindings[binding] : NULL;
    if (b && b->kind == BOUND_FUNCTION && n->kind != PY_CALL && is_identity(flow, b->index))
        return DECORATION_PLAIN;
    if (!b || b->kind != BOUND_KNOWN || !b->text)
        return DECORATION_UNKNOWN;
    if (strcmp(b->text, "builtins.property") == 0 && n->kind != PY_CALL)
        return DECORATION_PROPERTY;
    if (strcmp(b->text, "builtins.staticmethod") == 0 && n->kind != PY_CALL)
        return DECORATION_STATIC;
    if (strncmp(b->text, "numba.", 6) == 0 && flow_is_decorator(b->text))
        def->numba = strcmp(b->text, "numba.vectorize") == 0 ? NUMBA_ELEMENTS : NUMBA_ARRAYS;
    /* Pyccel's without an import: then it cannot be executed as Python, and Pyccel knows it all the same. */
    size_t own = strncmp(b->text, "pyccel.decorators.", 18) == 0 ? 18 : strncmp(b->text, "builtins.", 9) == 0 ? 9 : 0;
    if ((own > 0 && IS_ONE_OF(pyccel, b->text + own)) || flow_is_decorator(b->text))
        return DECORATION_PLAIN;
    return DECORATION_UNKNOWN;
}

static void
decorate(struct flow *flow, struct flow_def *def)
{
    PYTREE_EACH(flow->tree, decorator, pytree_child(flow->tree, def->node, 0)) {
        enum flow_decoration decoration = decoration_of(flow, def, decorator);
        if (decoration > def->decoration)
            def->decoration = decoration;
    }
}

/* --- Numba: types from uses --- */

/* Numba compiles a function for the types of a call's arguments, which are numbers and arrays of numbers: a parameter that is
 * subscripted, or asked for its shape, is an array; one that a range ends at is a number. */
struct flow_value
flow_numba_parameter(struct flow *flow, const struct flow_def *def, int slot)
{
    static const char *const facts[] = {"shape", "size", "ndim", "T", "strides", "dtype"};
    const struct pytree *tree = flow->tree;
    int body = pytree_child(tree, def->node, 4);
    bool is_array = false, is_number = def->numba == NUMBA_ELEMENTS;
    for (int i = body; i < tree->nodes[body].end; i++) {
        const struct pynode *n = &tree->nodes[i];
        bool is_base = tree->nodes[i].n_children > 0 && tree->nodes[i + 1].kind == PY_NAME && flow->slots[i + 1] == slot;
        is_array |= is_base && (n->kind == PY_SUBSCRIPT || (n->kind == PY_ATTRIBUTE && IS_ONE_OF(facts, pytree_name(tree, i))));
        if (n->kind != PY_CALL || tree->nodes[i + 1].kind != PY_NAME || flow->slots[i + 1] >= 0)
            continue;
        const char *name = pytree_name(tree, i + 1);
        PYTREE_EACH(tree, argument, i)
            if (tree->nodes[argument].kind == PY_NAME && flow->slots[argument] == slot) {
                is_number |= strcmp(name, "range") == 0 || strcmp(name, "prange") == 0;
                is_array |= strcmp(name, "len") == 0;
            }
    }
    return is_array ? flow_array(-1) : is_number ? flow_scalar() : flow_numeric(NULL);
}

/* --- classes whose objects do more than hold attributes --- */

static bool
is_constant(const struct pytree *tree, int node)
{
    switch (tree->nodes[node].kind) {
    case PY_NONE_:
    case PY_INTEGER:
    case PY_NUMBER:
    case PY_STRING:
    case PY_BOOLEAN:
    case PY_NONE_VALUE:
        return true;
    case PY_TUPLE: /* __slots__ = ("a", "b") */
        PYTREE_EACH(tree, part, node)
            if (tree->nodes[part].kind == PY_TUPLE || !is_constant(tree, part))
                return false;
        return true;
    default:
        return false;
    }
}

/* Code in a class's body may make anything of it; names that it assigns may be descriptors. */
static void
read_body(struct flow *flow, struct flow_class *class)
{
    const struct pytree *tree = flow->tree;
    class->is_opaque |= tree->nodes[pytree_child(tree, class->node, 0)].n_children > 0;
    PYTREE_EACH(tree, base, pytree_child(tree, class->node, 1))
        class->is_opaque |= tree->nodes[base].kind == PY_KEYWORD;
    PYTREE_EACH(tree, s, pytree_child(tree, class->node, 3)) {
        int kind = tree->nodes[s].kind;
        int target = kind == PY_ASSIGN ? pytree_child(tree, s, 1) : s + 1;
        int value = kind == PY_ASSIGN ? s + 1 : kind == PY_ANN_ASSIGN ? pytree_child(tree, s, 2) : s;
        if (kind == PY_FUNCTION || kind == PY_PASS)
            continue;
        bool is_plain = (kind == PY_ASSIGN ? tree->nodes[s].n_children == 2 : kind == PY_ANN_ASSIGN)
                        && tree->nodes[target].kind == PY_NAME;
        if (!is_plain)
            class->is_opaque = true;
        else if (!is_constant(tree, value))
            *ARENA_PUSH(flow->arena, class->computed, class->n_computed) = tree->nodes[target].name;
    }
    for (int i = 0; i < class->n_methods; i++) {
        const char *name = tree->strings[flow->defs[class->methods[i]].name];
        class->is_special |= strncmp(name, "__", 2) == 0 && strcmp(name, "__init__") != 0;
        class->is_opaque |= strcmp(name, "__new__") == 0;
    }
}

/* Bases outside of the files that have no methods that matter. */
static bool
has_strange_base(struct flow *flow, const struct flow_class *class)
{
    PYTREE_EACH(flow->tree, base, pytree_child(flow->tree, class->node, 1)) {
        int binding = binding_of(flow, class->file, base);
        const struct flow_binding *b = binding >= 0 ? &flow->bindings[binding] : NULL;
        if (b && b->kind == BOUND_CLASS)
            continue;
        if (!b || b->kind != BOUND_KNOWN || (strncmp(b->text, "builtins.", 9) != 0 && strncmp(b->text, "typing.", 7) != 0))
            return true;
    }
    return false;
}

void
flow_find_special(struct flow *flow)
{
    for (int i = 0; i < flow->n_defs; i++)
        decorate(flow, &flow->defs[i]);
    for (int i = 0; i < flow->n_classes; i++) {
        struct flow_class *class = &flow->classes[i];
        read_body(flow, class);
        flow->has_special |= class->is_special || class->is_opaque || class->n_computed > 0 || has_strange_base(flow, class);
    }
}

/* --- what operators, and functions that are known, do to objects --- */

static bool
is_strange(const struct flow *flow, struct flow_value value)
{
    switch (value.type) {
    case FLOW_OBJECT:
        return flow->classes[value.which].is_special || flow->classes[value.which].has_bases;
    case FLOW_UNKNOWN:
        return value.which == UNKNOWN_FOREIGN || (value.which == UNKNOWN_ANY && flow->has_special);
    case FLOW_CONTAINER:
        return value.rank == CONTAINS_ANYTHING && flow->has_special;
    case FLOW_NAME:
        return flow->bindings[value.which].kind == BOUND_OTHER && flow->has_special;
    default:
        return false;
    }
}

/* True if NumPy and Python may make something else of an object before an operator of theirs sees it: an array, a number, text. */
static bool
is_converted(struct flow *flow, int class_index)
{
    static const char *const names[] = {"__array__", "__array_ufunc__", "__array_function__", "__array_interface__", "__len__",
                                        "__iter__",  "__getitem__",     "__float__",          "__int__",             "__index__",
                                        "__complex__", "__bool__",      "__str__",            "__repr__",            "__format__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int name = pytree_string(flow->tree, names[i]);
        if (name >= 0 && flow_method(flow, class_index, name) >= 0)
            return true;
    }
    return false;
}

/* The methods of an object's class that are named; false where it is not known which there are. */
static bool
call_named(struct flow_run *run, int node, const char *methods, int object, const struct flow_value *values, int n,
           struct flow_value *result)
{
    struct flow *flow = run->flow;
    struct flow_value self = values[object], *others = arena_take(run->scratch, (size_t)n, sizeof *others);
    int n_others = 0;
    if (self.type != FLOW_OBJECT || flow->classes[self.which].has_bases || !methods)
        return false;
    for (int i = 0; i < n; i++)
        if (i != object)
            others[n_others++] = values[i];
    for (const char *at = methods; *at;) {
        size_t length = strcspn(at, " ");
        int name = pytree_string(flow->tree, arena_copy_n(run->scratch, at, length));
        int method = name >= 0 ? flow_method(flow, self.which, name) : -1;
        if (method >= 0)
            *result = flow_join(flow, *result, flow_call_special(run, method, self, others, n_others, node));
        at += length + (at[length] == ' ');
    }
    bool is_beside = false; /* a number or an array, whose own operator may be what is called */
    for (int i = 0; i < n_others; i++)
        is_beside |= others[i].type != FLOW_OBJECT;
    return !is_beside || !is_converted(flow, self.which);
}

struct flow_value
flow_special(struct flow_run *run, int node, const char *methods, const struct flow_value *values, int n)
{
    struct flow *flow = run->flow;
    struct flow_value result = {0};
    const struct flow_set *roots = NULL;
    bool is_any = false, is_unknown = false;
    for (int i = 0; i < n; i++)
        is_any |= is_strange(flow, values[i]);
    if (!is_any)
        return result;
    for (int i = 0; i < n; i++) {
        roots = flow_set_union(flow, roots, values[i].type == FLOW_SCALAR ? NULL : values[i].roots);
        if (is_strange(flow, values[i]))
            is_unknown |= !call_named(run, node, methods, i, values, n, &result);
    }
    if (!is_unknown)
        return result;
    static const char text[] = "a special method of its class, or of one beside it, may be called here, which is not followed";
    flow_mark(run, roots, (struct flow_event){.kind = EVENT_LOST, .writes = WRITES_MAYBE, .node = node, .text = text});
    result = flow_unknown(roots);
    result.which = UNKNOWN_FOREIGN;
    return result;
}

/* "Add": what a + b may call, or a += b. */
struct flow_value
flow_operator(struct flow_run *run, int node, bool in_place, struct flow_value left, struct flow_value right)
{
    static const struct {
        const char *op, *method;
    } rows[] = {{"Add", "add"},         {"Sub", "sub"},     {"Mult", "mul"},   {"MatMult", "matmul"}, {"Div", "truediv"},
                {"FloorDiv", "floordiv"}, {"Mod", "mod"},   {"Pow", "pow"},    {"LShift", "lshift"},  {"RShift", "rshift"},
                {"BitOr", "or"},        {"BitXor", "xor"},  {"BitAnd", "and"}};
    const char *op = pytree_name(run->flow->tree, node), *methods = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op, op) == 0)
            methods = arena_printf(run->scratch, "%s%s%s__%s__ __r%s__", in_place ? "__i" : "", in_place ? rows[i].method : "",
                                   in_place ? "__ " : "", rows[i].method, rows[i].method);
    struct flow_value both[] = {left, right};
    return flow_special(run, node, methods, both, 2);
}

void
flow_truth(struct flow_run *run, int node, struct flow_value value)
{
    flow_special(run, node, "__bool__ __len__", &value, 1);
}

/* True if reading or setting this attribute of an object may run code. */
bool
flow_is_computed(const struct flow *flow, int class_index, int name, bool is_set)
{
    static const char *const getters[] = {"__getattr__", "__getattribute__"}, *const setters[] = {"__setattr__", "__delattr__"};
    const struct flow_class *class = &flow->classes[class_index];
    for (int i = 0; i < class->n_computed; i++)
        if (class->computed[i] == name)
            return true;
    for (int i = 0; i < 2 && class->is_special; i++) {
        int method = pytree_string(flow->tree, (is_set ? setters : getters)[i]);
        if (method >= 0 && flow_method(flow, class_index, method) >= 0)
            return true;
    }
    return false;
}

bool
flow_shows_frames(const struct flow *flow, struct flow_value value)
{
    static const char *const modules[] = {"builtins", "sys", "inspect", "gc", "importlib", "ctypes"};
    const struct flow_binding *b = value.type == FLOW_NAME ? &flow->bindings[value.which] : NULL;
    for (size_t i = 0; i < sizeof modules / sizeof *modules && b && b->kind == BOUND_KNOWN && b->text; i++)
        if (strcmp(modules[i], b->text) == 0)
            return true;
    return false;
}
