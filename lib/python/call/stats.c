/* stats.c - see stats.h. */
#include "stats.h"

#include <pthread.h>

#include "call_internal.h"

struct entry {
    const char *module, *name;
    const pkw_kernel_state *state;
    struct entry *next;
};

struct module_entry {
    pkw_module_state *state;
    struct module_entry *next;
};

static struct entry *entries;
static struct module_entry *modules;

static const struct counter {
    const char *name;
    size_t offset;
} counters[] = {
    {"calls", offsetof(pkw_kernel_state, calls)},
    {"conversions", offsetof(pkw_kernel_state, conversions)},
    {"bytes_to_host", offsetof(pkw_kernel_state, bytes_to_host)},
    {"bytes_to_device", offsetof(pkw_kernel_state, bytes_to_device)},
    {"waits", offsetof(pkw_kernel_state, waits)},
};

int
stats_announce(const char *module, const char *name, const pkw_kernel_state *state)
{
    struct entry *entry = PyMem_RawMalloc(sizeof *entry);
    if (entry == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *entry = (struct entry){module, name, state, entries};
    entries = entry;
    return 0;
}

/* Only the thread that forked is in the child: other threads' calls never come back there. */
static void
after_fork(void)
{
    for (struct module_entry *module = modules; module != NULL; module = module->next)
        forget_calls_in_flight(module->state);
}

/* 1: added, 0: known already (a module that is imported again keeps its counters), -1 with an exception set. */
static int
add_module(pkw_module_state *state)
{
    for (struct module_entry *module = modules; module != NULL; module = module->next)
        if (module->state == state)
            return 0;
    struct module_entry *module = PyMem_RawMalloc(sizeof *module);
    if (module == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (modules == NULL)
        pthread_atfork(NULL, NULL, after_fork);
    *module = (struct module_entry){state, modules};
    modules = module;
    return 1;
}

int
stats_register_kernels(const pkw_kernel *const *kernels, int n)
{
    int added = n == 0 ? 0 : add_module(kernels[0]->module_state); /* one for all kernels of a module */
    for (int i = 0; i < n && added > 0; i++)
        if (stats_announce(kernels[i]->module, kernels[i]->name, kernels[i]->state) < 0)
            return -1;
    return added < 0 ? -1 : 0;
}

/* dictionary[name] += value */
static int
add_count(PyObject *dictionary, const char *name, uint64_t value)
{
    PyObject *before = PyDict_GetItemString(dictionary, name);
    PyObject *sum = PyLong_FromUnsignedLongLong(value + (before == NULL ? 0 : PyLong_AsUnsignedLongLong(before)));
    int done = sum == NULL ? -1 : PyDict_SetItemString(dictionary, name, sum);
    Py_XDECREF(sum);
    return done;
}

static int
add_entry(PyObject *snapshot, const struct entry *entry)
{
    PyObject *key = PyUnicode_FromFormat("%s.%s", entry->module, entry->name);
    PyObject *empty = key == NULL ? NULL : PyDict_New();
    PyObject *counts = empty == NULL ? NULL : PyDict_SetDefault(snapshot, key, empty);
    Py_XDECREF(key);
    Py_XDECREF(empty);
    if (counts == NULL)
        return -1;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        const uint64_t *value = (const uint64_t *)((const char *)entry->state + counters[i].offset);
        if (add_count(counts, counters[i].name, *value) < 0)
            return -1;
    }
    return 0;
}

PyObject *
stats_snapshot(void)
{
    PyObject *snapshot = PyDict_New();
    for (const struct entry *entry = entries; snapshot != NULL && entry != NULL; entry = entry->next)
        if (add_entry(snapshot, entry) < 0)
            Py_CLEAR(snapshot);
    return snapshot;
}
