/* verify.c - a generated module's kernel under verify and learn mode: the arrays it is handed, before and after. */
#include "call_internal.h"
#include "arrays/dtypes.h"
#include "base/runtime.h"
#include "watch/watch.h"

/* One array argument while it is watched. */
struct watched {
    struct watched_memory memory;
    int64_t strides[PKW_MAX_RANK];
    void *before; /* owned; NULL: not compared */
    bool poisoned;
};

/* An array that the kernel reaches through an argument. */
struct further_array {
    struct further_array *next;
    const char *name;
    PyArrayObject *array; /* owned */
    bool written;
    void *before; /* owned; NULL: not compared */
    struct watched_memory memory;
};

int
watch_further(struct call *call, const char *name, PyArrayObject *array, bool written)
{
    if (PyArray_SIZE(array) == 0)
        return 0;
    struct further_array *further = PyMem_Calloc(1, sizeof *further);
    if (further == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *further = (struct further_array){call->further, name, (PyArrayObject *)Py_NewRef(array), written, NULL, watched_array(array)};
    call->further = further;
    if (!written || watching_active & WATCH_LEARN)
        further->before = watch_copy(&further->memory);
    return PyErr_Occurred() ? -1 : 0;
}

/* After an undeclared write somewhere: what should not have been written is as before. */
static void
restore_further(const struct call *call)
{
    for (struct further_array *further = call->further; further != NULL; further = further->next)
        if (further->before != NULL && !further->written && PyArray_ISWRITEABLE(further->array))
            watch_restore(&further->memory, further->before);
}

/* With `judging` false, only what belongs to each is noted. */
static int
judge_further(const struct call *call, const struct byte_range *written, int n_written, bool judging)
{
    const pkw_kernel *kernel = call->kernel;
    for (struct further_array *further = call->further; further != NULL; further = further->next) {
        further->memory.exempt = written;
        further->memory.n_exempt = further->written ? 0 : n_written;
    }
    for (struct further_array *further = call->further; further != NULL && judging; further = further->next) {
        int64_t index[PKW_MAX_RANK];
        bool changed = further->before != NULL && watch_find_change(&further->memory, further->before, index);
        if (watching_active & WATCH_LEARN
            && watch_tell(kernel->module, kernel->name, further->name, changed, watch_n_bytes(&further->memory)) < 0)
            return -1;
        if (changed && !further->written && watching_active & WATCH_VERIFY)
            return raise_undeclared_write(kernel->name, further->name, &further->memory, further->before, index,
                                          PyArray_DESCR(further->array));
    }
    return 0;
}

static void
release_further(struct call *call)
{
    while (call->further != NULL) {
        struct further_array *further = call->further;
        call->further = further->next;
        Py_DECREF((PyObject *)further->array);
        PyMem_Free(further->before);
        PyMem_Free(further);
    }
}

/* The memory that the kernel sees: packed in the order of the declaration, but for what it gets as it is. */
static void
find_memory(const struct call *call, int position, struct watched *watched)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct argument *argument = &call->arguments[position];
    const struct array_info *info = &argument->info;
    bool as_given = argument->packed == NULL && argument->view < 0;
    int64_t stride = dtype_rows[param->dtype].size;
    for (int i = 0; i < info->rank; i++) {
        int dim = param->flags & PKW_FORTRAN ? i : info->rank - 1 - i;
        watched->strides[dim] = as_given ? info->strides[dim] : stride;
        stride *= info->shape[dim];
    }
    watched->memory = (struct watched_memory){
        .data = call->slots[position].ptr,
        .rank = info->rank,
        .shape = info->shape,
        .strides = watched->strides,
        .item_size = dtype_rows[param->dtype].size,
    };
}

/* Memory of what is written, which an overlapping array that is only read sees change. */
static int
find_written(const struct call *call, struct byte_range *written)
{
    int n = 0;
    for (int i = 0; i < call->kernel->n_params; i++) {
        struct watched watched;
        if (!call->arguments[i].is_array || !is_written(&call->kernel->params[i])
            || is_empty_array(&call->arguments[i].info))
            continue;
        find_memory(call, i, &watched);
        written[n++] = watch_range(&watched.memory);
    }
    for (const struct further_array *further = call->further; further != NULL; further = further->next)
        if (further->written)
            written[n++] = watch_range(&further->memory);
    return n;
}

bool
is_poisonable(const pkw_param *param)
{
    return watching_active & WATCH_VERIFY && param->kind == PKW_ARRAY && param->flags & PKW_OVERWRITTEN;
}

static bool
is_watched(const struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct argument *argument = &call->arguments[position];
    return argument->is_array && param->kind == PKW_ARRAY && !(param->flags & PKW_SCRATCH)
           && !is_empty_array(&argument->info);
}

static int
begin(const struct call *call, int position, struct watched *watched)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct argument *argument = &call->arguments[position];
    find_memory(call, position, watched);
    /* The caller's own memory is left alone: prepare.c packs arrays that are to be poisoned, the engine may not. */
    bool is_ours = argument->packed != NULL || argument->made != NULL
                   || (argument->view >= 0 && !session_view(&call->session, argument->view)->in_place);
    if (is_poisonable(param) && is_ours) {
        watch_poison(&watched->memory);
        watched->poisoned = true;
    } else if (!is_written(param) || watching_active & WATCH_LEARN) {
        watched->before = watch_copy(&watched->memory);
        if (watched->before == NULL)
            return -1;
    }
    return 0;
}

static int
judge(const struct call *call, int position, struct watched *watched)
{
    const pkw_kernel *kernel = call->kernel;
    const pkw_param *param = &kernel->params[position];
    int64_t index[PKW_MAX_RANK];
    if (watched->poisoned && watch_find_poison(&watched->memory, index))
        return raise_left_unwritten(kernel->name, param->name, watched->memory.rank, index);
    bool changed = watched->poisoned || (watched->before != NULL && watch_find_change(&watched->memory, watched->before, index));
    bool is_callers = call->arguments[position].made == NULL;
    if (watching_active & WATCH_LEARN && is_callers
        && watch_tell(kernel->module, kernel->name, param->name, changed, watch_n_bytes(&watched->memory)) < 0)
        return -1;
    if (!changed || is_written(param) || !(watching_active & WATCH_VERIFY))
        return 0;
    PyArray_Descr *descr = dtype_descr((pkw_dtype)param->dtype);
    if (descr != NULL)
        raise_undeclared_write(kernel->name, param->name, &watched->memory, watched->before, index, descr);
    Py_XDECREF(descr);
    return -1;
}

/* What should not have been written is as before, also where it was not what the error tells of. What was read-only is a copy, or memory
 * that nobody may write to. */
static void
restore(const struct call *call, struct watched *watched)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        bool may_be_written = !argument->info.read_only || argument->packed != NULL;
        if (watched[i].before != NULL && !is_written(&call->kernel->params[i]) && may_be_written)
            watch_restore(&watched[i].memory, watched[i].before);
    }
    restore_further(call);
}

/* "'x' or 'y'": the arrays that were filled with the pattern. A new reference, or NULL with an exception set. */
static PyObject *
poisoned_names(const struct call *call, const struct watched *watched)
{
    PyObject *names = PyUnicode_FromString("");
    for (int i = 0; names != NULL && i < call->kernel->n_params; i++) {
        if (!watched[i].poisoned)
            continue;
        const char *between = PyUnicode_GET_LENGTH(names) > 0 ? " or " : "";
        PyObject *longer = PyUnicode_FromFormat("%U%s'%s'", names, between, call->kernel->params[i].name);
        Py_DECREF(names);
        names = longer;
    }
    return names;
}

/* Size of the floating-point numbers that elements consist of; 0: of none whose NaNs are followed. */
static size_t
float_size(pkw_dtype dtype)
{
    switch (dtype) {
    case PKW_F32:
    case PKW_C64: return sizeof(float);
    case PKW_F64:
    case PKW_C128: return sizeof(double);
    default: return 0;
    }
}

static int
tell_read(const struct call *call, const struct watched *watched, const char *where, int rank, const int64_t *index)
{
    PyObject *names = poisoned_names(call, watched);
    if (names != NULL)
        raise_read_too_early(call->kernel->name, names, where, rank, index);
    Py_XDECREF(names);
    return -1;
}

/* The pattern is a NaN, and what is computed from a NaN is that NaN: where it comes out, an array was read before it was written. 0, or
 * -1 with an exception set. */
static int
find_reads(const struct call *call, const struct watched *watched)
{
    const pkw_kernel *kernel = call->kernel;
    bool poisoned = false;
    for (int i = 0; i < kernel->n_params; i++)
        poisoned = poisoned || watched[i].poisoned;
    struct watched_memory result = {(char *)(uintptr_t)&call->result, .item_size = dtype_rows[kernel->return_dtype].size};
    size_t result_size = float_size((pkw_dtype)kernel->return_dtype);
    if (poisoned && result_size > 0 && watch_find_derived(&result, result_size, NULL))
        return tell_read(call, watched, "the result", 0, NULL);
    for (int i = 0; i < kernel->n_params && poisoned; i++) {
        const pkw_param *param = &kernel->params[i];
        size_t size = float_size((pkw_dtype)param->dtype);
        int64_t index[PKW_MAX_RANK];
        if (size == 0 || !is_watched(call, i) || !is_written(param) || !watch_find_derived(&watched[i].memory, size, index))
            continue;
        return tell_read(call, watched, param->name, watched[i].memory.rank, index);
    }
    return 0;
}

static int
judge_all(struct call *call, struct watched *watched)
{
    int room = call->kernel->n_params;
    for (const struct further_array *further = call->further; further != NULL; further = further->next)
        room++;
    struct byte_range *written = PyMem_Malloc((size_t)(room + 1) * sizeof *written);
    if (written == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int n_written = find_written(call, written), done = 0;
    for (int i = 0; i < call->kernel->n_params; i++) {
        watched[i].memory.exempt = written;
        watched[i].memory.n_exempt = is_written(&call->kernel->params[i]) ? 0 : n_written;
    }
    for (int i = 0; i < call->kernel->n_params && done == 0; i++)
        if (is_watched(call, i))
            done = judge(call, i, &watched[i]);
    if (judge_further(call, written, n_written, done == 0) < 0)
        done = -1;
    if (done == 0)
        done = find_reads(call, watched);
    if (done < 0)
        restore(call, watched);
    PyMem_Free(written);
    return done;
}

int
run_watched(struct call *call)
{
    int n = call->kernel->n_params;
    struct watched *watched = PyMem_Calloc((size_t)n + 1, sizeof *watched);
    if (watched == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int done = call->operations->watch != NULL ? call->operations->watch(call) : 0;
    for (int i = 0; i < n && done == 0; i++)
        if (is_watched(call, i))
            done = begin(call, i, &watched[i]);
    if (done == 0)
        done = call->operations->run(call);
    if (done == 0)
        done = judge_all(call, watched);
    for (int i = 0; i < n; i++)
        PyMem_Free(watched[i].before);
    PyMem_Free(watched);
    release_further(call);
    return done;
}
