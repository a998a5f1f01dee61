/* stats.h - process-wide totals a kernel, always kept (C49). */
#ifndef PYTHON_STATS_H
#define PYTHON_STATS_H

#include "base/python.h"

/* Announces a kernel's counters. Names and state live as long as the process. 0, or -1 with an exception set. */
int stats_announce(const char *module, const char *name, const pkw_kernel_state *state);

/* {"MODULE.NAME": {"calls": ..., "conversions": ..., "bytes_to_host": ..., "bytes_to_device": ..., "waits": ...}}, kernels of one
 * name added up: a new reference, or NULL with an exception set. Bytes are bytes, all else are counts since import. */
PyObject *stats_snapshot(void);

/* The table's register_kernels. */
int stats_register_kernels(const pkw_kernel *const *kernels, int n);

#endif
