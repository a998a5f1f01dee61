/* pair.c - see instance_internal.h: the caller's array and its host copy. */
#include "base/errors.h"
#include "core/geometry.h"
#include "instance_internal.h"
#include "arrays/staging.h"

/* Transfers on behalf of attributes that are read; those of functions are in the functions' own counters. */
static pkw_kernel_state transfers;

PyObject *
pair_staged(const struct pair *pair, const struct device_view *view)
{
    npy_intp strides[PKW_MAX_RANK];
    int rank = PyArray_NDIM(pair->inside);
    for (int i = 0; i < rank; i++)
        strides[i] = view->host_strides[i];
    PyArray_Descr *descr = PyArray_DESCR(pair->inside);
    Py_INCREF((PyObject *)descr);
    return PyArray_NewFromDescr(&PyArray_Type, descr, rank, PyArray_DIMS(pair->inside), strides, view->host,
                                NPY_ARRAY_WRITEABLE, NULL);
}

static int
download(struct pair *pair, const struct array_info *info, const char *function)
{
    struct session session;
    session_init(&session, function);
    int view = staging_add(&session, info, pair->name, STAGE_READ, LAYOUT_C);
    int done = view < 0 ? -1 : staging_download(&session, function, &transfers);
    PyObject *staged = done < 0 ? NULL : pair_staged(pair, session_view(&session, view));
    done = staged == NULL ? -1 : PyArray_CopyInto(pair->inside, (PyArrayObject *)staged);
    Py_XDECREF(staged);
    staging_release(&session);
    return done;
}

int
pair_refresh(struct pair *pair, const char *function)
{
    if (pair->outside == (PyObject *)pair->inside || PyArray_SIZE(pair->inside) == 0)
        return 0;
    if (PyArray_Check(pair->outside))
        return PyArray_CopyInto(pair->inside, (PyArrayObject *)pair->outside);
    struct array_info info;
    enum read_answer answer = read_device_array(pair->outside, &info);
    if (answer == READ_NOT_MINE)
        PyErr_Format(PyExc_TypeError, "%s is not a device array any more", Py_TYPE(pair->outside)->tp_name);
    if (answer != READ_DONE)
        return -1;
    int done = download(pair, &info, function);
    array_info_release(&info);
    return done;
}

static struct device_view
view_of(const struct array_info *info)
{
    return (struct device_view){
        .pointer = info->pointer,
        .rank = info->rank,
        .shape = info->shape,
        .strides = info->strides,
        .item_size = info->descr == NULL ? 2 : (size_t)PyDataType_ELSIZE(info->descr),
    };
}

bool
infos_share_bytes(const struct array_info *one, const struct array_info *other)
{
    if (one->on_device != other->on_device || is_empty_array(one) || is_empty_array(other))
        return false;
    struct device_view first = view_of(one), second = view_of(other);
    struct geometry first_geometry, second_geometry;
    return geometry_init(&first_geometry, &first) < 0 || geometry_init(&second_geometry, &second) < 0
           || views_share_bytes(&first, &first_geometry, &second, &second_geometry);
}

void
pair_clear(struct pair *pair)
{
    Py_CLEAR(pair->outside);
    Py_CLEAR(pair->inside);
}

void
pairs_free(struct pair *pairs, int n_pairs)
{
    for (int i = 0; i < n_pairs; i++)
        pair_clear(&pairs[i]);
    PyMem_Free(pairs);
}
