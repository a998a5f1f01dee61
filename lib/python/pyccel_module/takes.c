/* takes.c - which arrays and scalars a compiled module takes and reads right, and why it refuses a call, in this library's words.
 *
 * Pyccel's wrapper ignores the strides of an array that owns its memory. Those of a view it divides by each other, from the
 * innermost dimension outwards, to get the extents of a contiguous array of which the view is a slice with a step in the
 * innermost dimension. That is right only where every division is exact and every extent holds the view's.
 *
 * What the compiled module takes otherwise is its own to judge, also in versions to come. Only where it has refused a call are its exact
 * rules (those of Pyccel 2.2) asked which argument it was.
 */
#include <string.h>

#include "arrays/dtypes.h"
#include "base/errors.h"
#include "instance_internal.h"

static bool
is_contiguous(PyArrayObject *array, bool fortran)
{
    return PyArray_CHKFLAGS(array, fortran ? NPY_ARRAY_F_CONTIGUOUS : NPY_ARRAY_C_CONTIGUOUS);
}

bool
pyccel_takes_array(const pkw_param *param, PyArrayObject *array)
{
    bool fortran = (param->flags & PKW_FORTRAN) != 0;
    return pyccel_fits(array, fortran) && (!(param->flags & PKW_CONTIGUOUS) || is_contiguous(array, fortran));
}

bool
pyccel_fits(PyArrayObject *array, bool fortran)
{
    int rank = PyArray_NDIM(array);
    npy_intp item = PyArray_ITEMSIZE(array);
    const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    if (!PyArray_ISALIGNED(array))
        return false;
    if (PyArray_BASE(array) == NULL && !is_contiguous(array, fortran))
        return false;
    npy_intp unit = item, needed = 1; /* bytes of a step of the slice's dimension; extent that the next stride must hold */
    npy_intp inner = 0;               /* stride of the dimension before: the wrapper wants them in order */
    for (int i = 0; i < rank; i++) {
        int dim = fortran ? i : rank - 1 - i;
        if (shape[dim] == 0 || strides[dim] <= 0 || strides[dim] % unit != 0 || strides[dim] / unit < needed
            || strides[dim] < inner)
            return false;
        inner = strides[dim];
        if (i == 0) {
            needed = (shape[dim] - 1) * (strides[dim] / item) + 1;
        } else {
            unit = strides[dim];
            needed = shape[dim];
        }
    }
    return true;
}

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
