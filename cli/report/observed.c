/* observed.c - see observed.h. */
#include "observed.h"

#include <inttypes.h>
#include <string.h>

#include "plan/resolve.h"

/* --- the file --- */

/* Reads an object's member as text or as a count; a finding where it is something else. */
static bool
take_text(struct diag *diag, const struct json_value *object, const char *key, const char **text)
{
    const struct json_value *member = json_member(object, key);
    if (member == NULL || member->kind != JSON_STRING) {
        refuse(diag, "observed-format", (member ? member : object)->place, "\"%s\" is to be a string: not a file of learn mode", key);
        return false;
    }
    *text = member->string;
    return true;
}

static bool
take_count(struct diag *diag, const struct json_value *object, const char *key, int64_t *count)
{
    const struct json_value *member = json_member(object, key);
    if (member == NULL || !member->is_integer || member->is_unsigned || member->integer < 0) {
        refuse(diag, "observed-format", (member ? member : object)->place,
               "\"%s\" is to be a number of calls or bytes: not a file of learn mode", key);
        return false;
    }
    *count = member->integer;
    return true;
}

/* The list under a key, or NULL after a finding. */
static const struct json_value *
take_list(struct diag *diag, const struct json_value *object, const char *key)
{
    const struct json_value *member = json_member(object, key);
    if (member != NULL && member->kind == JSON_ARRAY)
        return member;
    refuse(diag, "observed-format", (member ? member : object)->place, "\"%s\" is to be a list: not a file of learn mode", key);
    return NULL;
}

static bool
read_argument(struct observed_argument *argument, struct diag *diag, const struct json_value *json)
{
    return take_text(diag, json, "name", &argument->name) && take_count(diag, json, "calls", &argument->calls)
           && take_count(diag, json, "changed", &argument->changed)
           && (json_member(json, "unchanged_bytes") == NULL
               || take_count(diag, json, "unchanged_bytes", &argument->unchanged_bytes));
}

static bool
read_kernel(struct observed_kernel *kernel, struct arena *arena, struct diag *diag, const struct json_value *json)
{
    if (!take_text(diag, json, "module", &kernel->module) || !take_text(diag, json, "kernel", &kernel->name))
        return false;
    const struct json_value *list = take_list(diag, json, "arguments");
    for (const struct json_value *item = list ? list->child : NULL; item != NULL; item = item->next)
        if (!read_argument(ARENA_PUSH(arena, kernel->arguments, kernel->n_arguments), diag, item))
            return false;
    return list != NULL;
}

int
observed_read(struct observed *observed, struct arena *arena, struct diag *diag, const char *file)
{
    struct json_document document;
    int status = json_read(&document, arena, diag, file);
    *observed = (struct observed){.file = file};
    if (status != EXIT_DONE)
        return status;
    const struct json_value *version = json_member(document.root, "version");
    if (version == NULL || !version->is_integer || version->integer != 1) {
        refuse(diag, "observed-format", (version ? version : document.root)->place, "\"version\" is to be 1: not a file of learn mode");
        return EXIT_INPUT;
    }
    const struct json_value *list = take_list(diag, document.root, "kernels");
    for (const struct json_value *item = list ? list->child : NULL; item != NULL; item = item->next)
        if (!read_kernel(ARENA_PUSH(arena, observed->kernels, observed->n_kernels), arena, diag, item))
            return EXIT_INPUT;
    return list != NULL ? EXIT_DONE : EXIT_INPUT;
}

/* --- names of Python and of C --- */

static const struct manifest_kernel *
entry_of(const struct manifest *manifest, const struct model_function *function)
{
    for (int i = 0; manifest != NULL && i < manifest->n_kernels; i++)
        if (strcmp(manifest->kernels[i].c_name, function->name) == 0)
            return &manifest->kernels[i];
    return NULL;
}

/* What was seen of a function, or NULL. */
static const struct observed_kernel *
find_kernel(const struct observed *observed, const struct manifest *manifest,
            const struct model_function *function)
{
    const struct manifest_kernel *entry = entry_of(manifest, function);
    const char *name = entry != NULL && entry->python_name.text != NULL ? entry->python_name.text : function->name;
    for (int i = 0; i < observed->n_kernels; i++) {
        const struct observed_kernel *kernel = &observed->kernels[i];
        bool module = manifest == NULL || strcmp(kernel->module, manifest->module.text) == 0
                      || (manifest->extension.text != NULL && strcmp(kernel->module, manifest->extension.text) == 0);
        if (module && strcmp(kernel->name, name) == 0)
            return kernel;
    }
    return NULL;
}

static const struct observed_argument *
find_argument(const struct observed_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->n_arguments; i++)
        if (strcmp(kernel->arguments[i].name, name) == 0)
            return &kernel->arguments[i];
    return NULL;
}

static const char *
python_name(struct arena *arena, const struct manifest_kernel *entry, const struct model_param *param)
{
    const char *name = param_shown_name(arena, param);
    const struct manifest_param *said = entry != NULL ? manifest_param(entry, name) : NULL;
    return said != NULL && said->python_name != NULL ? said->python_name : name;
}

/* --- additional writes --- */

static void
add_write(struct arena *arena, const struct observed *observed, struct model_param *param,
          const struct observed_argument *seen)
{
    struct model_evidence *evidence = arena_take(arena, (size_t)param->n_evidence + 1, sizeof *evidence);
    evidence[0].place = (struct place){.file = observed->file};
    evidence[0].text = arena_printf(arena, "changed in %" PRId64 " of %" PRId64 " observed call%s", seen->changed, seen->calls,
                                    seen->calls == 1 ? "" : "s");
    for (int i = 0; i < param->n_evidence && param->writes == WRITES_YES; i++)
        evidence[i + 1] = param->evidence[i];
    param->n_evidence = param->writes == WRITES_YES ? param->n_evidence + 1 : 1;
    param->evidence = evidence;
    param->writes = WRITES_YES;
}

void
observed_apply(const struct observed *observed, struct model *model, const struct manifest *manifest)
{
    for (int i = 0; i < model->n_functions; i++) {
        struct model_function *function = &model->functions[i];
        const struct observed_kernel *kernel = find_kernel(observed, manifest, function);
        for (int k = 0; k < function->n_params && kernel != NULL; k++) {
            struct model_param *param = &function->params[k];
            const struct observed_argument *seen =
                find_argument(kernel, python_name(model->arena, entry_of(manifest, function), param));
            if (seen != NULL && seen->changed > 0)
                add_write(model->arena, observed, param, seen);
            for (int a = 0; a < param->n_attributes; a++) {
                seen = find_argument(kernel, param->attributes[a].name);
                if (seen == NULL || seen->changed == 0)
                    continue;
                add_write(model->arena, observed, &param->attributes[a], seen);
                if (!param->attributes[a].owned)
                    param->writes = WRITES_YES;
            }
        }
    }
}

/* --- the report --- */

/* An argument of the report: `attribute` NULL for the parameter itself. */
struct row {
    const struct manifest_kernel *entry;
    const struct model_function *function;
    const struct model_param *param, *attribute;
    const char *name;
    const struct observed_argument *seen;
};

/* A declared class stands for its attributes. */
static bool
is_declared(const struct row *row)
{
    const struct manifest_kernel *entry = row->entry;
    const struct model_param *subject = row->attribute ? row->attribute : row->param;
    if (entry->outputs_kind == OUTPUTS_AUTO)
        return subject->writes != WRITES_NO;
    for (int i = 0; i < entry->n_outputs; i++) {
        const struct manifest_output *output = &entry->outputs[i];
        int position = output->position < 0 ? output->position + row->function->n_params : output->position;
        if (output->name != NULL ? strcmp(output->name, row->param->name) == 0 || strcmp(output->name, subject->name) == 0
                                 : position == row->param->position)
            return true;
    }
    return false;
}

static const char *
bytes_text(struct arena *arena, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    return unit == 0 ? arena_printf(arena, "%" PRId64 " B", bytes) : arena_printf(arena, "%.1f %s", value, units[unit]);
}

static void
report_row(struct text *out, struct arena *arena, struct row row)
{
    static const char *const found[] = {[WRITES_NO] = "no", [WRITES_YES] = "yes", [WRITES_MAYBE] = "maybe"};
    const struct model_param *subject = row.attribute ? row.attribute : row.param;
    const struct observed_argument *seen = row.seen;
    if (seen == NULL)
        return;
    bool declared = is_declared(&row);
    const char *observed = arena_printf(arena, "%" PRId64 " of %" PRId64, seen->changed, seen->calls);
    text_printf(out, "%-24s %-20s %-8s %-5s %-14s %s\n",
                row.entry->python_name.text ? row.entry->python_name.text : row.entry->c_name, row.name, declared ? "yes" : "no",
                found[subject->writes], observed,
                declared && seen->unchanged_bytes > 0 ? bytes_text(arena, seen->unchanged_bytes) : "-");
}

void
observed_report(struct text *out, const struct observed *observed, const struct model *model,
                const struct manifest *manifest)
{
    struct arena *arena = model->arena;
    text_printf(out, "%-24s %-20s %-8s %-5s %-14s %s\n", "kernel", "argument", "declared", "found", "observed", "in vain");
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *entry = &manifest->kernels[i];
        const struct model_function *function = model_find(model, entry->c_name);
        const struct observed_kernel *kernel = function ? find_kernel(observed, manifest, function) : NULL;
        for (int k = 0; kernel != NULL && k < function->n_params; k++) {
            const struct model_param *param = &function->params[k];
            const char *name = python_name(arena, entry, param);
            report_row(out, arena, (struct row){entry, function, param, NULL, name, find_argument(kernel, name)});
            for (int a = 0; a < param->n_attributes; a++) {
                name = param->attributes[a].name;
                report_row(out, arena,
                           (struct row){entry, function, param, &param->attributes[a], name, find_argument(kernel, name)});
            }
        }
    }
}
