/* views.c - see views.h.
 *
 * Each step of the part is a sum of whole steps along the axes of the copy, and the same steps are then taken in the owner. That is
 * exact as long as no combination of them leaves the copy's extents, which are made as long as can be: axes that lie side by side
 * in both are one.
 */
#include "views.h"

#include <stdlib.h>

#include "base/errors.h"
#include "dtypes.h"
#include "type_cache.h"

/* One axis of the copy, and the same of the owner. */
struct paired_axis {
    int64_t extent;
    int64_t copy_stride, owner_stride; /* bytes */
    int dim;                           /* the innermost of the dimensions that it stands for */
};

struct paired_axes {
    int n;
    struct paired_axis axes[PKW_MAX_RANK]; /* falling strides in the copy, none of them of extent 1 */
};

/* Where a place in the copy is along each of its axes. */
struct place {
    int64_t index[PKW_MAX_RANK];
};

/* The part, in steps along the axes. */
struct steps {
    struct place first;               /* of its first element */
    struct place step[PKW_MAX_RANK];  /* of each of its dimensions */
};

static int
compare_axes(const void *first, const void *second)
{
    const struct paired_axis *one = first, *other = second;
    if (one->copy_stride != other->copy_stride)
        return one->copy_stride > other->copy_stride ? -1 : 1;
    return one->dim - other->dim;
}

/* False where the copy is not packed. */
static bool
pair_axes(struct paired_axes *pairs, PyArrayObject *copy, const struct array_info *info, bool merge)
{
    int n = 0;
    for (int dim = 0; dim < info->rank; dim++)
        if (info->shape[dim] > 1)
            pairs->axes[n++] = (struct paired_axis){info->shape[dim], PyArray_STRIDE(copy, dim), info->strides[dim], dim};
    qsort(pairs->axes, (size_t)n, sizeof *pairs->axes, compare_axes);
    pairs->n = 0;
    for (int i = 0; i < n; i++) {
        const struct paired_axis axis = pairs->axes[i];
        struct paired_axis *outer = pairs->n > 0 ? &pairs->axes[pairs->n - 1] : NULL;
        int64_t reach = axis.copy_stride * axis.extent;
        if (axis.copy_stride <= 0 || (outer != NULL && outer->copy_stride < reach))
            return false;
        if (merge && outer != NULL && outer->copy_stride == reach && outer->owner_stride == axis.owner_stride * axis.extent)
            *outer = (struct paired_axis){outer->extent * axis.extent, axis.copy_stride, axis.owner_stride, axis.dim};
        else
            pairs->axes[pairs->n++] = axis;
    }
    return true;
}

/* False where there is no element of the copy. */
static bool
locate(const struct paired_axes *pairs, int64_t offset, struct place *place)
{
    for (int i = 0; i < pairs->n; i++) {
        place->index[i] = offset / pairs->axes[i].copy_stride;
        offset %= pairs->axes[i].copy_stride;
        if (place->index[i] >= pairs->axes[i].extent)
            return false;
    }
    return offset == 0;
}

/* False where the part cannot be had by whole steps. */
static bool
find_steps(const struct paired_axes *pairs, PyArrayObject *copy, PyArrayObject *part, struct steps *steps)
{
    struct place low;
    int64_t offset = PyArray_BYTES(part) - PyArray_BYTES(copy); /* of the lowest element: all steps go up from there */
    for (int dim = 0; dim < PyArray_NDIM(part); dim++)
        if (PyArray_STRIDE(part, dim) < 0)
            offset += (PyArray_DIM(part, dim) - 1) * PyArray_STRIDE(part, dim);
    if (offset < 0 || !locate(pairs, offset, &low))
        return false;
    struct place least = low, most = low;
    steps->first = low;
    for (int dim = 0; dim < PyArray_NDIM(part); dim++) {
        int64_t last = PyArray_DIM(part, dim) - 1, stride = PyArray_STRIDE(part, dim);
        struct place next = low;
        if (last > 0 && !locate(pairs, offset + llabs(stride), &next))
            return false;
        for (int i = 0; i < pairs->n; i++) {
            int64_t step = next.index[i] - low.index[i];
            struct place *end = step < 0 ? &least : &most;
            end->index[i] += last * step;
            if (stride < 0)
                steps->first.index[i] += last * step;
            steps->step[dim].index[i] = stride < 0 ? -step : step;
        }
    }
    for (int i = 0; i < pairs->n; i++)
        if (least.index[i] < 0 || most.index[i] >= pairs->axes[i].extent)
            return false;
    return true;
}

/* Strides of the view, and how many bytes behind the owner's first element it begins. */
static int64_t
view_strides(const struct paired_axes *pairs, const struct steps *steps, int rank, int64_t *strides)
{
    int64_t offset = 0;
    for (int i = 0; i < pairs->n; i++)
        offset += steps->first.index[i] * pairs->axes[i].owner_stride;
    for (int dim = 0; dim < rank; dim++) {
        strides[dim] = 0;
        for (int i = 0; i < pairs->n; i++)
            strides[dim] += steps->step[dim].index[i] * pairs->axes[i].owner_stride;
    }
    return offset;
}

/* The copy shows the elements as they lie in the owner, so that a place here is a place there. */
static bool
has_same_strides(PyArrayObject *copy, const struct array_info *info)
{
    for (int dim = 0; dim < info->rank; dim++)
        if (info->shape[dim] > 1 && PyArray_STRIDE(copy, dim) != info->strides[dim])
            return false;
    return true;
}

/* Where the part is in the owner: strides and offset in bytes. False where no strides can tell. */
static bool
place_in_owner(const struct array_info *info, PyArrayObject *copy, PyArrayObject *part, int64_t *strides, int64_t *offset)
{
    struct paired_axes pairs;
    struct steps steps;
    if (has_same_strides(copy, info)) {
        *offset = PyArray_BYTES(part) - PyArray_BYTES(copy);
        for (int dim = 0; dim < PyArray_NDIM(part); dim++)
            strides[dim] = PyArray_STRIDE(part, dim);
        return true;
    }
    if (!pair_axes(&pairs, copy, info, true) || !find_steps(&pairs, copy, part, &steps))
        return false;
    *offset = view_strides(&pairs, &steps, PyArray_NDIM(part), strides);
    return true;
}

/* --- by the owner's library ------------------------------------------------------------------------------------------------ */

static PyObject *
host_view(PyObject *owner, const struct array_info *info, PyArrayObject *part, const int64_t *strides, int64_t offset)
{
    PyArray_Descr *descr = PyArray_DESCR((PyArrayObject *)owner);
    Py_INCREF((PyObject *)descr);
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(part), PyArray_DIMS(part), (npy_intp *)strides,
                                          (char *)info->pointer + offset, info->read_only ? 0 : NPY_ARRAY_WRITEABLE, NULL);
    if (view != NULL && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef(owner)) < 0)
        Py_CLEAR(view);
    return view;
}

/* As CuPy's own views are made: class(shape, dtype, memptr, strides). */
static PyObject *
strided_view(PyObject *owner, const char *library, PyArrayObject *part, bool same_type, const int64_t *strides, int64_t offset)
{
    PyObject *module = PyImport_ImportModule(library);
    PyObject *class = module == NULL ? NULL : PyObject_GetAttrString(module, "ndarray");
    PyObject *memory = class == NULL ? NULL : PyObject_GetAttrString(owner, "data");
    PyObject *distance = memory == NULL ? NULL : PyLong_FromLongLong(offset);
    PyObject *place = distance == NULL ? NULL : PyNumber_Add(memory, distance);
    PyObject *descr = place == NULL ? NULL : same_type ? PyObject_GetAttrString(owner, "dtype")
                                                       : Py_NewRef((PyObject *)PyArray_DESCR(part));
    PyObject *shape = descr == NULL ? NULL : tuple_of_integers(PyArray_DIMS(part), PyArray_NDIM(part));
    PyObject *steps = shape == NULL ? NULL : tuple_of_integers(strides, PyArray_NDIM(part));
    PyObject *view = steps == NULL ? NULL : PyObject_CallFunctionObjArgs(class, shape, descr, place, steps, NULL);
    Py_XDECREF(module);
    Py_XDECREF(class);
    Py_XDECREF(memory);
    Py_XDECREF(distance);
    Py_XDECREF(place);
    Py_XDECREF(descr);
    Py_XDECREF(shape);
    Py_XDECREF(steps);
    return view;
}

/* start:stop:step for `extent` elements; `stop` None where it would lie before the first one. */
static PyObject *
new_slice(int64_t start, int64_t extent, int64_t step)
{
    int64_t end = start + extent * step;
    PyObject *first = PyLong_FromLongLong(start), *stop = end < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(end);
    PyObject *distance = PyLong_FromLongLong(step);
    PyObject *slice = first == NULL || stop == NULL || distance == NULL ? NULL : PySlice_New(first, stop, distance);
    Py_XDECREF(first);
    Py_XDECREF(stop);
    Py_XDECREF(distance);
    return slice;
}

/* Which axis of the copy a dimension of the part goes along; -1: along several. */
static int
axis_of(const struct paired_axes *pairs, const struct place *step)
{
    int axis = -1;
    for (int i = 0; i < pairs->n; i++) {
        if (step->index[i] != 0 && axis >= 0)
            return -1;
        if (step->index[i] != 0)
            axis = i;
    }
    return axis;
}

/* Appends an item of an index. Takes its reference. */
static int
add_item(PyObject *items, PyObject *item)
{
    int done = item == NULL ? -1 : PyList_Append(items, item);
    Py_XDECREF(item);
    return done;
}

/* The owner's dimensions from *next on, as numbers, up to the one that `axis` stands for, which *next is then; to the end where there
 * is none. */
static int
add_numbers(PyObject *items, const struct paired_axes *pairs, const struct steps *steps, int owner_rank, int axis, int *next)
{
    for (; *next < owner_rank && (axis < 0 || pairs->axes[axis].dim != *next); ++*next) {
        int64_t number = 0; /* the only one of a dimension of extent 1 */
        for (int i = 0; i < pairs->n; i++)
            if (pairs->axes[i].dim == *next)
                number = steps->first.index[i];
        if (add_item(items, PyLong_FromLongLong(number)) < 0)
            return -1;
    }
    return 0;
}

/* The index with which the owner gives the part: numbers, slices, and None for dimensions of one element. A new tuple; NULL: an
 * exception, or there is no such index. */
static PyObject *
find_index(const struct paired_axes *pairs, const struct steps *steps, int owner_rank, PyArrayObject *part)
{
    PyObject *items = PyList_New(0);
    int next = 0; /* of the owner's dimensions */
    int done = items == NULL ? -1 : 0;
    for (int dim = 0; dim < PyArray_NDIM(part) && done == 0; dim++) {
        int64_t extent = PyArray_DIM(part, dim);
        int axis = extent == 1 ? -1 : axis_of(pairs, &steps->step[dim]);
        if (extent == 1) {
            done = add_item(items, Py_NewRef(Py_None));
            continue;
        }
        done = axis < 0 ? -1 : add_numbers(items, pairs, steps, owner_rank, axis, &next);
        if (done == 0 && next < owner_rank)
            done = add_item(items, new_slice(steps->first.index[axis], extent, steps->step[dim].index[axis]));
        else
            done = -1; /* transposed */
        next++;
    }
    if (done == 0)
        done = add_numbers(items, pairs, steps, owner_rank, -1, &next);
    PyObject *index = done < 0 ? NULL : PyList_AsTuple(items);
    Py_XDECREF(items);
    return index;
}

/* Whether an array is where the view has to be: a library may have copied. 1, 0 or -1. */
static int
is_in_place(PyObject *view, PyArrayObject *part, uintptr_t pointer, const int64_t *strides)
{
    struct array_info found;
    enum read_answer answer = read_device_array(view, &found);
    if (answer != READ_DONE)
        return answer == READ_ERROR ? -1 : 0;
    bool same = found.pointer == pointer && found.rank == PyArray_NDIM(part);
    for (int dim = 0; same && dim < found.rank; dim++)
        same = found.shape[dim] == PyArray_DIM(part, dim) && (found.shape[dim] == 1 || found.strides[dim] == strides[dim]);
    array_info_release(&found);
    return same;
}

/* owner[index]. A new reference; NULL: an exception, or not possible. */
static PyObject *
indexed_view(PyObject *owner, const struct array_info *info, PyArrayObject *copy, PyArrayObject *part)
{
    struct paired_axes pairs;
    struct steps steps;
    int64_t strides[PKW_MAX_RANK];
    if (!pair_axes(&pairs, copy, info, false) || !find_steps(&pairs, copy, part, &steps))
        return NULL;
    PyObject *index = find_index(&pairs, &steps, info->rank, part);
    PyObject *view = index == NULL ? NULL : PyObject_GetItem(owner, index);
    Py_XDECREF(index);
    if (view == NULL)
        return NULL;
    int64_t offset = view_strides(&pairs, &steps, PyArray_NDIM(part), strides);
    if (is_in_place(view, part, info->pointer + (uintptr_t)offset, strides) <= 0)
        Py_CLEAR(view);
    return view;
}

/* --- views.h --------------------------------------------------------------------------------------------------------------- */

bool
array_lies_in(PyArrayObject *part, PyArrayObject *whole)
{
    struct array_info inner, outer;
    uintptr_t low, high, part_low, part_high;
    if (PyArray_SIZE(part) == 0 || PyArray_SIZE(whole) == 0)
        return false;
    read_numpy_array((PyObject *)part, &inner);
    read_numpy_array((PyObject *)whole, &outer);
    array_bounds(&inner, &part_low, &part_high);
    array_bounds(&outer, &low, &high);
    array_info_release(&inner);
    array_info_release(&outer);
    return part_low >= low && part_high <= high;
}

/* Puts why the library could not do it behind what cannot be. */
static PyObject *
raise_no_view(PyObject *owner, const char *function, const char *what)
{
    PyObject *type, *value, *traceback;
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
        return NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *reason = value == NULL ? PyUnicode_FromString("") : PyUnicode_FromFormat(" (%S)", value);
    if (reason != NULL)
        raise_call_error(PyExc_ValueError, function,
                         "%s is a part of a given array of which %s cannot make a view%U, so that what is written to it would be "
                         "lost; give the array packed in the order that the function declares, or return a copy",
                         what, Py_TYPE(owner)->tp_name, reason);
    Py_XDECREF(reason);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return NULL;
}

PyObject *
view_of_array(PyObject *owner, const struct array_info *info, PyArrayObject *copy, PyArrayObject *part, const char *function,
              const char *what)
{
    int64_t strides[PKW_MAX_RANK], offset;
    const char *library = type_facts_of(Py_TYPE(owner))->library;
    bool swapped, same_type = dtype_from_descr(PyArray_DESCR(part), &swapped) == info->dtype && !swapped;
    /* Real parts, and bytes read as another type, are where they are in the copy. */
    bool may_be_placed = same_type || (library != NULL && has_same_strides(copy, info));
    bool placed = may_be_placed && place_in_owner(info, copy, part, strides, &offset);
    if (placed && !info->on_device)
        return host_view(owner, info, part, strides, offset);
    PyObject *view = NULL;
    if (placed && library != NULL)
        view = strided_view(owner, library, part, same_type, strides, offset);
    else if (placed)
        view = indexed_view(owner, info, copy, part);
    return view != NULL ? view : raise_no_view(owner, function, what);
}
