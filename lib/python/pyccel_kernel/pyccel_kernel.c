/* pyccel_kernel.c - the type PyccelKernel: making one, its attributes, and the fast path of its calls. */
#include "pyccel_kernel.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "base/backend.h"
#include "arrays/argument_kind.h"
#include "outputs_internal.h"
#include "base/runtime.h"
#include "call/stats.h"

/* --- the fast path ------------------------------------------------------------------------------------------------ */

static PyObject *
vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct kernel *kernel = (struct kernel *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    Py_ssize_t n = kwnames == NULL ? nargs : nargs + PyTuple_GET_SIZE(kwnames);
    unsigned kinds = kernel->attention | (unsigned)watching_active;
    kernel->state->calls++;
    for (Py_ssize_t i = 0; i < n; i++)
        kinds |= kinds_of(Py_TYPE(args[i])) & kernel->interesting;
    if (kinds == 0 && kernel->use_cupy <= USE_NEVER && !(kernel->use_cupy == USE_AS_BACKEND && backend_is_cupy()))
        return PyObject_Vectorcall(kernel->callable, args, nargsf, kwnames);
    return kernel_call(kernel, args, nargs, kwnames);
}

/* --- construction ------------------------------------------------------------------------------------------------- */

/* Totals of all kernels of one name, kept as long as the process (C49). */
struct total {
    struct total *next;
    pkw_kernel_state state;
    char *module, *name; /* owned */
};
static struct total *totals;

static pkw_kernel_state *
find_state(const char *module, const char *name)
{
    for (struct total *total = totals; total != NULL; total = total->next)
        if (strcmp(total->name, name) == 0 && strcmp(total->module, module) == 0)
            return &total->state;
    struct total *total = PyMem_RawCalloc(1, sizeof *total + strlen(module) + strlen(name) + 2);
    if (total == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    total->module = strcpy((char *)(total + 1), module);
    total->name = strcpy(total->module + strlen(module) + 1, name);
    if (stats_announce(total->module, total->name, &total->state) < 0) {
        PyMem_RawFree(total);
        return NULL;
    }
    total->next = totals;
    totals = total;
    return &total->state;
}

/* object.NAME as a str; without one, `otherwise`. A new reference, or NULL with an exception set. */
static PyObject *
text_attribute(PyObject *object, const char *name, const char *otherwise)
{
    PyObject *text = PyObject_GetAttrString(object, name);
    if (text != NULL && PyUnicode_Check(text) && PyUnicode_AsUTF8(text) != NULL)
        return text;
    Py_XDECREF(text);
    PyErr_Clear();
    return PyUnicode_FromString(otherwise);
}

/* The last part of a type's name, as type.__name__ gives it. */
static const char *
class_name(PyObject *object)
{
    const char *name = Py_TYPE(object)->tp_name, *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

static int
name_kernel(struct kernel *kernel)
{
    kernel->name = text_attribute(kernel->callable, "__name__", class_name(kernel->callable));
    kernel->module = text_attribute(kernel->callable, "__module__", "?");
    if (kernel->name == NULL || kernel->module == NULL)
        return -1;
    kernel->text = PyUnicode_AsUTF8(kernel->name);
    kernel->module_text = PyUnicode_AsUTF8(kernel->module);
    if (kernel->text == NULL || kernel->module_text == NULL)
        return -1;
    kernel->state = find_state(kernel->module_text, kernel->text);
    return kernel->state == NULL ? -1 : 0;
}

/* C5, as functools.update_wrapper does it: what the callable does not have is left out. */
static int
follow_callable(struct kernel *kernel)
{
    static const char *const names[] = {"__module__", "__name__", "__qualname__", "__doc__"};
    kernel->dictionary = PyDict_New();
    if (kernel->dictionary == NULL || PyDict_SetItemString(kernel->dictionary, "__wrapped__", kernel->callable) < 0)
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyObject_GetAttrString(kernel->callable, names[i]);
        if (value == NULL) {
            PyErr_Clear();
            continue;
        }
        int done = PyDict_SetItemString(kernel->dictionary, names[i], value);
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

static int
convert_use_cupy(PyObject *given, signed char *use_cupy)
{
    int truth = given == NULL || given == Py_None ? USE_AS_BACKEND : PyObject_IsTrue(given);
    if (truth < 0 && given != NULL && given != Py_None)
        return -1;
    *use_cupy = (signed char)truth;
    return 0;
}

static int
convert_modules(PyObject *given, PyObject **modules)
{
    if (given != NULL && PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "object_modules must be a sequence of module names, not a bare str: did you mean "
                                      "object_modules=(%R,)?", given);
        return -1;
    }
    *modules = given == NULL || given == Py_None ? PyTuple_New(0) : PySequence_Tuple(given);
    for (Py_ssize_t i = 0; *modules != NULL && i < PyTuple_GET_SIZE(*modules); i++)
        if (!PyUnicode_Check(PyTuple_GET_ITEM(*modules, i))) {
            PyErr_Format(PyExc_TypeError, "object_modules must hold module names, got %R", PyTuple_GET_ITEM(*modules, i));
            return -1;
        }
    return *modules == NULL ? -1 : 0;
}

static int
convert_parameters(PyObject *given, PyObject **parameters)
{
    if (given == NULL || given == Py_None)
        return 0;
    if (PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "parameters must be a sequence of names, not a bare str");
        return -1;
    }
    *parameters = PyCallable_Check(given) ? Py_NewRef(given) : PySequence_Tuple(given);
    return *parameters == NULL ? -1 : 0;
}

static int
convert_on_error(const char *given, bool *copy_back)
{
    *copy_back = strcmp(given, "copy_back") == 0;
    if (*copy_back || strcmp(given, "discard") == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "on_error must be 'discard' or 'copy_back', not '%s'", given);
    return -1;
}

static int
fill(struct kernel *kernel, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"kernel", "use_cupy", "object_modules", "is_array", "outputs", "parameters", "on_error", NULL};
    PyObject *callable, *use_cupy = NULL, *modules = NULL, *is_array = NULL, *outputs = NULL, *parameters = NULL;
    const char *on_error = "discard";
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOOOOs:PyccelKernel", names, &callable, &use_cupy, &modules, &is_array,
                                     &outputs, &parameters, &on_error))
        return -1;
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "kernel must be callable, not %R", callable);
        return -1;
    }
    if (is_array != NULL && is_array != Py_None && !PyCallable_Check(is_array)) {
        PyErr_Format(PyExc_TypeError, "is_array must be callable, not %R", is_array);
        return -1;
    }
    kernel->callable = Py_NewRef(callable);
    kernel->is_array = is_array == Py_None ? NULL : Py_XNewRef(is_array);
    if (convert_use_cupy(use_cupy, &kernel->use_cupy) < 0 || convert_modules(modules, &kernel->object_modules) < 0
        || outputs_convert(outputs, &kernel->outputs) < 0 || convert_parameters(parameters, &kernel->parameters) < 0
        || convert_on_error(on_error, &kernel->copy_back) < 0)
        return -1;
    kernel->interesting = KIND_HOST_ARGS;
    if (kernel->use_cupy != USE_NEVER)
        kernel->interesting |= KIND_DEVICE | KIND_CONTAINER | (PyTuple_GET_SIZE(kernel->object_modules) > 0 ? KIND_INSTANCE : 0);
    kernel->attention = ATTENTION_UNCHECKED;
    return name_kernel(kernel) < 0 ? -1 : follow_callable(kernel);
}

static PyObject *
kernel_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    struct kernel *kernel = (struct kernel *)type->tp_alloc(type, 0);
    if (kernel == NULL)
        return NULL;
    kernel->vectorcall = vectorcall;
    if (fill(kernel, args, keywords) < 0)
        Py_CLEAR(kernel);
    return (PyObject *)kernel;
}

static int
kernel_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct kernel *kernel = (struct kernel *)self;
    Py_VISIT(kernel->callable);
    Py_VISIT(kernel->is_array);
    Py_VISIT(kernel->outputs);
    Py_VISIT(kernel->parameters);
    Py_VISIT(kernel->dictionary);
    return 0;
}

/* What can be part of a cycle; a kernel whose callable is gone cannot be called any more. */
static int
kernel_clear(PyObject *self)
{
    struct kernel *kernel = (struct kernel *)self;
    Py_CLEAR(kernel->is_array);
    Py_CLEAR(kernel->parameters);
    Py_CLEAR(kernel->dictionary);
    return 0;
}

static void
kernel_dealloc(PyObject *self)
{
    struct kernel *kernel = (struct kernel *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (kernel->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    kernel_clear(self);
    Py_XDECREF(kernel->callable);
    Py_XDECREF(kernel->name);
    Py_XDECREF(kernel->module);
    Py_XDECREF(kernel->object_modules);
    Py_XDECREF(kernel->outputs);
    Py_XDECREF(kernel->known.names);
    type->tp_free(self);
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static PyObject *
get_use_cupy(PyObject *self, void *closure)
{
    (void)closure;
    signed char use_cupy = ((struct kernel *)self)->use_cupy;
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
    PyObject *is_array = ((struct kernel *)self)->is_array;
    return is_array != NULL ? Py_NewRef(is_array) : PyCFunction_New(&is_numpy_array_method, NULL);
}

static PyObject *
get_parameters(PyObject *self, void *closure)
{
    (void)closure;
    struct kernel *kernel = (struct kernel *)self;
    if (kernel_find_parameters(kernel) < 0)
        return NULL;
    return Py_NewRef(kernel->known.names == NULL ? Py_None : kernel->known.names);
}

static PyObject *
get_on_error(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((struct kernel *)self)->copy_back ? "copy_back" : "discard");
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
    {"kernel", T_OBJECT_EX, offsetof(struct kernel, callable), READONLY, "The callable."},
    {"name", T_OBJECT_EX, offsetof(struct kernel, name), READONLY, "The callable's __name__, or that of its class."},
    {"outputs", T_OBJECT, offsetof(struct kernel, outputs), READONLY, "The declared outputs, a tuple, or None: all."},
    {"object_modules", T_OBJECT_EX, offsetof(struct kernel, object_modules), READONLY,
     "Beginnings of the names of modules whose objects are looked into."},
    {0},
};

static PyObject *
kernel_repr(PyObject *self)
{
    struct kernel *kernel = (struct kernel *)self;
    PyObject *use_cupy = get_use_cupy(self, NULL);
    if (use_cupy == NULL)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("PyccelKernel(kernel=%R, use_cupy=%R, outputs=%R)", kernel->name, use_cupy,
                                          kernel->outputs == NULL ? Py_None : kernel->outputs);
    Py_DECREF(use_cupy);
    return text;
}

/* What makes another one like it: its class, or pkwrap.kernels.fallback. A new reference, or NULL with an exception set. */
static PyObject *
find_maker(struct kernel *kernel)
{
    if (!(kernel->attention & ATTENTION_FALLBACK))
        return Py_NewRef((PyObject *)Py_TYPE(kernel));
    PyObject *module = PyImport_ImportModule("pkwrap.kernels");
    PyObject *maker = module == NULL ? NULL : PyObject_GetAttrString(module, "fallback");
    Py_XDECREF(module);
    return maker;
}

/* C5: by reference to the callable; attributes of its own go along. */
static PyObject *
kernel_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    struct kernel *kernel = (struct kernel *)self;
    PyObject *maker = find_maker(kernel);
    if (maker == NULL)
        return NULL;
    PyObject *use_cupy = kernel->use_cupy == USE_AS_BACKEND ? Py_None : kernel->use_cupy == USE_ALWAYS ? Py_True : Py_False;
#define OR_NONE(object) ((object) == NULL ? Py_None : (object))
    return Py_BuildValue("N(OOOOOOs)O", maker, kernel->callable, use_cupy, kernel->object_modules, OR_NONE(kernel->is_array),
                         OR_NONE(kernel->outputs), OR_NONE(kernel->parameters), kernel->copy_back ? "copy_back" : "discard",
                         OR_NONE(kernel->dictionary));
#undef OR_NONE
}

static PyMethodDef methods[] = {
    {"__reduce__", kernel_reduce, METH_NOARGS, "__reduce__()\n--\n\nFor pickle and copy: the callable goes by reference."},
    {0},
};

PyTypeObject kernel_type = {
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
    .tp_basicsize = sizeof(struct kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(struct kernel, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(struct kernel, dictionary),
    .tp_weaklistoffset = offsetof(struct kernel, weak_references),
    .tp_new = kernel_new,
    .tp_dealloc = kernel_dealloc,
    .tp_traverse = kernel_traverse,
    .tp_clear = kernel_clear,
    .tp_repr = kernel_repr,
    .tp_getset = getset,
    .tp_members = members,
    .tp_methods = methods,
};

/* --- the package -------------------------------------------------------------------------------------------------- */

static PyObject *
fallback(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *kernel = PyObject_Call((PyObject *)&kernel_type, args, keywords);
    if (kernel != NULL)
        ((struct kernel *)kernel)->attention |= ATTENTION_FALLBACK;
    return kernel;
}

static PyMethodDef functions[] = {
    {"fallback", (PyCFunction)(void (*)(void))fallback, METH_VARARGS | METH_KEYWORDS,
     "fallback(kernel, **options)\n--\n\nA PyccelKernel for a kernel that has no version for the device: its first call warns, and each\n"
     "call counts as a fallback."},
    {0},
};

int
kernel_add(PyObject *module)
{
    if (kinds_init() < 0 || PyType_Ready(&kernel_type) < 0 || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "PyccelKernel", (PyObject *)&kernel_type);
}
