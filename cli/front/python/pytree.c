/* pytree.c - runs pytree.py in the interpreter and reads its stream. */
#include "pytree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "host/interpreter.h"

static const char program[] = {
#include "front/python/pytree.py.inc"
    , 0};

static const char helpers[] = {
#include "front/python/pytree_helpers.py.inc"
    , 0};

/* The kinds as pytree.py wants them: a line each. */
static void
add_kinds(struct text *out)
{
    static const char *const rows[] = {
#define X(id, name, fields) name " " fields "\n",
        PYTREE_KINDS(X)
#undef X
    };
    for (int i = 0; i < PY_N_KINDS; i++)
        text_printf(out, "%d %s", i, rows[i]);
}

/* The stream as it lies in memory; int32 in this machine's order, as the child wrote it. */
struct stream {
    const char *data;
    size_t length, at;
};

static bool
take_ints(struct stream *stream, int32_t *ints, size_t n)
{
    if ((stream->length - stream->at) / sizeof *ints < n)
        return false;
    memcpy(ints, stream->data + stream->at, n * sizeof *ints);
    stream->at += n * sizeof *ints;
    return true;
}

static bool
take_strings(struct pytree *tree, struct arena *arena, struct stream *stream, int n, int bytes)
{
    int32_t *lengths = arena_take(arena, (size_t)n, sizeof *lengths);
    if (!take_ints(stream, lengths, (size_t)n) || stream->length - stream->at < (size_t)bytes)
        return false;
    tree->strings = arena_take(arena, (size_t)n, sizeof *tree->strings);
    tree->n_strings = n;
    for (int i = 0; i < n; i++) {
        if (lengths[i] < 0 || lengths[i] > bytes)
            return false;
        tree->strings[i] = arena_copy_n(arena, stream->data + stream->at, (size_t)lengths[i]);
        stream->at += (size_t)lengths[i];
        bytes -= lengths[i];
    }
    return true;
}

/* Fills the nodes of one file from ints[*at..n_ints) and sets their ends. */
static bool
take_nodes(struct pytree *tree, const int32_t *ints, int n_ints, int *at)
{
    struct pynode *nodes = tree->nodes;
    int *open = NULL, *missing = NULL; /* nodes that are not complete, and how many children of each are still to come */
    int depth = 0, room = 0;
    bool ok = true;
    do {
        if (depth == room) {
            int *grown = realloc(open, (size_t)(room += 1000 + room) * sizeof *open);
            open = grown ? grown : open;
            ok = grown != NULL;
            grown = realloc(missing, (size_t)room * sizeof *missing);
            missing = grown ? grown : missing;
            ok &= grown != NULL;
        }
        if (!ok || n_ints - *at < 4) {
            ok = false;
            break;
        }
        const int32_t *four = ints + *at;
        int i = tree->n_nodes++;
        nodes[i] = (struct pynode){four[0] & 255, four[0] >> 8, four[1], four[2], four[3], i + 1};
        *at += 4;
        if (nodes[i].kind >= PY_N_KINDS) {
            ok = false;
            break;
        }
        open[depth] = i;
        missing[depth++] = nodes[i].n_children;
        if (depth > tree->depth)
            tree->depth = depth;
        while (depth && missing[depth - 1] == 0) {
            nodes[open[--depth]].end = tree->n_nodes;
            if (depth)
                missing[depth - 1]--;
        }
    } while (depth);
    free(open);
    free(missing);
    return ok;
}

static bool
take_tree(struct pytree *tree, struct arena *arena, struct stream *stream)
{
    int32_t counts[3];
    if (!take_ints(stream, counts, 3) || counts[0] < 1 || counts[1] < 0 || counts[2] < 0)
        return false;
    int n_ints = counts[0];
    int32_t *ints = malloc((size_t)n_ints * sizeof *ints);
    bool ok = ints && take_ints(stream, ints, (size_t)n_ints) && ints[0] >= 0 && ints[0] <= n_ints / 4
              && take_strings(tree, arena, stream, counts[1], counts[2]);
    if (ok) {
        int at = 1;
        tree->nodes = arena_take(arena, (size_t)n_ints / 4 + 1, sizeof *tree->nodes);
        tree->files = arena_take(arena, (size_t)ints[0], sizeof *tree->files);
        while (ok && tree->n_files < ints[0]) {
            tree->files[tree->n_files++] = tree->n_nodes;
            ok = take_nodes(tree, ints, n_ints, &at);
        }
        tree->n_modules = n_ints - at;
        tree->modules = arena_take(arena, (size_t)tree->n_modules, sizeof *tree->modules);
        for (int i = 0; i < tree->n_modules; i++)
            tree->modules[i] = ints[at + i];
    }
    free(ints);
    return ok;
}

int
pytree_read(struct pytree *tree, struct arena *arena, const struct pytree_request *request)
{
    struct text kinds = {0}, input = {0};
    add_kinds(&kinds);
    for (int i = 0; i < request->n_roots; i++)
        text_printf(&input, "root %s\n", request->roots[i]);
    for (int i = 0; i < request->n_files; i++)
        text_printf(&input, "file %s\n", request->files[i]);
    const char *python = request->python ? request->python : interpreter_default(arena);
    const char *argv[] = {python, "-I", "-S", "-c", program, kinds.data, helpers, NULL};
    struct process child = {.argv = argv, .input = input.data};
    int status = EXIT_DONE;
    *tree = (struct pytree){0};
    bool done = process_run(&child);
    struct stream stream = {child.out.data, child.out.length, 0};
    tree->n_asked = request->n_files;
    if (!done || child.out.length == 0 || !take_tree(tree, arena, &stream))
        status = environment_error("%s does not parse Python files as a Python does (name one with --python): it %s%s", python,
                                   done ? process_outcome(arena, &child) : process_account(arena, &child),
                                   done && child.out.length > 0 ? " and printed no syntax tree" : "");
    if (tree->n_asked > tree->n_files)
        tree->n_asked = tree->n_files;
    process_release(&child);
    text_release(&kinds);
    text_release(&input);
    return status;
}

int
pytree_child(const struct pytree *tree, int node, int k)
{
    int child = node + 1;
    while (k-- > 0)
        child = tree->nodes[child].end;
    return child;
}

int
pytree_string(const struct pytree *tree, const char *text)
{
    for (int i = 0; i < tree->n_strings; i++)
        if (strcmp(tree->strings[i], text) == 0)
            return i;
    return -1;
}

const char *
pytree_name(const struct pytree *tree, int node)
{
    return tree->strings[tree->nodes[node].name];
}
