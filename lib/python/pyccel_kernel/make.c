/* make.c - PyccelKernel.__init__: its arguments judged, the kernel filled with them; and the same for pickle and copy. */
#include "make_internal.h"

#include <string.h>

#include "arrays/type_cache.h"
#include "call/stats.h"
#include "graph_internal.h"
#include "outputs_internal.h"

/* --- the names ---------------------------------------------------------------------------------------------------- */

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

/* C5, as functools.update_wrapper does it: what the callable does not have is left out. */
static int
follow_callable(PyObject *dictionary, PyObject *callable)
{
    static const char *const names[] = {"__module__", "__name__", "__qualname__", "__doc__"};
    if (PyDict_SetItemString(dictionary, "__wrapped__", callable) < 0)
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyObject_GetAttrString(callable, names[i]);
        if (value == NULL) {
            PyErr_Clear();
            continue;
        }
        int done = PyDict_SetItemString(dictionary, names[i], value);
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

/* --- the arguments ------------------------------------------------------------------------------------------------ */

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

/* What __init__ was given, converted; whatever is set is owned. */
struct options {
    PyObject *callable, *object_modules, *is_array, *outputs, *parameters;
    PyObject *name, *module;
    pkw_kernel_state *state;
    bool copy_back;
    signed char use_cupy;
};

static int
read_options(struct options *options, PyObject *args, PyObject *keywords)
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
    options->callable = Py_NewRef(callable);
    options->is_array = is_array == Py_None ? NULL : Py_XNewRef(is_array);
    if (refuse_deferred(callable) < 0 || convert_use_cupy(use_cupy, &options->use_cupy) < 0
        || convert_modules(modules, &options->object_modules) < 0 || outputs_convert(outputs, &options->outputs) < 0
        || convert_parameters(parameters, &options->parameters) < 0 || convert_on_error(on_error, &options->copy_back) < 0)
        return -1;
    options->name = text_attribute(callable, "__name__", class_name(callable));
    options->module = options->name == NULL ? NULL : text_attribute(callable, "__module__", "?");
    if (options->module == NULL)
        return -1;
    options->state = find_state(PyUnicode_AsUTF8(options->module), PyUnicode_AsUTF8(options->name));
    return options->state == NULL ? -1 : 0;
}

static void
options_release(struct options *options)
{
    Py_XDECREF(options->callable);
    Py_XDECREF(options->object_modules);
    Py_XDECREF(options->is_array);
    Py_XDECREF(options->outputs);
    Py_XDECREF(options->parameters);
    Py_XDECREF(options->name);
    Py_XDECREF(options->module);
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* A kernel whose __init__ runs again, perhaps in the middle of a call: what it was made of stays alive as long as itself. */
static int
keep_former(struct pyccel_kernel *kernel)
{
    PyObject *parts[] = {kernel->former,   kernel->callable, kernel->object_modules, kernel->is_array,   kernel->outputs,
                         kernel->parameters, kernel->name,     kernel->module,         kernel->known.names};
    if (kernel->callable == NULL)
        return 0;
    PyObject *former = PyTuple_New(sizeof parts / sizeof *parts);
    if (former == NULL)
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        PyTuple_SET_ITEM(former, (Py_ssize_t)i, parts[i] == NULL ? Py_NewRef(Py_None) : parts[i]);
    kernel->former = former;
    return 0;
}

/* Whether the callable is C code that Python's own flags do not keep from writing to a read-only array: a function of an extension
 * module, as Pyccel's are. NumPy's, Cython's and Numba's functions are of types of their own, and look. */
static bool
ignores_flags(PyObject *callable)
{
    return PyCFunction_Check(callable);
}

static void
install(struct pyccel_kernel *kernel, struct options *options)
{
    kernel->callable = options->callable;
    kernel->object_modules = options->object_modules;
    kernel->is_array = options->is_array;
    kernel->outputs = options->outputs;
    kernel->parameters = options->parameters;
    kernel->name = options->name;
    kernel->module = options->module;
    kernel->text = PyUnicode_AsUTF8(options->name);
    kernel->module_text = PyUnicode_AsUTF8(options->module);
    kernel->state = options->state;
    kernel->copy_back = options->copy_back;
    kernel->use_cupy = options->use_cupy;
    kernel->known = (struct known_parameters){0};
    kernel->looked_for_parameters = false;
    kernel->interesting = KIND_HOST_ARGS;
    if (kernel->use_cupy != USE_NEVER)
        kernel->interesting |= KIND_DEVICE | KIND_CONTAINER | (PyTuple_GET_SIZE(kernel->object_modules) > 0 ? KIND_INSTANCE : 0);
    kernel->ignores_flags = ignores_flags(kernel->callable);
    bool guards = kernel->outputs == NULL ? kernel->ignores_flags : PyTuple_GET_SIZE(kernel->outputs) > 0;
    kernel->guarded = guards ? KIND_NUMPY : 0;
    kernel->attention = ATTENTION_UNCHECKED;
    *options = (struct options){0};
}

int
pyccel_kernel_fill(struct pyccel_kernel *kernel, PyObject *args, PyObject *keywords)
{
    struct options options = {0};
    if (kernel->dictionary == NULL && (kernel->dictionary = PyDict_New()) == NULL)
        return -1;
    int done = read_options(&options, args, keywords);
    if (done == 0)
        done = follow_callable(kernel->dictionary, options.callable);
    if (done == 0)
        done = keep_former(kernel);
    if (done == 0)
        install(kernel, &options);
    options_release(&options);
    return done;
}

/* --- pickle and copy ---------------------------------------------------------------------------------------------- */

static int
add_slot(void *slots, PyObject *name, PyObject *value)
{
    return PyDict_SetItem(slots, name, value);
}

PyObject *
pyccel_kernel_getstate(struct pyccel_kernel *kernel)
{
    PyObject *use_cupy = kernel->use_cupy == USE_AS_BACKEND ? Py_None : kernel->use_cupy == USE_ALWAYS ? Py_True : Py_False;
    PyObject *slots = PyDict_New();
    if (slots == NULL || visit_slots((PyObject *)kernel, add_slot, slots) < 0) {
        Py_XDECREF(slots);
        return NULL;
    }
#define OR_NONE(object) ((object) == NULL ? Py_None : (object))
    return Py_BuildValue("(OOOOOOs)iON", kernel->callable, use_cupy, kernel->object_modules, OR_NONE(kernel->is_array),
                         OR_NONE(kernel->outputs), OR_NONE(kernel->parameters), kernel->copy_back ? "copy_back" : "discard",
                         (int)kernel->is_fallback, OR_NONE(kernel->dictionary), slots);
#undef OR_NONE
}

int
pyccel_kernel_setstate(struct pyccel_kernel *kernel, PyObject *state)
{
    PyObject *options, *dictionary, *slots, *name, *value;
    int is_fallback;
    if (!PyTuple_Check(state)) {
        PyErr_SetString(PyExc_TypeError, "the state of a PyccelKernel is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(state, "O!iO!O!:__setstate__", &PyTuple_Type, &options, &is_fallback, &PyDict_Type, &dictionary,
                          &PyDict_Type, &slots))
        return -1;
    if (pyccel_kernel_fill(kernel, options, NULL) < 0 || PyDict_Update(kernel->dictionary, dictionary) < 0)
        return -1;
    kernel->is_fallback = is_fallback != 0;
    Py_ssize_t position = 0;
    while (PyDict_Next(slots, &position, &name, &value))
        if (PyObject_GenericSetAttr((PyObject *)kernel, name, value) < 0)
            return -1;
    return 0;
}
