/* pyflow_call.c - calls: of functions whose summary is known, of constructors and methods, of what a table describes, and of
 * what is not known, which may write everything it is given.
 */
#include <string.h>

#include "pyflow_parts_internal.h"

struct arguments {
    struct argument {
        struct flow_value value;
        int node;
        int keyword;  /* string; -1: positional */
        bool star;    /* *args or **kwargs */
    } *items;
    int n;
    bool stars;
};

static void
add_argument(struct flow_run *run, struct arguments *a, struct argument item)
{
    *ARENA_PUSH(run->scratch, a->items, a->n) = item;
    a->stars |= item.star;
}

static struct arguments
take_arguments(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    struct arguments a = {0};
    int k = 0;
    PYTREE_EACH(tree, child, node) {
        const struct pynode *n = &tree->nodes[child];
        if (k++ == 0)
            continue;
        bool keyword = n->kind == PY_KEYWORD;
        int at = keyword || n->kind == PY_STARRED ? child + 1 : child;
        bool star = n->kind == PY_STARRED || (keyword && pytree_name(tree, child)[0] == '\0');
        add_argument(run, &a, (struct argument){flow_eval(run, at), at, keyword && !star ? n->name : -1, star});
    }
    return a;
}

static const struct flow_set *
all_roots(struct flow_run *run, const struct arguments *a)
{
    const struct flow_set *roots = NULL;
    for (int i = 0; i < a->n; i++)
        roots = flow_set_union(run->flow, roots, a->items[i].value.roots);
    return roots;
}

/* Everything given to something unknown may be written, and may come back. */
static struct flow_value
call_unknown(struct flow_run *run, const struct arguments *a, const char *name, int node)
{
    const struct flow_set *roots = NULL;
    for (int i = 0; i < a->n; i++)
        if (a->items[i].value.type != FLOW_SCALAR)
            roots = flow_set_union(run->flow, roots, a->items[i].value.roots);
    struct flow_event event = {.kind = EVENT_UNKNOWN, .writes = WRITES_MAYBE, .node = node, .text = name};
    flow_mark(run, roots, event);
    struct flow_value result = flow_unknown(roots);
    result.which = UNKNOWN_FOREIGN;
    return result;
}

/* --- functions with a summary --- */

/* What a call knows while a summary is carried over to the caller. */
struct transfer {
    const struct flow_def *callee;
    const struct flow_value *given; /* of each parameter; FLOW_UNBOUND: left out */
};

/* The caller's memory that a root of the callee is. */
static const struct flow_set *
transfer_root(struct flow_run *run, const struct transfer *t, int root, int depth)
{
    const struct flow_root *r = &t->callee->roots[root];
    const struct flow_set *roots = NULL;
    if (depth > 10)
        return NULL;
    switch (r->kind) {
    case ROOT_PARAM:
        return t->given[r->name].roots;
    case ROOT_FIELD: {
        struct flow_value object = {.type = FLOW_UNKNOWN, .roots = transfer_root(run, t, r->parent, depth + 1)};
        return flow_read_field(run, object, r->name).roots;
    }
    case ROOT_SITE: /* an object made there: what it refers to */
        for (int i = 0; i < r->n_fields; i++)
            for (int k = 0; r->fields[i].contents && k < r->fields[i].contents->n; k++)
                roots = flow_set_union(run->flow, roots, transfer_root(run, t, r->fields[i].contents->items[k], depth + 1));
        return roots;
    }
    return NULL;
}

static const struct flow_set *
transfer_set(struct flow_run *run, const struct transfer *t, const struct flow_set *set)
{
    const struct flow_set *roots = NULL;
    for (int i = 0; set && i < set->n; i++)
        roots = flow_set_union(run->flow, roots, transfer_root(run, t, set->items[i], 0));
    return roots;
}

/* Pairs arguments with parameters. False where that cannot be told. */
static bool
bind_to(const struct pytree *tree, int parameters, const struct arguments *a, struct flow_value *given, bool has_self,
        struct flow_value self)
{
    int next = 0;
    if (a->stars)
        return false;
    if (has_self && tree->nodes[parameters].n_children > 0)
        given[next++] = self;
    for (int i = 0; i < a->n; i++) {
        int position = -1, k = 0;
        PYTREE_EACH(tree, p, parameters) {
            int kind = tree->nodes[p].kind;
            if (kind == PY_ARGUMENT_STAR || kind == PY_ARGUMENT_STARS)
                return false;
            if (a->items[i].keyword >= 0 ? tree->nodes[p].name == a->items[i].keyword
                                         : k == next && kind != PY_ARGUMENT_KEYWORD)
                position = k;
            k++;
        }
        if (position < 0)
            return false;
        if (a->items[i].keyword < 0)
            next++;
        given[position] = a->items[i].value;
    }
    return true;
}

static bool
bind(const struct flow *flow, const struct flow_def *def, const struct arguments *a, struct flow_value *given,
     bool has_self, struct flow_value self)
{
    return bind_to(flow->tree, pytree_child(flow->tree, def->node, 1), a, given, has_self, self);
}

static const char *
name_of(const struct flow *flow, const struct flow_def *def)
{
    return flow->tree->strings[def->name];
}

/* Everything that a summary says, done to the caller's memory. */
static struct flow_value
apply(struct flow_run *run, int def_index, const struct flow_value *given, int node, bool constructs)
{
    struct flow *flow = run->flow;
    const struct flow_def *def = &flow->defs[def_index];
    struct transfer t = {def, given};
    if (def->sees_frames) {
        flow_mark_all(run, node, arena_printf(flow->arena, "%s() may look at the variables of its callers", name_of(flow, def)));
        flow->again |= !flow->defs[run->def].sees_frames;
        flow->defs[run->def].sees_frames = true;
    }
    for (int i = 0; i < def->n_params; i++) { /* declared a number, and given what is none */
        bool is_other = given[i].type == FLOW_ARRAY || given[i].type == FLOW_CONTAINER || given[i].type == FLOW_OBJECT;
        if (def->roots && def->roots[i].declared.type == FLOW_SCALAR && is_other)
            flow_mark(run, given[i].roots, (struct flow_event){.kind = EVENT_UNKNOWN, .writes = WRITES_MAYBE, .node = node,
                                           .text = name_of(flow, def)});
    }
    for (int i = 0; i < def->n_roots; i++) {
        struct flow_root root = def->roots[i];
        bool own = constructs && (root.kind == ROOT_FIELD && root.parent == 0);
        if (root.kind == ROOT_SITE)
            continue;
        if (root.writes != WRITES_NO && !own) {
            struct flow_event event = {EVENT_CALL, root.writes, node, def_index, i, NULL};
            flow_mark(run, transfer_root(run, &t, i, 0), event);
        }
        for (int k = 0; k < root.n_fields; k++) {
            struct flow_field field = root.fields[k];
            if (field.stored.type == FLOW_UNBOUND)
                continue;
            struct flow_value object = {.type = FLOW_UNKNOWN, .roots = transfer_root(run, &t, i, 0)};
            struct flow_value value = field.stored;
            value.roots = transfer_set(run, &t, field.contents);
            if (object.roots)
                flow_store_field(run, object, field.attribute, value, node);
        }
    }
    struct flow_value result = flow_no_closure(flow, def->result);
    result.roots = transfer_set(run, &t, def->result.roots);
    return result.type == FLOW_UNBOUND ? flow_scalar() : result;
}

static struct flow_value
call_def(struct flow_run *run, int def_index, const struct arguments *a, int node, bool has_self,
         struct flow_value self)
{
    struct flow *flow = run->flow;
    if (!flow_analyse(flow, def_index) && flow->round == 0)
        flow->again = true; /* recursion: its summary is not complete yet; later rounds see whether it grew */
    struct flow_def *def = &flow->defs[def_index];
    struct flow_value *given = arena_take(run->scratch, (size_t)def->n_params + 1, sizeof *given);
    bool is_bound = bind(flow, def, a, given, has_self && def->decoration != DECORATION_STATIC, self);
    if (!is_bound || def->decoration == DECORATION_UNKNOWN) {
        struct arguments all = *a;
        if (has_self)
            add_argument(run, &all, (struct argument){.value = self, .node = node, .keyword = -1});
        return call_unknown(run, &all, name_of(flow, def), node);
    }
    return apply(run, def_index, given, node, false);
}

int
flow_method(const struct flow *flow, int class_index, int name)
{
    const struct flow_class *class = &flow->classes[class_index];
    int found = -1;
    for (int i = 0; i < class->n_methods; i++) {
        const struct flow_def *def = &flow->defs[class->methods[i]];
        if (def->name == name && (found < 0 || def->class_index == class_index)) /* its own before inherited ones */
            found = class->methods[i];
    }
    return found;
}

struct flow_value
flow_get_property(struct flow_run *run, struct flow_value object, int method, int node)
{
    struct arguments none = {0};
    enum flow_decoration decoration = run->flow->defs[method].decoration;
    bool is_called = decoration == DECORATION_PROPERTY || decoration == DECORATION_UNKNOWN;
    return is_called ? call_def(run, method, &none, node, true, object) : flow_unknown(object.roots);
}

struct flow_value
flow_call_special(struct flow_run *run, int method, struct flow_value self, const struct flow_value *others, int n,
                  int node)
{
    struct arguments a = {0};
    for (int i = 0; i < n; i++)
        add_argument(run, &a, (struct argument){others[i], node, -1, false});
    return call_def(run, method, &a, node, true, self);
}

static struct flow_value
construct(struct flow_run *run, int class_index, const struct arguments *a, int node)
{
    struct flow *flow = run->flow;
    const char *name = flow->tree->strings[flow->classes[class_index].name];
    int init = flow->s_init >= 0 ? flow_method(flow, class_index, flow->s_init) : -1;
    if (flow->classes[class_index].has_bases || (init < 0 && a->n > 0))
        return call_unknown(run, a, name, node);
    flow_analyse_class(flow, class_index);
    struct flow_value object = {.type = FLOW_OBJECT, .which = class_index};
    object.roots = flow_set_one(flow, flow_site(run, node, class_index));
    int name_of_end = pytree_string(flow->tree, "__del__"), end = name_of_end >= 0 ? flow_method(flow, class_index, name_of_end) : -1;
    if (end >= 0) /* some time after it was made */
        flow_call_special(run, end, object, NULL, 0, node);
    if (init < 0)
        return object;
    struct flow_def *def = &flow->defs[init];
    struct flow_value *given = arena_take(run->scratch, (size_t)def->n_params + 1, sizeof *given);
    if (!bind(flow, def, a, given, true, object))
        return call_unknown(run, a, name, node);
    apply(run, init, given, node, true);
    return object;
}

/* --- what tables know --- */

/* The rank of a new array: its first argument is a number, a tuple or an array. */
static int
new_rank(const struct flow_run *run, const struct known_function *row, const struct arguments *a)
{
    if (!row->of_shape || a->n == 0 || a->items[0].keyword >= 0)
        return -1;
    const struct pynode *shape = &run->flow->tree->nodes[a->items[0].node];
    if (shape->kind == PY_TUPLE || shape->kind == PY_LIST)
        return shape->n_children;
    return a->items[0].value.type == FLOW_SCALAR ? 1 : -1;
}

/* True of what says a type of numbers, or something else than a type. */
static bool
is_plain_option(struct flow_run *run, const struct argument *argument)
{
    static const char *const types[] = {"int", "float", "complex", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                        "uint32", "uint64", "float32", "float64", "complex64", "complex128", "bool_", "intp",
                                        "double", "single", "intc", "uintp", "longdouble", "float16", "csingle", "cdouble"};
    const struct flow *flow = run->flow;
    const struct flow_binding *b = argument->value.type == FLOW_NAME ? &flow->bindings[argument->value.which] : NULL;
    const char *word = NULL;
    if (b && b->kind == BOUND_KNOWN && b->text)
        word = strncmp(b->text, "builtins.", 9) == 0 ? b->text + 9 : strncmp(b->text, "numpy.", 6) == 0 ? b->text + 6 : "";
    else if (flow->tree->nodes[argument->node].kind == PY_STRING)
        word = pytree_name(flow->tree, argument->node);
    else
        return flow_is_numeric(argument->value) || (argument->value.type == FLOW_CONTAINER && argument->value.rank != CONTAINS_ANYTHING);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], word) == 0)
            return true;
    word += strspn(word, "<>=|");
    bool is_code = word[0] && strchr("bBhHiIlLqQefdgFD?uc", word[0]) && strspn(word + 1, "0123456789") == strlen(word + 1);
    return is_code || strcmp(word, "C") == 0 || strcmp(word, "F") == 0 || strcmp(word, "A") == 0 || strcmp(word, "K") == 0;
}

/* What a function makes that makes arrays: of objects, where it is not plain that it is none. */
static struct flow_value
new_array(struct flow_run *run, const struct known_function *row, const struct arguments *a)
{
    bool is_of_shape = row->of_shape, is_plain = true;
    for (int i = 0; i < a->n; i++) {
        const struct flow_value *value = &a->items[i].value;
        bool is_none = value->type == FLOW_SCALAR && value->which == SCALAR_OTHER;
        bool is_content = i == 0 ? !is_of_shape : is_of_shape && i == 1 && strcmp(row->name, "full") == 0;
        bool is_option = i > 0 || a->items[i].keyword >= 0;
        if (is_content)
            is_plain &= flow_contents_of(*value) != CONTAINS_ANYTHING && !is_none;
        else if (is_option && !is_none)
            is_plain &= is_plain_option(run, &a->items[i]);
    }
    if (!is_plain)
        return (struct flow_value){.type = FLOW_CONTAINER, .rank = CONTAINS_ANYTHING, .roots = all_roots(run, a)};
    bool is_same = strcmp(row->name, "copy") == 0 || strstr(row->name, "_like") || strcmp(row->name, "array") == 0;
    if (is_same && a->n > 0 && a->items[0].value.type == FLOW_ARRAY)
        return flow_array(a->items[0].value.rank);
    return flow_array(new_rank(run, row, a));
}

static struct flow_value
known_result(struct flow_run *run, const struct known_function *row, const struct arguments *a,
             bool of_array)
{
    if (row->result == FLOW_ARRAY && !of_array)
        return new_array(run, row, a);
    if (row->result == FLOW_ARRAY)
        return flow_array(-1);
    if (row->result != FLOW_UNKNOWN)
        return (struct flow_value){.type = row->result};
    bool scalar = !of_array;
    for (int i = 0; i < a->n; i++)
        scalar &= a->items[i].value.type == FLOW_SCALAR;
    return scalar ? flow_scalar() : flow_numeric(NULL);
}

/* The value of a view of arrays: an array if they are. */
static struct flow_value
view_of(struct flow_run *run, const struct arguments *a, const struct flow_value *object)
{
    struct flow_value value = {0};
    if (object)
        value = *object;
    for (int i = 0; i < a->n; i++)
        if (!object || a->items[i].value.roots)
            value = flow_join(run->flow, value, a->items[i].value);
    if (value.type == FLOW_SCALAR)
        return value;
    if (value.type == FLOW_ARRAY)
        value.rank = -1;
    bool is_container = value.type == FLOW_CONTAINER;
    return flow_is_numeric(value) || is_container ? value : flow_unknown(value.roots);
}

/* The special methods of what a known function is given. */
static struct flow_value
special_arguments(struct flow_run *run, const struct arguments *a, const struct flow_value *object, int node)
{
    struct flow_value *values = arena_take(run->scratch, (size_t)a->n + 1, sizeof *values);
    int n = 0;
    if (object)
        values[n++] = *object;
    for (int i = 0; i < a->n; i++)
        values[n++] = a->items[i].value;
    return flow_special(run, node, NULL, values, n);
}

/* Outputs of a known function: out=, and positional arguments behind its inputs. */
static void
mark_outputs(struct flow_run *run, const struct known_function *row, const struct arguments *a, const char *name,
             int node)
{
    struct flow_event event = {.kind = EVENT_OUT, .writes = WRITES_YES, .node = node, .text = name};
    int position = 0;
    for (int i = 0; i < a->n; i++) {
        bool is_out = a->items[i].keyword >= 0 && strcmp(run->flow->tree->strings[a->items[i].keyword], "out") == 0;
        if (is_out || (a->items[i].keyword < 0 && position++ >= row->inputs))
            flow_mark(run, a->items[i].value.roots, event);
    }
}

/* Keywords of known functions that only choose how; with others a known function is not known. */
static bool
plain_keywords(const struct flow_run *run, const struct arguments *a)
{
    static const char *const plain[] = {"out", "axis", "dtype", "order", "keepdims", "sep", "end", "flush", "shape", "where",
                                        "fill_value", "ndmin", "like", "rtol", "atol", "decimals", "ndigits", "start", "stop",
                                        "step", "num", "endpoint", "reverse", "strict", "size", "loc", "scale", "low", "high"};
    for (int i = 0; i < a->n; i++) {
        bool known = a->items[i].keyword < 0;
        for (size_t k = 0; k < sizeof plain / sizeof *plain && !known; k++)
            known = strcmp(run->flow->tree->strings[a->items[i].keyword], plain[k]) == 0;
        if (!known)
            return false;
    }
    return true;
}

/* list(a), zip(a, b): the elements of its arguments, or tuples of them. */
static struct flow_value
new_container(struct flow_run *run, const struct arguments *a)
{
    struct flow_value container = {.type = FLOW_CONTAINER, .roots = all_roots(run, a)};
    for (int i = 0; i < a->n; i++) {
        struct flow_value elements = {.type = FLOW_CONTAINER, .rank = flow_contents_of(flow_element(a->items[i].value))};
        container = flow_join(run->flow, container, elements);
    }
    if (container.rank == CONTAINS_NUMBERS)
        container.roots = NULL;
    return container;
}

/* super(): the object itself, of a class that is not looked up. */
static struct flow_value
call_super(struct flow_run *run)
{
    const struct flow_def *def = &run->flow->defs[run->def];
    struct flow_value value = flow_unknown(def->n_params > 0 ? flow_set_one(run->flow, 0) : NULL);
    value.which = UNKNOWN_FOREIGN;
    return value;
}

/* False where it cannot be told which argument is which. */
static bool
call_fortran(struct flow_run *run, const char *letters, const struct arguments *a, const char *name, int node)
{
    for (int i = 0; i < a->n; i++)
        if (a->stars || a->items[i].keyword >= 0)
            return false;
    for (int i = 0; i < a->n && letters[i]; i++)
        if (letters[i] == 'w')
            flow_mark(run, a->items[i].value.roots,
                      (struct flow_event){.kind = EVENT_OUT, .writes = WRITES_YES, .node = node, .text = name});
    return true;
}

static struct flow_value
call_table(struct flow_run *run, const char *dotted, const struct arguments *a, int node)
{
    const struct known_function *row = a->stars || !plain_keywords(run, a) ? NULL : known_function(dotted);
    const char *name = strncmp(dotted, "builtins.", 9) == 0 ? dotted + 9 : dotted;
    bool is_reduction = name != dotted && (strcmp(name, "max") == 0 || strcmp(name, "min") == 0 || strcmp(name, "sum") == 0);
    if (strcmp(name, "super") == 0 && name != dotted && a->n == 0)
        return call_super(run);
    if (known_fortran(dotted) && call_fortran(run, known_fortran(dotted), a, strrchr(dotted, '.') + 1, node))
        return flow_scalar();
    if (!row) {
        for (int i = 0; i < a->n; i++)
            if (flow_shows_frames(run->flow, a->items[i].value))
                flow_mark_all(run, node, "what is done with a module that shows the variables of others is not followed");
        struct flow_value result = call_unknown(run, a, name, node);
        if (strncmp(dotted, "numpy.", 6) == 0)
            result.which = UNKNOWN_ANY;
        return result;
    }
    struct flow_value special = special_arguments(run, a, NULL, node);
    if (special.type != FLOW_UNBOUND)
        return special;
    mark_outputs(run, row, a, name, node);
    switch (row->effect) {
    case KNOWN_WRITES:
        if (a->n > 0)
            flow_mark(run, a->items[0].value.roots,
                      (struct flow_event){.kind = EVENT_OUT, .writes = WRITES_YES, .node = node, .text = name});
        return flow_scalar();
    case KNOWN_VIEW:
        if (a->n == 1 && is_reduction)
            return flow_element(a->items[0].value);
        if (strcmp(dotted, "builtins.next") == 0)
            return flow_unknown(all_roots(run, a));
        if (name != dotted && !is_reduction)
            return new_container(run, a);
        if (name == dotted && flow_contents_of(new_array(run, row, a)) == CONTAINS_ANYTHING)
            return new_array(run, row, a);
        return view_of(run, a, NULL);
    default:
        return known_result(run, row, a, false);
    }
}

static struct flow_value
call_method(struct flow_run *run, struct flow_value object, int name, const struct arguments *a, int node)
{
    struct flow *flow = run->flow;
    const char *text = flow->tree->strings[name];
    struct arguments all = *a;
    add_argument(run, &all, (struct argument){.value = object, .node = node, .keyword = -1});
    if (object.type == FLOW_SCALAR)
        return all_roots(run, a) ? call_unknown(run, a, text, node) : flow_scalar();
    if (object.type == FLOW_OBJECT) {
        int method = flow_method(flow, object.which, name);
        bool is_known = method >= 0 && !flow->classes[object.which].has_bases && !flow_is_computed(flow, object.which, name, false);
        return is_known ? call_def(run, method, a, node, true, object) : call_unknown(run, &all, text, node);
    }
    const struct known_function *row = flow_is_array(object)           ? known_array_method(text)
                                       : object.type == FLOW_CONTAINER ? known_container_method(text)
                                                                       : NULL;
    if (!row || a->stars || !plain_keywords(run, a))
        return call_unknown(run, &all, text, node);
    struct flow_value special = special_arguments(run, a, &object, node);
    if (special.type != FLOW_UNBOUND)
        return special;
    struct flow_event event = {.kind = EVENT_METHOD, .writes = WRITES_YES, .node = node, .text = text};
    mark_outputs(run, row, a, text, node);
    switch (row->effect) {
    case KNOWN_PURE:
        return known_result(run, row, a, true);
    case KNOWN_VIEW:
        for (int i = 0; i < a->n && flow_is_array(object); i++)
            if (!is_plain_option(run, &a->items[i]))
                return (struct flow_value){.type = FLOW_CONTAINER, .rank = CONTAINS_ANYTHING, .roots = all_roots(run, &all)};
        return view_of(run, a, &object);
    case KNOWN_WRITES:
        flow_mark(run, object.roots, event);
        return flow_scalar();
    case KNOWN_KEEPS:
        flow_mark(run, object.roots, event);
        flow_mark(run, all_roots(run, a), (struct flow_event){.kind = EVENT_KEPT, .writes = WRITES_MAYBE, .node = node});
        return flow_element(object);
    }
    return flow_unknown(NULL);
}

static struct flow_value
call_binding(struct flow_run *run, struct flow_value callee, const struct arguments *a, const char *name,
             int node)
{
    struct flow_binding b = run->flow->bindings[callee.which];
    switch (b.kind) {
    case BOUND_FUNCTION:
        return call_def(run, b.index, a, node, false, flow_scalar());
    case BOUND_CLASS:
        return construct(run, b.index, a, node);
    case BOUND_KNOWN:
        return call_table(run, b.text, a, node);
    case BOUND_NESTED: {
        enum { DEEPEST = 6 };
        const struct pytree *tree = run->flow->tree;
        int arguments = pytree_child(tree, b.index, 1);
        struct flow_value *given = arena_take(run->scratch, (size_t)tree->nodes[arguments].n_children + 1, sizeof *given);
        if (run->nesting < DEEPEST && bind_to(tree, arguments, a, given, false, flow_scalar()))
            return flow_call_nested(run, b.index, given);
        struct flow_value result = call_unknown(run, a, name, node);
        result.roots = flow_set_union(run->flow, result.roots, callee.roots);
        return result;
    }
    default:
        return call_unknown(run, a, name, node);
    }
}

struct flow_value
flow_call(struct flow_run *run, int node)
{
    const struct pytree *tree = run->flow->tree;
    int function = node + 1, kind = tree->nodes[function].kind;
    const char *name = kind == PY_NAME || kind == PY_ATTRIBUTE ? pytree_name(tree, function) : "the result of an expression";
    if (kind == PY_ATTRIBUTE) {
        struct flow_value object = flow_eval(run, function + 1);
        if (object.type != FLOW_NAME) {
            struct arguments a = take_arguments(run, node);
            return call_method(run, object, tree->nodes[function].name, &a, node);
        }
    }
    struct flow_value callee = flow_eval(run, function);
    struct arguments a = take_arguments(run, node);
    if (callee.type == FLOW_NAME)
        return call_binding(run, callee, &a, name, node);
    if (callee.type == FLOW_OBJECT) {
        struct flow_value *values = arena_take(run->scratch, (size_t)a.n + 1, sizeof *values);
        values[0] = callee;
        for (int i = 0; i < a.n; i++)
            values[i + 1] = a.items[i].value;
        bool is_plain = !a.stars && !run->flow->classes[callee.which].has_bases;
        for (int i = 0; i < a.n; i++)
            is_plain &= a.items[i].keyword < 0;
        int call = pytree_string(tree, "__call__"), method = call >= 0 ? flow_method(run->flow, callee.which, call) : -1;
        if (is_plain && method >= 0)
            return flow_call_special(run, method, callee, values + 1, a.n, node);
    }
    struct flow_value result = call_unknown(run, &a, name, node);
    flow_mark(run, callee.roots, (struct flow_event){EVENT_UNKNOWN, WRITES_MAYBE, node, 0, 0, name});
    result.roots = flow_set_union(run->flow, result.roots, callee.roots);
    return result;
}
