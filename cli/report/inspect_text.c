/* inspect_text.c - a model as a person reads it. */
#include <string.h>

#include "inspect.h"
#include "manifest/manifest.h"
#include "model/dtype.h"

static int longer(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* "float64 (n, 3)": an array's elements and shape; "?" where only the manifest can tell. */
static const char *describe_array(struct arena *arena, const struct model_param *param)
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

static const char *describe(struct arena *arena, const struct model_param *param)
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

static const char *writes_words(const struct model_param *param)
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
static void add_evidence(struct text *out, const struct model_function *function, const struct model_param *param)
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
static void add_attributes(struct text *out, const struct model_function *function, const struct model_param *param)
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

static void add_params(struct text *out, struct arena *arena, const struct model_function *function)
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
static void add_needs(struct text *out, struct arena *arena, const struct model_function *function)
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

static void add_function(struct text *out, const struct model *model, const struct model_function *function)
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

void inspect_text(FILE *out, const struct model *model)
{
    struct text text = {0};
    int n_wrappable = 0;
    for (int i = 0; i < model->n_functions; i++) {
        add_function(&text, model, &model->functions[i]);
        n_wrappable += model->functions[i].reason == NULL;
        print_text(out, &text);
    }
    text_printf(&text, "%d kernel%s, %d can be wrapped\n", model->n_functions, model->n_functions == 1 ? "" : "s", n_wrappable);
    print_text(out, &text);
    text_release(&text);
}
