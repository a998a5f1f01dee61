/* events.c - see events.h. */
#include "events.h"

int events_active;

int
events_record(enum event_kind kind, PyObject *description, size_t n_bytes)
{
    (void)kind;
    (void)description;
    (void)n_bytes;
    return 0;
}
