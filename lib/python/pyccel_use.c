/* pyccel_use.c - argument objects in a call of a function: the arrays that the function reads and writes through them. */
#include <string.h>

#include "errors.h"
#include "prepare.h"
#include "pyccel_instance.h"
#include "staging.h"

/* One array of one object in one call. */
struct instance_use {
    struct instance_use *next;
    struct pair pair; /* with references of its own: while the GIL is released the object may get another array */
    uint32_t flags; /* PKW_WRITTEN, PKW_OVERWRITTEN */
    int view;       /* -1: the caller's array is on the host */
    bool read;
    struct array_info info;
};

static int
add_use(struct call *call, const struct pair *pair, uint32_t flags)
{
    struct instance_use *use = PyMem_Malloc(sizeof *use);
    if (use == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    use->next = call->uses;
    use->pair = *pair;
    Py_INCREF(pair->outside);
    Py_INCREF((PyObject *)pair->inside);
    use->flags = pair->part ? flags & ~(uint32_t)PKW_OVERWRITTEN : flags; /* of the view only */
    use->view = -1;
    use->read = false;
    call->uses = use;
    return 0;
}

int
use_instance(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    argument->is_known = true;
    if (!Py_IS_TYPE(argument->given, &pyccel_instance_type))
        return 0; /* the compiled module's own objects, and what it will refuse */
    struct pyccel_instance *instance = (struct pyccel_instance *)argument->given;
    const pkw_py_param *source = &((const struct pyccel_variant *)call->kernel)->source[position];
    argument->passed = Py_NewRef(instance->real);
    for (int i = 0; i < source->n_attributes; i++)
        for (int j = 0; j < instance->n_pairs; j++)
            if (instance->pairs[j].name != NULL && strcmp(instance->pairs[j].name, source->attributes[i].name) == 0
                && add_use(call, &instance->pairs[j], source->attributes[i].flags) < 0)
                return -1;
    return 0;
}

PyObject *
instance_model(const struct call *call)
{
    for (const struct instance_use *use = call->uses; use != NULL; use = use->next)
        if (use->view >= 0)
            return use->pair.outside;
    return NULL;
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

/* Against the array arguments, and against the uses after it in the list; the same array in the same object is one copy. */
static int
check_use(const struct call *call, const struct instance_use *use)
{
    const pkw_kernel *kernel = call->kernel;
    bool written = use->flags & PKW_WRITTEN;
    for (int i = 0; i < kernel->n_params; i++)
        if (call->arguments[i].is_array && call->arguments[i].info.on_device == use->info.on_device
            && check_memory(call, use->pair.name, &use->info, written, kernel->params[i].name, &call->arguments[i].info,
                            is_written(&kernel->params[i])) < 0)
            return -1;
    for (const struct instance_use *next = use->next; next != NULL; next = next->next)
        if (next->read && next->pair.inside != use->pair.inside && next->info.on_device == use->info.on_device
            && check_memory(call, use->pair.name, &use->info, written, next->pair.name, &next->info,
                            next->flags & PKW_WRITTEN) < 0)
            return -1;
    return 0;
}

static int
read_uses(struct call *call)
{
    for (struct instance_use *use = call->uses; use != NULL; use = use->next) {
        enum read_answer answer = read_numpy_array(use->pair.outside, &use->info);
        if (answer == READ_NOT_MINE)
            answer = read_device_array(use->pair.outside, &use->info);
        if (answer == READ_NOT_MINE)
            raise_argument_error(PyExc_TypeError, call->kernel->name, use->pair.name, "is not a device array any more");
        if (answer != READ_DONE)
            return -1;
        use->read = true;
        if (use->info.read_only && use->flags & PKW_WRITTEN)
            return raise_argument_error(PyExc_ValueError, call->kernel->name, use->pair.name,
                                        "is written by the kernel, but the given array is read-only");
    }
    for (const struct instance_use *use = call->uses; use != NULL; use = use->next)
        if (check_use(call, use) < 0)
            return -1;
    return 0;
}

int
stage_instances(struct call *call)
{
    if (read_uses(call) < 0)
        return -1;
    for (struct instance_use *use = call->uses; use != NULL; use = use->next) {
        if (!use->info.on_device || is_empty_array(&use->info))
            continue;
        unsigned flags = (use->flags & PKW_OVERWRITTEN ? 0 : STAGE_READ) | (use->flags & PKW_WRITTEN ? STAGE_WRITTEN : 0);
        if (call->n_device++ == 0)
            session_init(&call->session, call->kernel->name);
        call->n_converted++;
        use->view = staging_add(&call->session, &use->info, use->pair.name, flags, LAYOUT_C);
        if (use->view < 0)
            return -1;
    }
    return 0;
}

static int
copy_use(const struct call *call, const struct instance_use *use, bool refresh)
{
    PyArrayObject *inside = use->pair.inside;
    PyObject *other = use->view < 0 ? Py_NewRef(use->pair.outside)
                                    : pair_staged(&use->pair, session_view(&call->session, use->view));
    int done = 0;
    if (other == NULL)
        done = -1;
    else if (PyArray_Check(other)) /* else: an empty array on a device */
        done = refresh ? PyArray_CopyInto(inside, (PyArrayObject *)other) : PyArray_CopyInto((PyArrayObject *)other, inside);
    Py_XDECREF(other);
    return done;
}

int
refresh_instances(struct call *call)
{
    for (const struct instance_use *use = call->uses; use != NULL; use = use->next)
        if (!(use->flags & PKW_OVERWRITTEN) && copy_use(call, use, true) < 0)
            return -1;
    return 0;
}

int
collect_instances(struct call *call)
{
    for (const struct instance_use *use = call->uses; use != NULL; use = use->next)
        if (use->flags & PKW_WRITTEN && copy_use(call, use, false) < 0)
            return -1;
    return 0;
}

void
release_instances(struct call *call)
{
    while (call->uses != NULL) {
        struct instance_use *use = call->uses;
        call->uses = use->next;
        if (use->read)
            array_info_release(&use->info);
        pair_clear(&use->pair);
        PyMem_Free(use);
    }
}
