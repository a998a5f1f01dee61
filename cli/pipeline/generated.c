/* generated.c - MODULE_wrap.c and MODULE.pyi on disk. */
#include "generated.h"

#include <string.h>

#include "emit/emit.h"
#include "base/files.h"

/* A kind of generated file. */
struct kind {
    void (*emit)(struct text *out, const struct plan *plan);
    const char *mark;
};

static const struct kind c_kind = {emit_c, EMIT_C_MARK}, pyi_kind = {emit_pyi, EMIT_PYI_MARK};

const char *
output_folder(struct arena *arena, const char *output, const char *manifest)
{
    return output ? output : path_folder(arena, manifest);
}

const char *
generated_c_path(struct arena *arena, const char *folder, const char *module)
{
    return path_join(arena, folder, arena_printf(arena, "%s_wrap.c", module));
}

const char *
generated_pyi_path(struct arena *arena, const char *folder, const char *module)
{
    return path_join(arena, folder, arena_printf(arena, "%s.pyi", module));
}

const char *
private_folder(struct arena *arena, const char *output, const char *module)
{
    return path_join(arena, output, arena_printf(arena, ".pkwrap/%s", module));
}

/* Empty files are nobody's. */
static bool
is_foreign(const char *path, const char *mark)
{
    struct text text = {0};
    bool foreign = file_read(path, &text) == 0 && text.length > 0 && strncmp(text.data, mark, strlen(mark)) != 0;
    text_release(&text);
    return foreign;
}

static int
write_kind(const struct kind *kind, const struct plan *plan, struct diag *diag, const char *path, bool *changed)
{
    struct text text = {0};
    if (is_foreign(path, kind->mark)) {
        diag_error(diag, ((struct place){path, 1, 1}),
                   "this file was not written by pkwrap and is not replaced; move it away or choose another folder with -o");
        return EXIT_INPUT;
    }
    kind->emit(&text, plan);
    int status = file_write(path, text.data, text.length, changed);
    text_release(&text);
    return status;
}

int
generated_write_c(const struct plan *plan, struct diag *diag, const char *path, bool *changed)
{
    return write_kind(&c_kind, plan, diag, path, changed);
}

int
generated_write_pyi(const struct plan *plan, struct diag *diag, const char *path, bool *changed)
{
    return write_kind(&pyi_kind, plan, diag, path, changed);
}

/* Line of the first difference, from 1; 0: none. */
static int
first_difference(const struct text *old, const struct text *new)
{
    int line = 1;
    size_t i = 0;
    if (old->length == new->length && memcmp(old->data, new->data, new->length) == 0)
        return 0;
    for (; i < old->length && i < new->length && old->data[i] == new->data[i]; i++)
        line += old->data[i] == '\n';
    return line;
}

static void
check_kind(const struct kind *kind, const struct plan *plan, struct diag *diag, const char *path)
{
    struct text old = {0}, new = {0};
    if (!is_foreign(path, kind->mark) && file_read(path, &old) == 0 && old.length > 0) {
        kind->emit(&new, plan);
        int line = first_difference(&old, &new);
        if (line > 0)
            diag_add(diag, SEVERITY_ERROR, "stale", (struct place){arena_copy(diag->arena, path), line, 1},
                     "generated file is stale: %s would give another one; run pkwrap again", plan->manifest);
    }
    text_release(&old);
    text_release(&new);
}

void
generated_check(const struct plan *plan, struct diag *diag, const char *output)
{
    struct arena *arena = plan->arena;
    const char *folder = output_folder(arena, output, plan->manifest);
    const char *private = private_folder(arena, folder, plan->module);
    check_kind(&c_kind, plan, diag, generated_c_path(arena, folder, plan->module));
    check_kind(&c_kind, plan, diag, generated_c_path(arena, private, plan->module));
    check_kind(&pyi_kind, plan, diag, generated_pyi_path(arena, folder, plan->module));
}
