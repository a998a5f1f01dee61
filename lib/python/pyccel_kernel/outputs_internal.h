/* outputs_internal.h - the declaration of outputs against the arguments of one call (C27 to C31). */
#ifndef PYTHON_OUTPUTS_INTERNAL_H
#define PYTHON_OUTPUTS_INTERNAL_H

#include "pyccel_kernel.h"

/* The tuple that `outputs` means: a new reference; *outputs is NULL for None. 0, or -1 with TypeError set. */
int outputs_convert(PyObject *given, PyObject **outputs);

/* Sets written[i] for each argument i (positional ones, then keywords in their order) that is declared; all of them without a
 * declaration. 0, or -1 with IndexError or KeyError set. */
int outputs_resolve(struct pyccel_kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, bool *written);

/* ValueError for an argument that is declared as written and read-only (F10). Returns -1. */
int refuse_read_only_output(const struct pyccel_kernel *kernel, const char *label);

/* Whether argument i may be written as far as the declaration says. Never raises. */
bool outputs_may_have(const struct pyccel_kernel *kernel, Py_ssize_t i, Py_ssize_t nargs, PyObject *kwnames);

/* What is known of the callable's parameters; found out on the first question. NULL names: nothing. 0, or -1 with an exception
 * set. */
int pyccel_kernel_find_parameters(struct pyccel_kernel *kernel);

/* The name of argument i for messages: that of its parameter or keyword, else its position, written into `digits`. */
const char *argument_label(struct pyccel_kernel *kernel, Py_ssize_t nargs, PyObject *kwnames, int i, char digits[12]);

#endif
