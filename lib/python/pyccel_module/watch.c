/* watch.c - verify and learn mode for the arrays that argument objects refer to. */
#include "base/errors.h"
#include "instance_internal.h"
#include "base/runtime.h"
#include "watch/watch.h"

/* One attribute of one argument. */
struct attribute_watch {
    struct attribute_watch *next;
    const char *parameter;
    const pkw_py_attribute *source;
    PyArrayObject *array; /* owned: as the compiled object refers to it */
    void *before;         /* owned; NULL: not compared */
    struct watched_memory memory;
};

static int
add_watch(struct call *call, const char *parameter, const pkw_py_attribute *source, PyObject *array)
{
    struct attribute_watch *watch = PyMem_Calloc(1, sizeof *watch);
    if (watch == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    watch->next = call->attribute_watches;
    call->attribute_watches = watch;
    watch->parameter = parameter;
    watch->source = source;
    watch->array = (PyArrayObject *)Py_NewRef(array);
    watch->memory = watched_array(watch->array);
    if (!(source->flags & PKW_WRITTEN) || watching_active & WATCH_LEARN)
        watch->before = watch_copy(&watch->memory);
    return PyErr_Occurred() ? -1 : 0;
}

static int
begin_argument(struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    const pkw_py_param *source = &((const struct pyccel_variant *)call->kernel)->source[position];
    PyObject *real = argument->passed != NULL ? argument->passed : argument->given;
    const struct pyccel_instance *instance = given_instance(call, position);
    for (int i = 0; real != NULL && i < source->n_attributes; i++) {
        if (instance != NULL && !is_set_by_name(instance, source->attributes[i].name))
            continue;
        PyObject *value = PyObject_GetAttrString(real, source->attributes[i].name);
        if (value == NULL) {
            PyErr_Clear(); /* not an instance of that class, or one without the array: the compiled function's to judge */
            continue;
        }
        int done = 0;
        if (PyArray_Check(value) && PyArray_SIZE((PyArrayObject *)value) > 0)
            done = add_watch(call, source->name, &source->attributes[i], value);
        Py_DECREF(value);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
watch_attributes_begin(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++)
        if (call->kernel->params[i].kind == PARAM_CLASS && begin_argument(call, i) < 0)
            return -1;
    return 0;
}

int
watch_attributes_written(const struct call *call, struct byte_range *written, int room)
{
    int n = 0;
    for (const struct attribute_watch *watch = call->attribute_watches; watch != NULL; watch = watch->next)
        if (watch->source->flags & PKW_WRITTEN && n < room)
            written[n++] = watch_range(&watch->memory);
    return n;
}

int
watch_attributes_count(const struct call *call)
{
    int n = 0;
    for (const struct attribute_watch *watch = call->attribute_watches; watch != NULL; watch = watch->next)
        n++;
    return n;
}

int
watch_attributes_judge(struct call *call, const struct byte_range *written, int n_written)
{
    const pkw_kernel *kernel = call->kernel;
    for (struct attribute_watch *watch = call->attribute_watches; watch != NULL; watch = watch->next) {
        int64_t index[PKW_MAX_RANK];
        bool is_written = watch->source->flags & PKW_WRITTEN;
        watch->memory.exempt = written;
        watch->memory.n_exempt = is_written ? 0 : n_written;
        bool changed = watch->before != NULL && watch_find_change(&watch->memory, watch->before, index);
        char name[256];
        PyOS_snprintf(name, sizeof name, "%s.%s", watch->parameter, watch->source->name);
        if (watching_active & WATCH_LEARN
            && watch_tell(kernel->module, kernel->name, name, changed, watch_n_bytes(&watch->memory)) < 0)
            return -1;
        if (changed && !is_written && watching_active & WATCH_VERIFY)
            return raise_undeclared_write(kernel->name, name, &watch->memory, watch->before, index,
                                          PyArray_DESCR(watch->array));
    }
    return 0;
}

void
watch_attributes_release(struct call *call)
{
    while (call->attribute_watches != NULL) {
        struct attribute_watch *watch = call->attribute_watches;
        call->attribute_watches = watch->next;
        Py_DECREF((PyObject *)watch->array);
        PyMem_Free(watch->before);
        PyMem_Free(watch);
    }
}
