/* _pkwrap.c - the package's door to libpkwrap. */
#include "base/python.h"

PKW_EXPORT int pkwrap_extend(PyObject *module); /* of libpkwrap: extend.c */

static PyModuleDef_Slot slots[] = {{Py_mod_exec, __extension__(void *)pkwrap_extend}, {0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "pkwrap._pkwrap", NULL, 0, NULL, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__pkwrap(void);

PyMODINIT_FUNC
PyInit__pkwrap(void)
{
    return PyModuleDef_Init(&definition);
}
