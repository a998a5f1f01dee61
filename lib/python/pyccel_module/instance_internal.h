/* instance_internal.h - objects of the argument classes of a compiled Pyccel module.
 *
 *     class.c      the type that a generated module has for a class
 *     attribute.c  its attributes, as descriptors
 *     instance.c   the object: it stands for a compiled one
 *     keep.c       arrays among the arguments of a call that compiled objects refer to from then on
 *     linked.c     objects that objects refer to
 *     pair.c       the caller's array and its host copy
 *     use.c        objects as arguments of calls
 *
 * The compiled object refers to host arrays. Where such an array is not the caller's own, because that is on a device or is one that
 * compiled code would read wrong, the two stay paired for as long as the object lives: before compiled code may read it, the host
 * copy is refreshed from the caller's array; after compiled code may have written it, it is copied back.
 */
#ifndef PYTHON_PYCCEL_INSTANCE_H
#define PYTHON_PYCCEL_INSTANCE_H

#include "arrays/to_device.h"
#include "pyccel_module.h"

struct pair {
    const char *name;      /* of the attribute */
    PyObject *outside;     /* owned: the caller's array */
    PyArrayObject *inside; /* owned: what the compiled object refers to; one for all pairs of the same caller's array. The
                              caller's own where that is an ordinary but read-only array */
    bool part;             /* the attribute is a view of `inside`, with other elements or another shape */
    bool constant;         /* by its owner's word nobody changes the elements of `outside` */
    bool settled;          /* constant, and `inside` has those elements */
};

/* Lives as long as the process. */
struct pyccel_class {
    const pkw_py_class *source;
    struct pyccel_module *module;
    PyTypeObject *type;    /* owned */
    PyObject *target;      /* owned: the compiled class; NULL: not looked up yet */
    PyObject *constructor; /* owned: callable; NULL: it has none */
    bool refers_to_arrays, refers_to_objects; /* attributes that are aliases */
    struct pyccel_class *next;
};

struct pyccel_instance {
    PyObject_HEAD
    PyObject *weak_references;
    struct pyccel_class *class;
    PyObject *real; /* owned: the compiled object; NULL: not constructed */
    struct pair *pairs;
    int n_pairs;
    PyObject *objects; /* owned: dict of the instances that it refers to, by attribute (str); by a number where several may be
                          the one; NULL: none */
    bool *set_late;    /* owned, one an attribute: the constructor does not set it, and it was set since; NULL: the class has none such */
    PyObject *constant; /* owned: names of attributes whose arrays are constant, a tuple of str; True: all; NULL: none beside those of
                           the class */
    bool stands_in;    /* made for an attribute, since none that was given could be told to be it */
    PyObject *held;    /* owned: arguments that the compiled object may refer to without saying so, or NULL */
};

static inline struct pyccel_instance *
as_instance(PyObject *object)
{
    return PyObject_TypeCheck(object, &pyccel_instance_type) ? (struct pyccel_instance *)object : NULL;
}

/* The one that was given for an argument, or NULL. */
static inline struct pyccel_instance *
given_instance(const struct call *call, int position)
{
    PyObject *given = call->arguments[position].given;
    return given == NULL ? NULL : as_instance(given);
}

/* What an attribute is: the value that its setter takes. */
static inline const pkw_param *
attribute_of(const pkw_py_class *class, int attribute)
{
    return &class->attributes[attribute].variants[0].kernel.params[1];
}

/* Whether it refers to an array of the caller. */
static inline bool
is_reference(const pkw_param *attribute)
{
    return attribute->kind == PKW_ARRAY && attribute->flags & PKW_ALIAS;
}

/* Whether compiled code has given the attribute a value that can be read. */
static inline bool
is_set(const struct pyccel_instance *instance, int attribute)
{
    return !(attribute_of(instance->class->source, attribute)->flags & PKW_SET_LATE)
           || (instance->set_late != NULL && instance->set_late[attribute]);
}

/* --- class.c --- */

/* The compiled class, borrowed; NULL with an exception set. */
PyObject *pyccel_class_target(struct pyccel_class *class);
/* The class of a compiled object, or NULL: not one of a generated module. `module`: whose classes may be looked up for it. */
struct pyccel_class *pyccel_class_of(struct pyccel_module *module, PyObject *real);
/* Whether the type is, or is derived from, one of this name: "Grid" of "kernels.Grid". */
bool pyccel_type_is_named(const PyTypeObject *type, const char *name);

/* --- attribute.c: a new reference, or NULL with an exception set. --- */
PyObject *pyccel_attribute_new(struct pyccel_class *class, const pkw_py_function *source);

/* --- instance.c --- */

/* An object of the class that stands for the compiled one: a new reference, or NULL with an exception set. */
PyObject *pyccel_instance_new(struct pyccel_class *class, PyObject *real);
/* A compiled object that compiled code has returned, as an instance, and anything else as it is. Takes the reference. */
PyObject *pyccel_adopt(struct pyccel_module *module, PyObject *object);
/* is_set, and true for what is no attribute of the class. */
bool is_set_by_name(const struct pyccel_instance *instance, const char *attribute);
/* Notes that an attribute was set. */
void note_set(struct pyccel_instance *instance, const char *attribute);
/* TypeError that it was never constructed. Returns -1. */
int pyccel_raise_unconstructed(const struct pyccel_instance *instance);
struct pair *find_pair(const struct pyccel_instance *instance, const char *name);

/* Whether the elements of the array that an attribute refers to are declared never to change. */
bool is_constant(const struct pyccel_instance *instance, const pkw_param *attribute);

/* --- linked.c --- */

/* Whether the compiled object, and those that it refers to, are all there is to it. */
bool is_plain_instance(struct pyccel_instance *instance);
/* Calls `visit` for the instance and all that it refers to, with the way to each: "" and "grid.inner"; NULL where that is not known,
 * once more for one that refers to itself.
 * Stops at the first answer that is not 0, which it returns. */
typedef int (*instance_visitor)(struct pyccel_instance *instance, const char *path, void *data);
int visit_instances(struct pyccel_instance *instance, const char *path, instance_visitor visit, void *data);
/* Finds anew what the attributes of its class refer to, among what it had and the arguments of the call (NULL: none). 0, or -1 with
 * an exception set. */
int link_objects(struct pyccel_instance *instance, const struct call *call);
/* The instance for an object that an attribute refers to: a new reference, or NULL with an exception set. Takes that of `real`. */
PyObject *linked_object(struct pyccel_instance *instance, const char *attribute, PyObject *real);

/* --- keep.c --- */

/* Gives array arguments that the compiled function may keep memory of their own, before it runs; and what it wrote there to
 * those who take it from there, after. 0, or -1 with an exception set. */
int keep_before(struct call *call);
int keep_after(struct call *call);
/* The pairs of an instance from what its compiled object refers to: those that it and `others` (a list of instances, or NULL) have,
 * and arguments of the call (NULL: none). 0, or -1 with an exception set. */
int keep_arrays(struct pyccel_instance *instance, const struct call *call, PyObject *others);
/* Those of the arguments, as the compiled function got them, whose memory an object that it returned refers to: a new list, or NULL
 * with an exception set. */
PyObject *held_arguments(const struct pyccel_instance *instance, const struct call *call);
/* For an object that the call reached: where an attribute that the function may have set refers to another array now, the pairs are
 * found anew; ValueError where that is memory that ends with the call. `others`: all objects among the arguments. 0 or -1. */
int keep_settled(struct pyccel_instance *instance, const char *attribute, const char *name, const struct call *call,
                 PyObject *others);

/* --- results.c: what the call returns, of what the compiled function returned. --- */

PyObject *pyccel_results(struct call *call);

/* --- use.c: the arrays that argument objects refer to --- */

/* Reads an argument of a class. Each 0, or -1 with an exception set. */
int use_instance(struct call *call, int position);
/* Judges them against each other and the arguments, and adds those on a device to the session. */
int stage_instances(struct call *call);
int refresh_instances(struct call *call);
int collect_instances(struct call *call);
void release_instances(struct call *call);
/* Verify and learn mode: tells of those that the table of the function lists. */
int watch_instances(struct call *call);
/* Where no argument is a model of new arrays: those on a device that argument objects refer to. */
void offer_instances(const struct call *call, struct array_model *model);

/* keep_settled for every attribute that the function may have written. 0, or -1 with an exception set. */
int settle_instances(struct call *call);
/* The pair of an object among the arguments in whose memory an array lies, or NULL; valid until the call is released. */
const struct pair *used_pair(const struct call *call, PyArrayObject *array);
/* The host copy that an object among the arguments has of an array, in this order; borrowed, or NULL. */
PyObject *used_copy(const struct call *call, const PyObject *outside, bool fortran);

/* --- pair.c --- */

/* A writable NumPy array over the staging memory of a view, with elements like those of a host copy: a new reference, or NULL. */
PyObject *staged_like(PyArrayObject *copy, const struct device_view *view);
void pair_clear(struct pair *pair);
void pairs_free(struct pair *pairs, int n_pairs);
/* What `part`, which lies in the host copy, is in the caller's array: as view_of_array. */
PyObject *pair_view(const struct pair *pair, PyArrayObject *part, const char *function, const char *what);

#endif
