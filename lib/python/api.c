/* api.c - the table of functions that a generated module takes, and the library's start. */
#define PKWRAP_IMPORTS_NUMPY
#include "base/runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/cuda.h"
#include "call/call.h"
#include "arrays/dtypes.h"
#include "base/errors.h"
#include "pyccel_module/pyccel_module.h"
#include "call/stats.h"
#include "arrays/type_cache.h"
#include "watch/watch.h"

int watching_active;

static pkw_api api;

const char *
library_path(void)
{
    Dl_info found;
    return dladdr(&api, &found) != 0 && found.dli_fname != NULL ? found.dli_fname : "libpkwrap";
}

/* import_array, which knows the NumPy it was built for, with our own words around its error. */
static int
import_numpy(void)
{
    if (_import_array() >= 0)
        return 0;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_Format(PyExc_ImportError, "%s needs NumPy 1.23 or newer: %S", library_path(), value == NULL ? Py_None : value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return -1;
}

/* CUDA's own wheels lie in folders of sys.path: with nothing else installed the runtime is there. */
static int
tell_python_folders(void)
{
    PyObject *path = PySys_GetObject("path"), *folders = PyList_New(0), *separator = PyUnicode_FromString(":");
    PyObject *text = NULL, *bytes = NULL;
    if (folders == NULL || separator == NULL)
        goto done;
    for (Py_ssize_t i = 0; path != NULL && PyList_Check(path) && i < PyList_GET_SIZE(path); i++) {
        PyObject *folder = PyList_GET_ITEM(path, i);
        if (PyUnicode_Check(folder) && PyUnicode_GET_LENGTH(folder) > 0 && PyList_Append(folders, folder) < 0)
            goto done;
    }
    text = PyUnicode_Join(separator, folders);
    bytes = text == NULL ? NULL : PyUnicode_EncodeFSDefault(text);
    if (bytes != NULL)
        cuda_set_python_folders(PyBytes_AS_STRING(bytes));
done:
    Py_XDECREF(folders);
    Py_XDECREF(separator);
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    if (bytes == NULL && PyErr_ExceptionMatches(PyExc_UnicodeError)) { /* a folder that no file can be in */
        PyErr_Clear();
        return 0;
    }
    return bytes == NULL ? -1 : 0;
}

int
runtime_init(void)
{
    static bool done;
    if (done)
        return 0;
    if (import_numpy() < 0 || errors_init() < 0 || type_cache_init() < 0 || dtypes_init(api.descr) < 0
        || tell_python_folders() < 0)
        return -1;
    const char *verify = getenv("PKWRAP_VERIFY");
    if (verify != NULL && verify[0] != '\0' && strcmp(verify, "0") != 0)
        watching_active |= WATCH_VERIFY;
    api.abi = PKW_ABI;
    api.size = sizeof api;
    api.ndarray = &PyArray_Type;
    api.watching = &watching_active;
    api.call = call_function;
    api.register_kernels = stats_register_kernels;
    api.from_slot = slot_to_object;
    api.add_python_kernels = pyccel_add;
    done = true;
    return 0;
}

/* PKWRAP_LEARN is the package's to serve: a program that imports generated modules only would not do what it says. */
static int
start_learning(void)
{
    static bool asked;
    const char *path = getenv("PKWRAP_LEARN");
    if (asked || path == NULL || path[0] == '\0')
        return 0;
    asked = true;
    PyObject *package = PyImport_ImportModule("pkwrap");
    if (package == NULL && PyErr_ExceptionMatches(PyExc_ImportError)) {
        PyErr_Clear();
        return PyErr_WarnEx(PyExc_RuntimeWarning, "PKWRAP_LEARN has no effect: it needs the package pkwrap", 1);
    }
    Py_XDECREF(package);
    return package == NULL ? -1 : 0;
}

const pkw_api *
pkw_get_api(uint32_t abi)
{
    if (abi != PKW_ABI) {
        PyErr_Format(PyExc_ImportError,
                     "this module was built for interface %u of libpkwrap, but %s has interface %u; build the module again "
                     "with the pkwrap that is installed, or install the one it was built with",
                     (unsigned)abi, library_path(), (unsigned)PKW_ABI);
        return NULL;
    }
    return runtime_init() < 0 || start_learning() < 0 ? NULL : &api;
}
