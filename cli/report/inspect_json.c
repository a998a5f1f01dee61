/* inspect_json.c - a model as the JSON of schemas/inspect.schema.json. */
#include "inspect.h"
#include "base/json_write.h"
#include "manifest/manifest.h"
#include "model/dtype.h"

/* Containers as deep as that stand in one line: { [ { [ { is a parameter, and { [ { [ a list of a kernel's. */
enum { DEPTH_OF_LISTS = 4, DEPTH_OF_PARAMETERS = 5 };

static const char *const kind_names[] = {
    [KIND_ARRAY] = "array",   [KIND_SCALAR] = "scalar", [KIND_CLASS] = "class",
    [KIND_STRUCT] = "struct", [KIND_STRING] = "string", [KIND_OBJECT] = "object",
    [KIND_UNSUPPORTED] = "unsupported",
};
static const char *const writes_names[] = {[WRITES_NO] = "no", [WRITES_YES] = "yes", [WRITES_MAYBE] = "maybe"};
static const char *const severity_names[] = {
    [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};

static const char *
dtype_text(const struct model_type *type)
{
    return type->dtype != PKW_NO_DTYPE ? dtype_name(type->dtype) : NULL;
}

static void
write_place(struct json_writer *w, const struct place *place)
{
    json_text(w, "file", place->file);
    json_place_number(w, "line", place->line);
}

static void
write_shape(struct json_writer *w, const struct model_param *param)
{
    int rank = shown_rank(param);
    if (rank < 0) {
        json_null(w, "rank");
        json_null(w, "shape");
        return;
    }
    json_integer(w, "rank", rank);
    json_begin(w, "shape", '[');
    for (int i = 0; i < rank; i++)
        json_text(w, NULL, param->proven_shape != NULL ? param->proven_shape[i] : shown_extent(&param->type.dims[i]));
    json_end(w, ']');
}

static void
write_evidence(struct json_writer *w, const struct model_param *param)
{
    json_begin(w, "evidence", '[');
    for (int i = 0; i < param->n_evidence; i++) {
        json_begin(w, NULL, '{');
        write_place(w, &param->evidence[i].place);
        json_text(w, "text", param->evidence[i].text);
        json_end(w, '}');
    }
    json_end(w, ']');
}

static void
write_param(struct json_writer *w, struct arena *arena, const struct model_param *param)
{
    const struct model_type *type = &param->type;
    json_begin(w, NULL, '{');
    json_text(w, "name", shown_name(arena, param));
    json_integer(w, "position", param->position);
    json_text(w, "type", type->spelling);
    json_text(w, "kind", kind_names[type->kind]);
    json_text(w, "dtype", dtype_text(type));
    write_shape(w, param);
    json_text(w, "order", type->kind == KIND_ARRAY ? param->order : NULL);
    json_boolean(w, "const", type->is_const);
    json_text(w, "default", param->default_text);
    json_text(w, "writes", writes_names[param->writes]);
    write_evidence(w, param);
    json_boolean(w, "overwritten", param->overwritten);
    json_boolean(w, "owned", param->owned);
    json_begin(w, "attributes", '[');
    for (int i = 0; i < param->n_attributes; i++)
        write_param(w, arena, &param->attributes[i]);
    json_end(w, ']');
    json_end(w, '}');
}

static void
write_returns(struct json_writer *w, const struct model_type *returns)
{
    if (returns->is_void && !returns->is_pointer) {
        json_null(w, "returns");
        return;
    }
    json_begin(w, "returns", '{');
    json_text(w, "type", returns->spelling);
    json_text(w, "kind", kind_names[returns->kind]);
    json_text(w, "dtype", dtype_text(returns));
    json_end(w, '}');
}

static void
write_outputs(struct json_writer *w, struct arena *arena, const struct model_function *function)
{
    json_begin(w, "outputs", '[');
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        if (param->writes != WRITES_NO && param->n_attributes == 0)
            json_text(w, NULL, shown_name(arena, param));
        for (int k = 0; k < param->n_attributes; k++)
            if (param->attributes[k].writes != WRITES_NO && !param->attributes[k].owned)
                json_text(w, NULL, param->attributes[k].name);
    }
    json_end(w, ']');
}

static void
write_kernel(struct json_writer *w, const struct model *model, const struct model_function *function)
{
    json_begin(w, NULL, '{');
    json_text(w, "name", function->name);
    write_place(w, &function->place);
    json_text(w, "doc", function->doc);
    json_begin(w, "params", '[');
    for (int i = 0; i < function->n_params; i++)
        write_param(w, model->arena, &function->params[i]);
    json_end(w, ']');
    w->flat_from = DEPTH_OF_LISTS;
    write_returns(w, &function->returns);
    write_outputs(w, model->arena, function);
    w->flat_from = DEPTH_OF_PARAMETERS;
    json_boolean(w, "wrappable", function->reason == NULL);
    json_text(w, "reason", function->reason);
    json_text(w, "python", shown_signature(model, function));
    json_end(w, '}');
}

static void
write_finding(struct json_writer *w, const struct finding *finding)
{
    json_begin(w, NULL, '{');
    json_text(w, "severity", severity_names[finding->severity]);
    write_place(w, &finding->place);
    json_place_number(w, "column", finding->place.column);
    json_text(w, "text", finding->text);
    json_end(w, '}');
}

void
inspect_json(FILE *out, const struct model *model, const struct diag *diag)
{
    struct text text = {0};
    struct json_writer writer = {.out = &text, .flat_from = DEPTH_OF_PARAMETERS};
    json_begin(&writer, NULL, '{');
    json_begin(&writer, "kernels", '[');
    for (int i = 0; i < model->n_functions; i++) {
        write_kernel(&writer, model, &model->functions[i]);
        print_text(out, &text);
    }
    json_end(&writer, ']');
    json_begin(&writer, "diagnostics", '[');
    for (int i = 0; i < diag->n_findings; i++)
        write_finding(&writer, &diag->findings[i]);
    json_end(&writer, ']');
    json_end(&writer, '}');
    text_add(&text, "\n");
    print_text(out, &text);
    text_release(&text);
}
