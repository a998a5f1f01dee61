/* names.h - a set of names, each with a number: which function, constant or file it is. */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

#include "mem.h"

/* All zero is an empty one. Names are borrowed; memory comes from the arena. */
struct names {
    struct name_entry {
        const char *name; /* NULL: free */
        int number;
    } *entries;
    size_t room, used;
};

/* The number of `name`; if it is new, -1, and it is added with `number`. */
int names_add(struct arena *arena, struct names *names, const char *name, int number);
/* The number of `name`, or -1. */
int names_find(const struct names *names, const char *name);

#endif
