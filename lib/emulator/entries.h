/* entries.h - the entry points of the emulated runtime, for its table; and what those of several files share. */
#ifndef EMULATOR_ENTRIES_H
#define EMULATOR_ENTRIES_H

#include "state.h"

#define X(field, symbol, parameters) int emulated_##field parameters;
CUDA_ENTRY_POINTS(X)
#undef X

/* The stream of a handle, if work can be queued on it or waited for: 0, or the error. */
int stream_usable(cuda_stream handle, struct cuda_stream **stream);
/* A failure is reported once. */
int take_failure(int *failure);
/* Of a stream that is about to go: its events keep the failure. */
void events_forget_stream(const struct cuda_stream *stream);
/* Queues a function. A CUDA error code. */
int stream_launch(cuda_stream handle, cuda_host_function function, void *data, const struct emulator_range *ranges,
                  int n_ranges);

#endif
