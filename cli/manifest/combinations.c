/* combinations.c - keys that exclude each other. */
#include "kernels_internal.h"

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

void check_combinations(struct reader *reader, const struct manifest_param *param)
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
