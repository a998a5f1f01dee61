/* pyccel_use.c - argument objects in a call of a function: the arrays that the function reads and writes through them. */
#include <string.h>

#include "errors.h"
#include "prepare.h"
#include "pyccel_instance.h"
#include "staging.h"

/* One array of one object in one call. */
struct instance_use {
    struct instance_use *next;
    const char *name; /* "args.markers", or the parameter's where the array belongs to an object that it refers to */
    struct pair pair; /* with references of its own: while the GIL is released the object may get another array */
    uint32_t flags; /* PKW_WRITTEN, PKW_OVERWRITTEN */
    int view;       /* -1: the caller's array is on the host */
    bool read;
    struct array_info info;
};

static int
add_use(struct call *call, const struct pair *pair, const char *name, uint32_t flags)
{
    struct instance_use *use = PyMem_Malloc(sizeof *use);
    if (use == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    use->next = call->uses;
    use->name = name;
    use->pair = *pair;
    Py_INCREF(pair->outside);
    Py_INCREF((PyObject *)pair->inside);
    use->flags = pair->part ? flags & ~(uint32_t)PKW_OVERWRITTEN : flags; /* of the view only */
    use->view = -1;
    use->read = false;
    call->uses = use;
    return 0;
}

/* Arrays of which the table does not tell what the function does with them: it may write those that it can. */
static int
use_unknown(struct call *call, const struct pyccel_instance *instance, const char *name, bool all)
{
    for (int i = 0; i < instance->n_pairs; i++) {
        const struct pair *pair = &instance->pairs[i];
        bool in_place = pair->outside == (PyObject *)pair->inside;
        if ((all || pair->name == NULL) && !in_place && add_use(call, pair, name, PKW_WRITTEN) < 0)
            return -1;
    }
    return 0;
}

/* Those of the objects that an argument refers to. */
static int
use_objects(struct call *call, struct pyccel_instance *instance, const char *name)
{
    int done = 0;
    if (instance->visited)
        return 0;
    instance->visited = true;
    for (Py_ssize_t i = 0; instance->objects != NULL && i < PyList_GET_SIZE(instance->objects) && done == 0; i++) {
        struct pyccel_instance *other = as_instance(PyList_GET_ITEM(instance->objects, i));
        if (!other->visited)
            done = use_unknown(call, other, name, true);
        if (done == 0)
            done = use_objects(call, other, name);
    }
    instance->visited = false;
    return done;
}

/* The names of a parameter's attributes. */
static const char *const *
names_of(const struct pyccel_variant *variant, int position)
{
    const char *const *names = variant->attribute_names;
    for (int i = 0; i < position; i++)
        names += variant->source[i].n_attributes;
    return names;
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
    const struct pyccel_variant *variant = pyccel_variant_of(call);
    const pkw_py_param *source = &variant->source[position];
    argument->passed = Py_NewRef(instance->real);
    const char *const *names = names_of(variant, position);
    for (int i = 0; i < source->n_attributes; i++) {
        const struct pair *pair = find_pair(instance, source->attributes[i].name);
        if (pair != NULL && add_use(call, pair, names[i], source->attributes[i].flags) < 0)
            return -1;
    }
    return use_unknown(call, instance, source->name, false) < 0 ? -1 : use_objects(call, instance, source->name);
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
            && check_memory(call, use->name, &use->info, written, kernel->params[i].name, &call->arguments[i].info,
                            is_written(&kernel->params[i])) < 0)
            return -1;
    for (const struct instance_use *next = use->next; next != NULL; next = next->next)
        if (next->read && next->pair.inside != use->pair.inside && next->info.on_device == use->info.on_device
            && check_memory(call, use->name, &use->info, written, next->name, &next->info,
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
            raise_argument_error(PyExc_TypeError, call->kernel->name, use->name, "is not a device array any more");
        if (answer != READ_DONE)
            return -1;
        use->read = true;
        if (use->info.read_only && use->flags & PKW_WRITTEN)
            return raise_argument_error(PyExc_ValueError, call->kernel->name, use->name,
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
        use->view = staging_add(&call->session, &use->info, use->name, flags, LAYOUT_C);
        if (use->view < 0)
            return -1;
    }
    return 0;
}

static int
copy_use(const struct call *call, const struct instance_use *use, bool refresh)
{
    PyArrayObject *inside = use->pair.inside;
    if (use->pair.outside == (PyObject *)inside)
        return 0;
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
