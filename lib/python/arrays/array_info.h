/* array_info.h - one array argument, read through whichever interface its object has.
 *
 * Every reader (from_numpy.c, from_cai.c, from_dlpack.c, from_cupy.c) fills the same struct; "not my kind of object" is
 * its third, silent answer. Shared by the generated modules' calls and by PyccelKernel.
 */
#ifndef PYTHON_ARRAY_INFO_H
#define PYTHON_ARRAY_INFO_H

#include "base/python.h"   /* Python.h, NumPy's headers, pkwrap.h */
#include "core/view.h"

enum read_answer { READ_ERROR = -1, READ_NOT_MINE = 0, READ_DONE = 1 };

struct array_info {
    PyObject *object;        /* borrowed: the argument itself */
    PyObject *keep;          /* owned: what must live as long as the memory is used (DLPack capsule), or NULL */
    uintptr_t pointer;       /* first element */
    int rank;
    int64_t shape[PKW_MAX_RANK];
    int64_t strides[PKW_MAX_RANK]; /* bytes */
    PyArray_Descr *descr;    /* owned: dtype for a host array of it; NULL for bfloat16 without ml_dtypes */
    pkw_dtype dtype;         /* PKW_NO_DTYPE: structured or otherwise not a C scalar type */
    bool swapped;            /* not native byte order */
    bool read_only;
    bool on_device;          /* to go through a session: pinned memory too, which it uses in place. false: host memory */
    enum stream_kind stream_kind;
    uintptr_t stream;
};

/* Reads a device array (CuPy's fields, __cuda_array_interface__ 0 to 3, DLPack on CUDA). Uses and fills the per-type
 * cache of C10 (never, maybe, always). READ_NOT_MINE for everything else, without an exception. */
enum read_answer read_device_array(PyObject *object, struct array_info *info);
/* Reads a numpy.ndarray or a subclass. */
enum read_answer read_numpy_array(PyObject *object, struct array_info *info);
/* Reads an array in host memory of another library than NumPy, by DLPack (torch tensors on the CPU). */
enum read_answer read_dlpack_host_array(PyObject *object, struct array_info *info);
void array_info_release(struct array_info *info);

/* Number of elements. */
static inline int64_t
element_count(const struct array_info *info)
{
    int64_t count = 1;
    for (int i = 0; i < info->rank; i++)
        count *= info->shape[i];
    return count;
}

static inline bool
is_empty_array(const struct array_info *info)
{
    for (int i = 0; i < info->rank; i++)
        if (info->shape[i] == 0)
            return true;
    return false;
}

/* The view's place, without flags and name. Its shape and strides are those of info. */
static inline struct device_view
array_info_view(const struct array_info *info)
{
    return (struct device_view){
        .pointer = info->pointer,
        .rank = info->rank,
        .shape = info->shape,
        .strides = info->strides,
        .item_size = info->descr != NULL ? (size_t)PyDataType_ELSIZE(info->descr) : 2, /* bfloat16 without ml_dtypes */
        .stream_kind = info->stream_kind,
        .stream = info->stream,
    };
}

/* The bytes from the first to the last element, a superset of those that belong to the array; it has elements. */
void array_bounds(const struct array_info *info, uintptr_t *low, uintptr_t *high);

/* Do two arrays in the same kind of memory share a byte? Exact, as views_share_bytes is. */
bool infos_share_bytes(const struct array_info *one, const struct array_info *other);

/* The value of an integer of any kind (Python's, NumPy's, with __index__) that is an address or a stream: 0, or -1 with an exception
 * set. */
int address_from_object(PyObject *object, uintptr_t *address);

/* A tuple of n Python integers: a new reference, or NULL with an exception set. */
PyObject *tuple_of_integers(const int64_t *numbers, int n);

/* C10's cache: could an object of this type be a device array? One pointer comparison for types seen before. */
enum type_verdict { TYPE_NEVER, TYPE_MAYBE, TYPE_ALWAYS };
enum type_verdict device_array_type(PyTypeObject *type);

#endif
