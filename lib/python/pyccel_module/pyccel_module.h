/* pyccel_module.h - modules generated from a stub: the functions and classes of a compiled Pyccel module that take device arrays too.
 *
 *     module.c     the table's add_python_kernels: functions, classes, variables of the generated module
 *     function.c   the callable: its fast path, then the pipeline
 *     function_type.c  what it is to Python: name, docstring, signature, binding
 *     takes.c      what the compiled module takes and reads right, and why it refuses a call, in this library's words
 *     call.c       what a compiled function does its own way in the pipeline of call.h
 *     results.c    what its calls give
 *     class.c      argument classes: types whose methods, properties and attributes are such functions (instance_internal.h)
 *
 * The compiled module is imported when it is first needed.
 */
#ifndef PYTHON_PYCCEL_H
#define PYTHON_PYCCEL_H

#include <string.h>

#include "call/call.h"

/* Shared by the functions and classes of a generated module; lives as long as the process. */
struct pyccel_module {
    const pkw_py_module *table;
    PyObject *extension; /* owned; NULL: not imported yet */
};

/* The attribute of the compiled module: a new reference, or NULL with ImportError set, which names the extension and the stub. */
PyObject *pyccel_lookup(struct pyccel_module *module, const char *name);

struct pyccel_class;

/* One call of a compiled function in the pipeline. */
struct pyccel_call {
    struct call call; /* its first member */
    const struct pyccel_function *function;
    PyObject *returned;        /* owned: what the compiled function returned */
    struct instance_use *uses; /* of argument objects (use.c) */
};

static inline const struct pyccel_call *
pyccel_call_of(const struct call *call)
{
    return (const struct pyccel_call *)call;
}

/* The variant whose call this is. */
static inline const pkw_py_variant *
pyccel_variant_of(const struct call *call)
{
    return (const pkw_py_variant *)call->kernel; /* its first member */
}

/* "move" of "Grid.move". Points into it. */
static inline const char *
pyccel_own_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* Whether Pyccel's wrapper reads an aligned array of native byte order right: it takes the strides for those of a larger
 * contiguous array, in this order. */
bool pyccel_fits(PyArrayObject *array, bool fortran);
/* The same for what is given for a parameter. */
bool pyccel_takes_array(const pkw_param *param, PyArrayObject *array);

/* What a function's callable stands for. */
enum pyccel_role { ROLE_FUNCTION, ROLE_CONSTRUCTOR, ROLE_METHOD, ROLE_PROPERTY, ROLE_SETTER };

struct pyccel_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *target; /* owned: the compiled function; NULL: not looked up yet */
    PyObject *name, *qualified_name, *module_name;
    PyObject *weak_references;
    struct pyccel_module *module;
    struct pyccel_class *class; /* but for ROLE_FUNCTION */
    const pkw_py_function *source;
    enum pyccel_role role;
    bool links; /* what an object of a class that refers to objects refers to may be another after a call */
};

/* What the compiled function keeps of a call's arguments. */
static inline pkw_py_keeps
pyccel_keeps(const struct call *call)
{
    return (pkw_py_keeps)pyccel_call_of(call)->function->source->keeps;
}

/* The callable for a function: a new reference, or NULL with an exception set. */
PyObject *pyccel_function_new(struct pyccel_module *module, struct pyccel_class *class, enum pyccel_role role,
                              const pkw_py_function *function);
/* call.c: a call as a variant, through the pipeline. */
PyObject *pyccel_call(const struct pyccel_function *function, const pkw_py_variant *variant, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames);
/* function.c: its vectorcall slot. */
PyObject *pyccel_function_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames);

/* The parameter that a keyword names, or NULL. */
const pkw_param *pyccel_param(const pkw_kernel *kernel, PyObject *name);

/* Whether the compiled module takes the object for a scalar parameter; it wants exact types. */
bool pyccel_takes_scalar(const pkw_param *param, PyObject *object);

/* Where the compiled module has refused a call with a TypeError: names function and argument, what was expected and given. */
void pyccel_explain_refusal(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* Whether attributes of the class refer to what its objects are given, and to objects. */
bool pyccel_class_refers(const struct pyccel_class *class);
bool pyccel_class_refers_to_objects(const struct pyccel_class *class);

/* The type for a class: a new reference, or NULL with an exception set. */
PyObject *pyccel_class_new(struct pyccel_module *module, const pkw_py_class *class);

/* Types, made ready once. 0, or -1 with an exception set. */
int pyccel_init(void);
extern PyTypeObject pyccel_function_type, pyccel_attribute_type, pyccel_instance_type;

/* The table's add_python_kernels. */
int pyccel_add(PyObject *module, const pkw_py_module *table);

#endif
