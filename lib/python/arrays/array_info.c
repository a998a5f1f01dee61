/* array_info.c - which reader an argument gets, and giving back what a reader holds. */
#include "array_info.h"

#include "core/overlap.h"
#include "dlpack.h"
#include "type_cache.h"

/* Versions 0 to 2 of __cuda_array_interface__ name no stream. An object that has DLPack too (PyTorch's tensors before 2.10)
 * orders its work by that: it makes the stream that is asked for wait. What DLPack cannot export stays as it was read. */
static enum read_answer
prefer_ordered(PyObject *object, struct array_info *info)
{
    struct array_info ordered;
    enum read_answer answer = read_dlpack_array(object, &ordered);
    if (answer == READ_ERROR && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        return READ_DONE;
    }
    if (answer == READ_NOT_MINE)
        return READ_DONE;
    array_info_release(info);
    if (answer == READ_DONE)
        *info = ordered;
    return answer;
}

enum read_answer
read_device_array(PyObject *object, struct array_info *info)
{
    /* A copy: reading runs Python code, which may ask about other types. */
    struct type_facts type = *type_facts_of(Py_TYPE(object));
    if (type.interfaces == 0)
        return READ_NOT_MINE;
    if (type.interfaces & INTERFACE_OWN)
        return type.read(object, info);
    enum read_answer answer = READ_NOT_MINE;
    if (type.interfaces & INTERFACE_CUPY)
        answer = read_cupy_array(object, info);
    if (answer == READ_NOT_MINE && type.interfaces & INTERFACE_EXCHANGE)
        return read_exchange_array(object, type.exchange, info);
    if (answer == READ_NOT_MINE && type.interfaces & (INTERFACE_CAI | INTERFACE_CAI_INSTANCE))
        answer = read_cuda_array_interface(object, info);
    if (answer == READ_DONE && info->stream_kind == STREAM_UNKNOWN && type.interfaces & INTERFACE_DLPACK)
        return prefer_ordered(object, info);
    if (answer == READ_NOT_MINE && type.interfaces & INTERFACE_DLPACK)
        answer = read_dlpack_array(object, info);
    return answer;
}

void
array_info_release(struct array_info *info)
{
    Py_CLEAR(info->descr);
    if (info->keep != NULL) {
        PyObject *keep = info->keep;
        info->keep = NULL;
        dlpack_release(keep);
    }
}

void
array_bounds(const struct array_info *info, uintptr_t *low, uintptr_t *high)
{
    *low = info->pointer;
    *high = info->pointer + array_info_view(info).item_size;
    for (int i = 0; i < info->rank; i++) {
        int64_t reach = (info->shape[i] - 1) * info->strides[i];
        if (reach < 0)
            *low += (uintptr_t)reach;
        else
            *high += (uintptr_t)reach;
    }
}

bool
infos_share_bytes(const struct array_info *one, const struct array_info *other)
{
    if (one->on_device != other->on_device || is_empty_array(one) || is_empty_array(other))
        return false;
    struct device_view first = array_info_view(one), second = array_info_view(other);
    struct geometry first_geometry, second_geometry;
    return geometry_init(&first_geometry, &first) < 0 || geometry_init(&second_geometry, &second) < 0
           || views_share_bytes(&first, &first_geometry, &second, &second_geometry);
}

int
address_from_object(PyObject *object, uintptr_t *address)
{
    PyObject *number = PyNumber_Index(object);
    if (number == NULL)
        return -1;
    unsigned long long value = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    *address = (uintptr_t)value;
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *
tuple_of_integers(const int64_t *numbers, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple != NULL && i < n; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (number == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, number);
    }
    return tuple;
}
