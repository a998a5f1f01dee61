/* pyflow_parts_internal.h - what the files pyflow_*.c share; see pyflow_internal.h for what they find.
 *
 * Memory is named by roots. A function's roots are its parameters, attributes of them (and attributes of those), and the
 * objects it makes itself. A value has the set of roots that it may refer to; views, elements of lists and the like belong
 * to the root they come from. Sets and summaries only grow, so every loop over them ends.
 */
#ifndef PYFLOW_PARTS_H
#define PYFLOW_PARTS_H

#include "pyflow_internal.h"
#include "model/stub_type.h"

/* --- values --- */

/* Roots, sorted. NULL is the empty set. Never changed once made. */
struct flow_set {
    int n;
    int items[];
};

enum flow_type {
    FLOW_UNBOUND,   /* no value yet; joins as nothing */
    FLOW_SCALAR,    /* numbers, strings, None: assigning to a name rebinds it; which: enum flow_scalar_kind */
    FLOW_ARRAY,     /* of numbers; rank; -1: not known, at least 1 */
    FLOW_CONTAINER, /* list, tuple, set, dict, array of objects; rank: enum flow_contents */
    FLOW_OBJECT,    /* which: index into flow.classes */
    FLOW_NAME,      /* a function, class or module; which: index into flow.bindings */
    FLOW_UNKNOWN    /* which: enum flow_unknown_kind */
};

enum flow_scalar_kind { SCALAR_NUMBER, SCALAR_OTHER /* None, perhaps */ };
enum flow_contents { CONTAINS_NUMBERS = 0, CONTAINS_ANYTHING = -1, CONTAINS_ARRAYS = -2 /* and numbers */ };

/* What operators may do to a value of which the type is not known. */
enum flow_unknown_kind {
    UNKNOWN_ANY,     /* what the files define */
    UNKNOWN_NUMERIC, /* a number or an array */
    UNKNOWN_FOREIGN  /* also objects of classes that are in none of the files */
};

struct flow_value {
    enum flow_type type;
    int rank, which;
    const struct flow_set *roots;
};

/* --- names of modules --- */

enum flow_binding_kind {
    BOUND_FUNCTION, /* index into flow.defs */
    BOUND_CLASS,    /* index into flow.classes */
    BOUND_FILE,     /* an imported module that was read; index into tree.files */
    BOUND_KNOWN,    /* a module that was not read, or something of one: text is its dotted name */
    BOUND_FROM,     /* "from m import n": index and extra are the modules of m and m.n, name is n, text "m.n" */
    BOUND_NESTED,   /* a function inside a function; index: its node */
    BOUND_NUMBER,   /* a variable that is a number and nothing else */
    BOUND_OTHER     /* a variable, or what may have been replaced */
};

struct flow_binding {
    enum flow_binding_kind kind;
    int index, extra;
    int name;         /* string */
    const char *text;
};

/* What a module binds at its top level. */
struct flow_scope {
    struct flow_entry {
        int name;     /* string */
        int binding;  /* index into flow.bindings */
    } *entries;
    int n_entries;
    struct flow_star {
        int module;
        const char *text; /* its dotted name */
    } *stars;         /* "from m import *" */
    int n_stars;
    bool is_dynamic;  /* exec() or globals() may have replaced anything */
};

/* --- functions --- */

enum flow_event_kind {
    EVENT_STORE,    /* x[i] = v, del x[i] */
    EVENT_IN_PLACE, /* x /= v */
    EVENT_SET,      /* x.a = v */
    EVENT_METHOD,   /* x.fill(0); text: the method */
    EVENT_OUT,      /* numpy.add(a, b, x); text: the function */
    EVENT_CALL,     /* passed to a function that writes it: def, root */
    EVENT_UNKNOWN,  /* passed to something that is not known; text */
    EVENT_KEPT,     /* kept in a list or a global variable, from where it can be written */
    EVENT_LOST      /* a construct that is not followed; text */
};

struct flow_event {
    enum flow_event_kind kind;
    enum model_writes writes;
    int node;         /* where */
    int def, root;    /* EVENT_CALL: what the callee does with it */
    const char *text;
};

struct flow_field {
    int attribute;                   /* string */
    int root;                        /* the root it is; -1 in an object made here */
    const struct flow_set *contents; /* what else it may refer to, by assignments */
    struct flow_value stored;        /* join of all values assigned to it here (roots: as contents) */
};

enum flow_root_kind { ROOT_PARAM, ROOT_FIELD, ROOT_SITE };

struct flow_root {
    enum flow_root_kind kind;
    int parent;                 /* ROOT_FIELD: root whose attribute it is. ROOT_SITE: node of the call that makes it */
    int name;                   /* ROOT_PARAM: position; ROOT_FIELD: string */
    int depth;                  /* number of attributes on its path */
    struct flow_value declared; /* type; no roots */
    enum model_writes writes;
    struct flow_event *events;
    int n_events;
    struct flow_field *fields;
    int n_fields;
};

/* What calling a function does, as its decorators have it. */
enum flow_decoration {
    DECORATION_PLAIN,    /* its body is executed */
    DECORATION_STATIC,   /* the same, without self */
    DECORATION_PROPERTY,
    DECORATION_UNKNOWN   /* its decorators are not known: anything */
};

struct flow_def {
    int file, node, name;
    int class_index;        /* -1: a function */
    int n_params;           /* parameters have the first slots */
    int n_slots;
    bool *used;             /* of each slot: it occurs in the body */
    bool *captured;         /* of each slot: code that may run later mentions it, a nested function or a generator */
    enum flow_decoration decoration;
    enum { NO_NUMBA, NUMBA_ARRAYS, NUMBA_ELEMENTS } numba; /* compiled by Numba: for arrays, or element by element (vectorize) */
    enum { DEF_NEW, DEF_RUNNING, DEF_DONE } state;
    bool is_kernel;         /* a parameter is annotated */
    bool given_up;          /* it may do anything to its arguments */
    bool sees_frames;       /* it may look at the variables of its callers */
    struct flow_root *roots; /* the first n_params are the parameters */
    int n_roots;
    struct flow_value result;
};

struct flow_attribute {
    int name;
    struct flow_value type;          /* no roots */
    bool declared;                   /* the class body says the type */
    bool aliased, allocated;         /* may be an argument of the constructor; may be memory of the object */
    const char *annotation;
    int *same;                       /* attributes (strings) that may share its memory */
    int n_same;
};

struct flow_class {
    int file, node, name;
    enum { CLASS_NEW, CLASS_RUNNING, CLASS_DONE } state;
    int *methods;                    /* defs */
    int n_methods;
    struct flow_attribute *attributes;
    int n_attributes;
    bool inherited;                  /* methods of the base classes are there, before its own */
    bool has_bases;                  /* some that are not known, or it is not what it looks like */
    bool is_opaque;                  /* decorators, a metaclass, code in its body or assignments from outside make it so */
    bool is_special;                 /* it has special methods, its own or inherited ones */
    int *computed;                   /* names that its body assigns: descriptors, perhaps */
    int n_computed;
};

struct flow {
    struct arena *arena;
    const struct pytree *tree;
    struct flow_scope *scopes;       /* of each file */
    struct flow_binding *bindings;
    int n_bindings;
    struct flow_def *defs;
    int n_defs;
    struct flow_class *classes;
    int n_classes;
    int *slots;                      /* of each PY_NAME, PY_BINDING, PY_ARGUMENT*, nested PY_FUNCTION: its slot; -1: global */
    int *globals;                    /* of each PY_NAME that is global: binding + 1; 0: not looked up yet. Of a
                                        PY_ATTRIBUTE of a module likewise, slots[] then holds the module's binding */
    bool has_special;                /* some class has special methods */
    int s_init;                      /* the string "__init__"; -1 where it does not occur */
    int round;
    bool again;                      /* something grew that others have read: one more round */
    long work;                       /* what all functions together have cost */
};

/* Values of the local variables. `dead`: no path leads here. */
struct flow_env {
    struct flow_value *values;
    bool dead;
};

struct flow_loop {
    struct flow_env breaks, continues;
};

/* One function being executed. */
struct flow_run {
    struct flow *flow;
    int def;                 /* index: flow->defs does not move once they are collected */
    int file;
    struct flow_env env;
    struct flow_value *ever; /* of each slot that is captured: all that it ever holds */
    int n_slots;
    struct arena *scratch;   /* for what this execution needs only */
    int weak;                /* > 0: assignments add to what a name had (inside try) */
    int nesting;             /* of inlined nested functions */
    struct flow_loop *loop;
    struct flow_value result;
    bool grew;               /* a field or a summary grew: execute once more */
    long work;               /* steps; real kernels take thousands */
    bool given_up;           /* too many of them */
};

/* pyflow_set.c */
const struct flow_set *flow_set_one(struct flow *flow, int root);
const struct flow_set *flow_set_union(struct flow *flow, const struct flow_set *a, const struct flow_set *b);
bool flow_set_has(const struct flow_set *set, int root);
struct flow_value flow_join(struct flow *flow, struct flow_value a, struct flow_value b);
bool flow_same(struct flow_value a, struct flow_value b);
/* What a container of such elements contains (enum flow_contents). */
int flow_contents_of(struct flow_value element);
/* What iterating over a value, or taking an element, gives. */
struct flow_value flow_element(struct flow_value value);
/* A value of which only its roots are known. */
struct flow_value flow_unknown(const struct flow_set *roots);
static inline struct flow_value
flow_scalar(void) { return (struct flow_value){.type = FLOW_SCALAR}; }
static inline struct flow_value
flow_numeric(const struct flow_set *roots)
{
    return (struct flow_value){.type = FLOW_UNKNOWN, .rank = -1, .which = UNKNOWN_NUMERIC, .roots = roots};
}
/* Numbers and arrays: arithmetic makes new ones, and nothing can be hidden in them. */
static inline bool
flow_is_numeric(struct flow_value value)
{
    return value.type == FLOW_SCALAR || value.type == FLOW_ARRAY || (value.type == FLOW_UNKNOWN && value.which == UNKNOWN_NUMERIC);
}
static inline bool
flow_is_array(struct flow_value value)
{
    return value.type == FLOW_ARRAY || (value.type == FLOW_UNKNOWN && value.which == UNKNOWN_NUMERIC);
}
static inline struct flow_value
flow_array(int rank) { return (struct flow_value){.type = FLOW_ARRAY, .rank = rank}; }

/* pyflow_names.c: collects functions, classes and what modules bind. */
void flow_collect(struct flow *flow);
/* The binding of a name in a file, builtins included. */
int flow_global(struct flow *flow, int file, int name);
/* The binding of what a file itself binds to a name; -1: none. */
int flow_lookup(struct flow *flow, int file, int name, int depth);
/* A "from m import n" followed to what it names; other bindings are what they are. */
int flow_follow(struct flow *flow, int binding, int depth);
/* The binding of an attribute of a module's binding. */
int flow_attribute_of(struct flow *flow, int binding, int name);
/* Adds a binding and gives its index. */
int flow_bind(struct flow *flow, struct flow_binding binding);
/* The name that an alias (PY_BINDING) binds: the first part of a dotted one; -2 where that occurs nowhere else. */
int flow_bound_name(const struct flow *flow, int alias);
/* The binding that one alias of an import statement makes. */
int flow_bind_alias(struct flow *flow, int statement, int alias);
/* The type that an annotation (PY_TEXT or PY_NONE_) means in a file. */
struct flow_value flow_annotation(struct flow *flow, int file, int node);

/* pyflow_binds.c: visits what binds a name below a node, in its scope: PY_NAME, PY_BINDING, PY_FUNCTION, PY_CLASS, PY_HANDLER. */
typedef void flow_visit(void *data, int node);
void flow_each_bound(const struct pytree *tree, int node, flow_visit *visit, void *data);
/* The same for the node itself and all below it. */
void flow_each_bound_here(const struct pytree *tree, int node, flow_visit *visit, void *data);

/* pyflow_slots.c: gives every local variable of a function a slot. */
void flow_slots(struct flow *flow, struct flow_def *def);

/* pyflow_roots.c: reads and writes of memory. */
void flow_mark(struct flow_run *run, const struct flow_set *roots, struct flow_event event);
void flow_mark_all(struct flow_run *run, int node, const char *text);
struct flow_value flow_read_field(struct flow_run *run, struct flow_value object, int attribute);
void flow_store_field(struct flow_run *run, struct flow_value object, int attribute, struct flow_value value, int node);
/* The root of the object that this call makes. */
int flow_site(struct flow_run *run, int node, int class_index);
/* The field of a root, made where it is not there. */
struct flow_field *flow_field_of(struct flow_run *run, int root, int attribute);
/* True if every array that the attribute ever is, is the object's own. */
bool flow_owns(struct flow *flow, int class_index, const struct flow_attribute *attribute);
struct flow_attribute *flow_class_attribute(struct flow *flow, int class_index, int name);

/* pyflow_eval.c and pyflow_call.c: expressions. */
struct flow_value flow_eval(struct flow_run *run, int node);
struct flow_value flow_call(struct flow_run *run, int node);
/* The def of a class's method, inherited ones too; -1: none that is known. */
int flow_method(const struct flow *flow, int class_index, int name);
/* object.method without a call: a property's value, or the method itself. */
struct flow_value flow_get_property(struct flow_run *run, struct flow_value object, int method, int node);
/* Types the loop variable of "for target in node". */
void flow_assign_elements(struct flow_run *run, int target, int iterable);

/* A method, called with these other arguments. */
struct flow_value flow_call_special(struct flow_run *run, int method, struct flow_value self, const struct flow_value *others, int n,
                                    int node);

/* pyflow_special.c: code that runs without being called. */

/* Finds classes with special methods, and what decorators make of functions. */
void flow_find_special(struct flow *flow);
bool flow_is_decorator(const char *dotted);
/* The type of a parameter without an annotation of a function that Numba compiles. */
struct flow_value flow_numba_parameter(struct flow *flow, const struct flow_def *def, int slot);
/* What an operation on values does that may call special methods of their classes: these (separated by blanks), or any (NULL).
 * FLOW_UNBOUND where no value is of such a class. */
struct flow_value flow_special(struct flow_run *run, int node, const char *methods, const struct flow_value *values, int n);
/* The same for the operator of a PY_BINARY or PY_AUG_ASSIGN. */
struct flow_value flow_operator(struct flow_run *run, int node, bool in_place, struct flow_value left, struct flow_value right);
/* A value is asked whether it is true. */
void flow_truth(struct flow_run *run, int node, struct flow_value value);
/* True of the modules through which code can see the variables of other code. */
bool flow_shows_frames(const struct flow *flow, struct flow_value value);
bool flow_is_computed(const struct flow *flow, int class_index, int name, bool is_set);

/* pyflow_exec.c: statements. */
void flow_exec_list(struct flow_run *run, int list);
void flow_assign(struct flow_run *run, int target, struct flow_value value, int value_node);
/* Calls a nested function; its parameters that are not given (FLOW_UNBOUND) have their defaults. */
struct flow_value flow_call_nested(struct flow_run *run, int function, const struct flow_value *given);
struct flow_value flow_no_closure(const struct flow *flow, struct flow_value value);
/* A def or a lambda inside a function is executed: its value. */
struct flow_value flow_define(struct flow_run *run, int node);

/* Counts steps of work; gives the function up when they are too many. */
void flow_count(struct flow_run *run, long steps);
/* pyflow.c: the analysis of one function; does nothing when it was done. False: it is being analysed now (recursion). */
bool flow_analyse(struct flow *flow, int def);
/* Finds a class's attributes from its methods. */
void flow_analyse_class(struct flow *flow, int class_index);

/* pyflow_overwritten.c */
bool flow_is_overwritten(struct flow *flow, int def, int param, int depth);

/* pyflow_report.c */
void flow_report(struct pyflow *result, struct flow *flow);

/* pyflow_known.c: functions and methods that are known without their source. */
enum known_effect {
    KNOWN_PURE,       /* reads; the result is new */
    KNOWN_VIEW,       /* reads; the result may be memory of an argument */
    KNOWN_WRITES,     /* writes its first argument (of a method: its object) */
    KNOWN_KEEPS       /* a method of a list: writes it, and it refers to the argument from then on */
};

struct known_function {
    const char *name;
    enum known_effect effect;
    int inputs;        /* positional arguments that are never written; further ones are outputs */
    enum flow_type result; /* FLOW_UNKNOWN: scalar of scalars, else an array */
    bool of_shape;         /* its first argument is the result's shape */
};

/* The row of a dotted name ("numpy.empty", "math.sin", "builtins.len"), or NULL. */
const struct known_function *known_function(const char *dotted);
/* pyflow_fortran.c: a letter for each argument of a routine of BLAS, LAPACK or MPI, w: written; NULL: it is none of them. */
const char *known_fortran(const char *dotted);
/* True of modules whose every name is in the tables, or does nothing to arrays. */
bool known_module(const char *name);
/* The row of a method of an array or a container, or NULL. */
const struct known_function *known_array_method(const char *name);
const struct known_function *known_container_method(const char *name);

#endif
