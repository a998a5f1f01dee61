/* to_device.c - see to_device.h. */
#include "to_device.h"

#include <string.h>

#include "base/backend.h"
#include "dtypes.h"
#include "base/errors.h"
#include "staging.h"
#include "type_cache.h"
#include "core/cuda.h"

/* The function that makes arrays, in the order of preference: numba's module has device_array where others have empty. */
static const char *const maker_names[] = {"empty", "device_array"};

/* module.NAME if the module is loaded and has one: 1, 0 or -1. */
static int
find_maker(const char *module_name, Py_ssize_t length, PyObject **maker)
{
    PyObject *name = PyUnicode_FromStringAndSize(module_name, length);
    if (name == NULL)
        return -1;
    PyObject *module = PyImport_GetModule(name);
    Py_DECREF(name);
    if (module == NULL)
        return PyErr_Occurred() ? -1 : 0;
    for (size_t i = 0; i < sizeof maker_names / sizeof *maker_names; i++) {
        *maker = PyObject_GetAttrString(module, maker_names[i]);
        if (*maker != NULL)
            break;
        PyErr_Clear();
    }
    Py_DECREF(module);
    return *maker != NULL;
}

/* Looks in the module of a type, then in the packages around it, innermost first: cupy._core.core finds cupy,
 * numba.cuda.cudadrv.devicearray finds numba.cuda. */
static int
find_maker_of_type(PyTypeObject *type, PyObject **maker)
{
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__");
    if (module == NULL) {
        PyErr_Clear();
        return 0;
    }
    int found = 0;
    const char *text = PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    for (Py_ssize_t length = text == NULL ? 0 : (Py_ssize_t)strlen(text); length > 0 && found == 0; length--)
        if (text[length] == '\0' || text[length] == '.')
            found = find_maker(text, length, maker);
    Py_DECREF(module);
    if (text == NULL)
        PyErr_Clear();
    return found;
}

/* The maker for arrays like `like`: its type's library, or that of a class it derives from. */
static int
find_maker_like(PyObject *like, PyObject **maker)
{
    PyObject *mro = Py_TYPE(like)->tp_mro;
    for (Py_ssize_t i = 0; mro != NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        int found = type == &PyBaseObject_Type ? 0 : find_maker_of_type(type, maker);
        if (found != 0)
            return found;
    }
    return 0;
}

static int
find_cupy(PyObject *like, PyObject **maker)
{
    PyObject *cupy = backend_cupy();
    if (cupy == NULL) {
        if (PyErr_ExceptionMatches(PyExc_ImportError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError,
                         "cannot make a device array like %s: its library has no function to make one, and CuPy cannot "
                         "be imported",
                         like == NULL ? "CuPy's" : Py_TYPE(like)->tp_name);
        }
        return -1;
    }
    *maker = PyObject_GetAttrString(cupy, "empty");
    Py_DECREF(cupy);
    return *maker == NULL ? -1 : 1;
}

static bool
is_torch(PyObject *like)
{
    PyTypeObject *type = Py_TYPE(like);
    const char *name = type->tp_name;
    return strcmp(name, "Tensor") == 0 || strncmp(name, "torch.", 6) == 0;
}

/* maker(shape, **keywords); steals `keywords`, which may be NULL with an exception set. */
static PyObject *
call_maker(PyObject *maker, PyObject *shape, PyObject *keywords)
{
    PyObject *arguments = keywords == NULL ? NULL : PyTuple_Pack(1, shape);
    PyObject *array = arguments == NULL ? NULL : PyObject_Call(maker, arguments, keywords);
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    return array;
}

/* --- where arrays are made ---------------------------------------------------------------------------------------------- */

void
model_offer(struct array_model *model, PyObject *array, const struct array_info *info)
{
    if (!info->on_device || model->is_first)
        return;
    bool is_first = device_array_type(Py_TYPE(array)) == TYPE_ALWAYS;
    if (model->like == NULL || is_first)
        *model = (struct array_model){array, is_empty_array(info) ? 0 : info->pointer, is_first};
}

/* Makes the device current on which the memory is, without the GIL. The one to go back to; -1: there is nothing to change, or it could
 * not be told (who copies to the array finds the error). */
static int
enter_device_of(uintptr_t pointer)
{
    static int n_devices; /* 0: not asked yet */
    int before = -1;
    struct session_error error;
    if (pointer == 0 || n_devices == 1)
        return -1;
    Py_BEGIN_ALLOW_THREADS
    const struct cuda_runtime *runtime = cuda_runtime(&error);
    if (runtime != NULL && n_devices == 0 && runtime->get_device_count(&n_devices) != CUDA_SUCCESS)
        runtime->get_last_error();
    cuda_pointer_buffer found = {.attributes = {.type = CUDA_MEMORY_UNREGISTERED}};
    int code = runtime == NULL ? CUDA_INVALID_VALUE : runtime->pointer_get_attributes(&found, (const void *)pointer);
    bool on_device = code == CUDA_SUCCESS && (found.attributes.type == CUDA_MEMORY_DEVICE
                                              || found.attributes.type == CUDA_MEMORY_MANAGED);
    if (runtime != NULL && code != CUDA_SUCCESS)
        runtime->get_last_error();
    if (on_device && (runtime->get_device(&before) != CUDA_SUCCESS || before == found.attributes.device
                      || runtime->set_device(found.attributes.device) != CUDA_SUCCESS))
        before = -1;
    Py_END_ALLOW_THREADS
    return before;
}

/* Keeps an exception that is set. */
static void
leave_device(int before)
{
    const struct cuda_runtime *runtime = cuda_runtime_in_use();
    if (before < 0 || runtime == NULL)
        return;
    Py_BEGIN_ALLOW_THREADS
    runtime->set_device(before);
    Py_END_ALLOW_THREADS
}

/* torch.empty(shape, dtype=torch.NAME, device=like.device); torch has C order only. */
static PyObject *
torch_new(PyObject *torch_empty, PyObject *like, PyObject *shape, PyArray_Descr *descr)
{
    PyObject *torch = PyImport_ImportModule("torch");
    if (torch == NULL)
        return NULL;
    bool swapped;
    const char *name = dtype_rows[dtype_from_descr(descr, &swapped)].name;
    PyObject *dtype = PyObject_GetAttrString(torch, name);
    Py_DECREF(torch);
    if (dtype == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "this version of PyTorch has no element type %s", name);
    }
    PyObject *device = dtype == NULL ? NULL : PyObject_GetAttrString(like, "device");
    PyObject *array = NULL;
    if (device != NULL)
        array = call_maker(torch_empty, shape, Py_BuildValue("{s:O,s:O}", "dtype", dtype, "device", device));
    Py_XDECREF(dtype);
    Py_XDECREF(device);
    return array;
}

PyObject *
device_array_new(const struct array_model *model, int rank, const npy_intp *shape, PyArray_Descr *descr, bool fortran)
{
    PyObject *maker = NULL, *array = NULL, *like = model->like;
    int found = like == NULL ? 0 : find_maker_like(like, &maker);
    if (found == 0)
        found = find_cupy(like, &maker);
    PyObject *extents = found < 0 ? NULL : tuple_of_integers(shape, rank);
    int before = extents == NULL ? -1 : enter_device_of(model->pointer);
    if (extents != NULL && like != NULL && is_torch(like))
        array = torch_new(maker, like, extents, descr);
    else if (extents != NULL)
        array = call_maker(maker, extents, Py_BuildValue("{s:O,s:s}", "dtype", (PyObject *)descr, "order", fortran ? "F" : "C"));
    leave_device(before);
    Py_XDECREF(extents);
    Py_XDECREF(maker);
    return array;
}

int
read_new_device_array(PyObject *array, int rank, const npy_intp *shape, pkw_dtype dtype, const char *function, const char *what,
                      struct array_info *info)
{
    const char *type = Py_TYPE(array)->tp_name;
    enum read_answer answer = read_device_array(array, info);
    if (answer == READ_NOT_MINE)
        return raise_call_error(PyExc_TypeError, function, "%s cannot be made: %s is not a device array", what, type);
    if (answer == READ_ERROR)
        return name_result_in_error(function, what);
    bool as_asked = info->on_device && info->dtype == dtype && !info->swapped && !info->read_only && info->rank == rank;
    for (int i = 0; i < rank && as_asked; i++)
        as_asked = info->shape[i] == shape[i];
    if (as_asked)
        return 0;
    array_info_release(info);
    return raise_call_error(PyExc_TypeError, function,
                            "%s cannot be made: the library of %s made another array than was asked for", what, type);
}

/* A new reference, or NULL with an exception set. */
static PyArray_Descr *
native_descr(PyArray_Descr *descr)
{
    if (PyDataType_ISBYTESWAPPED(descr))
        return PyArray_DescrNewByteorder(descr, NPY_NATIVE);
    return (PyArray_Descr *)Py_NewRef((PyObject *)descr);
}

/* Copies `host` into the new array behind `info`. */
static int
upload(const struct array_info *info, PyArrayObject *host, bool fortran, const char *function, const char *what,
       pkw_kernel_state *state)
{
    struct session session;
    const struct device_view *view =
        staging_open(&session, info, what, STAGE_WRITTEN, fortran ? LAYOUT_F : LAYOUT_C, function, state);
    PyObject *staged =
        view == NULL ? NULL : staged_array(view, (PyArray_Descr *)Py_NewRef((PyObject *)info->descr), NPY_ARRAY_WRITEABLE);
    int done = staged == NULL ? -1 : PyArray_CopyInto((PyArrayObject *)staged, host);
    Py_XDECREF(staged);
    if (done == 0)
        done = staging_upload(&session, function, state);
    staging_release(&session);
    return done;
}

/* What an instance of a subclass has beside its elements; numpy.memmap's is its file, and numpy.matrix's says how it was indexed. */
static bool
has_more_than_elements(PyArrayObject *array)
{
    const char *class = Py_TYPE(array)->tp_name;
    if (PyArray_CheckExact(array) || strcmp(class, "memmap") == 0 || strcmp(class, "matrix") == 0)
        return false;
    PyObject *dictionary = PyObject_GenericGetDict((PyObject *)array, NULL);
    bool has_more = dictionary != NULL && PyDict_GET_SIZE(dictionary) > 0;
    Py_XDECREF(dictionary);
    PyErr_Clear(); /* a class without dictionaries */
    return has_more;
}

bool
device_can_hold(PyArrayObject *array)
{
    bool swapped;
    pkw_dtype dtype = dtype_from_descr(PyArray_DESCR(array), &swapped);
    return dtype != PKW_NO_DTYPE && dtype != PKW_LD && dtype != PKW_CLD && !has_more_than_elements(array);
}

PyObject *
device_array_from_host(const struct array_model *model, PyArrayObject *host, const char *function, const char *what,
                       pkw_kernel_state *state)
{
    bool fortran = PyArray_IS_F_CONTIGUOUS(host) && !PyArray_IS_C_CONTIGUOUS(host);
    PyArray_Descr *descr = native_descr(PyArray_DESCR(host));
    if (descr == NULL)
        return NULL;
    PyObject *array = device_array_new(model, PyArray_NDIM(host), PyArray_DIMS(host), descr, fortran);
    Py_DECREF((PyObject *)descr);
    if (array == NULL)
        name_result_in_error(function, what);
    if (array == NULL || PyArray_SIZE(host) == 0)
        return array;
    struct array_info info;
    bool swapped;
    int done = read_new_device_array(array, PyArray_NDIM(host), PyArray_DIMS(host), dtype_from_descr(PyArray_DESCR(host), &swapped),
                                     function, what, &info);
    if (done == 0) {
        done = upload(&info, host, fortran, function, what, state);
        array_info_release(&info);
    }
    if (done < 0)
        Py_CLEAR(array);
    return array;
}
