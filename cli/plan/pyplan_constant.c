/* pyplan_constant.c - arrays of argument objects that a manifest declares constant: nobody changes their elements while an object
 * refers to them, so that they have to come to the host only once.
 */
#include <string.h>

#include "pyplan_internal.h"

static struct pyplan_class *
find_class(struct pyplan *plan, const char *name, size_t length)
{
    for (int i = 0; i < plan->n_classes; i++)
        if (strlen(plan->classes[i].name) == length && strncmp(plan->classes[i].name, name, length) == 0)
            return &plan->classes[i];
    return NULL;
}

static struct pyplan_param *
find_attribute(struct pyplan_class *class, const char *name, size_t length)
{
    for (int i = 0; class != NULL && i < class->n_attributes; i++)
        if (strlen(class->attributes[i].name) == length && strncmp(class->attributes[i].name, name, length) == 0)
            return &class->attributes[i];
    return NULL;
}

/* Only an array of the caller can be on a device, or changed by somebody else. */
static bool
can_be_constant(const struct pyplan_param *attribute)
{
    return attribute->kind == PYPLAN_ARRAY && attribute->alias;
}

/* The attribute of a class that "grid.nodes" of a parameter is, or NULL. */
static const struct pyplan_param *
follow(struct pyplan *plan, const struct pyplan_param *param, const char *path)
{
    const char *class_name = param->class_name;
    for (;;) {
        size_t length = strcspn(path, ".");
        struct pyplan_class *class = class_name == NULL ? NULL : find_class(plan, class_name, strlen(class_name));
        const struct pyplan_param *attribute = find_attribute(class, path, length);
        if (attribute == NULL || path[length] == '\0')
            return attribute;
        class_name = attribute->class_name;
        path += length + 1;
    }
}

/* A function that writes the attribute, and by which name; NULL: none does. */
static const struct pyplan_function *
find_writer(struct pyplan *plan, struct pyplan_function *const *functions, int n_functions,
            const struct pyplan_param *attribute, const struct pyplan_param **param,
            const struct pyplan_attribute **written)
{
    for (int i = 0; i < n_functions; i++)
        for (int v = 0; v < functions[i]->n_variants; v++)
            for (int k = 0; k < functions[i]->variants[v].n_params; k++) {
                *param = &functions[i]->variants[v].params[k];
                for (int a = 0; a < (*param)->n_attributes; a++) {
                    *written = &(*param)->attributes[a];
                    if ((*written)->written && follow(plan, *param, (*written)->path) == attribute)
                        return functions[i];
                }
            }
    return NULL;
}

static void
refuse_unknown(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct manifest_text *said)
{
    const char **names = NULL;
    int n = 0;
    for (int i = 0; i < plan->n_classes; i++) {
        *ARENA_PUSH(arena, names, n) = plan->classes[i].name;
        for (int k = 0; k < plan->classes[i].n_attributes; k++)
            if (can_be_constant(&plan->classes[i].attributes[k]))
                *ARENA_PUSH(arena, names, n) = arena_printf(arena, "%s.%s", plan->classes[i].name, plan->classes[i].attributes[k].name);
    }
    const char *nearest = diag_nearest(said->text, names, n);
    refuse(diag, "no-attribute", said->place, "\"%s\" is no class of the stubs and no attribute that refers to an array of the caller%s%s%s",
           said->text, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

void
pyplan_apply_constant(struct pyplan *plan, struct arena *arena, struct diag *diag, const struct manifest *manifest,
                      struct pyplan_function *const *functions, int n_functions)
{
    for (int i = 0; i < manifest->constant.n; i++) {
        const struct manifest_text *said = &manifest->constant.items[i];
        size_t length = strcspn(said->text, ".");
        struct pyplan_class *class = find_class(plan, said->text, length);
        const char *name = said->text[length] == '\0' ? NULL : said->text + length + 1; /* NULL: all */
        bool found = false;
        for (int k = 0; class != NULL && k < class->n_attributes; k++) {
            struct pyplan_param *attribute = &class->attributes[k];
            const struct pyplan_param *param;
            const struct pyplan_attribute *written;
            if (!can_be_constant(attribute) || (name != NULL && strcmp(name, attribute->name) != 0))
                continue;
            found = attribute->constant = true;
            const struct pyplan_function *writer = find_writer(plan, functions, n_functions, attribute, &param, &written);
            if (writer != NULL)
                refuse(diag, "constant-written", said->place,
                       "\"%s.%s\" is declared constant, but %s() writes it (\"%s.%s\"); if it does not, say so in its \"outputs\"",
                       class->name, attribute->name, writer->name, param->name, written->path);
        }
        if (!found)
            refuse_unknown(plan, arena, diag, said);
    }
}
