/* analyse.c - the functions of a program, until no summary changes; what that says of the model. */
#include "analyse_parts.h"

#include <string.h>

/* --- all functions --- */

static void start_summary(struct analysis *analysis, struct summary *summary, const struct body *body)
{
    struct arena *arena = analysis->arena;
    *summary = (struct summary){.body = body};
    summary->tags = arena_take(arena, MOST_TAGS, sizeof *summary->tags);
    summary->states = arena_take(arena, MOST_TAGS, sizeof *summary->states);
    summary->causes = arena_take(arena, MOST_TAGS, sizeof *summary->causes);
    for (int i = 0; i < body->n_params && 2 * i + 1 < MOST_TAGS; i++) {
        struct tags made = {0};
        tag_of_param(analysis, summary, i, NULL);
        put_deep_tag(analysis, summary, &made, i, NULL);
    }
}

static void start(struct analysis *analysis)
{
    const struct program *program = analysis->program;
    analysis->summaries = arena_take(analysis->arena, program->n_bodies, sizeof *analysis->summaries);
    for (int i = 0; i < program->n_bodies; i++) {
        struct summary *summary = &analysis->summaries[i];
        start_summary(analysis, summary, &program->bodies[i]);
        int first = names_add(analysis->arena, &analysis->names, summary->body->name, i);
        if (first >= 0) {
            summary->next = analysis->summaries[first].next;
            analysis->summaries[first].next = summary;
        }
    }
}

static void run(struct analysis *analysis)
{
    do {
        analysis->changed = false;
        for (int i = 0; i < analysis->program->n_bodies; i++)
            walk_body(analysis, &analysis->summaries[i]);
    } while (analysis->changed);
}

/* --- evidence --- */

enum { LONGEST_CHAIN = 12 };

/* The store, or the calls that lead to it. */
static void add_evidence(struct arena *arena, struct model_param *param, const struct cause *cause)
{
    for (int depth = 0; cause != NULL && cause->place.file != NULL && depth < LONGEST_CHAIN; depth++) {
        *ARENA_PUSH(arena, param->evidence, param->n_evidence) = (struct model_evidence){cause->place, cause->text};
        cause = cause->callee != NULL ? &cause->callee->causes[cause->callee_tag] : NULL;
    }
}

static void set_state(struct arena *arena, struct model_param *param, enum model_writes state, const struct cause *cause)
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
static bool is_of_field(const struct model_param *attribute, const char *field)
{
    const char *name = strchr(attribute->name, '.');
    size_t length = strlen(field);
    return name != NULL && strncmp(name + 1, field, length) == 0 && (name[1 + length] == '\0' || name[1 + length] == '.');
}

static void apply_to_attributes(struct arena *arena, struct model_param *param, const struct tag *tag, enum model_writes state,
                                const struct cause *cause)
{
    for (int i = 0; i < param->n_attributes; i++) {
        struct model_param *attribute = &param->attributes[i];
        if (tag->field != NULL && !is_of_field(attribute, tag->field))
            continue;
        if (tag->is_deep && !attribute->type.is_pointer && attribute->n_attributes == 0)
            continue; /* not a pointer: nothing behind it */
        set_state(arena, attribute, state, cause);
        apply_to_attributes(arena, attribute, &(struct tag){.field = NULL, .is_deep = tag->is_deep}, state, cause);
    }
}

/* Nothing is known to be written: until a cause says otherwise. */
static void clear(struct arena *arena, struct model_param *param, const struct body *body)
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

static void apply(struct analysis *analysis, struct model_function *function, const struct summary *summary, bool is_first)
{
    struct arena *arena = analysis->arena;
    if (summary->body->n_params != function->n_params)
        return; /* not the function that was declared: its declaration's word stands */
    for (int i = 0; is_first && i < function->n_params; i++)
        clear(arena, &function->params[i], summary->body);
    for (int t = 0; t < summary->n_tags; t++) {
        const struct tag *tag = &summary->tags[t];
        if (tag->variable >= 0 || summary->states[t] == WRITES_NO)
            continue;
        struct model_param *param = &function->params[tag->param];
        set_state(arena, param, summary->states[t], &summary->causes[t]);
        apply_to_attributes(arena, param, tag, summary->states[t], &summary->causes[t]);
    }
    function->has_body = true;
    uses_find(summary->body, function);
}

static bool is_body_of(const struct body *body, const struct model_function *function)
{
    if (!function->is_static)
        return body->unit == NULL;
    return body->unit != NULL && strcmp(body->place.file, function->place.file) == 0;
}

void analyse_program(const struct program *program, struct model *model)
{
    struct analysis analysis = {.program = program, .arena = model->arena};
    start(&analysis);
    run(&analysis);
    for (int i = 0; i < model->n_functions; i++) {
        struct model_function *function = &model->functions[i];
        int first = names_find(&analysis.names, function->name);
        bool is_first = true;
        for (const struct summary *s = first >= 0 ? &analysis.summaries[first] : NULL; s != NULL; s = s->next)
            if (is_body_of(s->body, function)) {
                apply(&analysis, function, s, is_first);
                is_first = false;
            }
    }
}
