/* convert.c - see convert.h. */
#include "convert.h"

#include "core/arena.h"
#include "array_info.h"
#include "base/errors.h"
#include "staging.h"
#include "to_device.h"

/* What single conversions are called in messages and totals. */
static const char to_numpy_name[] = "to_numpy";
static const char to_cupy_name[] = "to_cupy";
static pkw_kernel_state totals;

static bool
is_fortran(const struct array_info *info)
{
    bool c = true, f = true;
    int64_t c_stride = 0, f_stride = 0;
    if (info->descr == NULL)
        return false;
    c_stride = f_stride = PyDataType_ELSIZE(info->descr);
    for (int i = 0; i < info->rank; i++) {
        int last = info->rank - 1 - i;
        c = c && (info->shape[last] == 1 || info->strides[last] == c_stride);
        f = f && (info->shape[i] == 1 || info->strides[i] == f_stride);
        c_stride *= info->shape[last];
        f_stride *= info->shape[i];
    }
    return f && !c;
}

static PyObject *
download(const struct array_info *info)
{
    if (info->descr == NULL) {
        raise_call_error(PyExc_TypeError, to_numpy_name, "NumPy has no bfloat16; install ml_dtypes");
        return NULL;
    }
    bool fortran = is_fortran(info);
    struct session session;
    const struct device_view *view =
        staging_open(&session, info, "array", STAGE_READ, fortran ? LAYOUT_F : LAYOUT_C, to_numpy_name, &totals);
    PyObject *staged = view == NULL ? NULL : staged_array(view, (PyArray_Descr *)Py_NewRef((PyObject *)info->descr), 0);
    PyObject *copy = staged == NULL ? NULL : PyArray_NewCopy((PyArrayObject *)staged, fortran ? NPY_FORTRANORDER : NPY_CORDER);
    Py_XDECREF(staged);
    staging_release(&session);
    return copy;
}

static PyObject *
convert_to_numpy(PyObject *self, PyObject *array)
{
    struct array_info info;
    (void)self;
    enum read_answer answer = read_device_array(array, &info);
    if (answer == READ_NOT_MINE)
        raise_call_error(PyExc_TypeError, to_numpy_name, "%s is not a device array", Py_TYPE(array)->tp_name);
    if (answer != READ_DONE)
        return NULL;
    PyObject *copy = download(&info);
    array_info_release(&info);
    return copy;
}

static PyObject *
convert_to_cupy(PyObject *self, PyObject *array)
{
    (void)self;
    if (!PyArray_Check(array)) {
        raise_call_error(PyExc_TypeError, to_cupy_name, "%s is not a numpy.ndarray", Py_TYPE(array)->tp_name);
        return NULL;
    }
    if (!device_can_hold((PyArrayObject *)array)) {
        raise_call_error(PyExc_TypeError, to_cupy_name,
                         "no device array can have all that this %s with elements of type %S has; convert its elements alone, with "
                         "numpy.asarray and astype",
                         Py_TYPE(array)->tp_name, (PyObject *)PyArray_DESCR((PyArrayObject *)array));
        return NULL;
    }
    return device_array_from_host(&(struct array_model){0}, (PyArrayObject *)array, to_cupy_name, "array", &totals);
}

static PyObject *
convert_is_device_array(PyObject *self, PyObject *object)
{
    struct array_info info;
    (void)self;
    enum read_answer answer = read_device_array(object, &info);
    if (answer == READ_ERROR)
        return NULL;
    bool on_device = answer == READ_DONE && info.on_device;
    if (answer == READ_DONE)
        array_info_release(&info);
    return PyBool_FromLong(on_device);
}

static PyObject *
convert_device_kind(PyObject *self, PyObject *no_arguments)
{
    (void)self;
    (void)no_arguments;
    const struct cuda_runtime *runtime = cuda_runtime_in_use();
    if (runtime == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(runtime->is_emulator ? "emulator" : "cuda");
}

static PyObject *
convert_trim(PyObject *self, PyObject *no_arguments)
{
    size_t n_bytes;
    (void)self;
    (void)no_arguments;
    Py_BEGIN_ALLOW_THREADS
    n_bytes = arena_trim();
    Py_END_ALLOW_THREADS
    return PyLong_FromSize_t(n_bytes);
}

static PyObject *
convert_staging_bytes(PyObject *self, PyObject *no_arguments)
{
    size_t in_use, idle;
    (void)self;
    (void)no_arguments;
    Py_BEGIN_ALLOW_THREADS
    arena_usage(&in_use, &idle);
    Py_END_ALLOW_THREADS
    return Py_BuildValue("nn", (Py_ssize_t)in_use, (Py_ssize_t)idle);
}

PyMethodDef convert_functions[] = {
    {"to_numpy", convert_to_numpy, METH_O,
     "to_numpy(array, /)\n--\n\nA new ndarray with the contents of a device array: F order if that is what it has, else C order.\n"
     "TypeError for anything else. Counted as a to_host transfer."},
    {"to_cupy", convert_to_cupy, METH_O,
     "to_cupy(array, /)\n--\n\nA new device array of the backend's kind with the contents of an ndarray. Counted as a to_device\n"
     "transfer."},
    {"is_device_array", convert_is_device_array, METH_O,
     "is_device_array(object, /)\n--\n\nWhether it is an array in CUDA memory, of whichever library."},
    {"device_kind", convert_device_kind, METH_NOARGS,
     "device_kind()\n--\n\n\"cuda\" or \"emulator\" once a device has been used, else None. Loads nothing."},
    {"trim", convert_trim, METH_NOARGS,
     "trim()\n--\n\nGives back the staging memory that no call uses. Returns the number of bytes."},
    {"staging_bytes", convert_staging_bytes, METH_NOARGS,
     "staging_bytes()\n--\n\nStaging memory held now: (bytes in use, bytes idle)."},
    {NULL, NULL, 0, NULL},
};
