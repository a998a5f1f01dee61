/* resolve_shapes.c - shapes from the declaration and the manifest, and which parameters are sizes. */
#include <inttypes.h>
#include <string.h>

#include "resolve_internal.h"

bool
resolve_expression(struct resolution *r, int position, const char *text, const struct json_value *json,
                   struct plan_expr *out)
{
    const struct expr_scope scope = {r->function, r->model->constants, r->model->n_constants, why_not_operand, r};
    struct expr_error error;
    if (expr_parse(out, r->arena, text, &scope, &error))
        return true;
    struct place place = json ? json_place_in(json, error.offset) : r->function->params[position].place;
    const char *shown = json ? json_excerpt(r->arena, json) : arena_printf(r->arena, "\"%s\"", text);
    diag_add(r->diag, SEVERITY_ERROR, error.code, place, "%s of \"%s\": %s", shown, c_name_of(r, position), error.text);
    *out = (struct plan_expr){.text = text};
    return false;
}

/* --- one dimension --- */

static struct plan_expr
constant_extent(struct arena *arena, const struct model_dim *dim)
{
    struct plan_expr expr = {.text = arena_printf(arena, "%" PRId64, dim->size)};
    *ARENA_PUSH(arena, expr.ops, expr.n_ops) = (struct plan_op){OP_CONST, dim->size, NULL};
    return expr;
}

static const struct json_value *
shape_item(const struct manifest_param *said, int dim)
{
    const struct json_value *item = said->given[PARAM_SHAPE]->child;
    for (; dim > 0; dim--)
        item = item->next;
    return item;
}

/* What the manifest says of a dimension that the declaration knows too. */
static void
check_agreement(struct resolution *r, int position, int dim, const struct plan_expr *declared,
                const struct plan_expr *given)
{
    if (declared->n_ops > 0 && given->n_ops > 0 && !expr_equal(declared, given))
        refuse(r->diag, "shape-disagrees", shape_item(r->said[position], dim)->place,
               "dimension %d of \"%s\" is \"%s\" here, but it is declared as %s", dim, c_name_of(r, position), given->text,
               r->function->params[position].type.spelling);
}

static void
check_negative(struct resolution *r, int position, int dim, const struct plan_expr *expr)
{
    int64_t value;
    if (expr_constant(expr, &value) && value < 0)
        refuse(r->diag, "shape-negative", shape_item(r->said[position], dim)->place,
               "dimension %d of \"%s\" is \"%s\" = %" PRId64 ", less than 0", dim, c_name_of(r, position), expr->text, value);
}

static void
resolve_dim(struct resolution *r, int position, int dim, struct plan_expr *out)
{
    const struct declared_dims *type = &r->declared[position];
    const struct manifest_param *said = r->said[position];
    bool from_manifest = said->given[PARAM_SHAPE] != NULL;
    struct plan_expr declared = {0}, given = {0};
    if (dim < type->n && type->dims[dim].kind == DIM_FIXED)
        declared = constant_extent(r->arena, &type->dims[dim]);
    else if (dim < type->n && type->dims[dim].kind == DIM_EXPRESSION)
        resolve_expression(r, position, type->dims[dim].text, NULL, &declared);
    if (from_manifest && said->shape[dim] != NULL
        && resolve_expression(r, position, said->shape[dim], shape_item(said, dim), &given)) {
        check_agreement(r, position, dim, &declared, &given);
        check_negative(r, position, dim, &given);
    }
    *out = given.n_ops > 0 ? given : declared;
}

/* --- whole shapes --- */

/* A name to show in the line that has to be added: an integer parameter, the nearest one before the array if there is one. */
static const char *
likely_size(const struct resolution *r, int position)
{
    for (int distance = 1; distance < r->out->n_params; distance++)
        for (int side = -1; side <= 1; side += 2) {
            int at = position + side * distance;
            if (at >= 0 && at < r->out->n_params && r->out->params[at].kind == PLAN_SCALAR && !r->out->params[at].is_enum
                && why_not_operand((void *)r, at) == NULL)
                return c_name_of(r, at);
        }
    return "...";
}

/* The list of a "shape" with what the declaration knows, null or a likely size elsewhere. */
static const char *
likely_shape(const struct resolution *r, int position)
{
    const struct declared_dims *type = &r->declared[position];
    struct text text = {0};
    for (int i = 0; i < type->n; i++) {
        const struct model_dim *dim = &type->dims[i];
        if (dim->kind == DIM_FREE)
            text_printf(&text, "%s\"%s\"", i ? ", " : "", likely_size(r, position));
        else
            text_printf(&text, "%s\"%s\"", i ? ", " : "", dim->text);
    }
    if (type->n == 0)
        text_printf(&text, "\"%s\"", likely_size(r, position));
    const char *shape = arena_copy(r->arena, text.data);
    text_release(&text);
    return shape;
}

static bool
shape_is_declared(const struct declared_dims *declared)
{
    for (int i = 0; i < declared->n; i++)
        if (declared->dims[i].kind == DIM_FREE)
            return false;
    return declared->n > 0;
}

/* A pointer's shape is never guessed. */
static void
check_known(struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    const struct manifest_param *said = r->said[position];
    const struct plan_param *out = &r->out->params[position];
    bool shape = said->given[PARAM_SHAPE] != NULL || (out->kind == PLAN_ARRAY && shape_is_declared(&r->declared[position]));
    if (r->lenient || (shape && out->dtype != PKW_NO_DTYPE))
        return;
    struct place place = said->json != NULL ? said->place : r->entry->place;
    if (!shape)
        refuse(r->diag, "no-shape", place,
               "%s() takes \"%s\" as %s, and nothing says what shape it has; add to \"params\": \"%s\": { %s\"shape\": [%s] }, "
               "with what is right for it",
               r->entry->c_name, c_name_of(r, position), type->spelling, c_name_of(r, position),
               out->dtype == PKW_NO_DTYPE ? "\"dtype\": \"float64\", " : "", likely_shape(r, position));
    else
        refuse(r->diag, "no-dtype", place,
               "%s() takes \"%s\" as %s, and nothing says what its elements are; add to \"%s\": \"dtype\": \"float64\", or "
               "what is right for it",
               r->entry->c_name, c_name_of(r, position), type->spelling, c_name_of(r, position));
}

/* Dimensions when nothing has to be known: declared ones, else those that the body proves, else one. */
static int
lenient_rank(const struct model_param *param)
{
    return param->type.n_dims > 0 ? param->type.n_dims : param->n_proven_shape > 0 ? param->n_proven_shape : 1;
}

static void
resolve_lenient(struct resolution *r, int position)
{
    const struct model_param *param = &r->function->params[position];
    struct plan_param *out = &r->out->params[position];
    for (int i = 0; i < out->rank; i++) {
        bool declared = i < param->type.n_dims && param->type.dims[i].kind != DIM_FREE;
        if (!declared && param->n_proven_shape == out->rank && param->proven_shape[i] != NULL)
            resolve_expression(r, position, param->proven_shape[i], NULL, &out->shape[i]);
        else
            resolve_dim(r, position, i, &out->shape[i]);
    }
}

static void
resolve_shape(struct resolution *r, int position)
{
    const struct model_type *type = &r->function->params[position].type;
    const struct manifest_param *said = r->said[position];
    struct plan_param *out = &r->out->params[position];
    bool from_manifest = said->given[PARAM_SHAPE] != NULL;
    const struct declared_dims *declared = &r->declared[position];
    bool fixed_rank = type->n_dims > 1 || shape_is_declared(declared);
    out->rank = from_manifest ? said->n_shape : r->lenient ? lenient_rank(&r->function->params[position]) : declared->n;
    out->shape = arena_take(r->arena, (size_t)out->rank, sizeof *out->shape);
    if (from_manifest && fixed_rank && out->rank != declared->n) {
        bool is_pair = declared->n != type->n_dims;
        refuse(r->diag, "shape-rank", said_place(r, position, PARAM_SHAPE),
               "\"shape\" of \"%s\" has %d dimension%s, but it is declared with %d (%s%s)", c_name_of(r, position), out->rank,
               out->rank == 1 ? "" : "s", declared->n, type->spelling,
               is_pair ? arena_printf(r->arena, ", of which %s takes the innermost", dtype_name(out->dtype)) : "");
        return;
    }
    if (type->n_dims > 1 && said->order != NULL && strcmp(said->order, "F") == 0)
        refuse(r->diag, "order-of-arrays", said_place(r, position, PARAM_ORDER),
               "\"order\": \"F\" contradicts the declaration of \"%s\": %s is in C order", c_name_of(r, position),
               type->spelling);
    if (r->lenient && !from_manifest)
        resolve_lenient(r, position);
    else
        for (int i = 0; i < out->rank; i++)
            resolve_dim(r, position, i, &out->shape[i]);
}

void
resolve_shapes(struct resolution *r)
{
    for (int i = 0; i < r->out->n_params; i++) {
        enum plan_kind kind = r->out->params[i].kind;
        if (kind == PLAN_ARRAY || kind == PLAN_CELL)
            check_known(r, i);
        if (kind == PLAN_ARRAY)
            resolve_shape(r, i);
        else if (kind == PLAN_CELL && shape_is_declared(&r->declared[i]))
            refuse(r->diag, "shape-rank", said_place(r, i, PARAM_SHAPE),
                   "\"shape\" of \"%s\" has 0 dimensions, but it is declared with %d (%s)", c_name_of(r, i), r->declared[i].n, r->function->params[i].type.spelling);
    }
}

/* --- sizes --- */

static bool
is_always_there(const struct plan_param *array)
{
    return !array->create && !array->scratch && !array->nullable;
}

static void
resolve_size(struct resolution *r, int position)
{
    struct plan_param *size = &r->out->params[position];
    bool is_dimension = false;
    for (int i = 0; i < r->out->n_params; i++) {
        const struct plan_param *array = &r->out->params[i];
        for (int k = 0; k < array->rank; k++) {
            if (expr_parameter(&array->shape[k]) != position)
                continue;
            is_dimension = true;
            if (is_always_there(array) && size->from_param < 0) {
                size->from_param = i;
                size->from_dim = k;
            }
        }
    }
    /* One with a default is an argument like others where no array has to be there. */
    if (is_dimension && (size->from_param >= 0 || r->said[position]->given[PARAM_DEFAULT] == NULL))
        size->kind = PLAN_SIZE;
}

void
resolve_sizes(struct resolution *r)
{
    for (int i = 0; i < r->out->n_params; i++)
        if (r->out->params[i].kind == PLAN_SCALAR && !r->out->params[i].is_enum && why_not_operand(r, i) == NULL)
            resolve_size(r, i);
}
