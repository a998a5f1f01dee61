/* table.c - see pyccel_module.h: what a stub says, as the pipeline reads it. */
#include <string.h>

#include "arrays/dtypes.h"
#include "pyccel_module.h"

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
param_of(const pkw_py_param *source, bool refuses_empty, bool kept, bool handed_out)
{
    uint32_t flags = source->flags;
    if (flags & PKW_HAS_DEFAULT) /* whatever the default is: the compiled module knows it */
        flags = (flags & ~(uint32_t)PKW_HAS_DEFAULT) | PKW_DEFAULT_NONE;
    if (source->kind == PKW_PY_ARRAY)
        flags |= PARAM_PYCCEL | (source->order == 'F' ? PKW_FORTRAN : 0) | (refuses_empty ? PKW_REFUSE_EMPTY : 0)
                 | (kept ? PARAM_KEPT : 0) | (handed_out ? PARAM_CONTIGUOUS : 0);
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

char *
pyccel_dotted_name(const char *parameter, const char *attribute)
{
    size_t size = strlen(parameter) + strlen(attribute) + 2;
    char *name = PyMem_RawMalloc(size);
    if (name != NULL)
        PyOS_snprintf(name, size, "%s.%s", parameter, attribute);
    return name;
}

/* For as long as the process lives: the engine may tell them after the call. NULL where memory is short. */
static const char **
attribute_names(const pkw_py_variant *source)
{
    size_t n = 0;
    for (int i = 0; i < source->n_params; i++)
        n += (size_t)source->params[i].n_attributes;
    const char **names = PyMem_RawCalloc(n + 1, sizeof *names), **next = names;
    for (int i = 0; names != NULL && i < source->n_params; i++)
        for (int k = 0; k < source->params[i].n_attributes; k++, next++)
            if ((*next = pyccel_dotted_name(source->params[i].name, source->params[i].attributes[k].name)) == NULL)
                return NULL;
    return names;
}

static int
fill_variant(struct pyccel_variant *variant, struct pyccel_module *module, const pkw_py_function *function,
             const pkw_py_variant *source, enum pyccel_keeps keeps, bool links)
{
    size_t n = (size_t)source->n_params;
    pkw_param *params = PyMem_RawCalloc(n + 1, sizeof *params);
    int16_t *visible = PyMem_RawCalloc(n + 1, sizeof *visible);
    variant->attribute_names = attribute_names(source);
    if (params == NULL || visible == NULL || variant->attribute_names == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int n_positional = 0, n_required = 0;
    for (int i = 0; i < source->n_params; i++)
        variant->n_objects += source->params[i].kind == PKW_PY_CLASS;
    for (int16_t i = 0; i < source->n_params; i++) {
        params[i] = param_of(&source->params[i], module->table->refuses_empty, keeps != KEEPS_NOTHING || variant->n_objects > 0,
                             keeps != KEEPS_NOTHING || function->gives_views);
        visible[i] = i;
        n_positional += !(params[i].flags & PKW_KEYWORD_ONLY);
        n_required += !(params[i].flags & (PKW_DEFAULT_NONE | PKW_KEYWORD_ONLY));
        variant->n_needed += !(params[i].flags & PKW_DEFAULT_NONE);
    }
    variant->source = source->params;
    variant->keeps = keeps;
    variant->links = links;
    variant->gives_objects = function->gives_objects || keeps == KEEPS_IN_RESULT;
    variant->module = module;
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
pyccel_variants(struct pyccel_module *module, const pkw_py_function *function, enum pyccel_keeps keeps, bool links)
{
    struct pyccel_variant *variants = PyMem_RawCalloc((size_t)function->n_variants + 1, sizeof *variants);
    if (variants == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < function->n_variants; i++)
        if (fill_variant(&variants[i], module, function, &function->variants[i], keeps, links) < 0)
            return NULL;
    return variants;
}
