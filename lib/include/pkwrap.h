/* pkwrap.h - what a generated module needs of libpkwrap; the only header of ours that it includes.
 *
 * A generated wrapper has two ways to its kernel:
 *   - the fast path, spelled out in the wrapper with the pkw_fast_* helpers below, for a plain positional call with exact
 *     NumPy arrays of the declared dtype, rank and layout, and plain Python numbers. It raises nothing: whatever it
 *     does not take as it is goes the other way;
 *   - pkw_api.call, which takes every call, decides every error and does every conversion, driven by the constant
 *     tables (pkw_kernel, pkw_param, pkw_expr) that the module holds.
 * No NumPy header is needed: pkw_ndarray mirrors the public fields of PyArrayObject, which are the same from
 * NumPy 1.7 to 2.x (numpy/ndarraytypes.h, PyArrayObject_fields).
 *
 * Everything here is called with the GIL held unless said otherwise. All tables are owned by the module and live as
 * long as the process.
 */
#ifndef PKWRAP_H
#define PKWRAP_H

/* A generated module includes the wrapped headers first. What they made of these names is taken back there; the standard's own
 * meaning comes back here, since its headers do not give it twice. */
#include <stdbool.h>
#include <stddef.h>
#ifndef bool
#define bool _Bool
#endif
#ifndef true
#define true 1
#endif
#ifndef false
#define false 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "pkwrap_dtype.h"

/* Number of the binary interface below. A module asks for the one it was compiled with. */
#define PKW_ABI 4

/* Sum of the bytes of a call's arrays from which gil "auto" releases the GIL. A release and re-acquire costs about
 * 65 ns; 16 KiB take a memory-bound kernel about 1 us. */
#define PKW_GIL_BYTES 16384

/* Largest rank of an array: NumPy 2's NPY_MAXDIMS. */
#define PKW_MAX_RANK 64

/* --- expressions: sizes and filled-in values ------------------------------------------------------------------ */

/* Postfix code over 64-bit signed integers. Overflow and division by zero are ValueErrors. */
typedef enum {
    PKW_OP_CONST, /* push .value */
    PKW_OP_PARAM, /* push the integer value of the C parameter at position .value */
    PKW_OP_ADD,
    PKW_OP_SUB,
    PKW_OP_MUL,
    PKW_OP_DIV, /* towards zero, as in C */
    PKW_OP_MOD,
    PKW_OP_NEG
} pkw_op_code;

typedef struct {
    int64_t value;
    int32_t code; /* pkw_op_code */
} pkw_op;

typedef struct {
    const char *text;  /* as the manifest or the declaration has it, for messages; NULL for a free dimension */
    const pkw_op *ops; /* NULL for a free dimension */
    int32_t n_ops;
} pkw_expr;

/* --- parameters and kernels ----------------------------------------------------------------------------------- */

typedef enum {
    PKW_ARRAY,  /* pointer to rank >= 0 array data; slot .ptr */
    PKW_SCALAR, /* a value of .dtype, from the caller or from its default */
    PKW_SIZE,   /* an integer taken from dimension .from_dim of array parameter .from_param; may be visible too */
    PKW_VALUE,  /* not in the signature: filled from .value, or from .preset when .value has no code */
    PKW_CELL,   /* scalar behind a pointer ("shape": []); slot .ptr points to the cell */
    PKW_STRING, /* const char *: str (UTF-8, no NUL) or bytes; slot .ptr */
    PKW_CHAR,   /* char: a one-character str; slot .i8 */
    /* Of kernels that are Python callables, which get objects: */
    PKW_PY_SCALAR, /* Python or NumPy scalar of .dtype: passed as it is, a 0-d device array is downloaded */
    PKW_PY_CLASS,  /* instance of a class, see .instance */
    PKW_PY_OBJECT  /* anything else (strings, lists, tuples, functions): passed as it is */
} pkw_param_kind;

enum {                           /* pkw_param.flags */
    PKW_WRITTEN = 1 << 0,        /* the kernel may write it */
    PKW_OVERWRITTEN = 1 << 1,    /* every element is written before any is read */
    PKW_CREATE = 1 << 2,         /* may be left out; then made, and always returned */
    PKW_SCRATCH = 1 << 3,        /* workspace: copied neither way, made when left out */
    PKW_NULLABLE = 1 << 4,       /* None becomes NULL */
    PKW_RESTRICT = 1 << 5,       /* declared restrict: a written one may overlap no other argument */
    PKW_KEYWORD_ONLY = 1 << 6,
    PKW_REFUSE_EMPTY = 1 << 7,   /* an array of size zero is a ValueError */
    PKW_HAS_DEFAULT = 1 << 8,    /* .preset holds the default */
    PKW_FORTRAN = 1 << 9,        /* the kernel expects F order (default: C order) */
    PKW_READ = 1 << 10,          /* PKW_CELL: the kernel reads it (with PKW_WRITTEN: in and out) */
    PKW_IS_ENUM = 1 << 11,       /* an enumeration: an integer, named by .c_type in messages */
    PKW_DEFAULT_NONE = 1 << 12,  /* a nullable one whose default is None; of a Python callable: one whose default it knows itself */
    /* Of Python callables: */
    PKW_POSITIONAL_ONLY = 1 << 13, /* before the / of the signature */
    PKW_ALIAS = 1 << 14,         /* attribute of a class: it refers to what the caller gave */
    PKW_NESTED_KNOWN = 1 << 15,  /* PKW_PY_CLASS: of the arrays of objects that it refers to, those that are written are listed */
    PKW_SET_LATE = 1 << 16,      /* attribute of a class: the constructor does not set it; reading it may end the process */
    PKW_CONSTANT = 1 << 17,      /* attribute of a class: nobody changes its elements while an object refers to them */
    PKW_NOT_LOOKED_INTO = 1 << 18, /* PKW_PY_CLASS: no array of it is read or written: the object whose attribute is set */
    PKW_KEPT = 1 << 19,          /* PKW_ARRAY: an object may refer to it when the call is over */
    PKW_CONTIGUOUS = 1 << 20,    /* PKW_ARRAY: memory of it may be handed out, and the compiled module tells no strides */
    PKW_PYTHON_NUMBER = 1 << 21  /* PKW_PY_SCALAR: Python's own int, float or complex, not NumPy's type of the same values */
};

/* An array that an instance of a class refers to, as the parameter that the instance is given for. */
typedef struct {
    const char *path; /* from the parameter: "markers"; of an object that it refers to: "grid.nodes" */
    const char *name; /* for messages, with the parameter's: "args.markers" */
    uint32_t flags;   /* PKW_WRITTEN, PKW_OVERWRITTEN */
} pkw_py_attribute;

typedef struct {
    const char *class_name;
    const pkw_py_attribute *attributes; /* those that refer to the caller's arrays */
    int16_t n_attributes;
} pkw_py_instance;

typedef struct {
    const char *name;       /* Python name, for messages and keywords */
    const char *c_type;     /* element or scalar type as declared in C, for messages ("int", "size_t"); of a Python callable the whole
                               annotation ("float64[:,:](order=F)") */
    uint8_t kind;           /* pkw_param_kind */
    uint8_t dtype;          /* pkw_dtype of the element or scalar */
    uint8_t rank;           /* PKW_ARRAY: number of dimensions */
    int16_t from_param;     /* PKW_SIZE: C position of the array whose dimension this is; -1: none is always there */
    int16_t from_dim;       /* PKW_SIZE: which dimension */
    uint32_t flags;
    const pkw_expr *shape;  /* PKW_ARRAY: rank entries; NULL: every dimension is free */
    pkw_expr value;         /* PKW_VALUE of an integer type: code; else ops == NULL and .preset holds it */
    pkw_slot preset;        /* default or constant value, in .dtype's member */
    const char *preset_text;/* PKW_STRING: its default or constant; NULL: none */
    const pkw_py_instance *instance; /* PKW_PY_CLASS */
} pkw_param;

typedef enum { PKW_RETURN_VOID, PKW_RETURN_SCALAR, PKW_RETURN_STRING, PKW_RETURN_CHAR } pkw_return_kind;
typedef enum { PKW_GIL_AUTO, PKW_GIL_HOLD, PKW_GIL_RELEASE } pkw_gil;

/* What of a kernel changes: one object a kernel, in the module's data segment. Counters are process-wide totals since
 * import, written under the GIL. */
typedef struct pkw_kernel_state {
    uint64_t calls;
    uint64_t conversions;
    uint64_t bytes_to_host;
    uint64_t bytes_to_device;
    uint64_t waits;
} pkw_kernel_state;

/* What of a module changes. */
typedef struct pkw_module_state {
    int64_t in_flight; /* calls that have released the GIL and are not back, for modules that are not thread safe */
} pkw_module_state;

typedef struct pkw_kernel {
    const char *name;           /* Python name */
    const char *module;         /* name of the generated module */
    const pkw_param *params;    /* every parameter of the C function, in C order */
    const int16_t *visible;     /* C positions of the parameters in the Python signature, in its order */
    const int16_t *results;     /* C positions of what is returned after the function's own result */
    int16_t n_params;
    int16_t n_visible;
    int16_t n_required;         /* leading visible ones without a default */
    int16_t n_positional;       /* visible ones before the keyword-only ones */
    int16_t n_results;
    uint8_t gil;                /* pkw_gil */
    uint8_t thread_safe;
    uint8_t return_kind;        /* pkw_return_kind */
    uint8_t return_dtype;       /* pkw_dtype */
    void (*run)(pkw_slot *result, const pkw_slot *slots); /* calls the C function; slots in C order; no GIL needed. NULL: a Python
                                                             callable */
    pkw_kernel_state *state;
    pkw_module_state *module_state;
} pkw_kernel;

/* --- kernels that are Python callables: a compiled Pyccel module ------------------------------------------------- */

/* One signature of a function; an overloaded function and a TypeVar or union have several, all with the same names. */
typedef struct {
    pkw_kernel kernel;
    int16_t n_needed;  /* parameters without a default, keyword-only ones included */
    int16_t n_objects; /* of kind PKW_PY_CLASS */
} pkw_py_variant;

/* Where a function may leave references to its arguments, which then need memory that outlives the call. */
typedef enum {
    PKW_KEEPS_NOTHING,
    PKW_KEEPS_IN_RESULT, /* constructors, and functions that return objects */
    PKW_KEEPS_IN_SELF    /* methods and the setters of attributes: in the object that is their first argument */
} pkw_py_keeps;

typedef struct {
    const char *name; /* "push"; of a class: "Grid" (its constructor), "Grid.move" */
    const char *doc;  /* with its __text_signature__ line; NULL: none */
    const pkw_py_variant *variants;
    int16_t n_variants;
    uint8_t keeps;      /* pkw_py_keeps */
    bool gives_objects; /* objects of classes are among its results */
} pkw_py_function;

typedef struct {
    const char *name;
    const char *doc;
    const pkw_py_function *constructor; /* without `self`; NULL: the stub declares none */
    const pkw_py_function *methods;     /* `self`, of kind PKW_PY_CLASS, is their first parameter */
    const pkw_py_function *properties;  /* likewise */
    const pkw_py_function *attributes;  /* their setters, of `self` and the value: that parameter describes the attribute */
    int16_t n_methods, n_properties, n_attributes;
} pkw_py_class;

typedef struct {
    const char *name;      /* of the generated module */
    const char *extension; /* dotted name of the compiled module, imported when it is first needed */
    const char *stub;      /* path of the stub as the manifest has it, for messages */
    const pkw_py_function *functions;
    const pkw_py_class *classes;
    const char *const *variables; /* module variables, looked up in the compiled module each time */
    int16_t n_functions, n_classes, n_variables;
} pkw_py_module;

/* --- the function table ---------------------------------------------------------------------------------------- */

typedef struct pkw_api {
    uint32_t abi;
    uint32_t size;                    /* sizeof(pkw_api) of the library */
    PyTypeObject *ndarray;            /* numpy.ndarray, borrowed */
    PyObject *descr[PKW_N_DTYPES];    /* NumPy's canonical native descriptor a dtype, borrowed; NULL where none */
    const int *watching;              /* points to non-zero while verify or learn mode is on: no fast path then */

    /* The whole call: vectorcall convention (args, nargs without PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames or NULL).
     * Returns a new reference, or NULL with an exception set and the kernel not run unless the exception says so. */
    PyObject *(*call)(const pkw_kernel *kernel, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

    /* Announces a module's kernels to pkwrap.stats(). 0, or -1 with an exception set. */
    int (*register_kernels)(const pkw_kernel *const *kernels, int n);

    /* Python object of one C value: a new reference, or NULL with an exception set. */
    PyObject *(*from_slot)(pkw_dtype dtype, const pkw_slot *value);

    /* For the exec slot of a module generated from a stub: adds its functions (callables that convert), its classes, __all__
     * and a __getattr__ for its variables. Nothing is imported yet. 0, or -1 with an exception set. */
    int (*add_python_kernels)(PyObject *module, const pkw_py_module *table);
} pkw_api;

/* What is seen outside the shared library, which is compiled with -fvisibility=hidden. */
#define PKW_EXPORT __attribute__((visibility("default")))

/* The one thing that a generated module takes from libpkwrap by name. Imports NumPy on the first call.
 * Returns the table, or NULL with ImportError set when this library does not speak `abi`; the message tells both
 * numbers and where this library lies.
 *
 * With PKW_API_BY_IMPORT a module is linked to nothing of ours: the package pkwrap is imported, whose extension module holds
 * the function in a capsule of this name. For modules that are installed by pip, which know no path to libpkwrap. */
#define PKW_API_CAPSULE "pkwrap._pkwrap._api"
typedef const pkw_api *pkw_get_api_function(uint32_t abi);
#ifdef PKW_API_BY_IMPORT
static inline const pkw_api *
pkw_get_api(uint32_t abi)
{
    PyObject *package = PyImport_ImportModule("pkwrap"); /* says what is missing, which PyCapsule_Import does not */
    pkw_get_api_function *const *get = NULL;
    if (package != NULL)
        get = (pkw_get_api_function *const *)PyCapsule_Import(PKW_API_CAPSULE, 0);
    Py_XDECREF(package);
    return get == NULL ? NULL : (*get)(abi);
}
#else
PKW_EXPORT pkw_get_api_function pkw_get_api;
#endif

/* --- the fast path --------------------------------------------------------------------------------------------- */

/* None of these helpers raises. Those that return bool give false for what the general path has to look at. */

/* The public fields of a PyArrayObject. Read only. */
typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *descr;
    int flags;
} pkw_ndarray;

enum { /* values of numpy/ndarraytypes.h */
    PKW_NPY_C = 0x0001,
    PKW_NPY_F = 0x0002,
    PKW_NPY_ALIGNED = 0x0100,
    PKW_NPY_WRITEABLE = 0x0400
};

/* No verify or learn mode is on and no call of the module is running without the GIL. `module` NULL: a thread-safe
 * kernel, which runs beside others. */
static inline bool
pkw_fast_idle(const pkw_api *api, const pkw_module_state *module)
{
    return *api->watching == 0 && (module == NULL || module->in_flight == 0);
}

/* The array behind `object` if it is exactly a numpy.ndarray of this dtype (NumPy's own native descriptor), rank and
 * flags (all of them set), else NULL. Borrowed. */
static inline const pkw_ndarray *
pkw_fast_array(const pkw_api *api, PyObject *object, pkw_dtype dtype, int rank, int flags)
{
    if (!Py_IS_TYPE(object, api->ndarray))
        return NULL;
    const pkw_ndarray *array = (const pkw_ndarray *)object;
    if (array->descr != api->descr[dtype] || array->nd != rank || (array->flags & flags) != flags)
        return NULL;
    return array;
}

/* Bytes of the elements of such an array: rank and item size as checked by pkw_fast_array; 0 for NULL. */
static inline size_t
pkw_fast_bytes(const pkw_ndarray *array, int rank, size_t item_size)
{
    if (array == NULL)
        return 0;
    for (int i = 0; i < rank; i++)
        item_size *= (size_t)array->dimensions[i];
    return item_size;
}

/* The two stretches of memory have no byte in common. False too for an empty one that lies inside the other. */
static inline bool
pkw_fast_disjoint(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return (uintptr_t)a + a_bytes <= (uintptr_t)b || (uintptr_t)b + b_bytes <= (uintptr_t)a;
}

/* An exact int that fits 64 bits with sign. */
static inline bool
pkw_fast_integer(PyObject *object, int64_t *value)
{
    if (!PyLong_CheckExact(object))
        return false;
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)object)) {
        *value = PyUnstable_Long_CompactValue((PyLongObject *)object);
        return true;
    }
#else
    if (Py_SIZE(object) == 1) { /* one digit, positive: what sizes and counts are */
        *value = ((PyLongObject *)object)->ob_digit[0];
        return true;
    }
#endif
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
}

/* pkw_fast_i8(object, &value) and so on: an exact int in the range of the type; above INT64_MAX it is not fast. */
#define PKW_FAST_SIGNED(slot, type)                                     \
    static inline bool pkw_fast_##slot(PyObject *object, type *value)   \
    {                                                                   \
        int64_t wide;                                                   \
        if (!pkw_fast_integer(object, &wide))                           \
            return false;                                               \
        *value = (type)wide;                                            \
        return *value == wide;                                          \
    }
#define PKW_FAST_UNSIGNED(slot, type)                                   \
    static inline bool pkw_fast_##slot(PyObject *object, type *value)   \
    {                                                                   \
        int64_t wide;                                                   \
        if (!pkw_fast_integer(object, &wide) || wide < 0)               \
            return false;                                               \
        *value = (type)wide;                                            \
        return (int64_t)*value == wide;                                 \
    }
PKW_FAST_SIGNED(i8, int8_t)
PKW_FAST_SIGNED(i16, int16_t)
PKW_FAST_SIGNED(i32, int32_t)
PKW_FAST_SIGNED(i64, int64_t)
PKW_FAST_UNSIGNED(u8, uint8_t)
PKW_FAST_UNSIGNED(u16, uint16_t)
PKW_FAST_UNSIGNED(u32, uint32_t)
PKW_FAST_UNSIGNED(u64, uint64_t)
#undef PKW_FAST_SIGNED
#undef PKW_FAST_UNSIGNED

/* True or False themselves. */
static inline bool
pkw_fast_b(PyObject *object, _Bool *value)
{
    *value = object == Py_True;
    return object == Py_True || object == Py_False;
}

/* A subclass of float (numpy.float64 is one) or an exact int, as a double. */
__attribute__((unused, noinline)) static bool
pkw_fast_real(PyObject *object, double *value)
{
    int64_t integer;
    if (PyFloat_Check(object)) {
        *value = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (!pkw_fast_integer(object, &integer))
        return false;
    *value = (double)integer;
    return true;
}

static inline bool
pkw_fast_f64(PyObject *object, double *value)
{
    if (!PyFloat_CheckExact(object))
        return pkw_fast_real(object, value);
    *value = PyFloat_AS_DOUBLE(object);
    return true;
}

/* As a float; a finite value beyond its range is not fast. */
static inline bool
pkw_fast_f32(PyObject *object, float *value)
{
    double wide;
    if (!pkw_fast_f64(object, &wide) || (__builtin_isfinite(wide) && (wide > FLT_MAX || wide < -FLT_MAX)))
        return false;
    *value = (float)wide;
    return true;
}

static inline bool
pkw_fast_ld(PyObject *object, long double *value)
{
    if (!PyFloat_CheckExact(object)) /* an int may have more digits than a double, numpy.longdouble has */
        return false;
    *value = PyFloat_AS_DOUBLE(object);
    return true;
}

/* An exact complex, or a real number as above. */
static inline bool
pkw_fast_c128(PyObject *object, double _Complex *value)
{
    double real_part;
    if (PyComplex_CheckExact(object)) {
        const Py_complex *parts = &((PyComplexObject *)object)->cval;
        *value = __builtin_complex(parts->real, parts->imag);
        return true;
    }
    if (!pkw_fast_f64(object, &real_part))
        return false;
    *value = __builtin_complex(real_part, 0.0);
    return true;
}

/* A str of ASCII without NUL: its own memory, valid as long as the object is. */
static inline bool
pkw_fast_string(PyObject *object, const char **value)
{
    if (!PyUnicode_CheckExact(object) || !PyUnicode_IS_COMPACT_ASCII(object))
        return false;
    *value = PyUnicode_DATA(object);
    return strlen(*value) == (size_t)PyUnicode_GET_LENGTH(object);
}

/* A str of one ASCII character. */
static inline bool
pkw_fast_char(PyObject *object, char *value)
{
    if (!PyUnicode_CheckExact(object) || !PyUnicode_IS_COMPACT_ASCII(object) || PyUnicode_GET_LENGTH(object) != 1)
        return false;
    *value = *(const char *)PyUnicode_DATA(object);
    return true;
}

/* Integer expressions: `bad` becomes true on overflow and division by zero, and stays it. Division is towards zero. */
static inline int64_t
pkw_fast_add(int64_t a, int64_t b, bool *bad)
{
    int64_t result;
    *bad |= __builtin_add_overflow(a, b, &result);
    return result;
}

static inline int64_t
pkw_fast_sub(int64_t a, int64_t b, bool *bad)
{
    int64_t result;
    *bad |= __builtin_sub_overflow(a, b, &result);
    return result;
}

static inline int64_t
pkw_fast_mul(int64_t a, int64_t b, bool *bad)
{
    int64_t result;
    *bad |= __builtin_mul_overflow(a, b, &result);
    return result;
}

static inline int64_t
pkw_fast_div(int64_t a, int64_t b, bool *bad)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        *bad = true;
        return 0;
    }
    return a / b;
}

static inline int64_t
pkw_fast_mod(int64_t a, int64_t b, bool *bad)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        *bad = true;
        return 0;
    }
    return a % b;
}

/* Counts a call. */
static inline void
pkw_fast_count(pkw_kernel_state *state)
{
#ifdef Py_GIL_DISABLED
    __atomic_fetch_add(&state->calls, 1, __ATOMIC_RELAXED);
#else
    state->calls++;
#endif
}

/* A tuple of `n` new references, which it takes; NULL with an exception set where one of them is NULL or memory is short. */
__attribute__((unused)) static PyObject *
pkw_fast_tuple(int n, PyObject *const *items)
{
    bool whole = true;
    for (int i = 0; i < n; i++)
        whole = whole && items[i] != NULL;
    PyObject *tuple = whole ? PyTuple_New(n) : NULL;
    for (int i = 0; i < n; i++) {
        if (tuple != NULL)
            PyTuple_SET_ITEM(tuple, i, items[i]);
        else
            Py_XDECREF(items[i]);
    }
    return tuple;
}

/* Code of a pkw_expr from its operations, and a whole pkw_expr, as initializers of constant tables:
 *     .shape = (const pkw_expr[]){PKW_EXPR("2*n", {2, PKW_OP_CONST}, {0, PKW_OP_PARAM}, {0, PKW_OP_MUL}), PKW_FREE} */
#define PKW_EXPR(text, ...) \
    {(text), (const pkw_op[]){__VA_ARGS__}, sizeof((const pkw_op[]){__VA_ARGS__}) / sizeof(pkw_op)}
#define PKW_FREE {NULL, NULL, 0} /* a free dimension */

#endif
