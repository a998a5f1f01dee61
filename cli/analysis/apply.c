/* apply.c - what the analysis says of the functions of a model. */
#include "analysis_internal.h"

#include <string.h>

/* --- evidence --- */

enum { LONGEST_CHAIN = 12 };

/* The store, or the calls that lead to it. */
static void
add_evidence(struct arena *arena, struct model_param *param, const struct cause *cause)
{
    for (int depth = 0; cause != NULL && cause->place.file != NULL && depth < LONGEST_CHAIN; depth++) {
        *ARENA_PUSH(arena, param->evidence, param->n_evidence) = (struct model_evidence){cause->place, cause->text};
        cause = cause->callee != NULL ? &cause->callee->spots.items[cause->callee_spot].cause : NULL;
    }
}

static void
set_state(struct arena *arena, struct model_param *param, enum model_writes state, const struct cause *cause)
{
    static const int strength[] = {[WRITES_NO] = 0, [WRITES_MAYBE] = 1, [WRITES_YES] = 2};
    if (param->n_evidence > 0 && strength[state] <= strength[param->writes])
        return;
    param->writes = state;
    param->n_evidence = 0;
    param->evidence = NULL;
    add_evidence(arena, param, cause);
}

/* --- what the model is told --- */

/* Whether an attribute's name, "p.in.q", is that field ("in") of its parameter or inside it. */
static bool
is_of_field(const struct model_param *attribute, const char *field)
{
    const char *name = strchr(attribute->name, '.');
    size_t length = strlen(field);
    return name != NULL && strncmp(name + 1, field, length) == 0 && (name[1 + length] == '\0' || name[1 + length] == '.');
}

/* Memory of a parameter: a field of the structure that it points to, NULL for all of it; or what pointers there point to. */
struct part {
    int param;
    const char *field;
    bool is_deep;
};

static void
apply_to_attributes(struct arena *arena, struct model_param *param, const struct part *part, enum model_writes state,
                    const struct cause *cause)
{
    for (int i = 0; i < param->n_attributes; i++) {
        struct model_param *attribute = &param->attributes[i];
        if (part->field != NULL && !is_of_field(attribute, part->field))
            continue;
        if (part->is_deep && !attribute->type.is_pointer && attribute->n_attributes == 0)
            continue; /* not a pointer: nothing behind it */
        set_state(arena, attribute, state, cause);
        apply_to_attributes(arena, attribute, &(struct part){.field = NULL, .is_deep = part->is_deep}, state, cause);
    }
}

/* Which memory of a parameter the spot is; false: of none, or of what its type says is only numbers. */
static bool
part_of_spot(const struct analysis *analysis, const struct summary *summary, int number, struct part *part)
{
    const struct spot *spots = summary->spots.items, *spot = &spots[number];
    if (spots[spot->base].kind != SPOT_PARAM || spots[spot->base].index >= summary->body->n_params)
        return false;
    *part = (struct part){.param = spots[spot->base].index};
    int last = SPOT_PARAM;
    for (; spot->parent >= 0; spot = &spots[spot->parent]) {
        last = (int)spot->kind;
        part->is_deep |= spot->kind != SPOT_FIELD;
        part->field = spot->kind == SPOT_FIELD && spot->index >= 0 ? analysis->known_names[spot->index] : NULL;
    }
    if (last != SPOT_FIELD)
        part->field = NULL;
    return !part->is_deep || !summary->body->variables[part->param].is_flat;
}

/* Nothing is known to be written: until a cause says otherwise. */
static void
clear(struct arena *arena, struct model_param *param, const struct body *body)
{
    param->writes = WRITES_NO;
    for (int i = 0; i < param->n_attributes; i++)
        clear(arena, &param->attributes[i], body);
    if (!param->type.is_pointer || type_is_read_only(&param->type))
        return; /* "const" stays as it is */
    param->n_evidence = 0;
    param->evidence = NULL;
    const char *text = arena_printf(arena, "'%s' stores nothing through it", body->name);
    add_evidence(arena, param, &(struct cause){.place = body->place, .text = text});
}

/* Another body may be linked than the one that was read. */
static void
doubt(struct arena *arena, struct model_param *param, const struct cause *cause)
{
    for (int i = 0; i < param->n_attributes; i++)
        doubt(arena, &param->attributes[i], cause);
    if (param->type.is_pointer && !type_is_read_only(&param->type) && param->writes == WRITES_NO) {
        param->n_evidence = 0;
        set_state(arena, param, WRITES_MAYBE, cause);
    }
}

/* --- facts --- */

/* The definition's extents hold for the declaration if it has the same in the same names, or leaves them open. */
static bool
shapes_agree(const struct body *body, const struct model_function *function, int i)
{
    const struct model_type *declared = &function->params[i].type, *defined = body->variables[i].declared;
    for (int k = 0; k < function->n_params; k++)
        if (strcmp(function->params[k].name, body->variables[k].name) != 0)
            return false;
    if (declared->n_dims == 0)
        return true;
    if (declared->n_dims != defined->n_dims)
        return false;
    for (int d = 0; d < declared->n_dims; d++) {
        const struct model_dim *a = &declared->dims[d], *b = &defined->dims[d];
        bool is_same = a->kind == b->kind && (a->kind == DIM_FIXED ? a->size == b->size : strcmp(a->text, b->text) == 0);
        if (a->kind != DIM_FREE && !is_same)
            return false;
    }
    return true;
}

/* Whether the declaration itself does not tell how many elements there are. */
static bool
is_open(const struct model_type *type)
{
    for (int d = 0; d < type->n_dims; d++)
        if (type->dims[d].kind == DIM_FREE)
            return true;
    return type->n_dims == 0;
}

/* A shape that only the body knows: its own declaration has it, or its accesses. */
static void
apply_shape(struct arena *arena, struct model_function *function, const struct summary *summary, int i)
{
    struct model_param *param = &function->params[i];
    const struct facts *facts = &summary->facts[i];
    const struct model_type *defined = summary->body->variables[i].declared;
    param->n_proven_shape = 0;
    param->proven_shape = NULL;
    if (!is_open(&param->type) || facts->is_single)
        return;
    if (facts->proven_size >= 0) {
        if (*function->params[facts->proven_size].name != '\0')
            *ARENA_PUSH(arena, param->proven_shape, param->n_proven_shape) = function->params[facts->proven_size].name;
    } else if (!is_open(defined) && shapes_agree(summary->body, function, i)) {
        for (int d = 0; d < defined->n_dims; d++)
            *ARENA_PUSH(arena, param->proven_shape, param->n_proven_shape) = defined->dims[d].text;
    }
}

/* Of several bodies of one name, only what all say. */
static void
apply_facts(struct arena *arena, struct model_function *function, const struct summary *summary, int i,
            bool is_first)
{
    struct model_param *param = &function->params[i];
    const struct facts *facts = &summary->facts[i];
    if (summary->body->broken != NULL || summary->body->is_replaceable || param->type.kind != KIND_ARRAY)
        return;
    param->unused = facts->is_unused && (is_first || param->unused);
    param->nullable = facts->is_tested && (is_first || param->nullable);
    param->single = facts->is_single && is_open(&param->type) && param->type.n_dims <= 1 && (is_first || param->single);
    if (is_first)
        apply_shape(arena, function, summary, i);
    bool is_known = param->single || shapes_agree(summary->body, function, i);
    if (facts->proven_size >= 0)
        is_known = param->proven_shape != NULL;
    param->overwritten = facts->is_overwritten && is_known && param->writes != WRITES_NO && (is_first || param->overwritten);
}

/* --- all of it --- */

static void
apply(struct analysis *analysis, struct model_function *function, const struct summary *summary, bool is_first)
{
    struct arena *arena = analysis->arena;
    if (summary->body->n_params != function->n_params)
        return; /* not the function that was declared: its declaration's word stands */
    for (int i = 0; is_first && i < function->n_params; i++)
        clear(arena, &function->params[i], summary->body);
    for (int i = 0; i < summary->spots.n; i++) {
        const struct spot *spot = &summary->spots.items[i];
        struct part part;
        if (spot->state == WRITES_NO || !part_of_spot(analysis, summary, i, &part))
            continue;
        struct model_param *param = &function->params[part.param];
        set_state(arena, param, spot->state, &spot->cause);
        apply_to_attributes(arena, param, &part, spot->state, &spot->cause);
    }
    static const char text[] = "another body may be linked in its place: it is weak, or has another name in the object file";
    for (int i = 0; i < function->n_params; i++) {
        if (summary->body->is_replaceable)
            doubt(arena, &function->params[i], &(struct cause){.place = summary->body->place, .text = text});
        apply_facts(arena, function, summary, i, is_first);
    }
    function->has_body = true;
}

static bool
is_body_of(const struct body *body, const struct model_function *function)
{
    if (!function->is_static)
        return body->unit == NULL;
    return body->unit != NULL && strcmp(body->place.file, function->place.file) == 0;
}

void
apply_analysis(struct analysis *analysis, struct model *model)
{
    for (int i = 0; i < model->n_functions; i++) {
        struct model_function *function = &model->functions[i];
        int first = names_find(&analysis->names, function->name);
        bool is_first = true;
        for (const struct summary *s = first >= 0 ? &analysis->summaries[first] : NULL; s != NULL; s = s->next)
            if (is_body_of(s->body, function)) {
                apply(analysis, function, s, is_first);
                is_first = false;
            }
    }
}
