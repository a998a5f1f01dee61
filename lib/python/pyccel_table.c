/* pyccel_table.c - see pyccel.h: what a stub says, as the pipeline reads it. */
#include "dtypes.h"
#include "pyccel.h"

/* Every dimension of an array of a Pyccel function is free. */
static const pkw_expr free_shape[PKW_MAX_RANK];

static uint8_t
kind_of(const pkw_py_param *source)
{
    switch ((pkw_py_kind)source->kind) {
    case PKW_PY_ARRAY: return PKW_ARRAY;
    case PKW_PY_SCALAR: return PARAM_SCALAR;
    case PKW_PY_CLASS: return PARAM_CLASS;
    case PKW_PY_OBJECT: break;
    }
    return PARAM_OBJECT;
}

static pkw_param
param_of(const pkw_py_param *source, bool refuses_empty)
{
    uint32_t flags = source->flags;
    if (flags & PKW_HAS_DEFAULT) /* whatever the default is: the compiled module knows it */
        flags = (flags & ~(uint32_t)PKW_HAS_DEFAULT) | PKW_DEFAULT_NONE;
    if (source->kind == PKW_PY_ARRAY)
        flags |= PARAM_PYCCEL | (source->order == 'F' ? PKW_FORTRAN : 0) | (refuses_empty ? PKW_REFUSE_EMPTY : 0);
    return (pkw_param){
        .name = source->name,
        .c_type = source->type,
        .kind = kind_of(source),
        .dtype = source->dtype,
        .rank = source->rank,
        .from_param = -1,
        .flags = flags,
        .shape = free_shape,
    };
}

static int
fill_variant(struct pyccel_variant *variant, struct pyccel_module *module, const pkw_py_function *function,
             const pkw_py_variant *source)
{
    size_t n = (size_t)source->n_params;
    pkw_param *params = PyMem_RawCalloc(n + 1, sizeof *params);
    int16_t *visible = PyMem_RawCalloc(n + 1, sizeof *visible);
    if (params == NULL || visible == NULL) {
        PyMem_RawFree(params);
        PyMem_RawFree(visible);
        PyErr_NoMemory();
        return -1;
    }
    int n_positional = 0, n_required = 0;
    for (int16_t i = 0; i < source->n_params; i++) {
        params[i] = param_of(&source->params[i], module->table->refuses_empty);
        visible[i] = i;
        n_positional += !(params[i].flags & PKW_KEYWORD_ONLY);
        n_required += !(params[i].flags & (PKW_DEFAULT_NONE | PKW_KEYWORD_ONLY));
    }
    variant->source = source->params;
    variant->kernel = (pkw_kernel){
        .name = function->name,
        .module = module->table->name,
        .params = params,
        .visible = visible,
        .n_params = source->n_params,
        .n_visible = source->n_params,
        .n_required = (int16_t)n_required,
        .n_positional = (int16_t)n_positional,
        .gil = PKW_GIL_HOLD, /* the compiled module never lets go of it */
        .state = function->state,
        .module_state = &module->state,
    };
    return 0;
}

struct pyccel_variant *
pyccel_variants(struct pyccel_module *module, const pkw_py_function *function)
{
    struct pyccel_variant *variants = PyMem_RawCalloc((size_t)function->n_variants + 1, sizeof *variants);
    if (variants == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < function->n_variants; i++)
        if (fill_variant(&variants[i], module, function, &function->variants[i]) < 0) {
            PyMem_RawFree(variants);
            return NULL;
        }
    return variants;
}
