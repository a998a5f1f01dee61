/* type_cache.h - which interfaces a type offers for device arrays, found once a type (C10).
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

struct device_type {
    PyTypeObject *type; /* not owned, see above */
    unsigned version;
    unsigned interfaces; /* device_interface bits; 0: never a device array */
    const struct dlpack_exchange_api *exchange; /* with INTERFACE_EXCHANGE */
    enum read_answer (*read)(PyObject *, struct array_info *); /* with INTERFACE_OWN */
    const char *library; /* with INTERFACE_CUPY and INTERFACE_OWN: the module whose ndarray(shape, dtype, memptr, strides) makes views */
};

/* A type of arrays that are read by `read`, and those derived from it; `library` as above. For the emulator's, once. */
void register_array_type(PyTypeObject *type, enum read_answer (*read)(PyObject *, struct array_info *), const char *library);

/* What is known of a type, found out on the first question. Valid until the next question. Never raises. */
const struct device_type *device_type_of(PyTypeObject *type);

/* Interned attribute names that the readers use. 0, or -1 with an exception set. */
int type_cache_init(void);
extern PyObject *name_cuda_array_interface, *name_dlpack, *name_dlpack_device;

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
