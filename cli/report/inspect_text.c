/* inspect_text.c - a model as a person reads it. */
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "base/names.h"
#include "manifest/manifest.h"
#include "model/dtype.h"

/* More kernels than that nobody reads. */
enum { MOST_SHOWN = 50 };

static int
longer(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* "float64 (n, 3)": an array's elements and shape; "?" where only the manifest can tell. */
static const char *
describe_array(struct arena *arena, const struct model_param *param)
{
    const struct model_type *type = &param->type;
    struct text text = {0};
    text_add(&text, type->is_void ? "void" : type->dtype == PKW_NO_DTYPE ? "?" : dtype_name(type->dtype));
    int rank = shown_rank(param);
    text_add(&text, rank < 0 ? " (?" : " (");
    for (int i = 0; i < rank; i++) {
        const char *extent = param->proven_shape != NULL ? param->proven_shape[i] : shown_extent(&type->dims[i]);
        text_printf(&text, "%s%s", i > 0 ? ", " : "", extent != NULL ? extent : ":");
    }
    text_add(&text, rank == 1 ? ",)" : ")");
    const char *copy = arena_copy_n(arena, text.data, text.length);
    text_release(&text);
    return copy;
}

static const char *
describe(struct arena *arena, const struct model_param *param)
{
    switch (param->type.kind) {
    case KIND_ARRAY:
        return describe_array(arena, param);
    case KIND_SCALAR:
        return param->type.dtype == PKW_NO_DTYPE ? "-" : dtype_name(param->type.dtype);
    case KIND_STRING:
        return "str";
    default:
        return "-";
    }
}

static const char *
writes_words(const struct model_param *param)
{
    if (!param->type.is_pointer && param->type.kind != KIND_CLASS && param->writes == WRITES_NO)
        return "";
    switch (param->writes) {
    case WRITES_NO:
        return "read";
    case WRITES_YES:
        return param->overwritten ? "overwritten" : "written";
    default:
        return "maybe written";
    }
}

/* Why: the evidence of the strongest statement is the first. */
static void
add_evidence(struct text *out, const struct model_function *function, const struct model_param *param)
{
    if (param->n_evidence == 0)
        return;
    const struct model_evidence *evidence = &param->evidence[0];
    bool elsewhere = strcmp(evidence->place.file, function->place.file) != 0 || evidence->place.line != param->place.line;
    if (elsewhere)
        text_printf(out, "  %s:%d: %s", evidence->place.file, evidence->place.line, evidence->text);
    else
        text_printf(out, "  %s", evidence->text);
}

/* Of an argument object what is or may be written. */
static void
add_attributes(struct text *out, const struct model_function *function, const struct model_param *param)
{
    for (int i = 0; i < param->n_attributes; i++) {
        const struct model_param *attribute = &param->attributes[i];
        if (attribute->writes == WRITES_NO)
            continue;
        text_printf(out, "      %s  %s%s", attribute->name, writes_words(attribute), attribute->owned ? ", but owned by the object" : "");
        add_evidence(out, function, attribute);
        text_add(out, "\n");
    }
}

static void
add_params(struct text *out, struct arena *arena, const struct model_function *function)
{
    int name_width = 0, type_width = 0, kind_width = 0, writes_width = 0;
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        name_width = longer(name_width, shown_name(arena, param));
        type_width = longer(type_width, param->type.spelling);
        kind_width = longer(kind_width, describe(arena, param));
        writes_width = longer(writes_width, writes_words(param));
    }
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        size_t start = out->length;
        text_printf(out, "    %-*s  %-*s  %-*s  %-*s", name_width, shown_name(arena, param), type_width, param->type.spelling,
                    kind_width, describe(arena, param), writes_width, writes_words(param));
        add_evidence(out, function, param);
        while (out->length > start && out->data[out->length - 1] == ' ')
            out->length--;
        text_add(out, "\n");
        add_attributes(out, function, param);
    }
}

/* What the manifest has to say before the kernel can be built. */
static void
add_needs(struct text *out, struct arena *arena, const struct model_function *function)
{
    const char *before = "    the manifest must give: ";
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        if (param->type.kind != KIND_ARRAY)
            continue;
        const char *name = shown_name(arena, param);
        if (param->type.is_void) {
            text_printf(out, "%sdtype of '%s'", before, name);
            before = ", ";
        }
        if (!is_shape_known(param)) {
            text_printf(out, "%sshape of '%s'", before, name);
            before = ", ";
        }
    }
    if (*before == ',')
        text_add(out, "\n");
}

static void
add_function(struct text *out, const struct model *model, const struct model_function *function)
{
    text_printf(out, "%s  %s:%d\n    %s\n", function->name, function->place.file, function->place.line, function->declaration);
    add_params(out, model->arena, function);
    if (function->reason != NULL) {
        text_printf(out, "    cannot be wrapped: %s\n", function->reason);
    } else {
        if (function->python == NULL)
            add_needs(out, model->arena, function);
        const char *signature = shown_signature(model, function);
        if (signature != NULL)
            text_printf(out, "    Python: %s\n", signature);
    }
    text_add(out, "\n");
}

/* --- many kernels --- */

/* A line of a summary: how many kernels have the same. */
struct count {
    const char *what;
    int n, n_wrappable;
};

static void
count(struct arena *arena, struct names *names, struct count **counts, int *n, const char *what, bool wrappable)
{
    int known = names_add(arena, names, what, *n);
    if (known < 0) {
        known = *n;
        *ARENA_PUSH(arena, *counts, *n) = (struct count){.what = what};
    }
    (*counts)[known].n++;
    (*counts)[known].n_wrappable += wrappable;
}

static int
compare_counts(const void *a, const void *b)
{
    return ((const struct count *)b)->n - ((const struct count *)a)->n;
}

/* Of "parameter 'x' (T *): pointers to T are not supported" the last part, which is the same for many. */
static const char *
reason_of(const struct model_function *function)
{
    const char *reason = function->reason;
    for (const char *at = strstr(reason, ": "); at != NULL; at = strstr(reason, ": "))
        reason = at + 2;
    return reason;
}

static void
add_summary(struct text *out, const struct model *model)
{
    struct arena *arena = model->arena;
    struct names file_names = {0}, reason_names = {0};
    struct count *files = NULL, *reasons = NULL;
    int n_files = 0, n_reasons = 0;
    for (int i = 0; i < model->n_functions; i++) {
        const struct model_function *function = &model->functions[i];
        count(arena, &file_names, &files, &n_files, function->place.file, function->reason == NULL);
        if (function->reason != NULL)
            count(arena, &reason_names, &reasons, &n_reasons, reason_of(function), false);
    }
    for (int i = 0; i < n_files; i++)
        text_printf(out, "%s: %d kernel%s, %d can be wrapped\n", files[i].what, files[i].n, files[i].n == 1 ? "" : "s",
                    files[i].n_wrappable);
    qsort(reasons, (size_t)n_reasons, sizeof *reasons, compare_counts);
    text_add(out, n_reasons > 0 ? "\nwhat is in the way of the others:\n" : "");
    for (int i = 0; i < n_reasons; i++)
        text_printf(out, "  %5d  %s\n", reasons[i].n, reasons[i].what);
    text_add(out, "\n--kernel PATTERN shows those whose names match, --kernel '*' all\n");
}

void
inspect_text(FILE *out, const struct model *model, bool is_whole)
{
    struct text text = {0};
    int n_wrappable = 0;
    bool is_summary = !is_whole && model->n_functions > MOST_SHOWN;
    for (int i = 0; i < model->n_functions; i++) {
        n_wrappable += model->functions[i].reason == NULL;
        if (is_summary)
            continue;
        add_function(&text, model, &model->functions[i]);
        print_text(out, &text);
    }
    if (is_summary)
        add_summary(&text, model);
    text_printf(&text, "%d kernel%s, %d can be wrapped\n", model->n_functions, model->n_functions == 1 ? "" : "s", n_wrappable);
    print_text(out, &text);
    text_release(&text);
}
