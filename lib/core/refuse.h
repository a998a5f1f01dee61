/* refuse.h - arrays of a call that share memory although the kernel must not, or could not, see that; on the host and on a
 * device alike. Of the views only argument, written and is_restrict are looked at. */
#ifndef CORE_REFUSE_H
#define CORE_REFUSE_H

#include "error.h"
#include "view.h"

/* Two views share bytes, and one of them is written. `seen`: the kernel gets both with their real strides, over the same
 * memory. 0, or -1 with *error filled (SESSION_RESTRICT, SESSION_CONFLICT). */
int refuse_overlap(const struct device_view *one, const struct device_view *other, bool seen, struct session_error *error);
/* A view that is written and whose elements share bytes would be packed. -1 with *error filled (SESSION_CONFLICT). */
int refuse_packing(const struct device_view *view, struct session_error *error);

#endif
