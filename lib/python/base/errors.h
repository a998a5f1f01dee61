/* errors.h - the exceptions of a call: one form of message, our own types, and the engine's errors as Python's.
 *
 * Every message of a call starts with the kernel's name, as CPython's own do: "axpy(): argument 'y' ...".
 */
#ifndef PYTHON_ERRORS_H
#define PYTHON_ERRORS_H

#include "python.h"
#include "core/session.h"

/* pkwrap.CudaError, a RuntimeError: a CUDA call failed, now or in an earlier unwaited write-back. */
extern PyObject *cuda_error;
/* pkwrap.UndeclaredWriteError, a RuntimeError: verify mode found a change in an array not declared as written. */
extern PyObject *undeclared_write_error;

/* Makes the types above, once. 0, or -1 with an exception set. */
int errors_init(void);

/* Raises `type` with "FUNCTION(): " and the formatted text (PyUnicode_FromFormat's codes). Returns -1. */
int raise_call_error(PyObject *type, const char *function, const char *format, ...);

/* Raises `type` with "FUNCTION(): argument 'ARGUMENT' " and the formatted text. Returns -1. */
int raise_argument_error(PyObject *type, const char *function, const char *argument, const char *format, ...);

/* Puts "FUNCTION(): argument 'ARGUMENT': " before the text of the exception that is set, when its type is one of
 * Python's own with a plain text; leaves others as they are. Returns -1. */
int name_argument_in_error(const char *function, const char *argument);
/* The same with "FUNCTION(): WHAT: ", for what a call makes: its "result". */
int name_result_in_error(const char *function, const char *what);

/* Raises what the engine reported: RuntimeError (no runtime, forked, capturing), CudaError, ValueError (overlap, bad
 * pointer, bad view) or MemoryError. Returns -1. */
int raise_session_error(const char *function, const struct session_error *error);

#endif
