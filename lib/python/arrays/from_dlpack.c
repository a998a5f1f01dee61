/* from_dlpack.c - device arrays by DLPack: the type's C table where it has one, else the __dlpack__ method. */
#include "dlpack.h"
#include "type_cache.h"

/* Whether memory of this kind can be a device array of ours. READ_NOT_MINE: host memory. */
static enum read_answer
judge_device(PyObject *object, long device_type)
{
    switch (device_type) {
    case DLPACK_CPU: return READ_NOT_MINE;
    case DLPACK_CUDA:
    case DLPACK_CUDA_HOST: /* pinned: the engine uses it in place, after a synchronisation */
    case DLPACK_CUDA_MANAGED: return READ_DONE;
    default:
        PyErr_Format(PyExc_BufferError, "%s is on a device of DLPack type %ld; only CUDA devices are supported",
                     Py_TYPE(object)->tp_name, device_type);
        return READ_ERROR;
    }
}

/* PyTorch's table exports what its __dlpack__ refuses: a tensor whose gradient would be wrong afterwards, without a word. */
static int
refuse_gradient(PyObject *object)
{
    static PyObject *name;
    if (name == NULL && (name = PyUnicode_InternFromString("requires_grad")) == NULL)
        return -1;
    PyObject *value;
    int found = optional_attribute(object, name, &value);
    if (found <= 0)
        return found;
    int requires = PyObject_IsTrue(value);
    Py_DECREF(value);
    if (requires > 0)
        PyErr_Format(PyExc_BufferError, "%s requires a gradient, which does not follow what a kernel does: pass its detach()",
                     Py_TYPE(object)->tp_name);
    return requires == 0 ? 0 : -1;
}

/* The stream on which the producer works now: work enqueued there is ordered before and after the producer's. */
static int
ask_work_stream(const struct dlpack_exchange_api *api, int32_t device_id, struct array_info *info)
{
    void *stream = NULL;
    if (api->current_work_stream(DLPACK_CUDA, device_id, &stream) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "the library of a DLPack array does not tell its current stream");
        return -1;
    }
    info->stream_kind = STREAM_HANDLE;
    info->stream = stream == NULL ? 1 : (uintptr_t)stream; /* frameworks write the legacy default stream as NULL */
    return 0;
}

/* Steals `managed`. */
static enum read_answer
keep_managed(struct dlpack_versioned *managed, PyObject *object, struct array_info *info)
{
    PyObject *capsule = PyCapsule_New(managed, "dltensor_versioned", NULL);
    if (capsule == NULL) {
        managed->deleter(managed);
        return READ_ERROR;
    }
    enum read_answer answer = dlpack_take_capsule(capsule, object, info);
    if (answer == READ_ERROR && PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0)
        dlpack_release(capsule); /* one without a destructor: deleted here */
    else
        Py_DECREF(capsule);
    return answer;
}

enum read_answer
read_exchange_array(PyObject *object, const struct dlpack_exchange_api *api, struct array_info *info)
{
    /* The borrowing entry tells the device without an allocation; only the managed one tells what is read-only. */
    if (api->tensor_from_object != NULL) {
        struct dlpack_tensor tensor;
        if (api->tensor_from_object(object, &tensor) != 0)
            goto failed;
        enum read_answer answer = judge_device(object, tensor.device_type);
        if (answer != READ_DONE)
            return answer;
    }
    if (refuse_gradient(object) < 0)
        return READ_ERROR;
    struct dlpack_versioned *managed = NULL;
    if (api->managed_from_object(object, &managed) != 0)
        goto failed;
    long device_type = managed->tensor.device_type;
    int32_t device_id = managed->tensor.device_id;
    info->keep = NULL;
    info->descr = NULL;
    enum read_answer answer = keep_managed(managed, object, info);
    if (answer != READ_DONE)
        return answer;
    answer = judge_device(object, device_type);
    info->on_device = true;
    if (answer == READ_DONE && ask_work_stream(api, device_id, info) < 0)
        answer = READ_ERROR;
    if (answer != READ_DONE)
        array_info_release(info);
    return answer;

failed:
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_BufferError, "%s cannot be exchanged by DLPack", Py_TYPE(object)->tp_name);
    return READ_ERROR;
}

/* The device type of object.__dlpack_device__(), or -1 with an exception set. */
static long
ask_device_type(PyObject *object)
{
    PyObject *device = PyObject_CallMethodNoArgs(object, name_dlpack_device);
    if (device == NULL)
        return -1;
    long type = -1;
    if (PyTuple_Check(device) && PyTuple_GET_SIZE(device) == 2)
        type = PyLong_AsLong(PyTuple_GET_ITEM(device, 0));
    if (type < 0 && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "__dlpack_device__ of %s must return a pair of a device type and a number",
                     Py_TYPE(object)->tp_name);
    Py_DECREF(device);
    return PyErr_Occurred() ? -1 : type;
}

/* object.__dlpack__(stream=1[, max_version=(1, 3)]): the producer's work is then before what is on the legacy default
 * stream, which the engine waits for. Host memory, pinned or not, has no stream: None. */
static PyObject *
ask_capsule(PyObject *object, long device_type)
{
    static PyObject *names, *names_versioned, *legacy_stream, *max_version;
    if (names == NULL)
        names = Py_BuildValue("(s)", "stream");
    if (names_versioned == NULL)
        names_versioned = Py_BuildValue("(ss)", "stream", "max_version");
    if (legacy_stream == NULL)
        legacy_stream = PyLong_FromLong(1);
    if (max_version == NULL)
        max_version = Py_BuildValue("(ii)", DLPACK_MAJOR, 3);
    if (names == NULL || names_versioned == NULL || legacy_stream == NULL || max_version == NULL)
        return NULL;
    bool on_host = device_type == DLPACK_CPU || device_type == DLPACK_CUDA_HOST;
    PyObject *arguments[] = {object, on_host ? Py_None : legacy_stream, max_version};
    PyObject *capsule = PyObject_VectorcallMethod(name_dlpack, arguments, 1, names_versioned);
    if (capsule != NULL || !PyErr_ExceptionMatches(PyExc_TypeError))
        return capsule;
    PyErr_Clear(); /* a producer from before DLPack 1.0 */
    return PyObject_VectorcallMethod(name_dlpack, arguments, 1, names);
}

static enum read_answer
take_by_method(PyObject *object, long device_type, struct array_info *info)
{
    PyObject *capsule = ask_capsule(object, device_type);
    if (capsule == NULL)
        return READ_ERROR;
    info->keep = NULL;
    info->descr = NULL;
    enum read_answer answer = dlpack_take_capsule(capsule, object, info);
    Py_DECREF(capsule);
    info->on_device = device_type != DLPACK_CPU;
    info->stream_kind = info->on_device ? STREAM_UNKNOWN : STREAM_NONE; /* DLPack names no stream for the way back */
    info->stream = 0;
    return answer;
}

enum read_answer
read_dlpack_array(PyObject *object, struct array_info *info)
{
    long device_type = ask_device_type(object);
    if (device_type < 0)
        return READ_ERROR;
    enum read_answer answer = judge_device(object, device_type);
    return answer == READ_DONE ? take_by_method(object, device_type, info) : answer;
}

enum read_answer
read_dlpack_host_array(PyObject *object, struct array_info *info)
{
    if (!(type_facts_of(Py_TYPE(object))->interfaces & INTERFACE_DLPACK))
        return READ_NOT_MINE;
    long device_type = ask_device_type(object);
    if (device_type < 0)
        return READ_ERROR;
    return device_type == DLPACK_CPU ? take_by_method(object, device_type, info) : READ_NOT_MINE;
}
