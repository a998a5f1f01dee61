/* flags.c - which of a compiler's flags change what a file declares.
 *
 * Flags come from manifests and from compile_commands.json and are meant for any compiler; clang refuses some that gcc takes.
 * So only those that compiler_flags.c knows to declare something reach it.
 */
#include <string.h>

#include "unit_internal.h"
#include "host/compiler_flags.h"
#include "base/files.h"

void flags_add(struct arena *arena, struct words *words, const char *const *flags, int n_flags, const char *directory)
{
    for (int i = 0; i < n_flags;) {
        struct given_flag flag = flag_take(arena, flags, n_flags, &i, directory);
        if (strcmp(flag.word, "-fopenmp") == 0) /* libclang hides what is below a pragma that it understands */
            words_add(arena, words, "-D_OPENMP=201511");
        if (flag.row == NULL || !flag.row->declares || (flag.is_apart && flag.value == NULL))
            continue;
        bool is_path = flag.row->value == FLAG_FOLDER || flag.row->value == FLAG_FILE;
        if (flag.value == NULL) {
            words_add(arena, words, flag.row->start);
        } else if (is_path && flag.row->start[1] == 'i') { /* "-include x": clang reads no joined form of all of these */
            words_add(arena, words, flag.row->start);
            words_add(arena, words, flag.value);
        } else {
            words_add(arena, words, arena_printf(arena, "%s%s", flag.row->start, flag.value));
        }
    }
}

void flags_add_database(struct front *front, struct words *words, const char *path)
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
        flags_add(front->arena, words, arguments.values, arguments.n, directory);
    }
    clang.CompileCommands_dispose(commands);
}
