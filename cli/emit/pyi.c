/* pyi.c - the module's stub: typed signatures for NumPy and device arrays, and the docstrings. */
#include <string.h>

#include "emit_internal.h"
#include "py.h"
#include "base/files.h"

/* The alias for arrays of the dtype: "_float64_array". */
static void
add_array_type(struct text *out, pkw_dtype dtype)
{
    text_printf(out, "_%s_array", dtype_name(dtype));
}

static void
add_scalar_type(struct text *out, pkw_dtype dtype)
{
    switch (dtype_kind(dtype)) {
    case 'b': text_add(out, "bool"); break;
    case 'c': text_add(out, "complex"); break;
    case 'i':
    case 'u': text_add(out, "int"); break;
    default: text_add(out, "float");
    }
}

static void
add_parameter(struct text *out, const struct plan_param *param)
{
    bool none = param->nullable || param->create || param->scratch
                || (param->optional && (param->literal.kind == LITERAL_NULL || param->literal.kind == LITERAL_NONE));
    text_printf(out, "%s: ", param->name);
    switch (param->kind) {
    case PLAN_ARRAY: add_array_type(out, param->dtype); break;
    case PLAN_STRING: text_add(out, "str | bytes"); break;
    case PLAN_CHAR: text_add(out, "str"); break;
    default: add_scalar_type(out, param->dtype);
    }
    if (none)
        text_add(out, " | None");
    if (!param->optional)
        return;
    bool shown = param->literal.kind != LITERAL_NONE && param->literal.kind != LITERAL_NULL;
    text_printf(out, " = %s", shown ? param->literal.text : "None");
}

/* A made array has the kind of the caller's, which no type can say. */
static void
add_result_type(struct text *out, const struct plan_param *param)
{
    if (param->kind == PLAN_ARRAY)
        text_add(out, "Any");
    else
        add_scalar_type(out, param->dtype);
}

static void
add_return_type(struct text *out, const struct plan_kernel *kernel)
{
    bool own = !kernel->returns.is_void;
    int n = kernel->n_results + own;
    const char *separator = "";
    text_add(out, n == 0 ? "None" : n == 1 ? "" : "tuple[");
    if (own) {
        if (kernel->returns.kind == KIND_STRING || kernel->returns.is_char)
            text_add(out, "str");
        else
            add_scalar_type(out, kernel->returns.dtype);
        separator = ", ";
    }
    for (int i = 0; i < kernel->n_results; i++) {
        text_add(out, separator);
        add_result_type(out, &kernel->params[kernel->results[i]]);
        separator = ", ";
    }
    text_add(out, n > 1 ? "]" : "");
}

void
emit_stub_doc(struct text *out, const char *doc)
{
    text_add(out, "\n    \"\"\"");
    for (const char *at = doc; *at != '\0'; at++) {
        if (*at == '\\' || (*at == '"' && (at[1] == '"' || at[1] == '\0')))
            text_printf(out, "\\%c", *at);
        else if (*at == '\n' && at[1] != '\n')
            text_add(out, "\n    ");
        else
            text_add_n(out, at, 1);
    }
    text_add(out, strchr(doc, '\n') ? "\n    \"\"\"\n" : "\"\"\"\n");
}

static void
add_doc(struct text *out, const struct plan_kernel *kernel)
{
    struct text doc = {0};
    emit_doc(&doc, kernel);
    if (doc.length > 0)
        emit_stub_doc(out, doc.data);
    else
        text_add(out, " ...\n");
    text_release(&doc);
}

/* A signature: on one line where it fits, else a parameter a line. */
static void
add_signature(struct text *out, const struct plan_kernel *kernel, bool broken)
{
    const char *separator = broken ? ",\n    " : ", ";
    text_printf(out, "def %s(%s", kernel->name, broken ? "\n    " : "");
    for (int i = 0; i < kernel->n_visible; i++) {
        text_add(out, i ? separator : "");
        if (i == kernel->n_positional)
            text_printf(out, "*%s", separator);
        add_parameter(out, &kernel->params[kernel->visible[i]]);
    }
    text_add(out, broken ? ",\n) -> " : ") -> ");
    add_return_type(out, kernel);
    text_add(out, ":");
}

static void
add_kernel(struct text *out, const struct plan_kernel *kernel)
{
    struct text line = {0};
    add_signature(&line, kernel, false);
    text_add(out, "\n");
    if (line.length <= 100)
        text_add(out, line.data);
    else
        add_signature(out, kernel, true);
    text_release(&line);
    add_doc(out, kernel);
}

/* What a host array of the dtype is to a type checker. NumPy has no bfloat16; ml_dtypes has no stub. */
static void
add_alias(struct text *out, pkw_dtype dtype)
{
    add_array_type(out, dtype);
    if (!dtype_is_numpys(dtype))
        text_add(out, ": TypeAlias = npt.NDArray[Any] | _device_array\n");
    else
        text_printf(out, ": TypeAlias = npt.NDArray[np.%s%s] | _device_array\n", dtype_name(dtype),
                    dtype == PKW_BOOL ? "_" : "");
}

static bool
uses(const struct plan *plan, pkw_dtype dtype)
{
    for (int i = 0; i < plan->n_kernels; i++)
        for (int k = 0; k < plan->kernels[i].n_params; k++) {
            const struct plan_param *param = &plan->kernels[i].params[k];
            if (param->visible && param->kind == PLAN_ARRAY && param->dtype == dtype)
                return true;
        }
    return false;
}

void
emit_stub_arrays(struct text *out, const bool uses[PKW_N_DTYPES])
{
    bool any = false;
    for (int dtype = PKW_NO_DTYPE + 1; dtype < PKW_N_DTYPES; dtype++)
        any = any || uses[dtype];
    if (!any)
        return;
    text_add(out, "class _device_array(Protocol):\n"
                  "    \"\"\"An array in CUDA device memory: CuPy's, PyTorch's, Numba's and others.\"\"\"\n"
                  "    @property\n"
                  "    def __cuda_array_interface__(self) -> dict[str, Any]: ...\n\n");
    for (int dtype = PKW_NO_DTYPE + 1; dtype < PKW_N_DTYPES; dtype++)
        if (uses[dtype])
            add_alias(out, (pkw_dtype)dtype);
}

void
emit_pyi(struct text *out, const struct plan *plan)
{
    bool arrays[PKW_N_DTYPES], any = false;
    text_printf(out, EMIT_PYI_MARK "%s. Change that and run pkwrap again.\n", path_name(plan->manifest));
    if (plan->python != NULL) {
        emit_py_stub(out, plan);
        return;
    }
    for (int dtype = 0; dtype < PKW_N_DTYPES; dtype++)
        any |= arrays[dtype] = uses(plan, (pkw_dtype)dtype);
    if (any)
        text_add(out, "from typing import Any, Protocol, TypeAlias\n\nimport numpy as np\nimport numpy.typing as npt\n\n");
    emit_stub_arrays(out, arrays);
    for (int i = 0; i < plan->n_kernels; i++)
        add_kernel(out, &plan->kernels[i]);
}
