/* compiler_flags.c - see compiler_flags.h. */
#include "compiler_flags.h"

#include <string.h>

#include "base/files.h"

static const struct flag_row rows[] = {
    {"-include", FLAG_FILE, false, true},      {"-imacros", FLAG_FILE, false, true},
    {"-isystem", FLAG_FOLDER, false, true},    {"-iquote", FLAG_FOLDER, false, true},
    {"-idirafter", FLAG_FOLDER, false, true},  {"-isysroot", FLAG_FOLDER, false, true},
    {"--sysroot=", FLAG_FOLDER, true, true},   {"-I", FLAG_FOLDER, false, true},
    {"-D", FLAG_TEXT, false, true},            {"-U", FLAG_TEXT, false, true},
    {"-std=", FLAG_TEXT, true, true},          {"-ansi", FLAG_ALONE, false, true},
    {"-pthread", FLAG_ALONE, false, true},     {"-funsigned-char", FLAG_ALONE, false, true},
    {"-fsigned-char", FLAG_ALONE, false, true}, {"-fshort-enums", FLAG_ALONE, false, true},
    {"-fgnu89-inline", FLAG_ALONE, false, true}, {"-fms-extensions", FLAG_ALONE, false, true},
    {"-fno-unsigned-char", FLAG_ALONE, false, true}, {"-fno-signed-char", FLAG_ALONE, false, true},
    {"-fno-short-enums", FLAG_ALONE, false, true}, {"-fpack-struct", FLAG_TEXT, true, true},
    {"-mlong-double-", FLAG_TEXT, true, true}, {"-m32", FLAG_ALONE, false, true}, {"-m64", FLAG_ALONE, false, true},
    {"-nostdinc", FLAG_ALONE, false, true},    {"-march=", FLAG_TEXT, true, true},
    {"-mavx", FLAG_TEXT, true, true},          {"-msse", FLAG_TEXT, true, true},
    {"-L", FLAG_FOLDER, false, false},
    /* Their next word is no file, whatever it is called. */
    {"-x", FLAG_TEXT, false, false},           {"-z", FLAG_TEXT, false, false},
    {"-l", FLAG_TEXT, false, false},           {"-h", FLAG_TEXT, false, false},
    {"-e", FLAG_TEXT, false, false},
    {"-u", FLAG_TEXT, false, false},           {"-Xlinker", FLAG_TEXT, false, false},
    {"-Xpreprocessor", FLAG_TEXT, false, false}, {"-Xassembler", FLAG_TEXT, false, false},
    {"-Xclang", FLAG_TEXT, false, false},      {"--param", FLAG_TEXT, false, false},
    {"-target", FLAG_TEXT, false, false},      {"-arch", FLAG_TEXT, false, false},
};

static const struct flag_row *
find_row(const char *word)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value == FLAG_ALONE ? strcmp(word, rows[i].start) == 0
                                        : strncmp(word, rows[i].start, strlen(rows[i].start)) == 0)
            return &rows[i];
    return NULL;
}

/* The path as seen from where we are. */
static const char *
joined(struct arena *arena, const char *directory, const char *path, bool must_exist)
{
    const char *from_here = path_join(arena, directory, path);
    if (path[0] == '=' || path[0] == '$' || (must_exist && !file_exists(from_here)))
        return path;
    return from_here;
}

struct given_flag
flag_take(struct arena *arena, const char *const *flags, int n_flags, int *at, const char *directory)
{
    const char *word = flags[(*at)++];
    struct given_flag given = {.row = find_row(word), .word = word};
    if (given.row == NULL) {
        if (word[0] != '-')
            given.word = joined(arena, directory, word, true);
        return given;
    }
    if (given.row->value == FLAG_ALONE)
        return given;
    const char *value = word + strlen(given.row->start);
    given.is_apart = *value == '\0' && !given.row->joined_only;
    if (given.is_apart)
        value = *at < n_flags ? flags[(*at)++] : NULL; /* left out: the compiler's to tell */
    if (value != NULL && given.row->value >= FLAG_FOLDER)
        value = joined(arena, directory, value, given.row->value == FLAG_FILE);
    given.value = value;
    return given;
}

bool
flag_is_reserved(const char *word)
{
    static const char *const whole[] = {"-c", "-S", "-E", "-r", "-###", "-fsyntax-only", "-M", "-MM", "--help",
                                        "--version", "-Wl,-o", "-Wl,-r", "--output", "--compile", "--assemble", "--preprocess"};
    static const char *const starts[] = {"-o", "-Wl,-o,", "-Wl,--output", "--output=", "-dump", "-print-"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(word, whole[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}
