/* overlap.h - which views share memory, and which views have elements that do. */
#ifndef CORE_OVERLAP_H
#define CORE_OVERLAP_H

#include "geometry.h"

/* Do any two views share a byte? Exact for all that occurs; true where finding out would take too long. */
bool views_share_bytes(const struct device_view *a, const struct geometry *ga, const struct device_view *b,
                       const struct geometry *gb);

/* Do two elements of a view that is not empty share a byte? As exact. */
bool view_overlaps_itself(const struct device_view *view);

#endif
