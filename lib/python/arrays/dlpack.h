/* dlpack.h - the binary interface of DLPack 1.x, as far as it is read here, and the keeping of what was taken.
 *
 * Declared from the specification (dmlc/dlpack, version 1.3); only the part of it that a consumer needs.
 */
#ifndef PYTHON_DLPACK_H
#define PYTHON_DLPACK_H

#include "array_info.h"

enum { /* DLDeviceType */
    DLPACK_CPU = 1,
    DLPACK_CUDA = 2,
    DLPACK_CUDA_HOST = 3,
    DLPACK_CUDA_MANAGED = 13
};

enum { /* DLDataTypeCode */
    DLPACK_INT = 0,
    DLPACK_UINT = 1,
    DLPACK_FLOAT = 2,
    DLPACK_BFLOAT = 4,
    DLPACK_COMPLEX = 5,
    DLPACK_BOOL = 6
};

enum { DLPACK_MAJOR = 1, DLPACK_READ_ONLY = 1 };

struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t rank;
    uint8_t code, bits; /* of an element */
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: C order */
    uint64_t byte_offset;
};

struct dlpack_managed { /* capsule "dltensor" */
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *);
};

struct dlpack_version {
    uint32_t major, minor;
};

struct dlpack_versioned { /* capsule "dltensor_versioned" */
    struct dlpack_version version;
    void *context;
    void (*deleter)(struct dlpack_versioned *);
    uint64_t flags;
    struct dlpack_tensor tensor;
};

struct dlpack_exchange_header {
    struct dlpack_version version;
    struct dlpack_exchange_header *previous; /* an older interface, or NULL */
};

struct dlpack_exchange_api { /* capsule "dlpack_exchange_api"; lives as long as the process */
    struct dlpack_exchange_header header;
    void *allocate;
    int (*managed_from_object)(void *object, struct dlpack_versioned **managed);
    void *managed_to_object;
    int (*tensor_from_object)(void *object, struct dlpack_tensor *tensor); /* may be NULL; borrows from the object */
    int (*current_work_stream)(int device_type, int32_t device_id, void **stream);
};

/* The table of major version 1 behind a type's attribute, or NULL. Never raises. */
const struct dlpack_exchange_api *dlpack_exchange_from_capsule(PyObject *capsule);

/* Takes a capsule: consumed, under its "used_" name, and ours to delete. The capsule itself is what array_info.keep
 * holds. Fills `info` from it; READ_ERROR with an exception set and nothing taken when it is malformed. */
enum read_answer dlpack_take_capsule(PyObject *capsule, PyObject *object, struct array_info *info);

/* Fills pointer, shape, strides and dtype. 0, or -1 with an exception set. */
int dlpack_fill(const struct dlpack_tensor *tensor, PyObject *object, struct array_info *info);

/* Calls the deleter, without the GIL since it may call CUDA (a deleter that needs the GIL takes it), and drops the
 * capsule. Keeps an exception that is set. */
void dlpack_release(PyObject *keep);

#endif
