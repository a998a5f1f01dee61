/* check_fix.c - see check_fix.h. */
#include "check_fix.h"

#include <stdlib.h>
#include <string.h>

/* Bytes start..end become `text`; those of an insertion are none. `order` keeps insertions at one place in sequence. */
struct edit {
    size_t start, end;
    const char *text;
    int order;
};

struct editor {
    struct arena *arena;
    const struct json_document *document;
    struct edit *edits;
    int n;
};

static void
edit(struct editor *editor, size_t start, size_t end, const char *text)
{
    *ARENA_PUSH(editor->arena, editor->edits, editor->n) = (struct edit){start, end, text, editor->n};
}

static int
compare_edits(const void *a, const void *b)
{
    const struct edit *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->order - right->order;
}

static const struct json_value *
last_child(const struct json_value *container)
{
    const struct json_value *last = container->child;
    while (last != NULL && last->next != NULL)
        last = last->next;
    return last;
}

/* The blanks between a container's bracket, or the element before, and its last element: how the next one is set off. */
static const char *
separator_of(struct editor *editor, const struct json_value *container)
{
    const struct json_value *last = last_child(container);
    const char *text = editor->document->text;
    size_t start = last->key_start;
    while (strchr(" \t\r\n", text[start - 1]) != NULL)
        start--;
    bool own_line = memchr(text + start, '\n', last->key_start - start) != NULL;
    return own_line || container->n_children > 1 ? arena_copy_n(editor->arena, text + start, last->key_start - start) : " ";
}

/* Adds members or elements, each a text, at the end of a container. */
static void
append(struct editor *editor, const struct json_value *container, const char *const *texts, int n)
{
    const struct json_value *last = last_child(container);
    if (n == 0)
        return;
    if (last != NULL) {
        const char *separator = separator_of(editor, container);
        for (int i = 0; i < n; i++)
            edit(editor, last->end, last->end, arena_printf(editor->arena, ",%s%s", separator, texts[i]));
        return;
    }
    const char *blank = container->kind == JSON_OBJECT ? " " : "", *inside = "";
    for (int i = 0; i < n; i++)
        inside = arena_printf(editor->arena, "%s%s%s", inside, i ? ", " : "", texts[i]);
    edit(editor, container->start + 1, container->end - 1, arena_printf(editor->arena, "%s%s%s", blank, inside, blank));
}

/* --- lists of outputs --- */

static bool
is_removed(const struct fixes *fixes, const struct json_value *element)
{
    for (int i = 0; i < fixes->n; i++)
        if (fixes->items[i].kind == FIX_REMOVE_OUTPUT && fixes->items[i].output->json == element)
            return true;
    return false;
}

/* Removes elements with the comma that belongs to them. */
static void
remove_elements(struct editor *editor, const struct json_value *list, const struct fixes *fixes)
{
    const struct json_value *before = NULL;
    bool kept = false;
    for (const struct json_value *element = list->child; element != NULL; before = element, element = element->next) {
        if (!is_removed(fixes, element))
            kept = true;
        else if (kept)
            edit(editor, before->end, element->end, "");
        else
            edit(editor, element->start, element->next != NULL ? element->next->start : element->end, "");
    }
}

static bool
keeps_any(const struct json_value *list, const struct fixes *fixes)
{
    for (const struct json_value *element = list->child; element != NULL; element = element->next)
        if (!is_removed(fixes, element))
            return true;
    return false;
}

static const char *
quoted(struct arena *arena, const char *name)
{
    return arena_printf(arena, "\"%s\"", name); /* names are identifiers, with dots */
}

static void
fix_outputs(struct editor *editor, const struct manifest_kernel *kernel, const struct fixes *fixes)
{
    const struct json_value *list = kernel->outputs_json;
    const char **added = NULL;
    int n = 0;
    if (kernel->outputs_kind != OUTPUTS_LIST)
        return;
    for (int i = 0; i < fixes->n; i++)
        if (fixes->items[i].kind == FIX_ADD_OUTPUT && fixes->items[i].kernel == kernel)
            *ARENA_PUSH(editor->arena, added, n) = quoted(editor->arena, fixes->items[i].name);
    if (keeps_any(list, fixes)) {
        remove_elements(editor, list, fixes);
        append(editor, list, added, n);
    } else if (list->child != NULL || n > 0) {
        const struct json_value empty = {.kind = JSON_ARRAY, .start = list->start, .end = list->end};
        if (n > 0)
            append(editor, &empty, added, n);
        else
            edit(editor, list->start + 1, list->end - 1, "");
    }
}

/* --- keys of parameters --- */

static const char overwritten[] = "\"overwritten\": true";

static void
fix_params(struct editor *editor, const struct manifest_kernel *kernel, const struct fixes *fixes)
{
    const char **added = NULL, *members = "";
    int n = 0;
    for (int i = 0; i < fixes->n; i++) {
        const struct fix *fix = &fixes->items[i];
        if (fix->kind != FIX_OVERWRITTEN || fix->kernel != kernel)
            continue;
        const struct json_value *object = fix->said != NULL ? fix->said->json : NULL;
        const struct json_value *denied = json_member(object, "overwritten");
        const char *const text = overwritten;
        if (denied != NULL)
            edit(editor, denied->start, denied->end, "true");
        else if (object != NULL)
            append(editor, object, &text, 1);
        else
            *ARENA_PUSH(editor->arena, added, n) =
                arena_printf(editor->arena, "%s: { %s }", quoted(editor->arena, fix->name), overwritten);
    }
    if (kernel->params_json != NULL) {
        append(editor, kernel->params_json, added, n);
    } else if (n > 0) {
        for (int i = 0; i < n; i++)
            members = arena_printf(editor->arena, "%s%s%s", members, i ? ", " : "", added[i]);
        const char *const text = arena_printf(editor->arena, "\"params\": { %s }", members);
        append(editor, kernel->json, &text, 1);
    }
}

void
fixes_text(struct text *out, struct arena *arena, const struct manifest *manifest, const struct fixes *fixes)
{
    struct editor editor = {.arena = arena, .document = &manifest->document};
    size_t at = 0;
    for (int i = 0; i < manifest->n_kernels; i++) {
        fix_outputs(&editor, &manifest->kernels[i], fixes);
        fix_params(&editor, &manifest->kernels[i], fixes);
    }
    if (editor.n > 0)
        qsort(editor.edits, (size_t)editor.n, sizeof *editor.edits, compare_edits);
    for (int i = 0; i < editor.n; i++) {
        const struct edit *change = &editor.edits[i];
        text_add_n(out, manifest->document.text + at, change->start - at);
        text_add(out, change->text);
        at = change->end;
    }
    text_add_n(out, manifest->document.text + at, manifest->document.length - at);
}
