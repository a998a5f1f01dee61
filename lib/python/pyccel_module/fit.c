/* fit.c - see pyccel_module.h.
 *
 * Pyccel's wrapper ignores the strides of an array that owns its memory. Those of a view it divides by each other, from the
 * innermost dimension outwards, to get the extents of a contiguous array of which the view is a slice with a step in the
 * innermost dimension. That is right only where every division is exact and every extent holds the view's.
 */
#include "pyccel_module.h"

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
