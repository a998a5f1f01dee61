/* extend.c - what the package's extension module gets of libpkwrap. */
#include <string.h>

#include "base/backend.h"
#include "arrays/convert.h"
#include "emulated/emulated.h"
#include "base/errors.h"
#include "base/events.h"
#include "pyccel_kernel/pyccel_kernel.h"
#include "base/runtime.h"
#include "pkwrap_version.h"
#include "call/stats.h"
#include "watch/watch.h"

static PyObject *
stats(PyObject *module, PyObject *no_arguments)
{
    (void)module;
    (void)no_arguments;
    return stats_snapshot();
}

static PyObject *
add_counter(PyObject *module, PyObject *arguments)
{
    PyObject *record;
    int this_thread;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Op", &record, &this_thread) || events_add(record, this_thread != 0) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
remove_counter(PyObject *module, PyObject *record)
{
    (void)module;
    if (events_remove(record) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
set_watching(PyObject *module, PyObject *arguments)
{
    int verify;
    PyObject *learned;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "pO", &verify, &learned) || watch_set(verify != 0, learned) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
is_verifying(PyObject *module, PyObject *no_arguments)
{
    (void)module;
    (void)no_arguments;
    return PyBool_FromLong(watching_active & WATCH_VERIFY);
}

static PyMethodDef functions[] = {
    {"add_counter", add_counter, METH_VARARGS,
     "add_counter(record, this_thread)\n--\n\nCalls record(kind, description, where, nbytes) for each transfer."},
    {"remove_counter", remove_counter, METH_O, "remove_counter(record)\n--\n\nUndoes one add_counter."},
    {"set_watching", set_watching, METH_VARARGS,
     "set_watching(verify, learned)\n--\n\nSwitches verify mode, and learn mode: None, or a callable that gets\n"
     "(module, kernel, argument, changed, nbytes) for each array argument of each call."},
    {"is_verifying", is_verifying, METH_NOARGS, "is_verifying()\n--\n\nWhether verify mode is on."},
    {"stats", stats, METH_NOARGS,
     "stats()\n--\n\nTotals since import, a dictionary by \"MODULE.KERNEL\": calls, conversions, bytes_to_host and\n"
     "bytes_to_device (bytes), waits."},
    {NULL, NULL, 0, NULL},
};

/* Fills the module. 0, or -1 with an exception set. */
PKW_EXPORT int pkwrap_extend(PyObject *module);

/* What generated modules that are linked to nothing look for: see pkw_get_api. */
static int
add_api(PyObject *module)
{
    static pkw_get_api_function *const get_api = pkw_get_api;
    PyObject *capsule = PyCapsule_New(__extension__(void *)&get_api, PKW_API_CAPSULE, NULL);
    int status = capsule == NULL ? -1 : PyModule_AddObjectRef(module, strrchr(PKW_API_CAPSULE, '.') + 1, capsule);
    Py_XDECREF(capsule);
    return status;
}

int
pkwrap_extend(PyObject *module)
{
    PyMethodDef *const tables[] = {functions, backend_functions, convert_functions};
    if (runtime_init() < 0)
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    if (emulated_add(module) < 0 || pyccel_kernel_add(module) < 0 || PyModule_AddObjectRef(module, "CudaError", cuda_error) < 0)
        return -1;
    if (PyModule_AddStringConstant(module, "__version__", PKWRAP_VERSION) < 0 || add_api(module) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "UndeclaredWriteError", undeclared_write_error);
}
