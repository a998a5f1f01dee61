/* clang_flags.c - which of a compiler's flags change what a file declares.
 *
 * Flags come from manifests and from compile_commands.json and are meant for any compiler; clang refuses some that gcc takes.
 * So only those of the table reach it.
 */
#include <string.h>

#include "clang_unit.h"
#include "files.h"

enum value { NO_VALUE, TEXT_VALUE, PATH_VALUE };

static const struct flag {
    const char *start;
    enum value value;   /* what follows `start`, in the same word or in the next one */
    bool joined_only;   /* the value is never in the next word */
} flags_kept[] = {
    {"-include", PATH_VALUE, false}, {"-imacros", PATH_VALUE, false},   {"-isystem", PATH_VALUE, false},
    {"-iquote", PATH_VALUE, false},  {"-idirafter", PATH_VALUE, false}, {"-isysroot", PATH_VALUE, false},
    {"--sysroot=", PATH_VALUE, true}, {"-I", PATH_VALUE, false},        {"-D", TEXT_VALUE, false},
    {"-U", TEXT_VALUE, false},       {"-std=", TEXT_VALUE, true},       {"-ansi", NO_VALUE, false},
    {"-pthread", NO_VALUE, false},
    {"-funsigned-char", NO_VALUE, false}, {"-fsigned-char", NO_VALUE, false}, {"-fshort-enums", NO_VALUE, false},
    {"-fgnu89-inline", NO_VALUE, false},  {"-fms-extensions", NO_VALUE, false}, {"-nostdinc", NO_VALUE, false},
    {"-march=", TEXT_VALUE, true},   {"-mavx", TEXT_VALUE, true},       {"-msse", TEXT_VALUE, true},
};

/* The row of a flag, or NULL. */
static const struct flag *find_flag(const char *word)
{
    for (size_t i = 0; i < sizeof flags_kept / sizeof *flags_kept; i++) {
        const struct flag *flag = &flags_kept[i];
        if (flag->value == NO_VALUE ? strcmp(word, flag->start) == 0
                                    : strncmp(word, flag->start, strlen(flag->start)) == 0)
            return flag;
    }
    return NULL;
}

void flags_add(struct arena *arena, struct words *words, const char *const *flags, int n_flags, const char *directory)
{
    for (int i = 0; i < n_flags; i++) {
        const struct flag *flag = find_flag(flags[i]);
        if (strcmp(flags[i], "-fopenmp") == 0) /* libclang hides what is below a pragma that it understands */
            words_add(arena, words, "-D_OPENMP=201511");
        if (flag == NULL)
            continue;
        if (flag->value == NO_VALUE) {
            words_add(arena, words, flag->start);
            continue;
        }
        const char *value = flags[i] + strlen(flag->start);
        if (*value == '\0' && !flag->joined_only) {
            if (i + 1 == n_flags)
                return;
            value = flags[++i];
        }
        bool spaced = flag->value == PATH_VALUE && flag->start[1] == 'i';
        if (flag->value == PATH_VALUE)
            value = path_join(arena, directory, value);
        if (spaced) { /* "-include x": clang reads no joined form of all of these */
            words_add(arena, words, flag->start);
            words_add(arena, words, value);
        } else {
            words_add(arena, words, arena_printf(arena, "%s%s", flag->start, value));
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
