/* plan_macros.h - which names the headers of a module may define as macros. */
#ifndef PLAN_MACROS_H
#define PLAN_MACROS_H

#include "plan/plan.h"

/* Fills in plan->macros from the text of plan->dependencies and from compile_flags: every name behind a #define, in whatever
 * branch, since taking back what is not defined does nothing. The system's headers are not looked into: they go with Python's. */
void plan_macros(struct plan *plan);

#endif
