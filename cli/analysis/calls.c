/* calls.c - calls: what a callee's summary, or what is known of it without a body, means for its caller. */
#include "walk_internal.h"

static const struct tags none;

enum { MOST_ARGUMENTS = 128 };

/* A call under evaluation. */
struct call {
    struct walk *walk;
    const struct node *node;
    const struct called *callee; /* NULL: nothing is known of it */
    struct tags arguments[MOST_ARGUMENTS];
    int n_arguments;
};

static struct tags all_arguments(const struct call *call)
{
    struct tags all = none;
    for (int i = 0; i < call->n_arguments; i++)
        tags_join(&all, &call->arguments[i]);
    return all;
}

/* --- effects --- */

static struct cause cause_of(const struct call *call, const char *text)
{
    return (struct cause){.place = call->node->place, .text = text};
}

/* What pointers in the memory of an argument point to. Where `field` is one of a structure, only that. */
static struct tags behind(struct walk *walk, struct tags memory, const char *field)
{
    struct tags tags = none;
    for (int t = tags_next(&memory, 0); t >= 0; t = tags_next(&memory, t + 1)) {
        struct tag tag = walk->summary->tags[t];
        if (tag.variable >= 0) {
            struct tags held = reach(walk, walk->now.cells[tag.variable]);
            tags_join(&tags, &held);
        } else {
            put_deep_tag(walk->analysis, walk->summary, &tags, tag.param, tag.field != NULL ? tag.field : field);
        }
    }
    return tags;
}

/* The same memory as the caller knows it: a callee's field is one of what the caller's own parameter points to. */
static struct tags narrowed(struct walk *walk, struct tags memory, const char *field)
{
    struct tags tags = none;
    for (int t = tags_next(&memory, 0); t >= 0; t = tags_next(&memory, t + 1)) {
        struct tag tag = walk->summary->tags[t];
        bool is_whole = field != NULL && tag.variable < 0 && tag.field == NULL && !tag.is_deep;
        tags_put(&tags, is_whole ? tag_of_param(walk->analysis, walk->summary, tag.param, field) : t);
    }
    return tags;
}

/* A tag of the callee's, in the caller's terms. */
static struct tags translated(const struct call *call, const struct tag *tag)
{
    struct walk *walk = call->walk;
    if (tag->variable >= 0 || tag->param >= call->n_arguments)
        return none;
    struct tags memory = call->arguments[tag->param];
    return tag->is_deep ? behind(walk, memory, tag->field) : narrowed(walk, memory, tag->field);
}

static void may_write(const struct call *call, struct tags tags, const char *text)
{
    struct tags all = reach(call->walk, tags);
    write_to(call->walk, all, WRITES_MAYBE, cause_of(call, text));
    escape(call->walk, all, cause_of(call, text));
}

/* Local variables whose addresses are arguments may hold afterwards whatever the arguments lead to. */
static void mix_arguments(const struct call *call)
{
    struct walk *walk = call->walk;
    struct tags all = reach(walk, all_arguments(call));
    for (int t = tags_next(&all, 0); t >= 0; t = tags_next(&all, t + 1)) {
        int variable = walk->summary->tags[t].variable;
        if (variable >= 0)
            tags_join(&walk->now.cells[variable], &all);
    }
}

/* --- callees --- */

static struct tags call_of_body(const struct call *call, const struct summary *summary)
{
    struct walk *walk = call->walk;
    struct tags result = none;
    for (int t = 0; t < summary->n_tags; t++) {
        if (summary->states[t] == WRITES_NO)
            continue;
        struct cause cause = cause_of(call, call->node->text);
        cause.callee = summary;
        cause.callee_tag = t;
        write_to(walk, translated(call, &summary->tags[t]), summary->states[t], cause);
        if (summary->states[t] == WRITES_MAYBE) /* it may have been kept */
            escape(walk, translated(call, &summary->tags[t]), cause);
    }
    for (int t = tags_next(&summary->returned, 0); t >= 0; t = tags_next(&summary->returned, t + 1)) {
        struct tags tags = translated(call, &summary->tags[t]);
        tags_join(&result, &tags);
    }
    for (int i = summary->body->n_params; i < call->n_arguments; i++) /* va_arg */
        may_write(call, call->arguments[i], "passed behind the named parameters");
    return result;
}

/* The format is a plain string without %n. */
static bool prints_only(const struct call *call)
{
    int position = 0;
    for (const struct node *node = call->node->child->next; node != NULL; node = node->next, position++) {
        if (position != call->callee->n_params - 1)
            continue;
        if (node->kind != NODE_OPAQUE || node->name == NULL)
            return false;
        for (const char *at = node->name; *at != '\0'; at++)
            if (*at == '%') {
                do
                    at++;
                while (*at != '\0' && (*at < 'A' || *at == 'h' || *at == 'l' || *at == 'j' || *at == 'z' || *at == 't'));
                if (*at == 'n' || *at == '\0')
                    return false;
            }
        return true;
    }
    return false;
}

static struct tags call_without_body(const struct call *call)
{
    struct walk *walk = call->walk;
    const char *name = call->callee != NULL ? call->callee->name : NULL;
    enum library_kind kind = name != NULL ? library_kind(name) : LIBRARY_UNKNOWN;
    if (kind == LIBRARY_PRINTS && prints_only(call))
        kind = LIBRARY_READS;
    const char *text = name != NULL ? arena_printf(walk->analysis->arena, "passed to '%s', whose body is not known", name)
                                    : "passed to a function that is only known through a pointer";
    for (int i = 0; kind != LIBRARY_READS && i < call->n_arguments; i++) {
        bool is_named = call->callee != NULL && i < call->callee->n_params;
        if (is_named && !call->callee->may_write[i])
            continue;
        if (kind == LIBRARY_CONST_TELLS && is_named)
            write_to(walk, call->arguments[i], WRITES_YES, cause_of(call, call->node->text));
        else
            may_write(call, call->arguments[i], text);
    }
    if (kind != LIBRARY_READS)
        mix_arguments(call);
    bool returns_pointer = call->callee == NULL || call->callee->returns_pointer;
    return returns_pointer ? reach(walk, all_arguments(call)) : none;
}

struct tags value_of_call(struct walk *walk, const struct node *node)
{
    struct call call = {.walk = walk, .node = node, .callee = node->function};
    struct tags rest = none;
    if (node->child == NULL)
        return none;
    value_of(walk, node->child);
    for (const struct node *argument = node->child->next; argument != NULL; argument = argument->next) {
        struct tags value = value_of(walk, argument);
        if (call.n_arguments < MOST_ARGUMENTS)
            call.arguments[call.n_arguments++] = value;
        else
            tags_join(&rest, &value);
    }
    may_write(&call, rest, "passed to a function with very many arguments");

    struct tags result = none;
    const struct summary *summary = node->function != NULL ? find_summary(walk->analysis, node->function, NULL) : NULL;
    if (summary == NULL)
        return call_without_body(&call);
    for (; summary != NULL; summary = find_summary(walk->analysis, node->function, summary)) {
        struct tags value = call_of_body(&call, summary);
        tags_join(&result, &value);
    }
    return result;
}
