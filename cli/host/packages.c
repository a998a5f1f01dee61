/* packages.c - pkg-config's own files, read as far as libraries and their folders go; libraries are looked into, never loaded. */
#include "packages.h"

#include <dirent.h>
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/files.h"
#include "base/process.h"

enum { MOST_NAMES = 3 };

/* One .pc file: its "name=value" lines, and the words behind "Libs:". */
struct package {
    struct arena *arena;
    const char *name;
    const char **variables; /* name, value, name, value */
    int n_variables;
    const char **words;
    int n_words;
};

typedef bool has_it(const struct package *package, const char *what);

static const char *
value_of(const struct package *package, const char *name, size_t length)
{
    for (int i = 0; i + 1 < package->n_variables; i += 2)
        if (strncmp(package->variables[i], name, length) == 0 && package->variables[i][length] == '\0')
            return package->variables[i + 1];
    return "";
}

/* ${variables} in a text, replaced by what they were above it; each is expanded when it is defined. */
static const char *
expanded(const struct package *package, const char *text)
{
    struct text out = {0};
    for (const char *at = text; *at != '\0';) {
        const char *end = strncmp(at, "${", 2) == 0 ? strchr(at, '}') : NULL;
        if (end != NULL) {
            text_add(&out, value_of(package, at + 2, (size_t)(end - at - 2)));
            at = end + 1;
        } else {
            text_add_n(&out, at++, 1);
        }
    }
    const char *copy = arena_copy(package->arena, out.data ? out.data : "");
    text_release(&out);
    return copy;
}

static void
read_line(struct package *package, const char *line)
{
    size_t length = strcspn(line, "=: \t");
    if (line[length] == '=') {
        const char *value = expanded(package, line + length + 1);
        *ARENA_PUSH(package->arena, package->variables, package->n_variables) = arena_copy_n(package->arena, line, length);
        *ARENA_PUSH(package->arena, package->variables, package->n_variables) = value;
    } else if (strncmp(line, "Libs:", 5) == 0) {
        process_split(package->arena, expanded(package, line + 5), &package->words, &package->n_words);
    }
}

static void
read_package(struct package *package, const char *path)
{
    struct text text = {0};
    const char *folder = path_folder(package->arena, path);
    *ARENA_PUSH(package->arena, package->variables, package->n_variables) = "pcfiledir";
    *ARENA_PUSH(package->arena, package->variables, package->n_variables) = folder;
    if (file_read(path, &text) == 0 && text.length > 0)
        for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
            read_line(package, arena_copy_n(package->arena, line, strcspn(line, "\r\n")));
    text_release(&text);
}

/* --- what a package has --- */

static bool
links(const struct package *package, const char *name)
{
    for (int i = 0; i < package->n_words; i++)
        if (strncmp(package->words[i], "-l", 2) == 0 && strcmp(package->words[i] + 2, name) == 0)
            return true;
    return false;
}

/* A section's header, or NULL where the file has none with that number. */
static const Elf64_Shdr *
section(const struct text *file, size_t index)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->data;
    if (index >= header->e_shnum || header->e_shoff % 8 != 0
        || header->e_shoff > file->length - sizeof(Elf64_Shdr) * header->e_shnum)
        return NULL;
    const Elf64_Shdr *found = (const Elf64_Shdr *)(file->data + header->e_shoff) + index;
    bool inside = found->sh_offset <= file->length && found->sh_size <= file->length - found->sh_offset;
    return inside && found->sh_offset % 8 == 0 ? found : NULL;
}

/* Whether the dynamic symbols of a shared library have a definition of `symbol`. */
static bool
defines(const struct text *file, const char *symbol)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->data;
    size_t length = strlen(symbol) + 1;
    if (file->length < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0
        || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)
        || file->length < sizeof(Elf64_Shdr) * header->e_shnum)
        return false;
    for (size_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *symbols = section(file, i);
        if (symbols == NULL || symbols->sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Shdr *header_of_names = (const Elf64_Shdr *)(file->data + header->e_shoff) + symbols->sh_link;
        if (symbols->sh_link >= header->e_shnum || header_of_names->sh_offset > file->length
            || header_of_names->sh_size > file->length - header_of_names->sh_offset)
            continue;
        const char *names = file->data + header_of_names->sh_offset;
        const Elf64_Sym *items = (const Elf64_Sym *)(file->data + symbols->sh_offset);
        for (size_t k = 0; k < symbols->sh_size / sizeof *items; k++)
            if (items[k].st_shndx != SHN_UNDEF && items[k].st_name <= header_of_names->sh_size
                && header_of_names->sh_size - items[k].st_name >= length
                && memcmp(names + items[k].st_name, symbol, length) == 0)
                return true;
    }
    return false;
}

static bool
file_defines(const char *path, const char *symbol)
{
    struct text file = {0};
    bool found = file_read(path, &file) == 0 && defines(&file, symbol);
    text_release(&file);
    return found;
}

static bool
has_symbol(const struct package *package, const char *symbol)
{
    const char *folder = value_of(package, "libdir", strlen("libdir"));
    for (int i = 0; i < package->n_words; i++) {
        if (strncmp(package->words[i], "-L", 2) == 0)
            folder = package->words[i] + 2;
        else if (strncmp(package->words[i], "-l", 2) == 0
                 && file_defines(path_join(package->arena, folder, arena_printf(package->arena, "lib%s.so", package->words[i] + 2)),
                                 symbol))
            return true;
    }
    return false;
}

/* --- all packages --- */

/* The folders of .pc files, joined by colons. */
static const char *
search_path(struct arena *arena)
{
    const char *own = getenv("PKG_CONFIG_PATH"), *only = getenv("PKG_CONFIG_LIBDIR");
    const char *program = getenv("PKG_CONFIG");
    const char *const argv[] = {program != NULL ? program : "pkg-config", "--variable=pc_path", "pkg-config", NULL};
    struct process process = {.argv = argv};
    const char *rest = only;
    if (rest == NULL && process_run(&process) && process.out.length > 0)
        rest = arena_copy_n(arena, process.out.data, strcspn(process.out.data, "\n"));
    process_release(&process);
    return arena_printf(arena, "%s:%s", own != NULL ? own : "", rest != NULL ? rest : "");
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
search_folder(struct arena *arena, const char *path, has_it *has, const char *what, const char ***names, int *n)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".pc") != 0)
            continue;
        struct package package = {.arena = arena, .name = arena_copy_n(arena, entry->d_name, length - 3)};
        read_package(&package, path_join(arena, path, entry->d_name));
        if (has(&package, what))
            *ARENA_PUSH(arena, *names, *n) = package.name;
    }
    closedir(folder);
}

static const char *
search(struct arena *arena, has_it *has, const char *what)
{
    const char **names = NULL;
    int n = 0;
    for (const char *at = search_path(arena); *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length > 0)
            search_folder(arena, arena_copy_n(arena, at, length), has, what, &names, &n);
        at += length + (at[length] == ':');
    }
    if (n == 0)
        return NULL;
    qsort(names, (size_t)n, sizeof *names, compare_names);
    struct text list = {0};
    for (int i = 0, shown = 0; i < n && shown < MOST_NAMES; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            text_printf(&list, "%s\"%s\"", shown++ > 0 ? " or " : "", names[i]);
    const char *result = arena_copy(arena, list.data);
    text_release(&list);
    return result;
}

const char *
packages_with_library(struct arena *arena, const char *name)
{
    return search(arena, links, name);
}

const char *
packages_with_symbol(struct arena *arena, const char *symbol)
{
    return search(arena, has_symbol, symbol);
}
