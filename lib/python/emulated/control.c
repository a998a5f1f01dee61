/* control.c - what tests steer and ask of the emulator, as functions of the extension. */
#include "emulated.h"

#include "emulator/emulator.h"

static PyObject *
select_emulator(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    if (cuda_select_emulator() < 0)
        return PyErr_Format(PyExc_RuntimeError, "another CUDA Runtime is in use already: the emulator has to be selected before "
                                                "the first device use");
    return Py_NewRef(Py_None);
}

static PyObject *
set_device_count(PyObject *self, PyObject *number)
{
    (void)self;
    long count = PyLong_AsLong(number);
    if (PyErr_Occurred())
        return NULL;
    if (count < 1 || count > 16)
        return PyErr_Format(PyExc_ValueError, "1 to 16 devices can be emulated, not %ld", count);
    if (emulator_set_device_count((int)count) < 0)
        return PyErr_Format(PyExc_RuntimeError, "the number of devices is set before the first device use");
    return Py_NewRef(Py_None);
}

static PyObject *
set_memory(PyObject *self, PyObject *number)
{
    (void)self;
    size_t bytes = PyLong_AsSize_t(number);
    if (PyErr_Occurred())
        return NULL;
    emulator_set_memory(bytes);
    return Py_NewRef(Py_None);
}

static PyObject *
memory_size(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromSize_t(emulator_memory());
}

static PyObject *
allocated(PyObject *self, PyObject *number)
{
    (void)self;
    long device = PyLong_AsLong(number);
    return PyErr_Occurred() ? NULL : PyLong_FromSize_t(emulator_allocated((int)device));
}

static PyObject *
set_name(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned long long pointer;
    const char *name;
    if (!PyArg_ParseTuple(args, "Ks", &pointer, &name))
        return NULL;
    emulator_set_name((const void *)(uintptr_t)pointer, name);
    return Py_NewRef(Py_None);
}

static PyObject *
capture(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned long long stream;
    int begin, global;
    if (!PyArg_ParseTuple(args, "Kpp", &stream, &begin, &global)
        || emulated_check(emulator_capture((cuda_stream)(uintptr_t)stream, begin != 0, global != 0), "capture") < 0)
        return NULL;
    return Py_NewRef(Py_None);
}

/* --- failure ------------------------------------------------------------------------------------------------------ */

static PyObject *
fail_call(PyObject *self, PyObject *args)
{
    (void)self;
    long number;
    int error;
    const char *symbol = NULL;
    if (!PyArg_ParseTuple(args, "li|z", &number, &error, &symbol))
        return NULL;
    if (symbol == NULL)
        emulator_fail_call(number, error);
    else if (emulator_fail_symbol(symbol, number, error) < 0)
        return PyErr_Format(PyExc_ValueError, "no entry point '%s'", symbol);
    return Py_NewRef(Py_None);
}

static PyObject *
fail_operation(PyObject *self, PyObject *args)
{
    (void)self;
    long number;
    int error;
    if (!PyArg_ParseTuple(args, "li", &number, &error))
        return NULL;
    emulator_fail_operation(number, error);
    return Py_NewRef(Py_None);
}

static PyObject *
break_device(PyObject *self, PyObject *number)
{
    (void)self;
    long error = PyLong_AsLong(number);
    if (PyErr_Occurred())
        return NULL;
    emulator_break((int)error);
    return Py_NewRef(Py_None);
}

/* A call of somebody else's that failed, and whose error nobody has asked for. */
static PyObject *
leave_error(PyObject *self, PyObject *number)
{
    (void)self;
    int error = (int)PyLong_AsLong(number), device;
    const struct cuda_runtime *runtime = PyErr_Occurred() ? NULL : emulated_runtime();
    if (runtime == NULL)
        return NULL;
    emulator_fail_symbol("cudaGetDevice", 1, error);
    runtime->get_device(&device);
    return Py_NewRef(Py_None);
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static PyObject *
counters(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    struct emulator_counters c;
    emulator_counters(&c);
    const struct {
        const char *name;
        unsigned long long value;
    } rows[] = {
        {"calls", (unsigned long long)c.calls},
        {"copies_to_host", (unsigned long long)c.copies_to_host},
        {"copies_to_device", (unsigned long long)c.copies_to_device},
        {"copies_on_device", (unsigned long long)c.copies_on_device},
        {"bytes_to_host", c.bytes_to_host},
        {"bytes_to_device", c.bytes_to_device},
        {"bytes_on_device", c.bytes_on_device},
        {"waits", (unsigned long long)c.waits},
        {"host_allocations", (unsigned long long)c.host_allocations},
        {"device_allocations", (unsigned long long)c.device_allocations},
        {"violations", (unsigned long long)c.violations},
    };
    PyObject *dictionary = PyDict_New();
    for (size_t i = 0; dictionary != NULL && i < sizeof rows / sizeof *rows; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(rows[i].value);
        if (value == NULL || PyDict_SetItemString(dictionary, rows[i].name, value) < 0)
            Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}

static PyObject *
calls(PyObject *self, PyObject *symbol)
{
    (void)self;
    const char *text = PyUnicode_AsUTF8(symbol);
    if (text == NULL)
        return NULL;
    long n = emulator_calls(text);
    return n < 0 ? PyErr_Format(PyExc_ValueError, "no entry point '%s'", text) : PyLong_FromLong(n);
}

/* Without arguments and results, possibly waiting: X(Python name, function, documentation) */
#define ACTION_FUNCTIONS(X)                                                              \
    X(reset_counters, emulator_reset_counters, "All counters become 0.")                 \
    X(settle, emulator_settle, "Carries out all queued work.")

#define X(name, function, documentation)                                                 \
    static PyObject *name(PyObject *self, PyObject *unused)                              \
    {                                                                                    \
        (void)self, (void)unused;                                                        \
        Py_BEGIN_ALLOW_THREADS                                                           \
        function();                                                                      \
        Py_END_ALLOW_THREADS                                                             \
        return Py_NewRef(Py_None);                                                       \
    }
ACTION_FUNCTIONS(X)
#undef X

/* Switches: X(Python name, function, documentation) */
#define SWITCH_FUNCTIONS(X)                                                              \
    X(log, emulator_log, "Starts an empty log of calls and operations, or stops it.")    \
    X(set_bare, emulator_set_bare, "While on, copies, waits and events do nothing: for measuring bookkeeping.")

#define X(name, function, documentation)                                                 \
    static PyObject *switch_##name(PyObject *self, PyObject *flag)                       \
    {                                                                                    \
        (void)self;                                                                      \
        int on = PyObject_IsTrue(flag);                                                  \
        if (on < 0)                                                                      \
            return NULL;                                                                 \
        function(on != 0);                                                               \
        return Py_NewRef(Py_None);                                                       \
    }
SWITCH_FUNCTIONS(X)
#undef X

static PyObject *
last_violation(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    char text[1024];
    emulator_last_violation(text, sizeof text);
    return PyUnicode_FromString(text);
}

static PyObject *
check(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    int n;
    Py_BEGIN_ALLOW_THREADS
    n = emulator_check();
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(n);
}

static PyObject *
log_text(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    size_t length = emulator_log_text(NULL, 0);
    char *buffer = PyMem_Malloc(length + 1);
    if (buffer == NULL)
        return PyErr_NoMemory();
    emulator_log_text(buffer, length + 1);
    PyObject *text = PyUnicode_FromString(buffer);
    PyMem_Free(buffer);
    return text;
}

/* --- queued Python functions -------------------------------------------------------------------------------------- */

struct queued {
    PyObject *function, *arguments; /* owned */
};

/* Runs in the thread that waits, without the GIL. */
static void
run_queued(void *data)
{
    struct queued *queued = data;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = PyObject_CallObject(queued->function, queued->arguments);
    if (result == NULL)
        PyErr_WriteUnraisable(queued->function);
    Py_XDECREF(result);
    Py_DECREF(queued->function);
    Py_DECREF(queued->arguments);
    PyGILState_Release(state);
    PyMem_RawFree(queued);
}

/* The function's arguments: the emulator's own address of each range. Fills `ranges`. */
static PyObject *
read_ranges(PyObject *list, struct emulator_range *ranges)
{
    Py_ssize_t n = PyList_GET_SIZE(list);
    PyObject *arguments = PyTuple_New(n);
    for (Py_ssize_t i = 0; arguments != NULL && i < n; i++) {
        unsigned long long pointer, size;
        int writes;
        PyObject *entry = PyList_GET_ITEM(list, i), *address = NULL;
        if (PyTuple_Check(entry) && PyArg_ParseTuple(entry, "KKp", &pointer, &size, &writes)) {
            ranges[i] = (struct emulator_range){(const void *)(uintptr_t)pointer, (size_t)size, writes != 0};
            address = PyLong_FromVoidPtr(emulator_address(ranges[i].pointer));
        }
        if (address == NULL)
            Py_CLEAR(arguments);
        else
            PyTuple_SET_ITEM(arguments, i, address);
    }
    return arguments;
}

static PyObject *
launch(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned long long stream;
    PyObject *function, *list;
    if (!PyArg_ParseTuple(args, "KOO!", &stream, &function, &PyList_Type, &list))
        return NULL;
    Py_ssize_t n = PyList_GET_SIZE(list);
    struct emulator_range *ranges = PyMem_Calloc((size_t)n + 1, sizeof *ranges);
    struct queued *queued = PyMem_RawCalloc(1, sizeof *queued);
    PyObject *arguments = ranges == NULL || queued == NULL ? PyErr_NoMemory() : read_ranges(list, ranges);
    int code = CUDA_SUCCESS;
    if (arguments != NULL) {
        *queued = (struct queued){Py_NewRef(function), arguments};
        Py_BEGIN_ALLOW_THREADS
        code = emulator_launch((cuda_stream)(uintptr_t)stream, run_queued, queued, ranges, (int)n);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(ranges);
    if (arguments != NULL && code == CUDA_SUCCESS)
        return Py_NewRef(Py_None);
    if (arguments != NULL)
        Py_DECREF(function);
    Py_XDECREF(arguments);
    PyMem_RawFree(queued);
    emulated_check(code, "launch");
    return NULL;
}

PyMethodDef emulated_control_methods[] = {
    {"select", select_emulator, METH_NOARGS, "select()\n--\n\nMakes the emulator this process's CUDA Runtime."},
    {"set_device_count", set_device_count, METH_O, "set_device_count(n)\n--\n\n1 to 16 devices; before the first device use."},
    {"set_memory", set_memory, METH_O, "set_memory(nbytes)\n--\n\nBytes that each device has."},
    {"memory_size", memory_size, METH_NOARGS, "memory_size()\n--\n\nBytes that each device has."},
    {"allocated", allocated, METH_O, "allocated(device)\n--\n\nBytes allocated on a device; -1: pinned on the host."},
    {"set_name", set_name, METH_VARARGS, "set_name(address, name)\n--\n\nNames an allocation for messages."},
    {"capture", capture, METH_VARARGS, "capture(stream, begin, global)\n--\n\nMakes a stream look captured, or ends that."},
    {"fail_call", fail_call, METH_VARARGS,
     "fail_call(number, error, symbol=None)\n--\n\nThe number-th call from now, of any entry point or of one, returns `error`."},
    {"fail_operation", fail_operation, METH_VARARGS,
     "fail_operation(number, error)\n--\n\nThe number-th queued copy from now is not carried out."},
    {"break_device", break_device, METH_O, "break_device(error)\n--\n\nEvery call returns `error`, until this is called with 0."},
    {"leave_error", leave_error, METH_O, "leave_error(error)\n--\n\nAs if a call had returned `error`, and nobody had asked for it."},
    {"counters", counters, METH_NOARGS, "counters()\n--\n\nCounts and bytes since the last reset, a dictionary."},
    {"calls", calls, METH_O, "calls(symbol)\n--\n\nCalls of one entry point since the last reset."},
    {"last_violation", last_violation, METH_NOARGS, "last_violation()\n--\n\nText of the last violation, or ''."},
    {"check", check, METH_NOARGS, "check()\n--\n\nNumber of overruns between allocations that are found now."},
    {"log_text", log_text, METH_NOARGS, "log_text()\n--\n\nThe log, one line an entry."},
#define X(name, function, documentation) {#name, name, METH_NOARGS, #name "()\n--\n\n" documentation},
    ACTION_FUNCTIONS(X)
#undef X
#define X(name, function, documentation) {#name, switch_##name, METH_O, #name "(on)\n--\n\n" documentation},
    SWITCH_FUNCTIONS(X)
#undef X
    {"launch", launch, METH_VARARGS,
     "launch(stream, function, ranges)\n--\n\nQueues function(*addresses); ranges is a list of (address, nbytes, writes)."},
    {0},
};
