/* outputs.c - see outputs_internal.h. */
#include "outputs_internal.h"

#include <string.h>

#include "base/errors.h"

/* --- construction (C2) -------------------------------------------------------------------------------------------- */

static int
refuse_bare(PyObject *given)
{
    PyErr_Format(PyExc_TypeError, "outputs must be a sequence of argument positions and names, not a bare %s: did you mean "
                                  "outputs=(%R,)?",
                 Py_TYPE(given)->tp_name, given);
    return -1;
}

/* An int or a str, as itself; a NumPy integer as int. A new reference, or NULL with TypeError set. */
static PyObject *
convert_entry(PyObject *entry)
{
    if (PyUnicode_Check(entry) || (PyLong_Check(entry) && !PyBool_Check(entry)))
        return Py_NewRef(entry);
    if (PyArray_IsScalar(entry, Integer))
        return PyNumber_Index(entry);
    return PyErr_Format(PyExc_TypeError, "outputs must hold argument positions (int) and names (str), got %R", entry);
}

int
outputs_convert(PyObject *given, PyObject **outputs)
{
    *outputs = NULL;
    if (given == NULL || given == Py_None)
        return 0;
    if (PyUnicode_Check(given) || PyBytes_Check(given) || PyIndex_Check(given))
        return refuse_bare(given);
    PyObject *tuple = PySequence_Tuple(given);
    PyObject *converted = tuple == NULL ? NULL : PyTuple_New(PyTuple_GET_SIZE(tuple));
    for (Py_ssize_t i = 0; converted != NULL && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *entry = convert_entry(PyTuple_GET_ITEM(tuple, i));
        if (entry == NULL)
            Py_CLEAR(converted);
        else
            PyTuple_SET_ITEM(converted, i, entry);
    }
    Py_XDECREF(tuple);
    *outputs = converted;
    return converted == NULL ? -1 : 0;
}

/* --- the callable's parameters ------------------------------------------------------------------------------------ */

enum parameter_kind { POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD }; /* of inspect */

static int
add_parameter(struct known_parameters *known, PyObject *names, PyObject *parameter)
{
    PyObject *kind_object = PyObject_GetAttrString(parameter, "kind");
    long kind = kind_object == NULL ? -1 : PyLong_AsLong(kind_object);
    Py_XDECREF(kind_object);
    if (kind < 0)
        return -1;
    known->has_more = known->has_more || kind == VAR_POSITIONAL;
    if (kind == VAR_POSITIONAL || kind == VAR_KEYWORD)
        return 0;
    known->n_positional += kind != KEYWORD_ONLY;
    PyObject *name = PyObject_GetAttrString(parameter, "name");
    int done = name == NULL ? -1 : PyList_Append(names, name);
    Py_XDECREF(name);
    return done;
}

/* The values of inspect.signature(callable).parameters as a list; NULL without an exception where there is no signature. */
static PyObject *
inspect_parameters(PyObject *callable)
{
    PyObject *inspect = PyImport_ImportModule("inspect");
    PyObject *signature = inspect == NULL ? NULL : PyObject_CallMethod(inspect, "signature", "O", callable);
    Py_XDECREF(inspect);
    if (signature == NULL) {
        if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Clear(); /* many compiled functions have none */
        return NULL;
    }
    PyObject *parameters = PyObject_GetAttrString(signature, "parameters");
    Py_DECREF(signature);
    PyObject *values = parameters == NULL ? NULL : PyMapping_Values(parameters);
    Py_XDECREF(parameters);
    return values;
}

/* callable.python, the function that a compiled one was made from, as cunumpy's host kernels and Pyccel's own wrappers have it; else the
 * callable itself. A new reference, or NULL with an exception set. */
static PyObject *
find_described(PyObject *callable)
{
    PyObject *python = PyObject_GetAttrString(callable, "python");
    if (python != NULL && PyCallable_Check(python))
        return python;
    Py_XDECREF(python);
    if (python == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return NULL;
    PyErr_Clear();
    return Py_NewRef(callable);
}

static int
find_by_signature(struct pyccel_kernel *kernel)
{
    PyObject *described = find_described(kernel->callable);
    PyObject *parameters = described == NULL ? NULL : inspect_parameters(described);
    Py_XDECREF(described);
    if (parameters == NULL)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *names = PyList_New(0);
    int done = names == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; done == 0 && i < PyList_GET_SIZE(parameters); i++)
        done = add_parameter(&kernel->known, names, PyList_GET_ITEM(parameters, i));
    if (done == 0) {
        kernel->known.names = PyList_AsTuple(names);
        done = kernel->known.names == NULL ? -1 : 0;
    }
    Py_XDECREF(names);
    Py_DECREF(parameters);
    return done;
}

/* parameters=: names, or a callable that returns them, or None. */
static int
find_as_given(struct pyccel_kernel *kernel)
{
    PyObject *given = kernel->parameters;
    PyObject *names = PyCallable_Check(given) ? PyObject_CallNoArgs(given) : Py_NewRef(given);
    if (names == NULL)
        return -1;
    if (names == Py_None) {
        Py_DECREF(names);
        return 0;
    }
    kernel->known.names = PySequence_Tuple(names);
    Py_DECREF(names);
    if (kernel->known.names == NULL)
        return -1;
    kernel->known.n_positional = (int)PyTuple_GET_SIZE(kernel->known.names);
    return 0;
}

int
pyccel_kernel_find_parameters(struct pyccel_kernel *kernel)
{
    if (kernel->looked_for_parameters)
        return 0;
    int done = kernel->parameters != NULL ? find_as_given(kernel) : find_by_signature(kernel);
    kernel->looked_for_parameters = done == 0;
    return done;
}

/* --- resolving ---------------------------------------------------------------------------------------------------- */

/* The argument with this keyword, or -1. */
static int
find_keyword(PyObject *name, Py_ssize_t nargs, PyObject *kwnames)
{
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++)
        if (PyTuple_GET_ITEM(kwnames, i) == name || PyUnicode_Compare(PyTuple_GET_ITEM(kwnames, i), name) == 0)
            return (int)(nargs + i);
    return -1;
}

/* Whether an entry of the declaration means argument i. */
static bool
entry_means(const struct pyccel_kernel *kernel, PyObject *entry, Py_ssize_t i, Py_ssize_t nargs, PyObject *kwnames)
{
    const struct known_parameters *known = &kernel->known;
    PyObject *name = NULL;
    if (i >= nargs)
        name = PyTuple_GET_ITEM(kwnames, i - nargs);
    else if (known->names != NULL && i < known->n_positional)
        name = PyTuple_GET_ITEM(known->names, i);
    if (PyUnicode_Check(entry))
        return name != NULL && PyUnicode_Check(name) && PyUnicode_Compare(name, entry) == 0;
    int overflow;
    long long position = PyLong_AsLongLongAndOverflow(entry, &overflow);
    if (overflow != 0)
        return false;
    if (i < nargs)
        return position == i || position + nargs == i;
    PyObject *declared = position >= nargs && position < known->n_positional ? PyTuple_GET_ITEM(known->names, position) : NULL;
    return declared != NULL && PyUnicode_Check(declared) && PyUnicode_Compare(declared, name) == 0;
}

bool
outputs_may_have(const struct pyccel_kernel *kernel, Py_ssize_t i, Py_ssize_t nargs, PyObject *kwnames)
{
    for (Py_ssize_t n = kernel->outputs == NULL ? 0 : PyTuple_GET_SIZE(kernel->outputs), entry = 0; entry < n; entry++)
        if (entry_means(kernel, PyTuple_GET_ITEM(kernel->outputs, entry), i, nargs, kwnames))
            return true;
    return kernel->outputs == NULL;
}

static Py_ssize_t
find_parameter(const struct known_parameters *known, PyObject *name)
{
    for (Py_ssize_t i = 0; known->names != NULL && i < PyTuple_GET_SIZE(known->names); i++)
        if (PyUnicode_Check(PyTuple_GET_ITEM(known->names, i)) && PyUnicode_Compare(PyTuple_GET_ITEM(known->names, i), name) == 0)
            return i;
    return -1;
}

/* 0, or -1 with an exception set; *argument -1: a parameter that this call leaves out. */
static int
resolve_name(struct pyccel_kernel *kernel, PyObject *name, Py_ssize_t nargs, PyObject *kwnames, int *argument)
{
    *argument = find_keyword(name, nargs, kwnames);
    if (*argument >= 0)
        return 0;
    Py_ssize_t position = find_parameter(&kernel->known, name);
    if (position >= 0 && position < kernel->known.n_positional && position < nargs)
        *argument = (int)position;
    if (position >= 0)
        return 0;
    bool all_known = kernel->known.names != NULL && !kernel->known.has_more;
    PyErr_Format(PyExc_KeyError, "%s(): outputs declares %R, but the call has no such keyword argument%s", kernel->text, name,
                 all_known ? "" : ", and not all of the positional ones have a name that is known: one that is passed by position must be "
                                  "declared by index, not by name, or be named by parameters=(...)");
    return -1;
}

static int
resolve_position(struct pyccel_kernel *kernel, PyObject *number, Py_ssize_t nargs, PyObject *kwnames, int *argument)
{
    int overflow;
    long long position = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (position == -1 && PyErr_Occurred())
        return -1;
    *argument = -1;
    if (overflow == 0 && position >= -nargs && position < nargs) {
        *argument = (int)(position < 0 ? position + nargs : position);
        return 0;
    }
    const struct known_parameters *known = &kernel->known;
    if (overflow == 0 && position >= 0 && position < known->n_positional) {
        *argument = find_keyword(PyTuple_GET_ITEM(known->names, position), nargs, kwnames);
        return 0;
    }
    PyErr_Format(PyExc_IndexError,
                 "%s(): outputs declares positional argument %S, but the call has %zd positional argument%s; one that is passed by "
                 "keyword must be declared by name, not by index, where the names of the parameters are not known",
                 kernel->text, number, nargs, nargs == 1 ? "" : "s");
    return -1;
}

int
outputs_resolve(struct pyccel_kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, bool *written)
{
    size_t n = (size_t)(nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames)));
    memset(written, kernel->outputs == NULL, n * sizeof *written);
    if (kernel->outputs == NULL || PyTuple_GET_SIZE(kernel->outputs) == 0)
        return 0;
    if (pyccel_kernel_find_parameters(kernel) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kernel->outputs); i++) {
        PyObject *entry = PyTuple_GET_ITEM(kernel->outputs, i);
        int argument;
        int done = PyUnicode_Check(entry) ? resolve_name(kernel, entry, nargs, kwnames, &argument)
                                          : resolve_position(kernel, entry, nargs, kwnames, &argument);
        if (done < 0)
            return -1;
        if (argument >= 0)
            written[argument] = true;
    }
    return 0;
}

int
refuse_read_only_output(const struct pyccel_kernel *kernel, const char *label)
{
    return raise_argument_error(PyExc_ValueError, kernel->text, label, "is declared as written, but the given array is read-only");
}

const char *
argument_label(struct pyccel_kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, int i, char digits[12])
{
    const char *label = NULL;
    PyObject *names = kernel->known.names;
    if (i >= nargs)
        label = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i - nargs));
    else if (names != NULL && i < kernel->known.n_positional && PyUnicode_Check(PyTuple_GET_ITEM(names, i)))
        label = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (label != NULL)
        return label;
    PyErr_Clear();
    /* By hand: snprintf would be a tenth of a converting call. */
    char *at = digits + 11;
    *at = '\0';
    do
        *--at = (char)('0' + i % 10);
    while ((i /= 10) > 0);
    return at;
}
