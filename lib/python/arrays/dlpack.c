/* dlpack.c - see dlpack.h. */
#include "dlpack.h"

#include <string.h>

#include "dtypes.h"

static const char unused_name[] = "dltensor", used_name[] = "used_dltensor";
static const char unused_versioned_name[] = "dltensor_versioned", used_versioned_name[] = "used_dltensor_versioned";

const struct dlpack_exchange_api *
dlpack_exchange_from_capsule(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
        return NULL;
    const struct dlpack_exchange_header *header = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    while (header != NULL && header->version.major != DLPACK_MAJOR)
        header = header->previous;
    return (const struct dlpack_exchange_api *)header;
}

/* PKW_NO_DTYPE for what has no element type here (sub-byte types, vectors, float8). */
static pkw_dtype
dtype_of(const struct dlpack_tensor *tensor)
{
    static const char kinds[] = {[DLPACK_INT] = 'i', [DLPACK_UINT] = 'u', [DLPACK_FLOAT] = 'f', [DLPACK_COMPLEX] = 'c',
                                 [DLPACK_BOOL] = 'b'};
    if (tensor->lanes != 1 || tensor->bits % 8 != 0)
        return PKW_NO_DTYPE;
    if (tensor->code == DLPACK_BFLOAT)
        return tensor->bits == 16 ? PKW_BF16 : PKW_NO_DTYPE;
    if (tensor->code >= sizeof kinds || kinds[tensor->code] == 0)
        return PKW_NO_DTYPE;
    return dtype_from_kind(kinds[tensor->code], tensor->bits / 8u);
}

static int
fill_strides(const struct dlpack_tensor *tensor, int64_t item_size, struct array_info *info)
{
    int64_t packed = item_size;
    for (int i = info->rank - 1; i >= 0; i--) {
        int64_t stride = packed;
        if (tensor->strides != NULL && __builtin_mul_overflow(tensor->strides[i], item_size, &stride)) {
            PyErr_SetString(PyExc_ValueError, "DLPack strides overflow 64 bits");
            return -1;
        }
        info->strides[i] = stride;
        if (tensor->strides == NULL && info->shape[i] > 0
            && __builtin_mul_overflow(packed, info->shape[i], &packed)) {
            PyErr_SetString(PyExc_ValueError, "DLPack shape overflows 64 bits");
            return -1;
        }
    }
    return 0;
}

int
dlpack_fill(const struct dlpack_tensor *tensor, PyObject *object, struct array_info *info)
{
    if (tensor->rank < 0 || tensor->rank > PKW_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "DLPack tensor of %d dimensions; at most %d are supported", (int)tensor->rank,
                     PKW_MAX_RANK);
        return -1;
    }
    pkw_dtype dtype = dtype_of(tensor);
    if (dtype == PKW_NO_DTYPE) {
        PyErr_Format(PyExc_TypeError, "DLPack element type with code %d, %d bits and %d lanes is not supported",
                     (int)tensor->code, (int)tensor->bits, (int)tensor->lanes);
        return -1;
    }
    info->object = object;
    info->rank = tensor->rank;
    for (int i = 0; i < info->rank; i++) {
        if (tensor->shape[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "DLPack shape with a negative extent");
            return -1;
        }
        info->shape[i] = tensor->shape[i];
    }
    if (fill_strides(tensor, dtype_rows[dtype].size, info) < 0)
        return -1;
    info->pointer = (uintptr_t)tensor->data + tensor->byte_offset;
    info->dtype = dtype;
    info->swapped = false;
    info->descr = dtype_descr(dtype);
    if (info->descr == NULL) {
        /* Without ml_dtypes a bfloat16 array still has its 16 bits. */
        if (dtype != PKW_BF16 || !PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear();
    }
    return 0;
}

enum read_answer
dlpack_take_capsule(PyObject *capsule, PyObject *object, struct array_info *info)
{
    bool versioned = PyCapsule_IsValid(capsule, unused_versioned_name);
    if (!versioned && !PyCapsule_IsValid(capsule, unused_name)) {
        PyErr_Format(PyExc_TypeError, "__dlpack__ of %s must return an unconsumed DLPack capsule",
                     Py_TYPE(object)->tp_name);
        return READ_ERROR;
    }
    const struct dlpack_tensor *tensor;
    info->read_only = false;
    if (versioned) {
        struct dlpack_versioned *managed = PyCapsule_GetPointer(capsule, unused_versioned_name);
        if (managed->version.major != DLPACK_MAJOR) {
            PyErr_Format(PyExc_BufferError, "DLPack version %u.%u is not supported; this is version %d",
                         managed->version.major, managed->version.minor, DLPACK_MAJOR);
            return READ_ERROR;
        }
        info->read_only = (managed->flags & DLPACK_READ_ONLY) != 0;
        tensor = &managed->tensor;
    } else {
        tensor = &((struct dlpack_managed *)PyCapsule_GetPointer(capsule, unused_name))->tensor;
    }
    /* Filled before it is taken: a refused capsule is deleted by its own destructor. */
    if (dlpack_fill(tensor, object, info) < 0)
        return READ_ERROR;
    if (PyCapsule_SetName(capsule, versioned ? used_versioned_name : used_name) < 0) {
        Py_CLEAR(info->descr);
        return READ_ERROR;
    }
    info->keep = Py_NewRef(capsule);
    return READ_DONE;
}

void
dlpack_release(PyObject *keep)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyCapsule_IsValid(keep, used_versioned_name)) {
        struct dlpack_versioned *managed = PyCapsule_GetPointer(keep, used_versioned_name);
        if (managed->deleter != NULL) {
            Py_BEGIN_ALLOW_THREADS
            managed->deleter(managed);
            Py_END_ALLOW_THREADS
        }
    } else if (PyCapsule_IsValid(keep, used_name)) {
        struct dlpack_managed *managed = PyCapsule_GetPointer(keep, used_name);
        if (managed->deleter != NULL) {
            Py_BEGIN_ALLOW_THREADS
            managed->deleter(managed);
            Py_END_ALLOW_THREADS
        }
    }
    Py_DECREF(keep);
    PyErr_Restore(type, value, traceback);
}
