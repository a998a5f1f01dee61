/* prepare.c - memory for every array: in place, packed on the host, or staged from a device; and back when the kernel has run. */

#include "call_internal.h"
#include <string.h>

#include "arrays/dtypes.h"
#include "base/errors.h"
#include "base/runtime.h"
#include "arrays/staging.h"
#include "watch/watch.h"

bool
fits_in_place(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    return !argument->info.swapped && call->operations->fits(&call->kernel->params[position], host_array(argument));
}

static PyArrayObject *
new_packed(const struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    const struct array_info *info = &call->arguments[position].info;
    PyArray_Descr *descr = dtype_descr((pkw_dtype)param->dtype);
    npy_intp shape[PKW_MAX_RANK];
    for (int i = 0; i < info->rank; i++)
        shape[i] = info->shape[i];
    return descr == NULL
               ? NULL
               : (PyArrayObject *)PyArray_Empty(info->rank, shape, descr, (param->flags & PKW_FORTRAN) != 0);
}

static int
pack(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    if (check_packing(call, position) < 0)
        return -1;
    argument->packed = new_packed(call, position);
    if (argument->packed == NULL)
        return -1;
    return is_write_only(param) ? 0 : PyArray_CopyInto(argument->packed, host_array(argument));
}

/* Adds a device array, or a 0-d device array given for a scalar, to the session. */
static int
add_to_session(struct call *call, int position, unsigned flags)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    if (call->n_device == 0)
        session_init(&call->session, call->kernel->name);
    call->n_device++;
    call->n_converted++;
    argument->view = staging_add(&call->session, &argument->info, param->name, flags,
                                 param->flags & PKW_FORTRAN ? LAYOUT_F : LAYOUT_C);
    return argument->view < 0 ? -1 : 0;
}

static unsigned
staging_flags_of(const pkw_param *param, const struct argument *argument)
{
    unsigned flags = 0;
    if (!is_write_only(param) && argument->made == NULL)
        flags |= STAGE_READ;
    if (is_written(param))
        flags |= STAGE_WRITTEN;
    if (param->flags & PKW_RESTRICT)
        flags |= STAGE_RESTRICT;
    return flags;
}

/* Verify mode: a read-only array that the kernel is said to leave alone. It gets a copy, so that nothing happens to the array where that
 * is not so; unless a written array shares its memory, and with that what is written there. */
static bool
is_to_be_guarded(const struct call *call, int position)
{
    const struct array_info *info = &call->arguments[position].info;
    if (!(watching_active & WATCH_VERIFY) || !info->read_only || is_written(&call->kernel->params[position]))
        return false;
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *other = &call->arguments[i];
        if (i != position && other->is_array && is_written(&call->kernel->params[i]) && infos_share_bytes(info, &other->info))
            return false;
    }
    return true;
}

static int
place_array(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    call->n_bytes += (size_t)element_count(&argument->info) * dtype_rows[param->dtype].size;
    if (argument->info.on_device && param->flags & PKW_SCRATCH) {
        argument->packed = new_packed(call, position); /* nobody reads it before or after */
        return argument->packed == NULL ? -1 : 0;
    }
    if (argument->info.on_device)
        return add_to_session(call, position, staging_flags_of(param, argument));
    bool is_poisoned = watching_active && argument->made == NULL && is_poisonable(param);
    return fits_in_place(call, position) && !is_poisoned && !is_to_be_guarded(call, position) ? 0 : pack(call, position);
}

/* An array without elements still gets an address that C may compute with. */
static max_align_t no_elements;

static void *
address_of(const struct call *call, const struct argument *argument)
{
    void *address;
    if (argument->packed != NULL)
        address = PyArray_DATA(argument->packed);
    else if (argument->view >= 0)
        address = session_view(&call->session, argument->view)->host;
    else
        address = (void *)argument->info.pointer;
    return address == NULL ? &no_elements : address;
}

static void
point_slot(struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct argument *argument = &call->arguments[position];
    pkw_slot *slot = &call->slots[position];
    if (argument->is_null)
        slot->ptr = NULL;
    else if (param->kind == PKW_CELL && !(argument->is_array && is_written(param)))
        slot->ptr = &call->cells[position];
    else if (param->kind == PKW_CELL || param->kind == PKW_ARRAY)
        slot->ptr = address_of(call, argument);
}

/* 0-d device arrays given for scalars that decide no size: part of the same download. */
static bool
is_staged_scalar(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    uint8_t kind = call->kernel->params[position].kind;
    return argument->is_array && !argument->is_known
           && (kind == PKW_SCALAR || (kind == PKW_CELL && !is_written(&call->kernel->params[position])));
}

static int
stage(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    if (staging_download(&call->session, kernel->name, kernel->state) < 0)
        return -1;
    for (int i = 0; i < kernel->n_params; i++) {
        struct argument *argument = &call->arguments[i];
        if (argument->view < 0)
            continue;
        void *host = session_view(&call->session, argument->view)->host;
        if (is_staged_scalar(call, i)) {
            if (scalar_from_staged(call, i, host) < 0)
                return -1;
        } else if (argument->made != NULL && !is_write_only(&kernel->params[i]) && !is_empty_array(&argument->info)) {
            memset(host, 0, (size_t)element_count(&argument->info) * dtype_rows[kernel->params[i].dtype].size);
        }
    }
    return 0;
}

/* NumPy arrays are as they were read: libraries that made arrays, and other threads while the GIL was let go of, may have resized
 * them. */
static int
check_unchanged(const struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        const struct array_info *info = &argument->info;
        if (!argument->is_array || info->on_device)
            continue;
        PyArrayObject *array = host_array(argument);
        size_t size = (size_t)info->rank * sizeof *info->shape;
        if ((uintptr_t)PyArray_DATA(array) != info->pointer || PyArray_NDIM(array) != info->rank
            || (size > 0 && memcmp(PyArray_DIMS(array), info->shape, size) != 0)
            || (size > 0 && memcmp(PyArray_STRIDES(array), info->strides, size) != 0))
            return raise_argument_error(PyExc_RuntimeError, call->kernel->name, call->kernel->params[i].name,
                                        "has got other memory or another shape while the call was being prepared");
    }
    return 0;
}

int
prepare_arrays(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        const pkw_param *param = &kernel->params[i];
        int done = 0;
        if (is_staged_scalar(call, i))
            done = add_to_session(call, i, STAGE_READ);
        else if (call->arguments[i].is_array && (param->kind == PKW_ARRAY || (param->kind == PKW_CELL && is_written(param))))
            done = place_array(call, i);
        if (done < 0)
            return -1;
    }
    if (call->operations->stage != NULL && call->operations->stage(call) < 0)
        return -1;
    if (call->n_device > 0 && stage(call) < 0)
        return -1;
    if ((call->n_device > 0 || call->n_made > 0) && check_unchanged(call) < 0)
        return -1;
    for (int i = 0; i < kernel->n_params; i++)
        point_slot(call, i);
    return call->operations->pass == NULL ? 0 : call->operations->pass(call);
}

int
finish_arrays(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        const pkw_param *param = &kernel->params[i];
        if (argument->packed == NULL || !is_written(param) || param->flags & PKW_SCRATCH)
            continue;
        if (PyArray_CopyInto(host_array(argument), argument->packed) < 0)
            return -1;
    }
    if (call->operations->collect != NULL && call->operations->collect(call) < 0)
        return -1;
    if (call->n_device > 0 && staging_upload(&call->session, kernel->name, kernel->state) < 0)
        return -1;
    return call->n_converted > 0 ? staging_record_conversion(kernel->name, call->n_converted, kernel->state) : 0;
}
