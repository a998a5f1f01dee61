/* type_cache.h - what the type of an argument says about it, found once a type: one look-up for types seen before (C10).
 *
 * Keyed by the type's address and its version tag, so that a class that changes, or another class at the address of one that is gone,
 * is looked at anew.
 */
#ifndef PYTHON_TYPE_CACHE_H
#define PYTHON_TYPE_CACHE_H

#include "array_info.h"

enum device_interface {
    INTERFACE_CUPY = 1,        /* cupy.ndarray or a subclass: its fields are read */
    INTERFACE_OWN = 32,        /* of a type that has a reader of its own */
    INTERFACE_EXCHANGE = 2,    /* __dlpack_c_exchange_api__ of the type */
    INTERFACE_CAI = 4,         /* __cuda_array_interface__ of the type */
    INTERFACE_CAI_INSTANCE = 8, /* only an instance could have it: own dictionary or __getattr__ */
    INTERFACE_DLPACK = 16      /* __dlpack__ and __dlpack_device__ of the type */
};

struct dlpack_exchange_api;

enum kind { /* bits; 0: nothing to look into */
    KIND_DEVICE = 1,    /* an instance is, or may be, a device array */
    KIND_LIST = 2,
    KIND_TUPLE = 4,
    KIND_DICT = 8,      /* these with their subclasses */
    KIND_HOST_ARGS = 16, /* the type defines a callable __host_args__ */
    KIND_INSTANCE = 32, /* of a class written in Python: an object_modules entry may name its module */
    KIND_NUMPY = 64     /* numpy.ndarray and its subclasses: looked at in verify and learn mode */
};
enum { KIND_CONTAINER = KIND_LIST | KIND_TUPLE | KIND_DICT };

struct type_facts {
    _Alignas(64) PyTypeObject *type; /* not owned, see above. One line of the processor's cache each */
    unsigned version;
    unsigned kinds;
    unsigned interfaces; /* device_interface bits; 0: never a device array */
    const struct dlpack_exchange_api *exchange; /* with INTERFACE_EXCHANGE */
    enum read_answer (*read)(PyObject *, struct array_info *); /* with INTERFACE_OWN */
    const char *library; /* with INTERFACE_CUPY and INTERFACE_OWN: the module whose ndarray(shape, dtype, memptr, strides) makes views */
};

/* A type of arrays that are read by `read`, and those derived from it; `library` as above. For the emulator's, once. */
void register_array_type(PyTypeObject *type, enum read_answer (*read)(PyObject *, struct array_info *), const char *library);

enum { N_TYPES_KNOWN = 256 }; /* a power of two */

#ifdef Py_GIL_DISABLED
#define TYPE_STORAGE _Thread_local /* nothing else keeps threads apart there */
#else
#define TYPE_STORAGE
#endif
extern TYPE_STORAGE struct type_facts types_known[N_TYPES_KNOWN];

/* Looks the type up anew. Never raises, and keeps an exception that is set. */
const struct type_facts *find_type_facts(PyTypeObject *type);

/* What is known of a type. Valid until the next question. Never raises. */
static inline const struct type_facts *
type_facts_of(PyTypeObject *type)
{
    uintptr_t address = (uintptr_t)type;
    const struct type_facts *entry = &types_known[(address >> 4 ^ address >> 12) % N_TYPES_KNOWN];
    if (entry->type == type && entry->version == type->tp_version_tag && entry->version != 0
#if PY_VERSION_HEX < 0x030c0000 /* a changed type keeps its old tag there, and only loses the flag */
        && (type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG)
#endif
    )
        return entry;
    return find_type_facts(type);
}

static inline unsigned
kinds_of(PyTypeObject *type)
{
    return type_facts_of(type)->kinds;
}

/* C23: an object that knows its own arguments for host kernels. *resolved becomes what it stands for, a new reference, or NULL where it
 * stands for itself. 0, or -1 with an exception set. */
int call_host_args(PyObject *object, PyObject **resolved);

static inline int
host_args_of(PyObject *object, PyObject **resolved)
{
    *resolved = NULL;
    return kinds_of(Py_TYPE(object)) & KIND_HOST_ARGS ? call_host_args(object, resolved) : 0;
}

/* Interned attribute names that the readers use. 0, or -1 with an exception set. */
int type_cache_init(void);
extern PyObject *name_cuda_array_interface, *name_dlpack, *name_dlpack_device, *name_host_args;

/* object.name without an AttributeError: 1 with *value new, 0 when there is none, -1 with an exception set. */
int optional_attribute(PyObject *object, PyObject *name, PyObject **value);
/* The same where the type defines the name, and the instance may still say that it has nothing there: by an AttributeError of its own.
 * One that tells of another name is a fault inside the property, and stays set. */
int announced_attribute(PyObject *object, PyObject *name, PyObject **value);

/* The readers that read_device_array chooses from. */
enum read_answer read_cupy_array(PyObject *object, struct array_info *info);
enum read_answer read_exchange_array(PyObject *object, const struct dlpack_exchange_api *api, struct array_info *info);
enum read_answer read_cuda_array_interface(PyObject *object, struct array_info *info);
enum read_answer read_dlpack_array(PyObject *object, struct array_info *info);

#endif
