/* use.c - argument objects in a call of a function: the arrays that the function reads and writes through them. */
#include <string.h>

#include "arrays/to_device.h"
#include "arrays/views.h"
#include "base/errors.h"
#include "base/runtime.h"
#include "instance_internal.h"
#include "arrays/staging.h"
#include "watch/watch.h"

/* One array of one object in one call. */
struct instance_use {
    struct instance_use *next;
    const char *name; /* "args.markers", or the parameter's where the array belongs to an object that it refers to */
    struct pair pair; /* with references of its own: while the GIL is released the object may get another array */
    struct pyccel_instance *owner; /* owned: whose pair it is; NULL: no pair */
    uint32_t flags; /* PKW_WRITTEN, PKW_OVERWRITTEN */
    int view;       /* -1: the caller's array is on the host */
    bool read;
    bool stays;     /* constant, and on the host already: nothing is to be done */
    struct array_info info;
};

static int
add_use(struct call *call, struct pyccel_instance *owner, const struct pair *pair, const char *name, uint32_t flags)
{
    struct instance_use *use = PyMem_Malloc(sizeof *use);
    if (use == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    struct pyccel_call *compiled = (struct pyccel_call *)call;
    use->next = compiled->uses;
    use->name = name;
    use->pair = *pair;
    Py_INCREF(pair->outside);
    Py_INCREF((PyObject *)pair->inside);
    use->flags = pair->part ? flags & ~(uint32_t)PKW_OVERWRITTEN : flags; /* of the view only */
    use->view = -1;
    use->read = false;
    use->owner = (struct pyccel_instance *)Py_XNewRef((PyObject *)owner);
    use->stays = pair->settled && !(watching_active & WATCH_VERIFY);
    compiled->uses = use;
    return 0;
}

/* What a function does with an array of an object among its arguments. */
struct reached {
    struct call *call;
    const pkw_param *param;
    PyObject *others;         /* settle_instances: all objects among the arguments */
};

/* `path`: of the object within the argument, or NULL. What the table does not tell may be written, unless it is constant. */
static uint32_t
flags_of(const struct reached *reached, const char *path, const char *attribute, bool constant, const char **name)
{
    size_t n = path == NULL ? 0 : strlen(path);
    uint32_t flags = constant || (path != NULL && (n == 0 || reached->param->flags & PKW_NESTED_KNOWN)) ? 0 : PKW_WRITTEN;
    *name = reached->param->name;
    for (int i = 0; path != NULL && i < reached->param->instance->n_attributes; i++) {
        const pkw_py_attribute *entry = &reached->param->instance->attributes[i];
        const char *listed = entry->path;
        size_t length = strlen(listed);
        bool whole = length <= n && strncmp(listed, path, length) == 0 && (path[length] == '.' || path[length] == '\0');
        if (whole) /* an object on the way: all of it */
            flags |= entry->flags & PKW_WRITTEN;
        if (strncmp(listed, path, n) != 0 || (n > 0 && listed[n] != '.') || strcmp(listed + n + (n > 0), attribute) != 0)
            continue;
        *name = entry->name;
        flags |= entry->flags;
    }
    return flags;
}

static int
use_pairs(struct pyccel_instance *instance, const char *path, void *data)
{
    const struct reached *reached = data;
    for (int i = 0; i < instance->n_pairs; i++) {
        const char *name;
        const struct pair *pair = &instance->pairs[i];
        uint32_t flags = flags_of(reached, path, pair->name, pair->constant, &name);
        if (pair->constant && flags & PKW_WRITTEN)
            return raise_argument_error(PyExc_ValueError, reached->call->kernel->name, name,
                                        "is written by the kernel, but attribute '%s' of the object is declared constant", pair->name);
        if (add_use(reached->call, instance, pair, name, flags) < 0)
            return -1;
    }
    return 0;
}

/* The caller's own arrays, to which attributes refer, of which the call has copies elsewhere, perhaps. */
static int
use_plain(struct pyccel_instance *instance, const char *path, void *data)
{
    const struct reached *reached = data;
    const pkw_py_class *class = instance->class->source;
    for (int i = 0; i < class->n_attributes; i++) {
        const pkw_param *attribute = attribute_of(class, i);
        if (!is_reference(attribute) || !is_set(instance, i) || find_pair(instance, attribute->name) != NULL)
            continue;
        PyObject *value = PyObject_GetAttrString(instance->real, attribute->name);
        if (value == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        const char *name;
        uint32_t flags = flags_of(reached, path, attribute->name, false, &name);
        const struct pair pair = {.name = attribute->name, .outside = value, .inside = (PyArrayObject *)value};
        int done = value != NULL && PyArray_Check(value) ? add_use(reached->call, NULL, &pair, name, flags) : 0;
        Py_XDECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

static int
reach(struct call *call, int position, instance_visitor visit, PyObject *others)
{
    struct reached reached = {.call = call, .param = &call->kernel->params[position], .others = others};
    struct pyccel_instance *instance = given_instance(call, position);
    if (instance == NULL || reached.param->flags & PKW_NOT_LOOKED_INTO)
        return 0;
    return visit_instances(instance, "", visit, &reached);
}

int
use_instance(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    argument->is_known = true;
    struct pyccel_instance *instance = as_instance(argument->given);
    if (instance == NULL)
        return 0; /* the compiled module's own objects, and what it will refuse */
    if (instance->real == NULL)
        return pyccel_raise_unconstructed(instance);
    argument->passed = Py_NewRef(instance->real);
    return reach(call, position, use_pairs, NULL);
}

static bool
is_in_place(const struct instance_use *use)
{
    return use->pair.outside == (PyObject *)use->pair.inside;
}

/* Where the call has copies of host arrays, those that are used in place are held against them. */
static int
add_plain_uses(struct call *call)
{
    bool copies = false;
    for (int i = 0; i < call->kernel->n_params; i++)
        copies = copies || call->arguments[i].packed != NULL;
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        copies = copies || (!is_in_place(use) && PyArray_Check(use->pair.outside));
    for (int i = 0; copies && i < call->kernel->n_params; i++)
        if (call->kernel->params[i].kind == PKW_PY_CLASS && reach(call, i, use_plain, NULL) < 0)
            return -1;
    return 0;
}

/* One that the constructor leaves unset has been set where the source says so. */
static bool
settled_is_set(struct pyccel_instance *instance, int attribute, const char *path, const struct reached *reached)
{
    if (path != NULL && reached->param->flags & PKW_NESTED_KNOWN)
        note_set(instance, attribute_of(instance->class->source, attribute)->name);
    return is_set(instance, attribute);
}

static int
settle(struct pyccel_instance *instance, const char *path, void *data)
{
    const struct reached *reached = data;
    const pkw_py_class *class = instance->class->source;
    for (int i = 0; i < class->n_attributes; i++) {
        const pkw_param *attribute = attribute_of(class, i);
        const char *name;
        if (is_reference(attribute) && flags_of(reached, path, attribute->name, false, &name) & PKW_WRITTEN && settled_is_set(instance, i, path, reached)
            && keep_settled(instance, attribute->name, name, reached->call, reached->others) < 0)
            return -1;
    }
    return 0;
}

int
settle_instances(struct call *call)
{
    PyObject *others = PyList_New(0);
    int done = others == NULL ? -1 : 0;
    for (int i = 0; i < call->kernel->n_params && done == 0; i++)
        if (given_instance(call, i) != NULL)
            done = PyList_Append(others, call->arguments[i].given);
    for (int i = 0; i < call->kernel->n_params && done == 0; i++)
        if (call->kernel->params[i].kind == PKW_PY_CLASS)
            done = reach(call, i, settle, others);
    Py_XDECREF(others);
    return done;
}

PyObject *
used_copy(const struct call *call, const PyObject *outside, bool fortran)
{
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        if (use->pair.outside == outside && !is_in_place(use) && pyccel_fits(use->pair.inside, fortran))
            return (PyObject *)use->pair.inside;
    return NULL;
}

const struct pair *
used_pair(const struct call *call, PyArrayObject *array)
{
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        if (array_lies_in(array, use->pair.inside))
            return &use->pair;
    return NULL;
}

void
offer_instances(const struct call *call, struct array_model *model)
{
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL && model->like == NULL; use = use->next)
        if (use->read)
            model_offer(model, use->pair.outside, &use->info);
}

/* Two of the caller's arrays that share memory while the compiled code has a host copy of each: what is written to one could not be
 * seen in the other. */
static int
check_memory(const struct call *call, const char *first, const struct array_info *one, bool first_written, const char *second,
             const struct array_info *other, bool second_written)
{
    if (!(first_written || second_written) || !infos_share_bytes(one, other))
        return 0;
    return raise_call_error(PyExc_ValueError, call->kernel->name,
                            "arguments '%s' and '%s' overlap, and '%s' is written; the compiled object has a copy of its own",
                            first, second, first_written ? first : second);
}

/* The argument is the same memory for the function as the attribute: in place both, or one copy. */
static bool
is_one_memory(const struct call *call, int position, const struct instance_use *use)
{
    const struct argument *argument = &call->arguments[position];
    if (is_in_place(use))
        return argument->packed == NULL;
    return argument->given == use->pair.outside
           && used_copy(call, argument->given, (call->kernel->params[position].flags & PKW_FORTRAN) != 0) != NULL;
}

/* Against the array arguments, and against the uses after it in the list; the same array in the same object is one copy. */
static int
check_use(const struct call *call, const struct instance_use *use)
{
    const pkw_kernel *kernel = call->kernel;
    bool written = use->flags & PKW_WRITTEN;
    for (int i = 0; i < kernel->n_params; i++)
        if (kernel->params[i].kind == PKW_ARRAY && call->arguments[i].is_array && !is_one_memory(call, i, use)
            && check_memory(call, use->name, &use->info, written, kernel->params[i].name, &call->arguments[i].info,
                            is_written(&kernel->params[i])) < 0)
            return -1;
    for (const struct instance_use *next = use->next; next != NULL; next = next->next)
        if (next->read && next->pair.inside != use->pair.inside && !(is_in_place(use) && is_in_place(next))
            && check_memory(call, use->name, &use->info, written, next->name, &next->info, next->flags & PKW_WRITTEN) < 0)
            return -1;
    return 0;
}

static int
read_uses(struct call *call)
{
    for (struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next) {
        if (use->stays)
            continue;
        enum read_answer answer = read_numpy_array(use->pair.outside, &use->info);
        if (answer == READ_NOT_MINE)
            answer = read_device_array(use->pair.outside, &use->info);
        if (answer == READ_NOT_MINE)
            raise_argument_error(PyExc_TypeError, call->kernel->name, use->name, "is not a device array any more");
        if (answer != READ_DONE)
            return -1;
        use->read = true;
        if (use->info.read_only && use->flags & PKW_WRITTEN)
            return raise_argument_error(PyExc_ValueError, call->kernel->name, use->name,
                                        "is written by the kernel, but the given array is read-only");
    }
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        if (use->read && check_use(call, use) < 0)
            return -1;
    return 0;
}

int
stage_instances(struct call *call)
{
    if (add_plain_uses(call) < 0 || read_uses(call) < 0)
        return -1;
    for (struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next) {
        if (use->stays || !use->info.on_device || is_empty_array(&use->info))
            continue;
        unsigned flags = (use->flags & PKW_OVERWRITTEN ? 0 : STAGE_READ) | (use->flags & PKW_WRITTEN ? STAGE_WRITTEN : 0);
        if (call->n_device++ == 0)
            session_init(&call->session, call->kernel->name);
        call->n_converted++;
        use->view = staging_add(&call->session, &use->info, use->name, flags, LAYOUT_C);
        if (use->view < 0)
            return -1;
    }
    return 0;
}

/* What an array holds now against what the host copy has held since it was used first. */
static int
check_constant(const struct call *call, const struct instance_use *use, PyArrayObject *now)
{
    PyArrayObject *then = use->pair.inside;
    const struct watched_memory before = watched_array(then), after = watched_array(now);
    void *copy = watch_copy(&before);
    int64_t index[PKW_MAX_RANK];
    int done = copy == NULL ? -1 : 0;
    if (done == 0 && watch_find_change(&after, copy, index))
        done = raise_changed_constant(call->kernel->name, use->name, &after, copy, index, PyArray_DESCR(then));
    PyMem_Free(copy);
    return done;
}

static int
copy_use(const struct call *call, const struct instance_use *use, bool refresh)
{
    PyArrayObject *inside = use->pair.inside;
    if (is_in_place(use) || use->stays)
        return 0;
    PyObject *other = use->view < 0 ? Py_NewRef(use->pair.outside)
                                    : staged_like(use->pair.inside, session_view(&call->session, use->view));
    int done = 0;
    if (other == NULL)
        done = -1;
    else if (PyArray_Check(other) && use->pair.settled)
        done = check_constant(call, use, (PyArrayObject *)other);
    else if (PyArray_Check(other)) /* else: an empty array on a device */
        done = refresh ? PyArray_CopyInto(inside, (PyArrayObject *)other) : PyArray_CopyInto((PyArrayObject *)other, inside);
    Py_XDECREF(other);
    return done;
}

/* The host copy of a constant array has its elements from now on. */
static void
settle_constant(const struct instance_use *use)
{
    struct pair *pair = use->pair.constant && use->owner != NULL ? find_pair(use->owner, use->pair.name) : NULL;
    if (pair != NULL && pair->constant && pair->inside == use->pair.inside)
        pair->settled = true;
}

int
refresh_instances(struct call *call)
{
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        if (!(use->flags & PKW_OVERWRITTEN) && copy_use(call, use, true) < 0)
            return -1;
        else
            settle_constant(use);
    return 0;
}

int
collect_instances(struct call *call)
{
    for (const struct instance_use *use = pyccel_call_of(call)->uses; use != NULL; use = use->next)
        if (use->flags & PKW_WRITTEN && copy_use(call, use, false) < 0)
            return -1;
    return 0;
}

void
release_instances(struct call *call)
{
    struct pyccel_call *compiled = (struct pyccel_call *)call;
    while (compiled->uses != NULL) {
        struct instance_use *use = compiled->uses;
        compiled->uses = use->next;
        if (use->read)
            array_info_release(&use->info);
        pair_clear(&use->pair);
        Py_XDECREF((PyObject *)use->owner);
        PyMem_Free(use);
    }
}

/* --- verify and learn mode -------------------------------------------------------------------------------------------------- */

static int
watch_argument(struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    const pkw_py_instance *source = call->kernel->params[position].instance;
    PyObject *real = argument->passed != NULL ? argument->passed : argument->given;
    const struct pyccel_instance *instance = given_instance(call, position);
    for (int i = 0; real != NULL && i < source->n_attributes; i++) {
        const pkw_py_attribute *attribute = &source->attributes[i];
        if (instance != NULL && !is_set_by_name(instance, attribute->path))
            continue;
        PyObject *value = PyObject_GetAttrString(real, attribute->path);
        if (value == NULL) {
            PyErr_Clear(); /* not an instance of that class, or one without the array: the compiled function's to judge */
            continue;
        }
        int done = PyArray_Check(value)
                       ? watch_further(call, attribute->name, (PyArrayObject *)value, (attribute->flags & PKW_WRITTEN) != 0)
                       : 0;
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
watch_instances(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++)
        if (call->kernel->params[i].kind == PKW_PY_CLASS && watch_argument(call, i) < 0)
            return -1;
    return 0;
}
