/* bind.c - arguments to parameters, in CPython's own words when they do not fit. */
#include <string.h>

#include "call_internal.h"
#include "base/errors.h"

/* Whether this call may leave the parameter out. */
static bool
is_optional(const struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    int dim;
    return (param->flags & (PKW_HAS_DEFAULT | PKW_CREATE | PKW_SCRATCH | PKW_DEFAULT_NONE)) != 0
           || (param->kind == PKW_STRING && param->preset_text != NULL)
           || (param->kind == PKW_SIZE && size_source(call, position, &dim) >= 0);
}

/* Appends the quoted name of a missing parameter as CPython lists them: 'x'; 'x' and 'y'; 'x', 'y', and 'z'. */
static PyObject *
list_names(const pkw_kernel *kernel, const int16_t *missing, int n)
{
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list != NULL && i < n; i++) {
        const char *separator = i == 0 ? "" : i + 1 < n ? ", " : n == 2 ? " and " : ", and ";
        PyObject *longer =
            PyUnicode_FromFormat("%U%s'%s'", list, separator, kernel->params[missing[i]].name);
        Py_DECREF(list);
        list = longer;
    }
    return list;
}

static int
raise_missing_names(const pkw_kernel *kernel, const int16_t *missing, int n, const char *kind)
{
    PyObject *names = list_names(kernel, missing, n);
    if (names == NULL)
        return -1;
    PyErr_Format(PyExc_TypeError, "%s() missing %d required %s argument%s: %U", kernel->name, n, kind, n == 1 ? "" : "s",
                 names);
    Py_DECREF(names);
    return -1;
}

static int
check_missing(const struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    int16_t missing[2 * kernel->n_visible + 1]; /* positional ones, then keyword-only ones */
    int n_positional = 0, n_keyword = 0;
    for (int i = 0; i < kernel->n_visible; i++) {
        int16_t position = kernel->visible[i];
        if (call->arguments[position].given != NULL || is_optional(call, position))
            continue;
        if (i < kernel->n_positional)
            missing[n_positional++] = position;
        else
            missing[kernel->n_visible + n_keyword++] = position;
    }
    if (n_positional > 0)
        return raise_missing_names(kernel, missing, n_positional, "positional");
    if (n_keyword > 0)
        return raise_missing_names(kernel, missing + kernel->n_visible, n_keyword, "keyword-only");
    return 0;
}

static int
raise_too_many(const struct call *call, Py_ssize_t nargs)
{
    const pkw_kernel *kernel = call->kernel;
    int n_keyword = 0;
    for (int i = kernel->n_positional; i < kernel->n_visible; i++)
        n_keyword += call->arguments[kernel->visible[i]].given != NULL;
    char takes[64];
    bool plural = kernel->n_positional != 1;
    if (kernel->n_required < kernel->n_positional) {
        PyOS_snprintf(takes, sizeof takes, "from %d to %d", kernel->n_required, kernel->n_positional);
        plural = true;
    } else {
        PyOS_snprintf(takes, sizeof takes, "%d", kernel->n_positional);
    }
    char keywords[96] = "";
    if (n_keyword > 0)
        PyOS_snprintf(keywords, sizeof keywords, " positional argument%s (and %d keyword-only argument%s)",
                      nargs == 1 ? "" : "s", n_keyword, n_keyword == 1 ? "" : "s");
    PyErr_Format(PyExc_TypeError, "%s() takes %s positional argument%s but %zd%s %s given", kernel->name, takes,
                 plural ? "s" : "", nargs, keywords, nargs == 1 && n_keyword == 0 ? "was" : "were");
    return -1;
}

static int
bind_keyword(struct call *call, PyObject *name, PyObject *value)
{
    const pkw_kernel *kernel = call->kernel;
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return -1;
    for (int i = 0; i < kernel->n_visible; i++) {
        int position = kernel->visible[i];
        if (strcmp(kernel->params[position].name, text) != 0)
            continue;
        if (kernel->params[position].flags & PKW_POSITIONAL_ONLY) {
            PyErr_Format(PyExc_TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%U'",
                         kernel->name, name);
            return -1;
        }
        if (call->arguments[position].given != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", kernel->name, name);
            return -1;
        }
        call->arguments[position].given = value;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", kernel->name, name);
    return -1;
}

int
bind_arguments(struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const pkw_kernel *kernel = call->kernel;
    Py_ssize_t n_taken = nargs < kernel->n_positional ? nargs : kernel->n_positional;
    for (Py_ssize_t i = 0; i < n_taken; i++)
        call->arguments[kernel->visible[i]].given = args[i];
    Py_ssize_t n_keywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < n_keywords; i++)
        if (bind_keyword(call, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0)
            return -1;
    if (nargs > kernel->n_positional)
        return raise_too_many(call, nargs);
    return check_missing(call);
}
