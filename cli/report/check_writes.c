/* check_writes.c - see check_writes.h. */
#include "check_writes.h"

#include <string.h>

#include "plan/expr.h"
#include "plan/product.h"
#include "base/files.h"
#include "plan/resolve.h"

/* One array that a kernel gets: a parameter, or an attribute of a parameter that is an argument class. */
struct subject {
    const char *directory;                   /* of the manifest */
    const struct model *model;
    const struct model_function *function;
    const struct manifest_kernel *kernel;
    const struct model_param *param;
    const char *name;
    int position;                            /* of the parameter; -1 for an attribute, which only a name can declare */
    const struct manifest_param *said;       /* what the manifest says of it, or NULL */
    const struct manifest_output *declared;  /* its entry in `outputs`, or NULL */
};

static const struct manifest_output *
find_output(const struct manifest_kernel *kernel, int n_params, const char *name,
            int position)
{
    for (int i = 0; i < kernel->n_outputs; i++) {
        const struct manifest_output *output = &kernel->outputs[i];
        int place = output->position < 0 ? output->position + n_params : output->position;
        if (output->name != NULL ? strcmp(output->name, name) == 0 : place == position)
            return output;
    }
    return NULL;
}

/* The place as a finding has it: from where we are. In the model sources are relative to the manifest, headers of the system in
 * angle brackets, and a file of observations, which has no lines, as it was named. */
static struct place
evidence_place(struct arena *arena, const struct subject *subject, const struct model_evidence *evidence)
{
    struct place place = evidence->place;
    if (place.file != NULL && place.line > 0 && place.file[0] != '<')
        place.file = path_join(arena, subject->directory, place.file);
    return place;
}

/* " (heat.c:12: out[j][i] = ...)", or "" where there is no evidence. */
static const char *
first_evidence(struct arena *arena, const struct subject *subject)
{
    if (subject->param->n_evidence == 0)
        return "";
    const struct model_evidence *evidence = &subject->param->evidence[0];
    struct place place = evidence_place(arena, subject, evidence);
    if (place.file != NULL && place.line == 0)
        return arena_printf(arena, " (%s: %s)", place.file, evidence->text);
    if (place.file == NULL)
        return arena_printf(arena, " (%s)", evidence->text);
    return arena_printf(arena, " (%s:%d: %s)", place.file, place.line, evidence->text);
}

static int
bytes_of_element(pkw_dtype dtype)
{
    static const int sizes[PKW_N_DTYPES] = {
#define X(id, name, kind, size, ctype, slot) [PKW_##id] = size,
        PKW_DTYPES(X)
#undef X
    };
    return sizes[dtype];
}

/* "8 * (n) * (m)": the bytes of the array in terms of the kernel's parameters, as far as its shape is known. */
static const char *
bytes_of(struct arena *arena, const struct subject *subject)
{
    const struct model_type *type = &subject->param->type;
    pkw_dtype dtype = subject->said != NULL && subject->said->dtype != PKW_NO_DTYPE ? subject->said->dtype : type->dtype;
    struct text text = {0};
    if (bytes_of_element(dtype) > 0)
        text_printf(&text, "%d", bytes_of_element(dtype));
    else
        text_add(&text, "item size");
    bool from_manifest = subject->said != NULL && subject->said->given[PARAM_SHAPE] != NULL;
    int rank = from_manifest ? subject->said->n_shape : type->n_dims;
    for (int i = 0; i < rank; i++) {
        const char *size = from_manifest ? subject->said->shape[i] : type->dims[i].text;
        bool is_free = size == NULL || size[0] == '\0';
        bool is_plain = !is_free && strpbrk(size, "+-*/% ") == NULL;
        text_printf(&text, is_plain ? " * %s" : " * (%s)", is_free ? "length" : size);
    }
    if (rank == 0 && !from_manifest)
        text_add(&text, " * length");
    const char *bytes = arena_copy(arena, text.data);
    text_release(&text);
    return bytes;
}

/* A finding's cure, if anybody wants it. */
static void
suggest(struct diag *diag, struct fixes *fixes, struct fix fix)
{
    if (fixes != NULL)
        *ARENA_PUSH(diag->arena, fixes->items, fixes->n) = fix;
}

static struct place
outputs_place(const struct manifest_kernel *kernel)
{
    return kernel->outputs_json != NULL ? kernel->outputs_json->place : kernel->place;
}

static bool
is_excused(const struct subject *subject)
{
    const struct manifest_param *said = subject->said;
    return said != NULL && (said->scratch || said->read_only != NULL || said->value != NULL);
}

/* A string that is not declared as an array: Python's own memory would be written. */
static bool
is_string(const struct subject *subject)
{
    return subject->param->type.kind == KIND_STRING && (subject->said == NULL || subject->said->given[PARAM_SHAPE] == NULL);
}

/* A proven write that the manifest neither declares nor explains. */
static void
check_missing(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    const struct model_param *param = subject->param;
    const struct manifest_kernel *kernel = subject->kernel;
    if (param->writes != WRITES_YES || is_excused(subject))
        return;
    const char *why = first_evidence(diag->arena, subject);
    if (is_string(subject)) {
        diag_add(diag, SEVERITY_ERROR, "missing-output", outputs_place(kernel),
                 "kernel \"%s\" writes \"%s\"%s, which is a string (%s): give it a \"shape\", so that it is an array, and list it in "
                 "\"outputs\", or give it a reason in \"read_only\"",
                 kernel->c_name, subject->name, why, param->type.spelling);
    } else {
        diag_add(diag, SEVERITY_ERROR, "missing-output", outputs_place(kernel),
                 "kernel \"%s\" writes \"%s\"%s, but \"outputs\" does not list it: its results would be lost; add \"%s\", or "
                 "give it \"scratch\": true or a reason in \"read_only\"",
                 kernel->c_name, subject->name, why, subject->name);
        suggest(diag, fixes, (struct fix){.kind = FIX_ADD_OUTPUT, .kernel = kernel, .name = subject->name});
    }
    for (int i = 1; i < param->n_evidence; i++)
        diag_add(diag, SEVERITY_NOTE, "evidence", evidence_place(diag->arena, subject, &param->evidence[i]), "%s",
                 param->evidence[i].text);
}

static void
check_undeclared(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    const struct model_param *param = subject->param;
    const struct manifest_kernel *kernel = subject->kernel;
    check_missing(diag, subject, fixes);
    if (param->writes == WRITES_MAYBE && !is_excused(subject) && !is_string(subject)) {
        diag_add(diag, SEVERITY_WARNING, "cannot-tell", outputs_place(kernel),
                 "cannot tell whether kernel \"%s\" writes \"%s\"%s, which \"outputs\" does not list; name its source in "
                 "\"sources\", declare it const, or give a reason in \"read_only\"",
                 kernel->c_name, subject->name, first_evidence(diag->arena, subject));
    }
}

static void
check_declared(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    const struct model_param *param = subject->param;
    bool overruled = subject->said != NULL && subject->said->written != NULL;
    if (param->writes == WRITES_NO && !param->type.is_const && !overruled) {
        suggest(diag, fixes,
                (struct fix){.kind = FIX_REMOVE_OUTPUT, .kernel = subject->kernel, .name = subject->name, .output = subject->declared});
        diag_add(diag, SEVERITY_WARNING, "unneeded-output", subject->declared->place,
                 "kernel \"%s\" never writes \"%s\", but \"outputs\" lists it: %s bytes are copied to the device in vain on "
                 "every call; remove it",
                 subject->kernel->c_name, subject->name, bytes_of(diag->arena, subject));
    }
}

/* The bytes of an array: of the shape that the manifest gives, or of the one that the body proves. */
static bool
bytes_are_proven(struct arena *arena, const struct subject *subject, pkw_dtype dtype)
{
    const struct model_param *param = subject->param;
    const struct manifest_param *said = subject->said;
    const struct expr_scope scope = {subject->function, subject->model->constants, subject->model->n_constants, NULL, NULL};
    struct expr_error error;
    struct plan_expr *given = arena_take(arena, (size_t)said->n_shape, sizeof *given);
    struct plan_expr *proven = arena_take(arena, (size_t)param->n_proven_shape, sizeof *proven);
    for (int i = 0; i < said->n_shape; i++)
        if (said->shape[i] == NULL || !expr_parse(&given[i], arena, said->shape[i], &scope, &error))
            return false;
    for (int i = 0; i < param->n_proven_shape; i++)
        if (param->proven_shape[i] == NULL || !expr_parse(&proven[i], arena, param->proven_shape[i], &scope, &error))
            return false;
    const struct product as_given = {bytes_of_element(dtype), given, said->n_shape};
    const struct product as_proven = {bytes_of_element(param->type.dtype), proven, param->n_proven_shape};
    return product_equal(arena, &as_given, &as_proven);
}

/* What the analysis says of all elements, it says of those of the declared shape, or of the one that it proved; the manifest's
 * may be another, and so may its elements. */
static bool
shape_is_the_proven_one(struct arena *arena, const struct subject *subject)
{
    const struct model_param *param = subject->param;
    const struct manifest_param *said = subject->said;
    bool declared = param->type.n_dims > 0;
    for (int i = 0; i < param->type.n_dims; i++)
        declared = declared && param->type.dims[i].kind != DIM_FREE;
    if (declared || subject->function->python != NULL)
        return true;
    if (said == NULL || said->given[PARAM_SHAPE] == NULL || (param->n_proven_shape == 0 && !param->single))
        return false;
    pkw_dtype dtype = said->dtype != PKW_NO_DTYPE ? said->dtype : param->type.dtype;
    return bytes_are_proven(arena, subject, dtype);
}

static void
check_narrower(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    const struct manifest_param *said = subject->said;
    bool is_output = subject->declared != NULL || subject->kernel->outputs_kind == OUTPUTS_AUTO;
    static const enum param_key excluded[] = {PARAM_OVERWRITTEN, PARAM_SCRATCH, PARAM_READ_ONLY, PARAM_DEFAULT, PARAM_VALUE};
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded && said != NULL; i++)
        is_output = is_output && said->given[excluded[i]] == NULL;
    if (!subject->param->overwritten || !is_output || !shape_is_the_proven_one(diag->arena, subject))
        return;
    diag_add(diag, SEVERITY_WARNING, "narrower", subject->declared != NULL ? subject->declared->place : subject->kernel->place,
             "kernel \"%s\" overwrites every element of \"%s\" before it reads any: with \"overwritten\": true, %s bytes a call "
             "need not be downloaded",
             subject->kernel->c_name, subject->name, bytes_of(diag->arena, subject));
    suggest(diag, fixes, (struct fix){.kind = FIX_OVERWRITTEN, .kernel = subject->kernel, .name = subject->name, .said = said});
}

/* What is asked of each array. */
typedef void array_check(struct diag *diag, const struct subject *subject, struct fixes *fixes);

static void
check_proven(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    if (subject->declared == NULL && (subject->kernel->outputs_kind == OUTPUTS_LIST || is_string(subject)))
        check_missing(diag, subject, fixes);
}

static void
check_all(struct diag *diag, const struct subject *subject, struct fixes *fixes)
{
    if (is_string(subject)) {
        check_proven(diag, subject, fixes);
        return;
    }
    if (subject->kernel->outputs_kind == OUTPUTS_LIST && subject->declared != NULL)
        check_declared(diag, subject, fixes);
    else if (subject->kernel->outputs_kind == OUTPUTS_LIST)
        check_undeclared(diag, subject, fixes);
    check_narrower(diag, subject, fixes);
}

static void
check_kernel(struct diag *diag, const struct manifest *manifest, const struct manifest_kernel *kernel,
             const struct model *model, const struct model_function *function, array_check *check, struct fixes *fixes)
{
    for (int i = 0; i < function->n_params; i++) {
        const struct model_param *param = &function->params[i];
        struct subject subject = {.directory = manifest->directory,
                                  .model = model,
                                  .function = function,
                                  .kernel = kernel,
                                  .param = param,
                                  .position = i};
        subject.name = param_shown_name(diag->arena, param);
        subject.said = manifest_param(kernel, subject.name);
        subject.declared = find_output(kernel, function->n_params, subject.name, i);
        if (param->type.kind == KIND_ARRAY || param->type.kind == KIND_STRING) {
            check(diag, &subject, fixes);
            continue;
        }
        for (int k = 0; k < param->n_attributes; k++) {
            const struct model_param *attribute = &param->attributes[k];
            struct subject inner = subject;
            inner.param = attribute;
            inner.name = attribute->name;
            inner.position = -1;
            inner.said = manifest_param(kernel, attribute->name);
            inner.declared = find_output(kernel, function->n_params, attribute->name, -1);
            /* A declared class stands for all arrays in it; what it allocated itself is nobody's output. */
            if (subject.declared == NULL && !attribute->owned && attribute->type.kind == KIND_ARRAY)
                check(diag, &inner, fixes);
        }
    }
}

static void
check_kernels(struct diag *diag, const struct manifest *manifest, const struct model *model, array_check *check,
              struct fixes *fixes)
{
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        const struct model_function *function = model_find(model, kernel->c_name);
        int first = diag->n_findings;
        if (function != NULL)
            check_kernel(diag, manifest, kernel, model, function, check, fixes);
        for (int k = first; k < diag->n_findings; k++)
            diag->findings[k].kernel = kernel->c_name;
    }
}

void
check_writes(struct diag *diag, const struct manifest *manifest, const struct model *model, struct fixes *fixes)
{
    check_kernels(diag, manifest, model, check_all, fixes);
}

int
check_proven_writes(struct diag *diag, const struct manifest *manifest, const struct model *model)
{
    int errors = diag->n_errors;
    check_kernels(diag, manifest, model, check_proven, NULL);
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}
