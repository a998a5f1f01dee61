/* overlap.c - which host arrays of a call may share memory (man/contract.md, its last part), told as for device arrays.
 *
 * Two arrays that overlap, one of them written, must both be used in place, so that the kernel sees the overlap; and neither may be
 * a written one that is declared restrict, or the other of such.
 */
#include "call_internal.h"
#include "base/errors.h"
#include "core/overlap.h"
#include "core/refuse.h"

/* Host memory that the caller gave, and that has elements. */
static bool
counts(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    return argument->is_array && argument->given != NULL && !argument->info.on_device
           && !is_empty_array(&argument->info);
}

static struct device_view
view_of(const struct call *call, int position)
{
    const pkw_param *param = &call->kernel->params[position];
    struct device_view view = array_info_view(&call->arguments[position].info);
    view.written = is_written(param);
    view.is_restrict = (param->flags & PKW_RESTRICT) != 0;
    view.argument = param->name;
    return view;
}

/* Bounds meet; do elements? */
static int
check_pair(const struct call *call, int first, int second)
{
    bool seen = fits_in_place(call, first) && fits_in_place(call, second);
    struct device_view one = view_of(call, first), other = view_of(call, second);
    struct geometry place, other_place;
    struct session_error error;
    if (geometry_init(&place, &one) != 0 || geometry_init(&other_place, &other) != 0
        || !views_share_bytes(&one, &place, &other, &other_place) || refuse_overlap(&one, &other, seen, &error) == 0)
        return 0;
    return raise_session_error(call->kernel->name, &error);
}

int
check_overlaps(struct call *call)
{
    const pkw_kernel *kernel = call->kernel;
    for (int i = 0; i < kernel->n_params; i++) {
        uintptr_t low, high;
        if (!counts(call, i))
            continue;
        array_bounds(&call->arguments[i].info, &low, &high);
        for (int j = i + 1; j < kernel->n_params; j++) {
            uintptr_t other_low, other_high;
            if (!counts(call, j) || !(is_written(&kernel->params[i]) || is_written(&kernel->params[j])))
                continue;
            array_bounds(&call->arguments[j].info, &other_low, &other_high);
            if (low < other_high && other_low < high && check_pair(call, i, j) < 0)
                return -1;
        }
    }
    return 0;
}

int
check_packing(const struct call *call, int position)
{
    struct device_view view = view_of(call, position);
    struct session_error error;
    if (!view.written || is_empty_array(&call->arguments[position].info) || !view_overlaps_itself(&view))
        return 0;
    refuse_packing(&view, &error);
    return raise_session_error(call->kernel->name, &error);
}
