/* inspect.h - what the inspect_*.c files share: a model as text and as JSON. */
#ifndef INSPECT_H
#define INSPECT_H

#include <stdio.h>

#include "base/mem.h"
#include "model/model.h"

/* The kernels as a person reads them; where there are more than 50, a summary unless `is_whole`. */
void inspect_text(FILE *out, const struct model *model, bool is_whole);
/* The object that schemas/inspect.schema.json describes. */
void inspect_json(FILE *out, const struct model *model, const struct diag *diag);

/* --- inspect_words.c: what both do alike --- */

/* Prints the text and empties it: a big header's is printed kernel by kernel, in memory that stays small. */
void print_text(FILE *out, struct text *text);

/* The parameter's name; arg0, arg1, ... for unnamed ones. In the arena. */
const char *shown_name(struct arena *arena, const struct model_param *param);
/* The extent of one dimension as an expression ("n", "4"), or NULL for a free one. */
const char *shown_extent(const struct model_dim *dim);
/* How many dimensions an array has, proven ones included; -1: only the manifest can tell. */
int shown_rank(const struct model_param *param);
/* Whether declaration or analysis tell how many elements an array has; else the manifest must. */
bool is_shape_known(const struct model_param *param);
/* The signature that the Python function gets with an empty entry in the manifest, or NULL where it cannot be wrapped. */
const char *shown_signature(const struct model *model, const struct model_function *function);

#endif
