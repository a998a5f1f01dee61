/* backend.c - see backend.h. */
#include "backend.h"

static bool is_cupy;
static PyObject *cupy; /* owned; NULL: nothing chosen yet */

bool
backend_is_cupy(void)
{
    return is_cupy;
}

/* What backend.py finds, which is the emulator's where the device is emulated. A module that is bundled without the package has
 * no backend.py: CuPy itself then. */
static PyObject *
find_cupy(void)
{
    PyObject *backend = PyImport_ImportModule("pkwrap.backend");
    if (backend == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_ImportError))
            return NULL;
        PyErr_Clear();
        return PyImport_ImportModule("cupy");
    }
    PyObject *found = PyObject_CallMethod(backend, "cupy_module", NULL);
    Py_DECREF(backend);
    return found;
}

PyObject *
backend_cupy(void)
{
    return cupy != NULL ? Py_NewRef(cupy) : find_cupy();
}

static PyObject *
backend_select(PyObject *self, PyObject *arguments)
{
    int chosen;
    PyObject *module;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "pO:backend_select", &chosen, &module))
        return NULL;
    is_cupy = chosen != 0;
    if (module != Py_None)
        Py_XSETREF(cupy, Py_NewRef(module));
    Py_RETURN_NONE;
}

PyMethodDef backend_functions[] = {
    {"backend_select", backend_select, METH_VARARGS,
     "backend_select(is_cupy, module, /)\n--\n\nWhether the backend is CuPy, and the module that stands for CuPy (None: as before)."},
    {NULL, NULL, 0, NULL},
};
