#include "refuse.h"

static const char *
name_of(const struct device_view *view)
{
    return view->argument != NULL ? view->argument : "?";
}

int
refuse_overlap(const struct device_view *one, const struct device_view *other, bool seen, struct session_error *error)
{
    const char *written = name_of(one->written ? one : other);
    if (one->is_restrict || other->is_restrict)
        return error_set(error, SESSION_RESTRICT,
                         "arguments '%s' and '%s' overlap, and '%s' is written; the kernel declares '%s' as restrict",
                         name_of(one), name_of(other), written, name_of(one->is_restrict ? one : other));
    if (!seen)
        return error_set(error, SESSION_CONFLICT,
                         "arguments '%s' and '%s' overlap, and '%s' is written; the kernel needs another layout than they "
                         "have, so it cannot see that they overlap: pass a copy of one",
                         name_of(one), name_of(other), written);
    return 0;
}

int
refuse_packing(const struct device_view *view, struct session_error *error)
{
    return error_set(error, SESSION_CONFLICT,
                     "argument '%s' is written, but several of its elements share memory, and the kernel needs it packed: "
                     "pass a copy",
                     name_of(view));
}
