/* run.c - the function that calls a kernel from slots. */
#include "emit_internal.h"

void
emit_run(const struct emission *e)
{
    const struct plan_kernel *kernel = e->kernel;
    const struct model_type *returns = &kernel->returns;
    struct text *out = e->out;
    text_printf(out, "static void\n%s__run(pkw_slot *result, const pkw_slot *s)\n{\n", kernel->c_name);
    if (returns->is_void)
        text_add(out, "    (void)result;\n");
    if (kernel->n_params == 0)
        text_add(out, "    (void)s;\n");
    text_add(out, "    ");
    if (returns->kind == KIND_STRING)
        text_add(out, "result->ptr = (void *)");
    else if (!returns->is_void)
        text_printf(out, "result->%s = (%s)", dtype_slot(returns->dtype), dtype_ctype(returns->dtype));
    text_printf(out, "%s__call(", kernel->c_name);
    for (int i = 0; i < kernel->n_params; i++) {
        const struct plan_param *param = &kernel->params[i];
        text_printf(out, "%ss[%d].%s", i ? ", " : "", i, param_is_pointer(param) ? "ptr" : dtype_slot(param->dtype));
    }
    text_add(out, ");\n}\n\n");
}
