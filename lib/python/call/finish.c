/* finish.c - what the kernel wrote goes back to where the caller's arrays are. */
#include "call.h"
#include "arrays/staging.h"

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
    if (call->uses != NULL && collect_instances(call) < 0)
        return -1;
    if (call->n_device > 0 && staging_upload(&call->session, kernel->name, kernel->state) < 0)
        return -1;
    return call->n_converted > 0 ? staging_record_conversion(kernel->name, call->n_converted, kernel->state) : 0;
}
