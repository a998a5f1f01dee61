/* outputs.h - the declaration of outputs against the arguments of one call (C27 to C31). */
#ifndef PYTHON_KERNEL_OUTPUTS_H
#define PYTHON_KERNEL_OUTPUTS_H

#include "pyccel_kernel.h"

/* The tuple that `outputs` means: a new reference; *outputs is NULL for None. 0, or -1 with TypeError set. */
int outputs_convert(PyObject *given, PyObject **outputs);

/* Sets written[i] for each argument i (positional ones, then keywords in their order) that is declared; all of them without a
 * declaration. 0, or -1 with IndexError or KeyError set. */
int outputs_resolve(struct kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, bool *written);

/* What is known of the callable's parameters; found out on the first question. NULL names: nothing. 0, or -1 with an exception
 * set. */
int kernel_find_parameters(struct kernel *kernel);

/* The name of argument i for messages: that of its parameter or keyword, else its position, written into `digits`. */
const char *argument_label(struct kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, int i, char digits[12]);

#endif
