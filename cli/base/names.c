/* names.c - open addressing, by FNV-1a. */
#include "names.h"

#include <stdint.h>
#include <string.h>

static struct name_entry *
find_entry(const struct names *names, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = name; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    for (size_t i = (size_t)(hash ^ hash >> 32);; i++) {
        struct name_entry *entry = &names->entries[i & (names->room - 1)];
        if (entry->name == NULL || strcmp(entry->name, name) == 0)
            return entry;
    }
}

static void
grow(struct arena *arena, struct names *names)
{
    struct names old = *names;
    names->room = old.room > 0 ? 2 * old.room : 64;
    names->entries = arena_take(arena, names->room, sizeof *names->entries);
    for (size_t i = 0; i < old.room; i++)
        if (old.entries[i].name != NULL)
            *find_entry(names, old.entries[i].name) = old.entries[i];
}

int
names_add(struct arena *arena, struct names *names, const char *name, int number)
{
    if (2 * (names->used + 1) > names->room)
        grow(arena, names);
    struct name_entry *entry = find_entry(names, name);
    if (entry->name != NULL)
        return entry->number;
    *entry = (struct name_entry){name, number};
    names->used++;
    return -1;
}

int
names_find(const struct names *names, const char *name)
{
    if (names->room == 0)
        return -1;
    const struct name_entry *entry = find_entry(names, name);
    return entry->name != NULL ? entry->number : -1;
}
