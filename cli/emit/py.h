/* py.h - the generated files of a module of Python kernels. Called by emit_c and emit_pyi for such a plan. */
#ifndef EMIT_PY_H
#define EMIT_PY_H

#include "base/mem.h"
#include "plan/plan.h"
#include "plan/pyplan.h"

/* What follows the includes: tables and the exec function. */
void emit_py_tables(struct text *out, const struct plan *plan);

/* What follows the first line of the stub. */
void emit_py_stub(struct text *out, const struct plan *plan);

/* "move(g, shift, *, strict=True)", by the function's first signature. */
void emit_py_signature(struct text *out, const struct pyplan_function *function);
/* The docstring's text: the function's own, then its parameters where that does not list them. */
void emit_py_doc(struct text *out, const struct pyplan_function *function);

#endif
