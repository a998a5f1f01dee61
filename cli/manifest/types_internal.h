/* types_internal.h - what a key of a manifest may hold: types that the rows of manifest.c and kernels.c name. */
#ifndef MANIFEST_TYPES_H
#define MANIFEST_TYPES_H

#include <stddef.h>

#include "manifest.h"

/* One manifest being read. */
struct reader {
    struct arena *arena;
    struct diag *diag;
    const struct json_document *document;
};

/* Puts the value into `member`. False: it is not what `expected` says; nothing was reported. True: it is, or a more exact
 * finding was reported. */
typedef bool read_value(struct reader *reader, const struct json_value *value, void *member);

struct manifest_type {
    const char *expected; /* completes "..., expected " */
    read_value *read;
};

/* A key: its name, type, and the member that it fills. */
struct manifest_row {
    const char *key;
    const struct manifest_type *type;
    size_t offset;
    bool required;
};

extern const struct manifest_type type_bool;        /* bool */
extern const struct manifest_type type_comment;     /* any string; nothing is stored */
extern const struct manifest_type type_text;        /* manifest_text: a string that may be empty and have several lines */
extern const struct manifest_type type_reason;      /* const char *: a string with something in it */
extern const struct manifest_type type_list;        /* manifest_list: of strings of printable characters */
extern const struct manifest_type type_some;        /* the same, and one at least */
extern const struct manifest_type type_headers;     /* manifest_list: what can stand in #include "..." */
extern const struct manifest_type type_packages;    /* manifest_list: that pkg-config does not take for options */
extern const struct manifest_type type_defines;     /* manifest_defines */
extern const struct manifest_type type_python_name; /* manifest_text: an identifier, not reserved */
extern const struct manifest_type type_parameter_name; /* const char *: the same */
extern const struct manifest_type type_module_path; /* manifest_text: identifiers joined by dots */
extern const struct manifest_type type_module_paths, type_attributes; /* manifest_list of them */

/* Reads the members of an object by the rows; unknown and missing keys are findings. `given`, where not NULL, has an entry
 * a row: the value of its key, NULL where it was left out or is false. */
void read_object(struct reader *reader, const struct json_value *object, const struct manifest_row *rows, int n_rows,
                 void *target, const struct json_value **given);

/* The first member from this one on that is no "$comment"; NULL: none. A comment that is no string is a finding. */
const struct json_value *after_comments(struct reader *reader, const struct json_value *member);

/* Reads one value; what is wrong with it is a finding. */
void read_typed(struct reader *reader, const struct json_value *value, const char *what, const struct manifest_type *type,
                void *member);

/* True for identifiers joined by dots. */
bool is_dotted_name(const char *name);
/* Nothing below a blank, no DEL, not empty. */
bool is_printable(const char *text);
/* A number that is an integer from -limit to limit, however it is written. */
bool json_small_integer(const struct json_value *value, int limit, int *number);

#endif
