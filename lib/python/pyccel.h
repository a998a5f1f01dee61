/* pyccel.h - modules generated from a stub: the functions and classes of a compiled Pyccel module that take device arrays too.
 *
 *     pyccel_module.c    the table's add_python_kernels: functions, classes, variables of the generated module
 *     pyccel_table.c     each variant of a function as a pkw_kernel, so that the pipeline of call.h carries its calls out
 *     pyccel_function.c  the callable: its fast path, then the pipeline
 *     pyccel_call.c      what only Python callables need of the pipeline
 *     pyccel_class.c     argument classes, and their instances over device arrays
 *     pyccel_fit.c       which arrays a compiled module understands as they are
 *
 * The compiled module is imported when it is first needed.
 */
#ifndef PYTHON_PYCCEL_H
#define PYTHON_PYCCEL_H

#include "call.h"

/* Shared by the functions and classes of a generated module; lives as long as the process. */
struct pyccel_module {
    const pkw_py_module *table;
    PyObject *extension; /* owned; NULL: not imported yet */
    pkw_module_state state;
};

/* The attribute of the compiled module: a new reference, or NULL with ImportError set, which names the extension and the stub. */
PyObject *pyccel_lookup(struct pyccel_module *module, const char *name);

/* One signature, in the two forms in which it is used. */
struct pyccel_variant {
    pkw_kernel kernel;
    const pkw_py_param *source;
};

/* Makes the variants of a function: kernel.n_params parameters each, never freed. NULL with an exception set. */
struct pyccel_variant *pyccel_variants(struct pyccel_module *module, const pkw_py_function *function);

/* Whether Pyccel's wrapper reads an aligned array of native byte order right: it takes the strides for those of a larger
 * contiguous array, in this order. */
bool pyccel_fits(PyArrayObject *array, bool fortran);

/* The callable for a function: a new reference, or NULL with an exception set. */
PyObject *pyccel_function_new(struct pyccel_module *module, const pkw_py_function *function, const char *module_name);
/* The callable for a class. */
PyObject *pyccel_class_new(struct pyccel_module *module, const pkw_py_class *class, const char *module_name);

/* Whether an object is an instance over device arrays (what such a class makes of them), and the compiled one behind it; borrowed. */
PyObject *pyccel_real_instance(PyObject *object);

/* Types, made ready once. 0, or -1 with an exception set. */
int pyccel_init(void);
extern PyTypeObject pyccel_function_type, pyccel_class_type, pyccel_instance_type;

/* The table's add_python_kernels. */
int pyccel_add(PyObject *module, const pkw_py_module *table);

#endif
