/* flags.c - from a compiler's flags to clang's: which of them change what a file declares, and what the compiler defines.
 *
 * Flags come from manifests, from CFLAGS and from compile_commands.json and are meant for any compiler; clang refuses some that
 * gcc takes. So only those that compiler_flags.c knows to declare something reach it. What the others define (-O2, -mavx2,
 * -ffast-math, -fopenmp) the compiler itself tells.
 */
#include <string.h>

#include "unit_internal.h"
#include "host/compiler_flags.h"
#include "host/compiler_macros.h"
#include "base/files.h"

/* --- macros --- */

static const char *
joined(struct arena *arena, const struct words *flags)
{
    struct text text = {0};
    for (int i = 0; i < flags->n; i++)
        text_printf(&text, "%s\n", flags->values[i]);
    const char *copy = arena_copy(arena, text.data != NULL ? text.data : "");
    text_release(&text);
    return copy;
}

/* The compiler is asked once for each set of flags. */
static const struct words *
macros_under(struct front *front, const struct words *flags)
{
    const char *key = joined(front->arena, flags);
    for (int i = 0; i < front->n_macros; i++)
        if (strcmp(front->macros[i].flags, key) == 0)
            return &front->macros[i].words;
    struct known_macros *known = ARENA_PUSH(front->arena, front->macros, front->n_macros);
    *known = (struct known_macros){.flags = key};
    const char *reason = NULL;
    if (front->compiler.path != NULL)
        reason = compiler_macros(front->arena, &known->words, &front->compiler, flags);
    if (reason != NULL)
        diag_warning(front->diag, ((struct place){0}),
                     "the compiler %s does not tell its predefined macros, so clang's are taken: %s",
                     front->compiler.command.values[0], reason);
    return &known->words;
}

/* --- flags --- */

static void
add_flag(struct arena *arena, struct words *words, const struct given_flag *flag)
{
    if (flag->row == NULL || !flag->row->declares || (flag->is_apart && flag->value == NULL))
        return;
    bool is_path = flag->row->value == FLAG_FOLDER || flag->row->value == FLAG_FILE;
    if (flag->value == NULL) {
        words_add(arena, words, flag->row->start);
    } else if (is_path && flag->row->start[1] == 'i') { /* "-include x": clang reads no joined form of all of these */
        words_add(arena, words, flag->row->start);
        words_add(arena, words, flag->value);
    } else {
        words_add(arena, words, arena_printf(arena, "%s%s", flag->row->start, flag->value));
    }
}

void
flags_add(struct front *front, struct words *words, const struct words *flags)
{
    struct arena *arena = front->arena;
    const struct words *macros = macros_under(front, flags);
    for (int i = 0; i < flags->n;) {
        struct given_flag flag = flag_take(arena, flags->values, flags->n, &i, ".");
        add_flag(arena, words, &flag);
        if (strcmp(flag.word, "-fopenmp") == 0 && macros->n == 0) /* libclang hides what is below a pragma that it understands */
            words_add(arena, words, "-D_OPENMP=201511");
    }
    words_add_all(arena, words, macros->values, macros->n);
}

/* --- the compilation database --- */

/* As they would be given here. */
static void
add_from(struct arena *arena, struct words *words, const struct words *given, const char *directory)
{
    for (int i = 0; i < given->n;) {
        struct given_flag flag = flag_take(arena, given->values, given->n, &i, directory);
        if (flag.row == NULL || flag.value == NULL || flag.is_apart) {
            words_add(arena, words, flag.word);
            if (flag.value != NULL)
                words_add(arena, words, flag.value);
        } else {
            words_add(arena, words, arena_printf(arena, "%s%s", flag.row->start, flag.value));
        }
    }
}

void
flags_of_database(struct front *front, struct words *words, const char *path)
{
    if (front->database == NULL)
        return;
    const char *name = path_real(front->arena, path);
    CXCompileCommands commands = clang.CompilationDatabase_getCompileCommands(front->database, name);
    if (commands == NULL)
        return;
    if (clang.CompileCommands_getSize(commands) > 0) {
        CXCompileCommand command = clang.CompileCommands_getCommand(commands, 0);
        const char *directory = clang_take_string(front->arena, clang.CompileCommand_getDirectory(command));
        struct words arguments = {0};
        unsigned n = clang.CompileCommand_getNumArgs(command);
        for (unsigned i = 1; i < n; i++) /* 0 is the compiler */
            words_add(front->arena, &arguments, clang_take_string(front->arena, clang.CompileCommand_getArg(command, i)));
        add_from(front->arena, words, &arguments, directory);
    }
    clang.CompileCommands_dispose(commands);
}
