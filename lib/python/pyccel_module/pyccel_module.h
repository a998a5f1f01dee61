/* pyccel_module.h - modules generated from a stub: the functions and classes of a compiled Pyccel module that take device arrays too.
 *
 *     module.c     the table's add_python_kernels: functions, classes, variables of the generated module
 *     table.c      each variant of a function as a pkw_kernel, so that the pipeline of call.h carries its calls out
 *     function.c   the callable: its fast path, then the pipeline
 *     callable.c   what it is to Python: name, docstring, signature, binding
 *     refusal.c    why the compiled module refuses a call, in this library's words
 *     call.c       what only Python callables need of the pipeline
 *     fit.c        which arrays a compiled module understands as they are
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
    pkw_module_state state;
};

/* The attribute of the compiled module: a new reference, or NULL with ImportError set, which names the extension and the stub. */
PyObject *pyccel_lookup(struct pyccel_module *module, const char *name);

struct pyccel_class;

/* Beside the flags of pkwrap.h and PARAM_PYCCEL: an array that an object may refer to when the call is over. */
#define PARAM_KEPT (1u << 30)
/* An array of which the compiled module may hand out memory: it tells none of the strides that it knows, so that there must be none to
 * tell. */
#define PARAM_CONTIGUOUS (1u << 28)
/* An object of which the function neither reads nor writes an array: the setter of an attribute. */
#define PARAM_NOT_LOOKED_INTO (1u << 29)

/* Where a compiled function may leave references to its arguments, which then need memory that outlives the call. */
enum pyccel_keeps {
    KEEPS_NOTHING,
    KEEPS_IN_RESULT, /* constructors, and functions that return objects */
    KEEPS_IN_SELF    /* methods and the setters of attributes: in the object that is their first argument */
};

/* One signature, in the two forms in which it is used. */
struct pyccel_variant {
    pkw_kernel kernel;
    const pkw_py_param *source;
    const char **attribute_names; /* "args.markers", of each parameter's attributes, one after the other */
    enum pyccel_keeps keeps;
    int n_needed;                 /* parameters without a default, keyword-only ones included */
    int n_objects;                /* among the parameters: of kind PARAM_CLASS */
    bool links;                   /* what an object of a class that refers to objects refers to may be another after the call */
    bool gives_objects;           /* among the results */
    struct pyccel_module *module;
};

/* The variant whose call this is. */
static inline const struct pyccel_variant *
pyccel_variant_of(const struct call *call)
{
    return (const struct pyccel_variant *)call->kernel; /* its first member */
}

/* "move" of "Grid.move". Points into it. */
static inline const char *
pyccel_own_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* "args.markers", from PyMem_RawMalloc; NULL where memory is short, without an exception. */
char *pyccel_dotted_name(const char *parameter, const char *attribute);

/* Makes the variants of a function, which live as long as the process. NULL with an exception set. */
struct pyccel_variant *pyccel_variants(struct pyccel_module *module, const pkw_py_function *function,
                                       enum pyccel_keeps keeps, bool links);

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
    struct pyccel_variant *variants;
    enum pyccel_role role;
};

/* The callable for a function: a new reference, or NULL with an exception set. */
PyObject *pyccel_function_new(struct pyccel_module *module, struct pyccel_class *class, enum pyccel_role role,
                              const pkw_py_function *function);
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
