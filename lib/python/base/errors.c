/* errors.c - see errors.h. */
#include "errors.h"

#include <stdarg.h>

PyObject *cuda_error;
PyObject *undeclared_write_error;

int
errors_init(void)
{
    if (cuda_error == NULL)
        cuda_error = PyErr_NewExceptionWithDoc("pkwrap.CudaError", "A CUDA call failed.", PyExc_RuntimeError, NULL);
    if (undeclared_write_error == NULL)
        undeclared_write_error = PyErr_NewExceptionWithDoc(
            "pkwrap.UndeclaredWriteError", "A kernel changed an array that is not declared as written (verify mode).",
            PyExc_RuntimeError, NULL);
    return cuda_error && undeclared_write_error ? 0 : -1;
}

/* Steals `text`. */
static int
raise_text(PyObject *type, PyObject *text)
{
    if (text != NULL) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
    return -1;
}

/* `argument` NULL: of the call as a whole. */
static int
raise_formatted(PyObject *type, const char *function, const char *argument, const char *format, va_list values)
{
    PyObject *rest = PyUnicode_FromFormatV(format, values);
    if (rest == NULL)
        return -1;
    PyObject *text = argument == NULL ? PyUnicode_FromFormat("%s(): %U", function, rest)
                                      : PyUnicode_FromFormat("%s(): argument '%s' %U", function, argument, rest);
    Py_DECREF(rest);
    return raise_text(type, text);
}

int
raise_call_error(PyObject *type, const char *function, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int done = raise_formatted(type, function, NULL, format, values);
    va_end(values);
    return done;
}

int
raise_argument_error(PyObject *type, const char *function, const char *argument, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int done = raise_formatted(type, function, argument, format, values);
    va_end(values);
    return done;
}

/* Puts the formatted text and ": " before the text of the exception that is set. */
static int
put_before_error(const char *format, ...)
{
    PyObject *const plain[] = {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError, PyExc_BufferError,
                               PyExc_RuntimeError};
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool known = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        known = known || type == plain[i];
    va_list values;
    va_start(values, format);
    PyObject *whom = known ? PyUnicode_FromFormatV(format, values) : NULL;
    va_end(values);
    PyObject *text = whom != NULL && value != NULL ? PyObject_Str(value) : NULL;
    if (text == NULL) {
        PyErr_Clear();
        PyErr_Restore(type, value, traceback);
    } else {
        PyErr_Format(type, "%U: %U", whom, text);
        Py_DECREF(text);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
    }
    Py_XDECREF(whom);
    return -1;
}

int
name_argument_in_error(const char *function, const char *argument)
{
    return put_before_error("%s(): argument '%s'", function, argument);
}

int
name_result_in_error(const char *function, const char *what)
{
    return put_before_error("%s(): %s", function, what);
}

int
raise_session_error(const char *function, const struct session_error *error)
{
    PyObject *type = PyExc_RuntimeError;
    switch (error->kind) {
    case SESSION_CUDA:
    case SESSION_STALE_ERROR:
    case SESSION_EARLIER: type = cuda_error; break;
    case SESSION_CONFLICT:
    case SESSION_RESTRICT:
    case SESSION_BAD_POINTER:
    case SESSION_BAD_VIEW: type = PyExc_ValueError; break;
    case SESSION_NO_MEMORY: type = PyExc_MemoryError; break;
    case SESSION_OK:
    case SESSION_NO_RUNTIME:
    case SESSION_CAPTURE:
    case SESSION_FORKED: break;
    }
    return raise_call_error(type, function, "%s", error->text);
}
