/* events.h - counting transfers (C45 to C48): one test when nobody counts. */
#ifndef PYTHON_EVENTS_H
#define PYTHON_EVENTS_H

#include "python.h"

enum event_kind { EVENT_TO_HOST, EVENT_TO_DEVICE, EVENT_KERNEL_CONVERSION, EVENT_FALLBACK };

/* Number of active counters. */
extern int events_active;

/* Records one event with every active counter that wants this thread's; `description` names kernel and argument. Markers
 * (conversions, fallbacks) have no bytes. Call only when events_active is non-zero. 0, or -1 with an exception set. */
int events_record(enum event_kind kind, PyObject *description, size_t n_bytes);

/* For the package: record(kind, description, where, nbytes) is called for each event from now on; of this thread only, if so
 * asked. Adding the same one again counts, and it is active until it was removed as often. 0, or -1 with an exception set. */
int events_add(PyObject *record, bool this_thread);
int events_remove(PyObject *record);

/* "file:line" of the innermost frame that is not the package's own: a new reference, or NULL with an exception set. */
PyObject *events_where(void);

#endif
