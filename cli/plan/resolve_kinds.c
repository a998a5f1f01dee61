/* resolve_kinds.c - how each parameter is passed, and whether the kernel may write it. */
#include <string.h>

#include "resolve_internal.h"

/* The C type that has a dtype's representation, for void pointers, which have no element type of their own. */
static const char *
ctype_of(pkw_dtype dtype)
{
    return dtype == PKW_NO_DTYPE ? "void" : dtype_ctype(dtype);
}

/* A shape of no dimensions: one scalar behind the pointer. */
static bool
is_cell(const struct resolution *r, int position)
{
    const struct manifest_param *said = r->said[position];
    if (said->given[PARAM_SHAPE] != NULL)
        return said->n_shape == 0;
    const struct model_param *param = &r->function->params[position];
    return r->lenient && param->single && param->type.n_dims == 0;
}

static enum plan_kind
kind_for(const struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    if (r->said[position]->value != NULL)
        return PLAN_VALUE;
    switch (type->kind) {
    case KIND_STRING:
        return r->said[position]->given[PARAM_SHAPE] == NULL ? PLAN_STRING : is_cell(r, position) ? PLAN_CELL : PLAN_ARRAY;
    case KIND_SCALAR:
        return type->is_char ? PLAN_CHAR : PLAN_SCALAR;
    default:
        return is_cell(r, position) ? PLAN_CELL : PLAN_ARRAY;
    }
}

/* --- element types --- */

/* A reading of the same bytes: same size, or pairs of reals as complex numbers. */
static bool
can_read_as(pkw_dtype declared, pkw_dtype wanted)
{
    if (dtype_kind(wanted) == 'c' && dtype_kind(declared) == 'f')
        return dtype_size(wanted) == 2 * dtype_size(declared);
    return dtype_size(wanted) == dtype_size(declared);
}

static void
resolve_dtype(struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    const struct manifest_param *said = r->said[position];
    struct plan_param *out = &r->out->params[position];
    bool pointer = out->kind == PLAN_ARRAY || out->kind == PLAN_CELL;
    out->dtype = type->dtype;
    out->is_void = type->is_void;
    if (said->dtype != PKW_NO_DTYPE && said->dtype != out->dtype) {
        if (!pointer)
            refuse(r->diag, "dtype-scalar", said_place(r, position, PARAM_DTYPE),
                   "\"dtype\" of \"%s\" is %s, but C says that it is %s", c_name_of(r, position), dtype_name(said->dtype),
                   type->spelling);
        else if (!type->is_void && !can_read_as(out->dtype, said->dtype))
            refuse(r->diag, "dtype-size", said_place(r, position, PARAM_DTYPE),
                   "\"dtype\" of \"%s\" is %s (%d bytes), which does not fit the elements of %s (%d bytes)",
                   c_name_of(r, position), dtype_name(said->dtype), dtype_size(said->dtype), type->spelling,
                   dtype_size(out->dtype));
        out->dtype = said->dtype;
        out->is_void = true; /* the generated code casts by way of void * */
    }
    if (out->kind == PLAN_STRING)
        out->dtype = PKW_NO_DTYPE;
    out->c_type = type->is_void ? ctype_of(out->dtype) : type->element;
}

/* --- declared extents --- */

static bool
is_pair_reading(const struct resolution *r, int position)
{
    return dtype_kind(r->out->params[position].dtype) == 'c' && dtype_kind(r->function->params[position].type.dtype) == 'f';
}

/* Extents are declared in C's elements. Where two real numbers are read as a complex one, the innermost holds half as many,
 * and one of 2 (typedef double cpx[2]) is used up. */
static void
resolve_declared(struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    const struct manifest_param *said = r->said[position];
    struct declared_dims *out = &r->declared[position];
    *out = (struct declared_dims){type->dims, type->n_dims};
    if (type->n_dims == 0 || !is_pair_reading(r, position))
        return;
    out->dims = arena_grow(r->arena, type->dims, (size_t)type->n_dims, (size_t)type->n_dims, sizeof *out->dims);
    struct model_dim *innermost = &out->dims[out->n - 1];
    if (innermost->kind == DIM_EXPRESSION) {
        bool is_said = said->given[PARAM_SHAPE] != NULL && said->n_shape == type->n_dims;
        *innermost = is_said ? (struct model_dim){.kind = DIM_FREE, .text = ""}
                             : (struct model_dim){.kind = DIM_EXPRESSION, .text = arena_printf(r->arena, "(%s)/2", innermost->text)};
    } else if (innermost->kind == DIM_FIXED && innermost->size % 2 != 0) {
        refuse(r->diag, "dtype-size", said_place(r, position, PARAM_DTYPE),
               "\"dtype\" of \"%s\" is %s, which takes two elements of %s, and the innermost extent is odd",
               c_name_of(r, position), dtype_name(said->dtype), type->spelling);
    } else if (innermost->kind == DIM_FIXED) {
        innermost->size /= 2;
        bool is_used_up = innermost->size == 1 && (out->n > 1 || (said->given[PARAM_SHAPE] != NULL && said->n_shape == 0));
        out->n -= is_used_up;
    }
}

/* --- what is written --- */

/* A const that is believed: nothing shows that the kernel casts it away, and the manifest does not say so either. */
static bool
is_read_only(const struct resolution *r, int position)
{
    const struct model_param *param = &r->function->params[position];
    bool is_const = param->type.is_const || param->type.kind == KIND_STRING;
    return is_const && param->writes == WRITES_NO && r->said[position]->written == NULL;
}

static void
check_declared_output(struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    const struct manifest_param *said = r->said[position];
    const struct plan_param *out = &r->out->params[position];
    const char *name = c_name_of(r, position);
    struct place place = r->listed[position]->place;
    if (said->value != NULL)
        refuse(r->diag, "output-value", place, "output \"%s\" has a \"value\": the caller would not see what is written", name);
    else if (out->kind != PLAN_ARRAY && out->kind != PLAN_CELL && out->kind != PLAN_STRING)
        refuse(r->diag, "output-scalar", place, "output \"%s\" is passed by value (%s): no kernel can write it", name,
               type->spelling);
    else if (out->kind == PLAN_STRING)
        refuse(r->diag, "output-const", place, "output \"%s\" is a string (%s), which nothing can write; with a \"shape\" it is an "
               "array", name, type->spelling);
    else if (is_read_only(r, position))
        refuse(r->diag, "output-const", place, "output \"%s\" is const (%s): the kernel cannot write it; if it casts that away, say "
               "so in \"written\"", name, type->spelling);
    else if (said->scratch)
        refuse(r->diag, "output-scratch", place, "output \"%s\" is \"scratch\": nobody reads workspace after the call", name);
    else if (said->read_only != NULL)
        refuse(r->diag, "output-read-only", place, "output \"%s\" is \"read_only\" below: one of the two is wrong", name);
}

/* "written" beside what contradicts it. */
static void
check_written_reason(struct resolution *r, int position)
{
    struct place place = said_place(r, position, PARAM_WRITTEN);
    if (r->entry->outputs_kind == OUTPUTS_LIST && r->listed[position] == NULL)
        refuse(r->diag, "written-not-listed", place, "\"%s\" is \"written\", but \"outputs\" does not list it",
               c_name_of(r, position));
}

static bool
may_be_written(const struct resolution *r, int position)
{
    const struct model_param *param = &r->function->params[position];
    const struct manifest_param *said = r->said[position];
    if (is_read_only(r, position))
        return false;
    if (said->scratch)
        return true;
    if (r->entry->outputs_kind == OUTPUTS_LIST)
        return r->listed[position] != NULL;
    if (said->written != NULL || said->read_only != NULL)
        return said->written != NULL;
    return param->writes != WRITES_NO;
}

static void
resolve_writes(struct resolution *r, int position)
{
    const struct model_param *param = &r->function->params[position];
    const struct manifest_param *said = r->said[position];
    struct plan_param *out = &r->out->params[position];
    bool pointer = out->kind == PLAN_ARRAY || out->kind == PLAN_CELL;
    if (r->listed[position] != NULL)
        check_declared_output(r, position);
    if (said->written != NULL && pointer)
        check_written_reason(r, position);
    if (said->scratch && is_read_only(r, position))
        refuse(r->diag, "scratch-const", said_place(r, position, PARAM_SCRATCH), "\"%s\" is const (%s): it cannot be workspace",
               c_name_of(r, position), param->type.spelling);
    out->written = pointer && may_be_written(r, position);
    out->is_const = out->is_const && !out->written;
    /* For an array the manifest has to say it, since a device array's old elements would be lost; for a scalar the analysis
     * decides whether there is an argument at all. */
    bool all_of_it = param->single && param->overwritten && dtype_size(out->dtype) == dtype_size(param->type.dtype);
    out->overwritten = said->overwritten || (out->kind == PLAN_CELL && out->written && all_of_it);
    out->read = out->kind == PLAN_CELL && !(out->written && out->overwritten);
}

/* --- which keys a kind takes --- */

enum { ARRAY = 1 << PLAN_ARRAY, CELL = 1 << PLAN_CELL, STRING = 1 << PLAN_STRING, SCALAR = 1 << PLAN_SCALAR, CHAR = 1 << PLAN_CHAR };

static const struct {
    enum param_key key;
    unsigned kinds;
    const char *what; /* completes "... is only for" */
} uses[] = {
    {PARAM_SHAPE, ARRAY | CELL, "pointers"},
    {PARAM_ORDER, ARRAY, "arrays"},
    {PARAM_CREATE, ARRAY, "arrays"},
    {PARAM_OVERWRITTEN, ARRAY | CELL, "pointers"},
    {PARAM_SCRATCH, ARRAY, "arrays"},
    {PARAM_NULLABLE, ARRAY | CELL | STRING, "pointers"},
    {PARAM_EMPTY, ARRAY, "arrays"},
    {PARAM_READ_ONLY, ARRAY | CELL | STRING, "pointers to what could be written"},
    {PARAM_WRITTEN, ARRAY | CELL, "pointers to what could be written"},
};

static void
check_uses(struct resolution *r, int position)
{
    const struct plan_param *out = &r->out->params[position];
    for (size_t i = 0; i < sizeof uses / sizeof *uses && out->kind != PLAN_VALUE; i++) {
        enum param_key key = uses[i].key;
        if (r->said[position]->given[key] != NULL && !(uses[i].kinds & 1u << out->kind))
            refuse(r->diag, "key-for-kind", said_place(r, position, key), "\"%s\" is only for %s; \"%s\" is %s%s",
                   param_key_names[key], uses[i].what, c_name_of(r, position),
                   out->kind == PLAN_CELL ? "one scalar behind " : "", r->function->params[position].type.spelling);
    }
}

static void
resolve_kind(struct resolution *r, int position)
{
    const struct model_param *param = &r->function->params[position];
    const struct manifest_param *said = r->said[position];
    struct plan_param *out = &r->out->params[position];
    out->place = param->place;
    out->name = said->python_name ? said->python_name : out->c_name;
    out->kind = kind_for(r, position);
    out->order = said->order ? said->order : param->order ? param->order : "C";
    out->from_param = -1;
    out->is_const = param->type.is_const || param->type.kind == KIND_STRING;
    out->is_restrict = param->type.is_restrict;
    out->is_enum = param->type.is_enum;
    out->array_of_arrays = param->type.n_dims > 1;
    out->create = said->create;
    out->scratch = said->scratch;
    out->nullable = said->nullable;
    out->refuse_empty = said->refuse_empty;
    out->keyword_only = said->keyword_only;
    resolve_dtype(r, position);
    resolve_declared(r, position);
    resolve_writes(r, position);
    check_uses(r, position);
}

void
resolve_kinds(struct resolution *r)
{
    for (int i = 0; i < r->out->n_params; i++)
        resolve_kind(r, i);
}

const char *
why_not_operand(void *resolution, int position)
{
    const struct resolution *r = resolution;
    const struct plan_param *param = &r->out->params[position];
    const struct model_type *type = &r->function->params[position].type;
    bool integer = dtype_kind(param->dtype) == 'i' || dtype_kind(param->dtype) == 'u';
    if (param->kind == PLAN_ARRAY && type->is_pointer && integer && !type->is_void && type->n_dims == 0
        && r->said[position]->given[PARAM_SHAPE] == NULL)
        return "is a pointer; say \"shape\": [] of it if it points to one integer";
    if (param->kind == PLAN_ARRAY || param->kind == PLAN_STRING || param->kind == PLAN_CHAR || type->is_char || !integer)
        return "is not an integer";
    if (param->kind == PLAN_VALUE && type->kind != KIND_SCALAR)
        return "is not an integer";
    if (param->kind == PLAN_CELL && !param->read)
        return "is only known after the call";
    return NULL;
}
