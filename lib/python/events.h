/* events.h - counting transfers (C45 to C49): one test when nobody counts. */
#ifndef PYTHON_EVENTS_H
#define PYTHON_EVENTS_H

#include "python.h"

enum event_kind { EVENT_TO_HOST, EVENT_TO_DEVICE, EVENT_KERNEL_CONVERSION, EVENT_FALLBACK };

/* Number of active counters. */
extern int events_active;

/* Records one event with every active counter that wants this thread's; `description` names kernel and argument.
 * Call only when events_active is non-zero. 0, or -1 with an exception set. */
int events_record(enum event_kind kind, PyObject *description, size_t n_bytes);

#endif
