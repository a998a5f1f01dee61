/* kernels.c - kernels and their parameters. */
#include "kernels_internal.h"

#include <string.h>

#include "model/dtype.h"

/* Positions are int16_t in a generated module, ranks at most NumPy's largest. */
enum { LARGEST_POSITION = 32767, LARGEST_RANK = 64 };

const char *const param_key_names[N_PARAM_KEYS] = {
#define X(id, key) [PARAM_##id] = key,
    PARAM_KEYS(X)
#undef X
};

/* --- dtypes --- */

static bool
read_dtype(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    if (value->kind != JSON_STRING)
        return false;
    return (*(pkw_dtype *)member = dtype_from_name(value->string)) != PKW_NO_DTYPE;
}

#define X(id, name, kind, size, ctype, slot) " " name
static const struct manifest_type type_dtype = {"one of the element types" PKW_DTYPES(X), read_dtype};
#undef X

/* --- a parameter --- */

static bool
read_expression(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(const char **)member = value->string;
    return value->kind == JSON_STRING && is_printable(value->string);
}

static bool
read_order(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(const char **)member = value->string;
    return value->kind == JSON_STRING && (strcmp(value->string, "C") == 0 || strcmp(value->string, "F") == 0);
}

static bool
read_empty(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    return *(bool *)member = value->kind == JSON_STRING && strcmp(value->string, "refuse") == 0;
}

/* What a default means depends on the parameter's type: resolve_literals.c reads it. */
static bool
read_default(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    (void)member;
    if (value->kind == JSON_ARRAY)
        return value->n_children == 2 && value->child->kind == JSON_NUMBER && value->child->next->kind == JSON_NUMBER;
    return value->kind != JSON_OBJECT;
}

static bool
read_shape(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest_param *param = member;
    if (value->kind != JSON_ARRAY || value->n_children > LARGEST_RANK)
        return false;
    for (const struct json_value *item = value->child; item != NULL; item = item->next) {
        if (item->kind != JSON_NULL && (item->kind != JSON_STRING || !is_printable(item->string)))
            return false;
        *ARENA_PUSH(reader->arena, param->shape, param->n_shape) = item->string;
    }
    return true;
}

static const struct manifest_type type_expression = {"an expression in quotes, such as \"2*n\"", read_expression};
static const struct manifest_type type_order = {"\"C\" or \"F\"", read_order};
static const struct manifest_type type_empty = {"\"refuse\"", read_empty};
static const struct manifest_type type_default = {"a number, [real, imaginary], a string, true, false or null", read_default};
static const struct manifest_type type_shape = {
    "a list with an expression in quotes for each dimension, or null for a free one", read_shape};

#define AT(member) offsetof(struct manifest_param, member)
static const struct manifest_row param_rows[N_PARAM_KEYS] = {
#define ROW(id, type, offset) [PARAM_##id] = {NULL, &type, offset, false}
    ROW(SHAPE, type_shape, 0),
    ROW(ORDER, type_order, AT(order)),
    ROW(VALUE, type_expression, AT(value)),
    ROW(DEFAULT, type_default, 0),
    ROW(DTYPE, type_dtype, AT(dtype)),
    ROW(NAME, type_parameter_name, AT(python_name)),
    ROW(KEYWORD_ONLY, type_bool, AT(keyword_only)),
    ROW(CREATE, type_bool, AT(create)),
    ROW(OVERWRITTEN, type_bool, AT(overwritten)),
    ROW(SCRATCH, type_bool, AT(scratch)),
    ROW(NULLABLE, type_bool, AT(nullable)),
    ROW(EMPTY, type_empty, AT(refuse_empty)),
    ROW(READ_ONLY, type_reason, AT(read_only)),
    ROW(WRITTEN, type_reason, AT(written)),
#undef ROW
};
#undef AT

/* Both keys of a row given is a contradiction; `why` completes "because ...". */
static const struct {
    enum param_key one, other;
    const char *why;
} exclusions[] = {
    {PARAM_CREATE, PARAM_DEFAULT, "a created array is made when it is left out"},
    {PARAM_CREATE, PARAM_SCRATCH, "a created array is a result, and workspace is none"},
    {PARAM_CREATE, PARAM_NULLABLE, "None would mean both NULL and an array to be made"},
    {PARAM_CREATE, PARAM_READ_ONLY, "a created array is an output"},
    {PARAM_SCRATCH, PARAM_OVERWRITTEN, "nobody reads workspace after the call"},
    {PARAM_SCRATCH, PARAM_DEFAULT, "workspace is made when it is left out"},
    {PARAM_SCRATCH, PARAM_READ_ONLY, "workspace is written"},
    {PARAM_SCRATCH, PARAM_WRITTEN, "workspace is written and read by nobody afterwards"},
    {PARAM_OVERWRITTEN, PARAM_DEFAULT, "an overwritten parameter's value before the call is not read"},
    {PARAM_OVERWRITTEN, PARAM_READ_ONLY, "an overwritten array is an output"},
    {PARAM_READ_ONLY, PARAM_WRITTEN, "one says the opposite of the other"},
};

static void
check_combinations(struct reader *reader, const struct manifest_param *param)
{
    for (int key = 0; key < N_PARAM_KEYS && param->given[PARAM_VALUE] != NULL; key++)
        if (key != PARAM_VALUE && param->given[key] != NULL)
            refuse(reader->diag, "value-excludes", param->given[key]->key_place,
                   "\"value\" excludes \"%s\": the caller does not see the parameter", param_key_names[key]);
    for (size_t i = 0; i < sizeof exclusions / sizeof *exclusions; i++) {
        const struct json_value *one = param->given[exclusions[i].one], *other = param->given[exclusions[i].other];
        if (one != NULL && other != NULL)
            refuse(reader->diag, "excludes", (one->start > other->start ? one : other)->key_place,
                   "\"%s\" excludes \"%s\": %s", param_key_names[exclusions[i].one], param_key_names[exclusions[i].other],
                   exclusions[i].why);
    }
}

static bool
read_params(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest_kernel *kernel = member;
    struct manifest_row rows[N_PARAM_KEYS];
    memcpy(rows, param_rows, sizeof rows);
    for (int i = 0; i < N_PARAM_KEYS; i++)
        rows[i].key = param_key_names[i];
    if (value->kind != JSON_OBJECT)
        return false;
    kernel->params_json = value;
    for (const struct json_value *item = after_comments(reader, value->child); item != NULL;
         item = after_comments(reader, item->next)) {
        if (!is_dotted_name(item->key) || item->kind != JSON_OBJECT) {
            refuse(reader->diag, "wrong-parameter", item->key_place,
                   "\"%s\": expected the name of a parameter and an object with what is to be said of it", item->key);
            continue;
        }
        struct manifest_param *param = ARENA_PUSH(reader->arena, kernel->params, kernel->n_params);
        param->name = item->key;
        param->place = item->key_place;
        param->json = item;
        read_object(reader, item, rows, N_PARAM_KEYS, param, param->given);
        check_combinations(reader, param);
    }
    return true;
}

static const struct manifest_type type_params = {"an object of parameters", read_params};

/* --- a kernel --- */

static bool
is_repeated(const struct manifest_kernel *kernel, const struct manifest_output *output)
{
    for (int i = 0; i < kernel->n_outputs; i++) {
        const struct manifest_output *other = &kernel->outputs[i];
        if (output->name == NULL ? other->name == NULL && other->position == output->position
                                 : other->name != NULL && strcmp(other->name, output->name) == 0)
            return true;
    }
    return false;
}

static bool
read_outputs(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest_kernel *kernel = member;
    kernel->outputs_json = value;
    if (value->kind == JSON_STRING)
        return strcmp(value->string, "auto") == 0;
    if (value->kind != JSON_ARRAY)
        return false;
    kernel->outputs_kind = OUTPUTS_LIST;
    for (const struct json_value *item = value->child; item != NULL; item = item->next) {
        struct manifest_output output = {.name = item->string, .place = item->place, .json = item};
        if (item->kind == JSON_STRING ? !is_dotted_name(item->string)
                                      : !json_small_integer(item, LARGEST_POSITION, &output.position))
            return false;
        if (is_repeated(kernel, &output))
            refuse(reader->diag, "repeated-output", item->place, "%s is listed twice in \"outputs\"",
                   json_excerpt(reader->arena, item));
        *ARENA_PUSH(reader->arena, kernel->outputs, kernel->n_outputs) = output;
    }
    return true;
}

static bool
read_gil(struct reader *reader, const struct json_value *value, void *member)
{
    static const char *const names[] = {
        [MANIFEST_GIL_AUTO] = "auto", [MANIFEST_GIL_HOLD] = "hold", [MANIFEST_GIL_RELEASE] = "release"};
    (void)reader;
    for (int i = 0; i < 3 && value->kind == JSON_STRING; i++)
        if (strcmp(names[i], value->string) == 0) {
            *(enum manifest_gil *)member = (enum manifest_gil)i;
            return true;
        }
    return false;
}

static const struct manifest_type type_outputs = {
    "\"auto\" or a list of names and positions of parameters", read_outputs};
static const struct manifest_type type_gil = {"\"auto\", \"hold\" or \"release\"", read_gil};

#define AT(member) offsetof(struct manifest_kernel, member)
static const struct manifest_row kernel_rows[] = {
    {"outputs", &type_outputs, 0, false},
    {"name", &type_python_name, AT(python_name), false},
    {"doc", &type_text, AT(doc), false},
    {"gil", &type_gil, AT(gil), false},
    {"thread_safe", &type_bool, AT(thread_safe), false},
    {"params", &type_params, 0, false},
};
#undef AT

static bool
read_kernels(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest *manifest = member;
    if (value->kind != JSON_OBJECT)
        return false;
    for (const struct json_value *item = after_comments(reader, value->child); item != NULL;
         item = after_comments(reader, item->next)) {
        if (!is_dotted_name(item->key) || item->kind != JSON_OBJECT) {
            refuse(reader->diag, "wrong-kernel", item->key_place,
                   "\"%s\": expected the name of a function and an object with what is to be said of it", item->key);
            continue;
        }
        struct manifest_kernel *kernel = ARENA_PUSH(reader->arena, manifest->kernels, manifest->n_kernels);
        kernel->c_name = item->key;
        kernel->place = item->key_place;
        kernel->json = item;
        read_object(reader, item, kernel_rows, sizeof kernel_rows / sizeof *kernel_rows, kernel, NULL);
    }
    return true;
}

const struct manifest_type type_kernels = {"an object: the name of each function to wrap, and what is to be said of it",
                                           read_kernels};

const struct manifest_param *
manifest_param(const struct manifest_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->n_params; i++)
        if (strcmp(kernel->params[i].name, name) == 0)
            return &kernel->params[i];
    return NULL;
}
