/* pyccel_pair.c - see pyccel_instance.h: the caller's array and its host copy. */
#include <string.h>

#include "dtypes.h"
#include "errors.h"
#include "geometry.h"
#include "prepare.h"
#include "pyccel_instance.h"
#include "staging.h"
#include "type_cache.h"

/* Transfers on behalf of attributes and methods; those of functions are in the functions' own counters. */
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
copy_pair(const struct pair *pair, const struct device_view *view, bool refresh)
{
    PyObject *staged = pair_staged(pair, view);
    int done = -1;
    if (staged != NULL)
        done = refresh ? PyArray_CopyInto(pair->inside, (PyArrayObject *)staged)
                       : PyArray_CopyInto((PyArrayObject *)staged, pair->inside);
    Py_XDECREF(staged);
    return done;
}

/* A read-only array has nothing to get back, unless it was written after all. */
static int
check_unchanged(const struct pair *pair, PyArrayObject *outside, const char *function)
{
    PyArrayObject *copy = (PyArrayObject *)PyArray_NewLikeArray(pair->inside, NPY_KEEPORDER, NULL, 0);
    if (copy == NULL)
        return -1;
    int done = PyArray_CopyInto(copy, outside);
    if (done == 0 && memcmp(PyArray_DATA(copy), PyArray_DATA(pair->inside), (size_t)PyArray_NBYTES(copy)) != 0)
        done = raise_argument_error(PyExc_ValueError, function, pair->name == NULL ? "argument" : pair->name,
                                    "was written, but the given array is read-only");
    Py_DECREF((PyObject *)copy);
    return done;
}

/* Host arrays on both sides, and arrays without elements. */
static int
copy_on_host(const struct pair *pair, const char *function, bool refresh)
{
    if (!PyArray_Check(pair->outside))
        return 0;
    PyArrayObject *outside = (PyArrayObject *)pair->outside;
    if (!refresh && !PyArray_ISWRITEABLE(outside))
        return check_unchanged(pair, outside, function);
    return refresh ? PyArray_CopyInto(pair->inside, outside) : PyArray_CopyInto(outside, pair->inside);
}

struct transfer {
    struct array_info info;
    int view; /* -1: not on a device */
    bool read;
};

static int
add_pairs(struct session *session, struct pair *pairs, struct transfer *list, int n, bool refresh)
{
    for (int i = 0; i < n; i++) {
        list[i].view = -1;
        list[i].read = false;
        if (PyArray_Check(pairs[i].outside) || PyArray_SIZE(pairs[i].inside) == 0)
            continue;
        enum read_answer answer = read_device_array(pairs[i].outside, &list[i].info);
        if (answer == READ_NOT_MINE)
            PyErr_Format(PyExc_TypeError, "%s is not a device array any more", Py_TYPE(pairs[i].outside)->tp_name);
        if (answer != READ_DONE)
            return -1;
        list[i].read = true;
        list[i].view = staging_add(session, &list[i].info, pairs[i].name == NULL ? "argument" : pairs[i].name,
                                   refresh ? STAGE_READ : STAGE_WRITTEN, LAYOUT_C);
        if (list[i].view < 0)
            return -1;
    }
    return 0;
}

static int
move_pairs(struct pair *pairs, int n, const char *function, bool refresh)
{
    struct transfer *list = PyMem_Calloc((size_t)n + 1, sizeof *list);
    if (list == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    struct session session;
    session_init(&session, function);
    int done = add_pairs(&session, pairs, list, n, refresh);
    if (done == 0 && session.n_views > 0)
        done = staging_download(&session, function, &transfers);
    for (int i = 0; i < n && done == 0; i++)
        done = list[i].view < 0 ? copy_on_host(&pairs[i], function, refresh)
                                : copy_pair(&pairs[i], session_view(&session, list[i].view), refresh);
    if (done == 0 && !refresh && session.n_views > 0)
        done = staging_upload(&session, function, &transfers);
    staging_release(&session);
    for (int i = 0; i < n; i++)
        if (list[i].read)
            array_info_release(&list[i].info);
    PyMem_Free(list);
    return done;
}

int
pairs_refresh(struct pair *pairs, int n_pairs, const char *function)
{
    return n_pairs == 0 ? 0 : move_pairs(pairs, n_pairs, function, true);
}

int
pairs_collect(struct pair *pairs, int n_pairs, const char *function)
{
    return n_pairs == 0 ? 0 : move_pairs(pairs, n_pairs, function, false);
}

bool
pair_share(const struct pair *pairs, int n_pairs, PyObject *object, struct pair *pair)
{
    for (int i = 0; i < n_pairs; i++)
        if (pairs[i].outside == object) {
            *pair = (struct pair){.outside = Py_NewRef(object), .inside = pairs[i].inside};
            Py_INCREF((PyObject *)pair->inside);
            return true;
        }
    return false;
}

static int
read_outside(const struct pair *pair, struct array_info *info)
{
    if (PyArray_Check(pair->outside)) {
        read_numpy_array(pair->outside, info);
        return 0;
    }
    enum read_answer answer = read_device_array(pair->outside, info);
    if (answer == READ_NOT_MINE)
        PyErr_Format(PyExc_TypeError, "%s is not a device array any more", Py_TYPE(pair->outside)->tp_name);
    return answer == READ_DONE ? 0 : -1;
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

static int
check_two(const struct pair *pair, const struct array_info *info, const struct pair *other, const struct array_info *other_info,
          const char *function)
{
    if (pair->inside == other->inside || !infos_share_bytes(info, other_info))
        return 0;
    return raise_call_error(PyExc_ValueError, function, "the arrays of '%s' and '%s' overlap, and each has a host copy of its own",
                            pair->name == NULL ? "argument" : pair->name, other->name == NULL ? "argument" : other->name);
}

int
pairs_check_apart(struct pair *pairs, int n_pairs, const char *function)
{
    struct array_info *infos = n_pairs < 2 ? NULL : PyMem_Calloc((size_t)n_pairs, sizeof *infos);
    if (infos == NULL)
        return n_pairs < 2 ? 0 : (PyErr_NoMemory(), -1);
    int done = 0, n_read = 0;
    for (; n_read < n_pairs && done == 0; n_read++) {
        done = read_outside(&pairs[n_read], &infos[n_read]);
        if (done < 0)
            break;
        for (int i = 0; i < n_read && done == 0; i++)
            done = check_two(&pairs[i], &infos[i], &pairs[n_read], &infos[n_read], function);
    }
    for (int i = 0; i < n_read; i++)
        array_info_release(&infos[i]);
    PyMem_Free(infos);
    return done;
}

void
pair_clear(struct pair *pair)
{
    Py_CLEAR(pair->outside);
    Py_CLEAR(pair->inside);
}

/* Host memory of the same shape, in the order that the array has. */
static int
make_inside(struct pair *pair, const struct array_info *info)
{
    npy_intp shape[PKW_MAX_RANK];
    bool fortran = info->rank > 1;
    int64_t stride = info->descr == NULL ? 0 : PyDataType_ELSIZE(info->descr);
    for (int i = 0; i < info->rank; i++) {
        shape[i] = info->shape[i];
        fortran = fortran && (shape[i] == 1 || info->strides[i] == stride);
        stride *= shape[i];
    }
    PyArray_Descr *descr = dtype_descr(info->dtype);
    pair->inside = descr == NULL ? NULL : (PyArrayObject *)PyArray_Empty(info->rank, shape, descr, fortran);
    return pair->inside == NULL ? -1 : 0;
}

static int
pair_of_device_array(PyObject *object, const char *function, const char *name, struct pair *pair, PyObject **scalar)
{
    struct array_info info;
    enum read_answer answer = read_device_array(object, &info);
    if (answer != READ_DONE)
        return answer == READ_NOT_MINE ? 0 : -1;
    bool usable = info.dtype != PKW_NO_DTYPE && !info.swapped;
    if (!usable)
        raise_argument_error(PyExc_TypeError, function, name, "has an element type that Pyccel does not have");
    *pair = (struct pair){.outside = Py_NewRef(object)};
    int done = usable ? make_inside(pair, &info) : -1;
    bool is_scalar = info.rank == 0;
    array_info_release(&info);
    if (done == 0)
        done = pairs_refresh(pair, 1, function);
    if (done == 0 && is_scalar) {
        *scalar = PyArray_ToScalar(PyArray_DATA(pair->inside), pair->inside);
        done = *scalar == NULL ? -1 : 0;
    }
    if (done < 0 || is_scalar)
        pair_clear(pair);
    return done < 0 ? -1 : !is_scalar;
}

int
pair_make(PyObject *object, const char *function, const char *name, struct pair *pair, PyObject **scalar)
{
    *scalar = NULL;
    if (!PyArray_Check(object))
        return device_array_type(Py_TYPE(object)) == TYPE_NEVER
                   ? 0
                   : pair_of_device_array(object, function, name, pair, scalar);
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0
        || (PyArray_ISNOTSWAPPED(array) && (pyccel_fits(array, false) || pyccel_fits(array, true))))
        return 0;
    /* A layout that the compiled module would read wrong, or die of: a clean copy of it, refreshed and copied back alike. */
    struct array_info info;
    read_numpy_array(object, &info);
    bool usable = info.dtype != PKW_NO_DTYPE;
    *pair = (struct pair){.outside = Py_NewRef(object)};
    int done = usable ? make_inside(pair, &info) : -1;
    array_info_release(&info);
    if (done == 0)
        done = copy_on_host(pair, function, true);
    if (done < 0)
        pair_clear(pair);
    return usable ? (done < 0 ? -1 : 1) : 0; /* no element type of Pyccel's: the compiled module refuses it */
}
