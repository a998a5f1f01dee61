/* pyccel_kernel.c - the type PyccelKernel: making one, its attributes, and the fast path of its calls. */
#include "pyccel_kernel.h"

#include <stddef.h>
#include <structmember.h>

#include "base/backend.h"
#include "arrays/type_cache.h"
#include "base/runtime.h"
#include "base/count.h"
#include "make_internal.h"
#include "outputs_internal.h"

/* --- the fast path ------------------------------------------------------------------------------------------------ */

static PyObject *
vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    Py_ssize_t n = kwnames == NULL ? nargs : nargs + PyTuple_GET_SIZE(kwnames);
    unsigned kinds = kernel->attention | (unsigned)watching_active;
    unsigned found = 0, guarded = kernel->guarded;
    count_add(&kernel->state->calls, 1);
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned own = kinds_of(Py_TYPE(args[i]));
        found |= own;
        if (own & guarded && !PyArray_ISWRITEABLE((PyArrayObject *)args[i]))
            kinds |= outputs_may_have(kernel, i, nargs, kwnames) ? KIND_NUMPY : 0;
    }
    kinds |= found & kernel->interesting;
    if (kinds == 0 && kernel->use_cupy <= USE_NEVER && !(kernel->use_cupy == USE_AS_BACKEND && backend_is_cupy()))
        return PyObject_Vectorcall(kernel->callable, args, nargsf, kwnames);
    return pyccel_kernel_call(kernel, args, nargs, kwnames);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

/* What a kernel is called with before __init__ has made it one. */
static PyObject *
refuse_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    (void)args;
    (void)nargsf;
    (void)kwnames;
    PyErr_Format(PyExc_RuntimeError, "PyccelKernel.__init__ of this %s has not been called", Py_TYPE(self)->tp_name);
    return NULL;
}

/* Takes whatever a subclass's __init__ takes. */
static PyObject *
pyccel_kernel_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)args;
    (void)keywords;
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)type->tp_alloc(type, 0);
    if (kernel != NULL) {
        kernel->vectorcall = refuse_call;
        kernel->use_cupy = USE_AS_BACKEND;
    }
    return (PyObject *)kernel;
}

static int
pyccel_kernel_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    if (pyccel_kernel_fill(kernel, args, keywords) < 0)
        return -1;
    kernel->vectorcall = vectorcall;
    return 0;
}

static int
pyccel_kernel_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    Py_VISIT(kernel->callable);
    Py_VISIT(kernel->is_array);
    Py_VISIT(kernel->outputs);
    Py_VISIT(kernel->parameters);
    Py_VISIT(kernel->dictionary);
    Py_VISIT(kernel->former);
    return 0;
}

/* What can be part of a cycle; a kernel whose callable is gone cannot be called any more. */
static int
pyccel_kernel_clear(PyObject *self)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    Py_CLEAR(kernel->is_array);
    Py_CLEAR(kernel->parameters);
    Py_CLEAR(kernel->dictionary);
    return 0;
}

static void
pyccel_kernel_dealloc(PyObject *self)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (kernel->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    pyccel_kernel_clear(self);
    Py_XDECREF(kernel->callable);
    Py_XDECREF(kernel->name);
    Py_XDECREF(kernel->module);
    Py_XDECREF(kernel->object_modules);
    Py_XDECREF(kernel->outputs);
    Py_XDECREF(kernel->known.names);
    Py_XDECREF(kernel->former);
    type->tp_free(self);
}

/* 1; 0 with RuntimeError set where __init__ has not run. */
static bool
is_made(PyObject *self)
{
    if (((struct pyccel_kernel *)self)->callable != NULL)
        return true;
    refuse_call(self, NULL, 0, NULL);
    return false;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static PyObject *
get_use_cupy(PyObject *self, void *closure)
{
    (void)closure;
    signed char use_cupy = ((struct pyccel_kernel *)self)->use_cupy;
    return PyBool_FromLong(use_cupy == USE_AS_BACKEND ? backend_is_cupy() : use_cupy == USE_ALWAYS);
}

/* What a kernel without a custom is_array asks. */
static PyObject *
is_numpy_array(PyObject *self, PyObject *object)
{
    (void)self;
    return PyBool_FromLong(PyArray_Check(object));
}
static PyMethodDef is_numpy_array_method = {"is_array", is_numpy_array, METH_O,
                                            "is_array(value)\n--\n\nWhether a returned value counts as an array."};

static PyObject *
get_is_array(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *is_array = ((struct pyccel_kernel *)self)->is_array;
    return is_array != NULL ? Py_NewRef(is_array) : PyCFunction_New(&is_numpy_array_method, NULL);
}

static PyObject *
get_parameters(PyObject *self, void *closure)
{
    (void)closure;
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    if (!is_made(self) || pyccel_kernel_find_parameters(kernel) < 0)
        return NULL;
    return Py_NewRef(kernel->known.names == NULL ? Py_None : kernel->known.names);
}

static PyObject *
get_on_error(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((struct pyccel_kernel *)self)->copy_back ? "copy_back" : "discard");
}

static PyGetSetDef getset[] = {
    {"use_cupy", get_use_cupy, NULL, "Whether calls convert: as forced, else whether the backend is CuPy now.", NULL},
    {"is_array", get_is_array, NULL, "Decides which returned values count as arrays.", NULL},
    {"parameters", get_parameters, NULL, "The names of the parameters, a tuple; None where they are not known.", NULL},
    {"on_error", get_on_error, NULL, "What becomes of device arrays when the kernel raises: 'discard' or 'copy_back'.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {0},
};

static PyMemberDef members[] = {
    {"kernel", T_OBJECT_EX, offsetof(struct pyccel_kernel, callable), READONLY, "The callable."},
    {"name", T_OBJECT_EX, offsetof(struct pyccel_kernel, name), READONLY, "The callable's __name__, or that of its class."},
    {"outputs", T_OBJECT, offsetof(struct pyccel_kernel, outputs), READONLY, "The declared outputs, a tuple, or None: all."},
    {"object_modules", T_OBJECT_EX, offsetof(struct pyccel_kernel, object_modules), READONLY,
     "Beginnings of the names of modules whose objects are looked into."},
    {0},
};

static PyObject *
pyccel_kernel_repr(PyObject *self)
{
    struct pyccel_kernel *kernel = (struct pyccel_kernel *)self;
    PyObject *use_cupy = is_made(self) ? get_use_cupy(self, NULL) : NULL;
    if (use_cupy == NULL)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("PyccelKernel(kernel=%R, use_cupy=%R, outputs=%R)", kernel->name, use_cupy,
                                          kernel->outputs == NULL ? Py_None : kernel->outputs);
    Py_DECREF(use_cupy);
    return text;
}

/* C5: by reference to the callable; attributes of its own go along. Made without __init__, whose arguments are a subclass's own. */
static PyObject *
pyccel_kernel_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *copyreg = is_made(self) ? PyImport_ImportModule("copyreg") : NULL;
    PyObject *maker = copyreg == NULL ? NULL : PyObject_GetAttrString(copyreg, "__newobj__");
    Py_XDECREF(copyreg);
    PyObject *state = maker == NULL ? NULL : pyccel_kernel_getstate((struct pyccel_kernel *)self);
    if (state == NULL) {
        Py_XDECREF(maker);
        return NULL;
    }
    return Py_BuildValue("N(O)N", maker, (PyObject *)Py_TYPE(self), state);
}

static PyObject *
set_state(PyObject *self, PyObject *state)
{
    if (pyccel_kernel_setstate((struct pyccel_kernel *)self, state) < 0)
        return NULL;
    ((struct pyccel_kernel *)self)->vectorcall = vectorcall;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"__reduce__", pyccel_kernel_reduce, METH_NOARGS, "__reduce__()\n--\n\nFor pickle and copy: the callable goes by reference."},
    {"__setstate__", set_state, METH_O, "__setstate__(state)\n--\n\nFor pickle and copy."},
    {0},
};

PyTypeObject pyccel_kernel_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pkwrap.kernels.PyccelKernel",
    .tp_doc = "PyccelKernel(kernel, use_cupy=None, object_modules=(), is_array=None, outputs=None, parameters=None, "
              "on_error='discard')\n--\n\n"
              "A callable that understands NumPy arrays, called with device arrays as well: they are copied to the host, shown to the\n"
              "kernel as NumPy arrays of the same shape, dtype and order, and those that it may have written are copied back.\n\n"
              "use_cupy: True: every call converts; False: none; None: where the backend is CuPy or a device array is among the\n"
              "    arguments.\n"
              "object_modules: beginnings of module names; instances of their classes are looked into.\n"
              "is_array: decides which returned values count as arrays (default: every numpy.ndarray).\n"
              "outputs: positions and names of the arguments that the kernel writes; None: any; (): none.\n"
              "parameters: the names of the kernel's parameters, or a callable that returns them, where no signature tells.\n"
              "on_error: 'discard' or 'copy_back': what becomes of the arrays when the kernel raises.\n\n"
              "Errors: TypeError for arguments of the wrong kind; a call raises IndexError or KeyError for a declaration that does not\n"
              "fit it, pkwrap.CudaError for failed copies, and whatever the kernel raises.",
    .tp_basicsize = sizeof(struct pyccel_kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(struct pyccel_kernel, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(struct pyccel_kernel, dictionary),
    .tp_weaklistoffset = offsetof(struct pyccel_kernel, weak_references),
    .tp_new = pyccel_kernel_new,
    .tp_init = pyccel_kernel_init,
    .tp_dealloc = pyccel_kernel_dealloc,
    .tp_traverse = pyccel_kernel_traverse,
    .tp_clear = pyccel_kernel_clear,
    .tp_repr = pyccel_kernel_repr,
    .tp_getset = getset,
    .tp_members = members,
    .tp_methods = methods,
};

/* --- the package -------------------------------------------------------------------------------------------------- */

static PyObject *
fallback(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *kernel = PyObject_Call((PyObject *)&pyccel_kernel_type, args, keywords);
    if (kernel != NULL)
        ((struct pyccel_kernel *)kernel)->is_fallback = true;
    return kernel;
}

static PyMethodDef functions[] = {
    {"fallback", (PyCFunction)(void (*)(void))fallback, METH_VARARGS | METH_KEYWORDS,
     "fallback(kernel, **options)\n--\n\nA PyccelKernel for a kernel that has no version for the device: the first call that\n"
     "converts warns, and each counts as a fallback."},
    {0},
};

int
pyccel_kernel_add(PyObject *module)
{
    if (PyType_Ready(&pyccel_kernel_type) < 0 || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "PyccelKernel", (PyObject *)&pyccel_kernel_type);
}
