/* extend.c - what the package's extension module gets of libpkwrap. */
#include "errors.h"
#include "runtime.h"
#include "stats.h"

static PyObject *
stats(PyObject *module, PyObject *no_arguments)
{
    (void)module;
    (void)no_arguments;
    return stats_snapshot();
}

static PyMethodDef functions[] = {
    {"stats", stats, METH_NOARGS,
     "stats()\n--\n\nTotals since import, a dictionary by \"MODULE.KERNEL\": calls, conversions, bytes_to_host and\n"
     "bytes_to_device (bytes), waits."},
    {NULL, NULL, 0, NULL},
};

/* Fills the module. 0, or -1 with an exception set. */
PKW_EXPORT int pkwrap_extend(PyObject *module);

int
pkwrap_extend(PyObject *module)
{
    if (runtime_init() < 0 || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    if (PyModule_AddObjectRef(module, "CudaError", cuda_error) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "UndeclaredWriteError", undeclared_write_error);
}
