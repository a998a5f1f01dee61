/* argument_kind.h - what the type of an argument says about it, one hash look-up for types seen before (C10). */
#ifndef PYTHON_KERNEL_KIND_H
#define PYTHON_KERNEL_KIND_H

#include "base/python.h"

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

struct kind_entry {
    PyTypeObject *type; /* not owned: the version tells another type at the same address apart */
    unsigned version;
    unsigned kinds;
};

enum { N_KINDS = 256 };

#ifdef Py_GIL_DISABLED
#define KIND_STORAGE _Thread_local /* nothing else keeps threads apart there */
#else
#define KIND_STORAGE
#endif
extern KIND_STORAGE struct kind_entry kind_entries[N_KINDS];

/* Looks the type up anew. Never raises. */
unsigned find_kinds(PyTypeObject *type);

static inline unsigned
kinds_of(PyTypeObject *type)
{
    uintptr_t address = (uintptr_t)type;
    const struct kind_entry *entry = &kind_entries[(address >> 4 ^ address >> 12) % N_KINDS];
    if (entry->type == type && entry->version == type->tp_version_tag && entry->version != 0
#if PY_VERSION_HEX < 0x030c0000 /* a changed type keeps its old tag there, and only loses the flag */
        && (type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG)
#endif
    )
        return entry->kinds;
    return find_kinds(type);
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

/* Name looked for: __host_args__. 0, or -1 with an exception set. */
int kinds_init(void);
extern PyObject *name_host_args;

#endif
