/* plan_macros.c - see plan_macros.h. */
#include "plan_macros.h"

#include <ctype.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"

struct macros {
    struct plan *plan;
    struct names seen;
};

static void
add_name(struct macros *macros, const char *name, size_t length)
{
    struct plan *plan = macros->plan;
    if (length == 0 || isdigit((unsigned char)*name))
        return;
    const char *copy = arena_copy_n(plan->arena, name, length);
    if (names_add(plan->arena, &macros->seen, copy, plan->n_macros) < 0)
        *ARENA_PUSH(plan->arena, plan->macros, plan->n_macros) = copy;
}

static size_t
identifier_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* The name that a line defines, if it is a #define. */
static void
read_line(struct macros *macros, const char *at)
{
    at += strspn(at, " \t");
    if (*at != '#')
        return;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "define", 6) != 0 || strspn(at + 6, " \t") == 0)
        return;
    at += 6 + strspn(at + 6, " \t");
    add_name(macros, at, identifier_length(at));
}

static void
read_file(struct macros *macros, const char *path)
{
    struct text text = {0};
    if (file_read(path, &text) == 0 && text.length > 0)
        for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
            read_line(macros, line);
    text_release(&text);
}

/* The library's and the compiler's own; a header that the manifest names is the user's wherever it lies. */
static bool
is_system(const struct plan *plan, const char *path)
{
    if (strncmp(path, "/usr/include/", 13) != 0 && strncmp(path, "/usr/lib", 8) != 0)
        return false;
    for (int i = 0; i < plan->n_headers; i++)
        if (strcmp(path_name(plan->headers[i]), path_name(path)) == 0)
            return false;
    return true;
}

void
plan_macros(struct plan *plan)
{
    struct macros macros = {.plan = plan};
    for (int i = 0; i < plan->n_compile_flags; i++) {
        const char *flag = plan->compile_flags[i];
        if (strcmp(flag, "-D") == 0 && i + 1 < plan->n_compile_flags)
            flag = plan->compile_flags[++i];
        else if (strncmp(flag, "-D", 2) == 0)
            flag += 2;
        else
            continue;
        add_name(&macros, flag, identifier_length(flag));
    }
    for (int i = 0; i < plan->n_dependencies; i++)
        if (strcmp(plan->dependencies[i], plan->manifest) != 0 && !is_system(plan, plan->dependencies[i]))
            read_file(&macros, plan->dependencies[i]);
}
