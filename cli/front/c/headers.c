/* headers.c - see headers_internal.h. */
#include "headers_internal.h"

#include <glob.h>
#include <string.h>

#include "base/files.h"

void
headers_text(struct text *text, const struct named_header *headers, int n)
{
    for (int i = 0; i < n; i++)
        text_printf(text, "#include \"%s\"\n", headers[i].path);
}

/* Whether a line of the file includes something of this name: #include "name" or <folder/name>. */
static bool
includes(const char *path, const char *name)
{
    struct text text = {0};
    bool found = false;
    size_t length = strlen(name);
    if (file_read(path, &text) == 0 && text.length > 0)
        for (const char *line = text.data; line != NULL && !found; line = strchr(line, '\n')) {
            line += strspn(line, "\n \t");
            if (*line != '#' || strncmp(line + 1 + strspn(line + 1, " \t"), "include", 7) != 0)
                continue;
            const char *at = line + strcspn(line, "\"<\n");
            const char *end = *at != '\n' && *at != '\0' ? at + 1 + strcspn(at + 1, "\">\n") : at;
            found = (size_t)(end - at) > length && strncmp(end - length, name, length) == 0 && strchr("\"</", end[-1 - (long)length]);
        }
    text_release(&text);
    return found;
}

void
headers_that_include(struct arena *arena, const char *path, const char ***paths, int *n)
{
    glob_t matches;
    const char *folder = path_folder(arena, path);
    if (glob(path_join(arena, folder, "*.h"), 0, NULL, &matches) != 0)
        return;
    for (size_t i = 0; i < matches.gl_pathc; i++)
        if (includes(matches.gl_pathv[i], path_name(path)))
            *ARENA_PUSH(arena, *paths, *n) = arena_copy(arena, matches.gl_pathv[i]);
    globfree(&matches);
}

/* --- whose a file is --- */

struct listing {
    struct unit_files *files;
    struct unit *unit;
    struct named_header *headers;
    int n_headers;
};

static bool
starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A folder in which the headers of many libraries lie side by side. */
static bool
is_shared_folder(const struct front *front, const char *folder)
{
    for (int i = 0; i < front->folders.n; i++)
        if (strcmp(front->folders.values[i], folder) == 0)
            return true;
    return false;
}

/* In the header's folder or below it; where that is everybody's, only what is called as the header. --prefix names others. */
static bool
is_related(const struct front *front, const char *header, const char *path)
{
    struct arena *arena = front->arena;
    const char *name = path_name(path);
    for (int i = 0; i < front->options->n_prefixes; i++)
        if (starts_with(name, front->options->prefixes[i]))
            return true;
    const char *folder = path_real(arena, path_folder(arena, header));
    const char *real = path_join(arena, path_real(arena, path_folder(arena, path)), name);
    size_t length = strlen(folder);
    if (strncmp(real, folder, length) != 0 || real[length] != '/')
        return false;
    const char *stem = path_name(header);
    return !is_shared_folder(front, folder) || strncmp(real + length + 1, stem, strcspn(stem, ".")) == 0;
}

static bool
is_header_name(const char *path)
{
    const char *name = path_name(path);
    size_t length = strlen(name);
    return (length > 2 && strcmp(name + length - 2, ".h") == 0) || strchr(name, '.') == NULL;
}

/* The named header by way of which a file is included: the last on its way up. */
static struct named_header *
includer(const struct listing *listing, CXSourceLocation *stack, unsigned depth)
{
    if (listing->n_headers == 1)
        return &listing->headers[0];
    unsigned line = 0;
    clang.getExpansionLocation(stack[depth - 1], NULL, &line, NULL, NULL);
    return line > 0 && line <= (unsigned)listing->n_headers ? &listing->headers[line - 1] : NULL;
}

static void
add_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct listing *listing = data;
    struct unit *unit = listing->unit;
    struct front *front = unit->front;
    if (depth == 0 && listing->n_headers > 1) /* the text of ours that includes them all */
        return;
    struct unit_file item = {.file = file, .path = clang_take_string(front->arena, clang.getFileName(file))};
    for (int i = 0; i < listing->n_headers && !item.is_named; i++)
        if (listing->headers[i].file != NULL && clang.File_isEqual(listing->headers[i].file, file)) {
            item.header = &listing->headers[i];
            item.is_named = true;
        }
    if (item.header == NULL)
        item.header = includer(listing, stack, depth);
    if (item.header == NULL)
        return;
    item.is_related = !item.is_named && is_related(front, item.header->path, item.path);
    item.is_list = item.is_related && !is_header_name(item.path);
    *ARENA_PUSH(front->arena, listing->files->items, listing->files->n) = item;
}

void
headers_list_files(struct unit_files *files, struct unit *unit, struct named_header *headers, int n)
{
    *files = (struct unit_files){0};
    struct listing listing = {files, unit, headers, n};
    for (int i = 0; i < n; i++)
        headers[i].file = n == 1 ? unit->file : clang.getFile(unit->tu, headers[i].path);
    clang.getInclusions(unit->tu, add_file, &listing);
}

/* --- where something stands --- */

struct unit_file *
headers_file(struct unit_files *files, CXSourceLocation location)
{
    CXFile file = NULL;
    clang.getExpansionLocation(location, &file, NULL, NULL, NULL);
    if (file == NULL || files->n == 0)
        return NULL;
    for (int i = 0; i < files->n; i++) {
        int at = (files->last + i) % files->n;
        if (clang.File_isEqual(files->items[at].file, file)) {
            files->last = at;
            return &files->items[at];
        }
    }
    return NULL;
}

void
headers_enter(struct unit *unit, struct unit_file *file)
{
    if (file->text == NULL) {
        file->text = clang.getFileContents(unit->tu, file->file, &file->length);
        file->shown = front_shown(unit->front, file->path);
    }
    unit->file = file->file;
    unit->text = file->text;
    unit->length = file->length;
    unit->shown = file->shown;
    unit->header = file->header->name;
}
