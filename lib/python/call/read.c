/* read.c - each argument by the kind of its parameter. */
#include <string.h>

#include "call_internal.h"
#include "arrays/dtypes.h"
#include "base/errors.h"
#include "arrays/type_cache.h"
#include "scalars.h"
#include "arrays/staging.h"

pkw_slot *
value_slot(struct call *call, int position)
{
    return call->kernel->params[position].kind == PKW_CELL ? &call->cells[position] : &call->slots[position];
}

int
scalar_from_staged(struct call *call, int position, const void *element)
{
    const pkw_param *param = &call->kernel->params[position];
    struct array_info *info = &call->arguments[position].info;
    PyArray_Descr *descr = info->descr != NULL ? (PyArray_Descr *)Py_NewRef((PyObject *)info->descr)
                                               : dtype_descr(info->dtype);
    if (descr == NULL)
        return name_argument_in_error(call->kernel->name, param->name);
    char copy[64]; /* of an element; PyArray_Scalar takes its memory without const */
    PyObject *scalar = NULL;
    if (PyDataType_ELSIZE(descr) <= (npy_intp)sizeof copy) {
        memcpy(copy, element, (size_t)PyDataType_ELSIZE(descr));
        scalar = PyArray_Scalar(copy, descr, NULL);
    } else {
        raise_argument_error(PyExc_TypeError, call->kernel->name, param->name, "must be a number, not of dtype %S", descr);
    }
    Py_DECREF(descr);
    if (scalar == NULL)
        return -1;
    int done = scalar_from_object(call->kernel->name, param, scalar, value_slot(call, position));
    Py_DECREF(scalar);
    call->arguments[position].is_known = done == 0;
    return done;
}

/* An integer may decide the shape of an array, so it is needed before the arrays are staged: a wait of its own. */
static int
download_now(struct call *call, int position)
{
    const char *function = call->kernel->name;
    struct session session;
    call->n_converted++;
    const struct device_view *view = staging_open(&session, &call->arguments[position].info, call->kernel->params[position].name,
                                                  STAGE_READ, LAYOUT_C, function, call->kernel->state);
    int done = view == NULL ? -1 : scalar_from_staged(call, position, view->host);
    staging_release(&session);
    return done;
}

/* A 0-d device array in a scalar's place. READ_NOT_MINE: the object is something else. */
static enum read_answer
read_device_scalar(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    enum read_answer answer = read_device_array(argument->given, &argument->info);
    if (answer == READ_ERROR)
        name_argument_in_error(call->kernel->name, param->name);
    if (answer != READ_DONE)
        return answer;
    argument->is_array = true;
    if (argument->info.rank != 0) {
        raise_argument_error(PyExc_TypeError, call->kernel->name, param->name,
                             "must be a number (C type '%s'), got a device array of %d dimension%s", param->c_type,
                             argument->info.rank, argument->info.rank == 1 ? "" : "s");
        return READ_ERROR;
    }
    if (is_integer_dtype((pkw_dtype)param->dtype) && download_now(call, position) < 0)
        return READ_ERROR;
    return READ_DONE;
}

static int
read_scalar(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    PyTypeObject *type = Py_TYPE(argument->given);
    if (type != &PyFloat_Type && type != &PyLong_Type && device_array_type(type) != TYPE_NEVER) {
        enum read_answer answer = read_device_scalar(call, position);
        if (answer != READ_NOT_MINE)
            return answer == READ_DONE ? 0 : -1;
    }
    argument->is_known = true;
    return scalar_from_object(call->kernel->name, param, argument->given, value_slot(call, position));
}

/* A cell that is read and written takes a scalar, or a 0-d array that it changes. NumPy's own scalars are not arrays. */
static int
read_cell(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    PyObject *object = call->arguments[position].given;
    bool is_array = PyArray_Check(object) || device_array_type(Py_TYPE(object)) == TYPE_ALWAYS;
    if (!is_array && device_array_type(Py_TYPE(object)) == TYPE_MAYBE) {
        struct array_info probe;
        enum read_answer answer = read_device_array(object, &probe);
        if (answer == READ_ERROR)
            return name_argument_in_error(call->kernel->name, param->name);
        if (answer == READ_DONE)
            array_info_release(&probe);
        is_array = answer == READ_DONE;
    }
    if (is_written(param) && is_array)
        return read_array_argument(call, position, 0);
    return read_scalar(call, position);
}

/* A parameter that was left out, or given as None where None means NULL. */
static void
use_default(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    if (param->flags & PKW_HAS_DEFAULT && !argument->is_null) {
        *value_slot(call, position) = param->preset;
        argument->is_known = true;
    } else if (param->kind == PKW_STRING && param->preset_text != NULL && !argument->is_null) {
        call->slots[position].ptr = (void *)(uintptr_t)param->preset_text; /* a const char * parameter */
    } else if (param->flags & PKW_DEFAULT_NONE) {
        argument->is_null = true;
    }
}

/* None for a parameter that takes it: NULL where it is nullable, left out where an array or a size may be. */
static bool
takes_none(const pkw_param *param)
{
    return (param->flags & (PKW_NULLABLE | PKW_CREATE | PKW_SCRATCH)) != 0 || param->kind == PKW_SIZE;
}

/* C23 and None: what the argument stands for. */
static int
settle_given(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    if (argument->given != NULL && host_args_of(argument->given, &argument->resolved) < 0)
        return -1;
    if (argument->resolved != NULL)
        argument->given = argument->resolved;
    if (argument->given == Py_None && takes_none(param)) {
        argument->given = NULL;
        argument->was_none = true;
        argument->is_null = (param->flags & PKW_NULLABLE) != 0;
    }
    return 0;
}

/* Reading an argument may run its own code (__float__, __index__, an interface that is a property), which may resize or free what
 * others refer to. Where one might, everything that runs code is read first, and NumPy's arrays, which run none, last. */
enum turn { TURN_VALUES, TURN_FOREIGN, TURN_DEVICE, TURN_NUMPY, N_TURNS };

/* What runs no code when it is read, and stands for itself. */
static inline bool
is_quiet(const pkw_param *param, PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    return type == &PyArray_Type || type == &PyFloat_Type || type == &PyLong_Type || type == &PyUnicode_Type
           || (param->kind == PKW_ARRAY && device_array_type(type) == TYPE_ALWAYS && !(kinds_of(type) & KIND_HOST_ARGS));
}

static enum turn
turn_of(const pkw_param *param, PyObject *given)
{
    if (param->kind != PKW_ARRAY && (param->kind != PKW_CELL || !is_written(param)))
        return TURN_VALUES;
    if (PyArray_Check(given))
        return TURN_NUMPY;
    if (device_array_type(Py_TYPE(given)) == TYPE_ALWAYS)
        return TURN_DEVICE;
    return param->kind == PKW_ARRAY ? TURN_FOREIGN : TURN_VALUES;
}

static int
read_argument(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    switch ((pkw_param_kind)param->kind) {
    case PKW_ARRAY: return read_array_argument(call, position, param->rank);
    case PKW_CELL: return read_cell(call, position);
    case PKW_STRING: return string_from_object(call->kernel->name, param, argument->given, &call->slots[position]);
    case PKW_CHAR: return char_from_object(call->kernel->name, param, argument->given, &call->slots[position]);
    case PKW_SCALAR:
    case PKW_SIZE:
    case PKW_VALUE: break;
    case PKW_PY_SCALAR:
    case PKW_PY_CLASS:
    case PKW_PY_OBJECT: return call->operations->read(call, position);
    }
    return read_scalar(call, position);
}

/* The arguments of one turn. */
static int
read_turn(struct call *call, enum turn turn)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_visible; i++) {
        int position = kernel->visible[i];
        PyObject *given = call->arguments[position].given;
        if (given != NULL && turn_of(&kernel->params[position], given) == turn && read_argument(call, position) < 0)
            return -1;
    }
    return 0;
}

/* From the argument at `first` on nothing has been looked at; what was read before it may be another thing now. */
static int
read_in_turns(struct call *call, int first)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_visible; i++) {
        int position = kernel->visible[i];
        struct argument *argument = &call->arguments[position];
        if (i < first && argument->is_array)
            array_info_release(&argument->info);
        argument->is_array = false;
        if (i >= first && settle_given(call, position) < 0)
            return -1;
        if (i >= first && argument->given == NULL)
            use_default(call, position);
        if (argument->given != NULL && turn_of(&kernel->params[position], argument->given) == TURN_NUMPY
            && check_subclass(call, position) < 0)
            return -1;
    }
    for (enum turn turn = TURN_VALUES; turn < N_TURNS; turn++)
        if (read_turn(call, turn) < 0)
            return -1;
    return 0;
}

int
read_arguments(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_visible; i++) {
        int position = kernel->visible[i];
        struct argument *argument = &call->arguments[position];
        if (argument->given == Py_None && settle_given(call, position) < 0)
            return -1;
        if (argument->given != NULL && !is_quiet(&kernel->params[position], argument->given))
            return read_in_turns(call, i);
        if (argument->given == NULL)
            use_default(call, position);
        else if (read_argument(call, position) < 0)
            return -1;
    }
    return 0;
}
