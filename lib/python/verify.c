/* verify.c - a generated module's kernel under verify and learn mode: the arrays it is handed, before and after. */
#include "call.h"
#include "dtypes.h"
#include "runtime.h"
#include "watch.h"

/* One array argument while it is watched. */
struct watched {
    struct watched_memory memory;
    int64_t strides[PKW_MAX_RANK];
    void *before; /* owned; NULL: not compared */
    bool poisoned;
};

/* The memory that the kernel sees: packed in the order of the declaration, but for what a Python callable gets as it is. */
static void
find_memory(const struct call *call, int position, struct watched *watched)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct argument *argument = &call->arguments[position];
    const struct array_info *info = &argument->info;
    bool as_given = param->flags & PARAM_PYCCEL && argument->packed == NULL && argument->view < 0;
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

/* Memory of the written arguments, which an overlapping one that is only read sees change. */
static int
find_written(const struct call *call, struct byte_range *written)
{
    int n = 0;
    for (int i = 0; i < call->kernel->n_params; i++) {
        const pkw_param *param = &call->kernel->params[i];
        if (!call->arguments[i].is_array || !is_written(param))
            continue;
        const char *low = call->slots[i].ptr;
        int64_t n_bytes = element_count(&call->arguments[i].info) * dtype_rows[param->dtype].size;
        written[n++] = (struct byte_range){low, low + n_bytes};
    }
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
    struct byte_range written[kernel->n_params];
    if (!is_written(param)) {
        watched->memory.exempt = written;
        watched->memory.n_exempt = find_written(call, written);
    }
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

int
run_watched(struct call *call)
{
    int n = call->kernel->n_params, done = 0;
    struct watched *watched = PyMem_Calloc((size_t)n, sizeof *watched);
    if (watched == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < n && done == 0; i++)
        if (is_watched(call, i))
            done = begin(call, i, &watched[i]);
    if (done == 0)
        done = run_kernel(call);
    if (done == 0) {
        for (int i = 0; i < n && done == 0; i++)
            if (is_watched(call, i))
                done = judge(call, i, &watched[i]);
    }
    for (int i = 0; i < n; i++)
        PyMem_Free(watched[i].before);
    PyMem_Free(watched);
    return done;
}
