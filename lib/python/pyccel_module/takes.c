/* refusal.c - see pyccel_module.h.
 *
 * What the compiled module takes is its own to judge, also in versions to come. Only where it has refused a call are its exact
 * rules (those of Pyccel 2.2) asked which argument it was.
 */
#include <string.h>

#include "arrays/dtypes.h"
#include "base/errors.h"
#include "instance_internal.h"

bool
pyccel_takes_scalar(const pkw_param *param, PyObject *object)
{
    if (param->flags & PKW_PYTHON_NUMBER)
        return param->dtype == PKW_I64   ? PyLong_CheckExact(object)
               : param->dtype == PKW_F64 ? PyFloat_Check(object)
                                         : PyComplex_Check(object);
    if (param->dtype == PKW_BOOL && PyBool_Check(object))
        return true;
    PyArray_Descr *descr = dtype_descr((pkw_dtype)param->dtype);
    bool takes = descr != NULL && PyObject_TypeCheck(object, descr->typeobj);
    Py_XDECREF((PyObject *)descr);
    return takes;
}

static int
explain_scalar(const pkw_kernel *kernel, const pkw_param *param, PyObject *object)
{
    const char *name = dtype_rows[param->dtype].name, *given = Py_TYPE(object)->tp_name;
    if (param->flags & PKW_PYTHON_NUMBER)
        return raise_argument_error(PyExc_TypeError, kernel->name, param->name, "must be %s, not %s",
                                    param->dtype == PKW_I64   ? "an int"
                                    : param->dtype == PKW_F64 ? "a float"
                                                              : "a complex",
                                    given);
    if (param->dtype == PKW_BOOL)
        return raise_argument_error(PyExc_TypeError, kernel->name, param->name, "must be a bool, not %s", given);
    return raise_argument_error(PyExc_TypeError, kernel->name, param->name, "must be a numpy.%s, not %s", name, given);
}

/* Raises where this argument cannot be meant. */
static int
explain_argument(const pkw_kernel *kernel, const pkw_param *param, PyObject *object)
{
    if (object == Py_None && param->flags & PKW_NULLABLE)
        return 0;
    if (param->kind == PKW_PY_SCALAR && !pyccel_takes_scalar(param, object))
        return explain_scalar(kernel, param, object);
    const struct pyccel_instance *instance = as_instance(object);
    const PyTypeObject *type = instance == NULL || instance->real == NULL ? Py_TYPE(object) : Py_TYPE(instance->real);
    if (param->kind == PKW_PY_CLASS && !pyccel_type_is_named(type, param->instance->class_name))
        return raise_argument_error(PyExc_TypeError, kernel->name, param->name, "must be a %s object, not %s", param->instance->class_name,
                                    Py_TYPE(object)->tp_name);
    return 0;
}

/* The words of a compiled module, with the function's name in front where they are about an argument. */
static void
name_function(const pkw_kernel *kernel, PyObject *type, PyObject *value)
{
    PyObject *text = value == NULL ? NULL : PyObject_Str(value);
    const char *words = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    if (words != NULL && (strncmp(words, "Expected an argument", 20) == 0 || strncmp(words, "Wrong argument", 14) == 0))
        raise_call_error(type, kernel->name, "%U", text);
    Py_XDECREF(text);
}

void
pyccel_explain_refusal(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Py_ssize_t n = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        const pkw_param *param = i >= nargs             ? pyccel_param(kernel, PyTuple_GET_ITEM(kwnames, i - nargs))
                                 : i < kernel->n_params ? &kernel->params[i]
                                                        : NULL;
        if (param != NULL)
            explain_argument(kernel, param, args[i]);
    }
    if (!PyErr_Occurred())
        name_function(kernel, type, value);
    if (!PyErr_Occurred()) {
        PyErr_Restore(type, value, traceback);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}
