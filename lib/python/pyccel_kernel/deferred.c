/* deferred.c - kernels that would write to their arrays after the call, when these are copied back already. */
#include "make_internal.h"

#include <string.h>

#include "base/errors.h"

/* co_flags, as the module inspect documents them. */
enum { FLAG_GENERATOR = 0x20, FLAG_COROUTINE = 0x80, FLAG_ITERABLE_COROUTINE = 0x100, FLAG_ASYNC_GENERATOR = 0x200 };

/* Longest chain of decorators that is followed; what is beyond shows when the kernel is called. */
enum { MOST_WRAPPERS = 1000 };

/* What the function gives in place of a result, or NULL. */
static const char *
what_it_makes(PyObject *function)
{
    const PyCodeObject *code = (const PyCodeObject *)PyFunction_GET_CODE(function);
    if (code->co_flags & FLAG_ASYNC_GENERATOR)
        return "an asynchronous generator";
    if (code->co_flags & (FLAG_COROUTINE | FLAG_ITERABLE_COROUTINE))
        return "a coroutine";
    return code->co_flags & FLAG_GENERATOR ? "a generator" : NULL;
}

static int
add_once(PyObject *found, PyObject *callable)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); i++)
        if (PyList_GET_ITEM(found, i) == callable)
            return 0;
    return PyList_GET_SIZE(found) < MOST_WRAPPERS ? PyList_Append(found, callable) : 0;
}

/* An attribute that the object really has, past any __getattr__, which may answer to every name. */
static int
add_attribute(PyObject *found, PyObject *object, const char *name)
{
    PyObject *text = PyUnicode_InternFromString(name);
    PyObject *value = text == NULL ? NULL : PyObject_GenericGetAttr(object, text);
    Py_XDECREF(text);
    if (value == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return -1;
        PyErr_Clear();
        return 0;
    }
    int done = PyCallable_Check(value) ? add_once(found, value) : 0;
    Py_DECREF(value);
    return done;
}

/* functools.partial, and what derives from it. */
static bool
is_partial(PyObject *object)
{
    for (const PyTypeObject *type = Py_TYPE(object); type != NULL; type = type->tp_base)
        if (strcmp(type->tp_name, "functools.partial") == 0)
            return true;
    return false;
}

/* What a call of the callable comes to in the end: the method's function, the class's __call__, what a partial or a decorator
 * wraps. */
static int
add_callees(PyObject *found, PyObject *callable)
{
    if (PyMethod_Check(callable))
        return add_once(found, PyMethod_GET_FUNCTION(callable));
    if (PyType_Check(callable)) /* makes an object */
        return 0;
    PyObject *name = PyUnicode_InternFromString("__call__");
    if (name == NULL)
        return -1;
    PyObject *call = PyFunction_Check(callable) ? NULL : _PyType_Lookup(Py_TYPE(callable), name); /* borrowed */
    Py_DECREF(name);
    if (call != NULL && PyFunction_Check(call) && add_once(found, call) < 0)
        return -1;
    if (call != NULL && !PyFunction_Check(call) && PyType_HasFeature(Py_TYPE(callable), Py_TPFLAGS_HEAPTYPE)
        && (add_attribute(found, call, "func") < 0 || add_attribute(found, call, "__func__") < 0
            || add_attribute(found, call, "__wrapped__") < 0))
        return -1;
    return add_attribute(found, callable, is_partial(callable) ? "func" : "__wrapped__");
}

int
refuse_deferred(PyObject *callable)
{
    PyObject *found = PyList_New(0);
    int done = found == NULL ? -1 : add_once(found, callable);
    for (Py_ssize_t i = 0; done == 0 && i < PyList_GET_SIZE(found); i++) {
        PyObject *next = PyList_GET_ITEM(found, i);
        const char *makes = PyFunction_Check(next) ? what_it_makes(next) : NULL;
        if (makes != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "kernel must do its work when it is called, but %R makes %s, which would write to the arrays after they have "
                         "been copied back; give a plain function that runs it to its end",
                         next, makes);
            done = -1;
        } else {
            done = add_callees(found, next);
        }
    }
    Py_XDECREF(found);
    return done;
}

/* Of the types that are awaited or sent to, CPython's own and those of other compilers. */
static bool
is_deferred(PyObject *result)
{
    const PyTypeObject *type = Py_TYPE(result);
    const PyAsyncMethods *async = type->tp_as_async;
    return PyGen_Check(result) || PyCoro_CheckExact(result)
           || (async != NULL && (async->am_await != NULL || async->am_anext != NULL));
}

int
refuse_deferred_result(const char *function, PyObject *result)
{
    if (!is_deferred(result))
        return 0;
    PyObject *closed = PyObject_CallMethod(result, "close", NULL); /* or there would be a warning that nobody awaited it */
    Py_XDECREF(closed);
    PyErr_Clear();
    return raise_call_error(PyExc_TypeError, function,
                            "returned an unfinished %s, which would write to the arrays after they have been copied back; the kernel "
                            "must do its work when it is called",
                            Py_TYPE(result)->tp_name);
}
