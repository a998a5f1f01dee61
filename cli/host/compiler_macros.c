/* compiler_macros.c - see compiler_macros.h. */
#include "compiler_macros.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compiler_ask.h"
#include "compiler_flags.h"

/* --- the question --- */

static bool
starts_with(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* What does not change what is predefined, and must not be carried out here: files read before any other, and what is written
 * where. */
static bool
is_question(const struct given_flag *flag)
{
    static const char *const others[] = {"-M", "-save-temps", "-dump", "-fdump", "-c", "-S", "-E", "-o"};
    if (flag->word[0] != '-' || strcmp(flag->word, "--") == 0 || (flag->row != NULL && flag->row->value == FLAG_FILE))
        return false;
    if (flag->row != NULL)
        return strcmp(flag->row->start, "-x") != 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts_with(flag->word, others[i]))
            return false;
    return true;
}

static void
add_question(struct arena *arena, struct words *argv, const struct words *flags)
{
    static const char *const question[] = {"-E", "-dM", "-x", "c", "/dev/null"};
    for (int i = 0; i < flags->n;) {
        int first = i;
        struct given_flag flag = flag_take(arena, flags->values, flags->n, &i, ".");
        if (is_question(&flag))
            words_add_all(arena, argv, flags->values + first, i - first);
    }
    words_add_all(arena, argv, question, sizeof question / sizeof *question);
}

/* --- the answer --- */

/* The first macros of a compiler, as far as something depends on them here. */
struct identity {
    bool is_clang, is_gnu, is_strict, has_wide_long_double;
    long version; /* __STDC_VERSION__ */
};

static void
note(struct identity *identity, const char *name, size_t length, const char *value)
{
    const struct {
        const char *name;
        bool *found;
    } rows[] = {{"__clang__", &identity->is_clang}, {"__GNUC__", &identity->is_gnu}, {"__STRICT_ANSI__", &identity->is_strict}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && strncmp(name, rows[i].name, length) == 0)
            *rows[i].found = true;
    if (starts_with(name, "__LDBL_MANT_DIG__ "))
        identity->has_wide_long_double = strtol(value, NULL, 10) == 113;
    if (starts_with(name, "__STDC_VERSION__ "))
        identity->version = strtol(value, NULL, 10);
}

/* "#define NAME VALUE" and "#define NAME(PARAMETERS) VALUE", a line each, become -DNAME=VALUE. */
static void
read_macros(struct arena *arena, struct words *words, struct identity *identity, const char *printed)
{
    static const char start[] = "#define ";
    for (const char *line = printed, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        if (!starts_with(line, start))
            continue;
        const char *name = line + sizeof start - 1;
        size_t length = strcspn(name, " (\n");
        size_t head = name[length] == '(' ? strcspn(name, ")\n") + 1 : length;
        const char *value = name + head < end ? name + head + 1 : end;
        note(identity, name, length, value);
        words_add(arena, words,
                  arena_printf(arena, "-D%.*s=%.*s", (int)head, name, (int)(end - value), value));
    }
}

/* Where another compiler than clang differs in more than macros. */
static void
add_differences(struct arena *arena, struct words *words, const struct identity *identity)
{
    /* Keywords of gcc's that the C library's headers use for such a compiler. */
    static const char *const types[] = {"-D_Float32=float", "-D_Float64=double", "-D_Float32x=double", "-D_Float64x=long double"};
    if (!identity->is_clang) {
        words_add_all(arena, words, types, identity->is_gnu ? sizeof types / sizeof *types : 0);
        words_add(arena, words, identity->has_wide_long_double ? "-D_Float128=long double" : "-D_Float128=__float128");
        /* clang's own headers ask for features, so these cannot be undefined; it has none that others have. */
        words_add(arena, words, "-D__has_feature(x)=0");
        words_add(arena, words, "-D__has_extension(x)=0");
    }
    /* Checked variants of the C library's functions, written with builtins that only gcc has. */
    words_add(arena, words, "-U_FORTIFY_SOURCE");
}

/* The language that the compiler takes by default, if that is not clang's. */
static void
add_language(struct arena *arena, struct words *words, const struct identity *identity)
{
    static const struct {
        long version;
        const char *gnu, *strict;
    } languages[] = {{202000, "-std=gnu2x", "-std=c2x"}, {201700, "-std=gnu17", "-std=c17"}, {201100, "-std=gnu11", "-std=c11"},
                     {199900, "-std=gnu99", "-std=c99"}, {0, "-std=gnu89", "-std=c89"}};
    size_t i = 0;
    while (identity->version < languages[i].version)
        i++;
    words_add(arena, words, identity->is_strict ? languages[i].strict : languages[i].gnu);
}

const char *
compiler_macros(struct arena *arena, struct words *words, const struct compiler *compiler, const struct words *flags)
{
    struct words argv = {0}, macros = {0};
    struct identity identity = {0};
    words_add_all(arena, &argv, compiler->command.values, compiler->command.n);
    add_question(arena, &argv, flags);
    const struct compiler_answer *answer = compiler_ask(words_argv(arena, &argv));
    const char *reason = NULL;
    if (answer->succeeded)
        read_macros(arena, &macros, &identity, answer->out);
    else if (*answer->err != '\0')
        reason = arena_copy_n(arena, answer->err, strcspn(answer->err, "\n"));
    if (macros.n == 0)
        return reason;
    words_add(arena, words, "-undef");
    words_add_all(arena, words, macros.values, macros.n);
    add_language(arena, words, &identity);
    add_differences(arena, words, &identity);
    return NULL;
}
