/* compiler_flags.h - options of compilers and linkers: which of them have a value, and which values are paths. */
#ifndef COMPILER_FLAGS_H
#define COMPILER_FLAGS_H

#include <stdbool.h>

#include "base/mem.h"

enum flag_value {
    FLAG_ALONE,  /* has none */
    FLAG_TEXT,
    FLAG_FOLDER,
    FLAG_FILE    /* looked for where the compiler runs, and then along the include path */
};

/* What is known of an option. */
struct flag_row {
    const char *start;     /* the option without its value */
    enum flag_value value;
    bool joined_only;      /* the value is never the next word */
    bool declares;         /* changes what a file declares, so that libclang needs it */
};

/* One option as it was given, or another word. */
struct given_flag {
    const struct flag_row *row; /* NULL: not known, or no option */
    const char *word;           /* the first word */
    const char *value;          /* NULL: none */
    bool is_apart;              /* the value is a word of its own */
};

/* Takes the option at flags[*at] and moves *at behind it. Relative paths are counted from `directory`, a FLAG_FILE where it is
 * there; so is a word that names a file there (an object, a library). What begins with = or $ is the compiler's to replace. */
struct given_flag flag_take(struct arena *arena, const char *const *flags, int n_flags, int *at, const char *directory);

/* Whether the option changes what a compiler or linker does, or where its output goes, which only a build can say: -o, -c, -E and
 * their like. */
bool flag_is_reserved(const char *word);

#endif
