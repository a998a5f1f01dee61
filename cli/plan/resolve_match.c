/* resolve_match.c - what the manifest names, found in the declaration. */
#include <string.h>

#include "resolve_internal.h"

const char *
param_shown_name(struct arena *arena, const struct model_param *param)
{
    if (param->name[0] != '\0')
        return param->name;
    return param->shown != NULL ? param->shown : arena_printf(arena, "arg%d", param->position);
}

const char *
c_name_of(const struct resolution *r, int position)
{
    return r->out->params[position].c_name;
}

int
find_param(const struct resolution *r, const char *name)
{
    for (int i = 0; i < r->out->n_params; i++)
        if (strcmp(c_name_of(r, i), name) == 0)
            return i;
    return -1;
}

struct place
said_place(const struct resolution *r, int position, enum param_key key)
{
    const struct manifest_param *said = r->said[position];
    if (said->given[key] != NULL)
        return said->given[key]->key_place;
    return said->json != NULL ? said->place : r->entry->place;
}

/* "; did you mean 'x'?", or all there are. */
static const char *
hint(const struct resolution *r, const char *name)
{
    const char **names = arena_take(r->arena, (size_t)r->out->n_params, sizeof *names);
    struct text text = {0};
    for (int i = 0; i < r->out->n_params; i++)
        names[i] = c_name_of(r, i);
    const char *nearest = diag_nearest(name, names, r->out->n_params);
    if (nearest != NULL)
        return arena_printf(r->arena, "; did you mean \"%s\"?", nearest);
    for (int i = 0; i < r->out->n_params; i++)
        text_printf(&text, "%s%s", i ? ", " : "; it has ", names[i]);
    const char *all = arena_copy(r->arena, text.data ? text.data : "; it has none");
    text_release(&text);
    return all;
}

static void
match_params(struct resolution *r)
{
    static const struct manifest_param nothing;
    for (int i = 0; i < r->out->n_params; i++)
        r->said[i] = &nothing;
    for (int i = 0; i < r->entry->n_params; i++) {
        const struct manifest_param *param = &r->entry->params[i];
        int position = find_param(r, param->name);
        if (position < 0)
            refuse(r->diag, "no-parameter", param->place, "%s() has no parameter \"%s\"%s", r->entry->c_name, param->name,
                   hint(r, param->name));
        else
            r->said[position] = param;
    }
}

static void
match_outputs(struct resolution *r)
{
    int n = r->out->n_params;
    for (int i = 0; i < r->entry->n_outputs; i++) {
        const struct manifest_output *output = &r->entry->outputs[i];
        int position = output->name != NULL      ? find_param(r, output->name)
                       : output->position < 0    ? output->position + n
                                                 : output->position;
        if (output->name != NULL && position < 0)
            refuse(r->diag, "no-output", output->place, "%s() has no parameter \"%s\" to be an output%s", r->entry->c_name,
                   output->name, hint(r, output->name));
        else if (position < 0 || position >= n)
            refuse(r->diag, "output-position", output->place, "position %d is out of range: %s() has %d parameter%s",
                   output->position, r->entry->c_name, n, n == 1 ? "" : "s");
        else if (r->listed[position] != NULL)
            refuse(r->diag, "output-twice", output->place, "parameter \"%s\" is listed twice in \"outputs\"",
                   c_name_of(r, position));
        else
            r->listed[position] = output;
    }
}

void
match_names(struct resolution *r)
{
    match_params(r);
    match_outputs(r);
}
