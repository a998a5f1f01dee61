/* options.c - reads a command line by the rows of one table. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define FOR_MANIFESTS (FOR_BUILD | FOR_GENERATE | FOR_CHECK)
#define FOR_FILES (FOR_INSPECT | FOR_INIT)
#define FOR_COMMANDS (FOR_MANIFESTS | FOR_FILES)
#define AT(member) offsetof(struct options, member)

const struct option_row option_rows[] = {
    {'I', NULL, OPTION_MANY, "DIR", "dir", AT(include_dirs), FOR_FILES,
     "search DIR for included headers and imported modules (may be repeated)"},
    {'D', NULL, OPTION_MANY, "NAME[=VALUE]", NULL, AT(defines), FOR_FILES, "define a macro (may be repeated)"},
    {0, "include", OPTION_MANY, "FILE", "file", AT(includes), FOR_FILES,
     "read FILE before the headers, which do not parse without it (may be repeated)"},
    {0, "prefix", OPTION_MANY, "TEXT", NULL, AT(prefixes), FOR_FILES,
     "included headers whose names begin with TEXT belong to those that were named (may be repeated)"},
    {0, "kernel", OPTION_MANY, "PATTERN", NULL, AT(kernels), FOR_FILES,
     "only kernels whose names match PATTERN, as in a shell, wherever they are declared (may be repeated)"},
    {0, "static", OPTION_FLAG, NULL, NULL, AT(with_static), FOR_INSPECT, "list static functions of sources, too"},
    {'p', NULL, OPTION_TEXT, "DIR", "dir", AT(database), FOR_COMMANDS,
     "take compile options from DIR/compile_commands.json"},
    {'o', "output", OPTION_TEXT, "FILE", "file", AT(output), FOR_INIT, "write the manifest to FILE, not to stdout"},
    {'o', "output", OPTION_TEXT, "DIR", "dir", AT(output), FOR_MANIFESTS,
     "folder of the module and its .pyi (default: the manifest's)"},
    {0, "json", OPTION_FLAG, NULL, NULL, AT(json), FOR_INSPECT | FOR_CHECK, "print the result as JSON"},
    {0, "werror", OPTION_FLAG, NULL, NULL, AT(werror), FOR_CHECK, "make warnings errors"},
    {0, "observed", OPTION_TEXT, "FILE", "file", AT(observed), FOR_CHECK | FOR_INIT,
     "take into account which arguments changed in learn mode"},
    {0, "fix", OPTION_FLAG, NULL, NULL, AT(fix), FOR_CHECK, "rewrite the manifest where the analysis proves what it should say"},
    {0, "python", OPTION_TEXT, "PROGRAM", "program", AT(python), FOR_COMMANDS,
     "the interpreter to build for, which also reads stubs (default: python3)"},
    {0, "extension", OPTION_TEXT, "NAME", NULL, AT(extension), FOR_INIT,
     "the compiled module that a stub belongs to (default: of the stub's name)"},
    {0, "bundle", OPTION_FLAG, NULL, NULL, AT(bundle), FOR_BUILD,
     "copy libpkwrap beside the module, which then needs no pkwrap package"},
    {0, "depfile", OPTION_TEXT, "FILE", "file", AT(depfile), FOR_BUILD | FOR_GENERATE,
     "write what was read, as a rule for Make or Ninja, to FILE"},
    {0, "stamp", OPTION_TEXT, "FILE", "file", AT(stamp), FOR_BUILD | FOR_GENERATE, "touch FILE when done"},
    {'j', "jobs", OPTION_NUMBER, "N", NULL, AT(jobs), FOR_COMMANDS,
     "compile or parse at most N sources at once (default: the number of processors)"},
    {0, "libclang", OPTION_TEXT, "FILE", "file", AT(libclang), FOR_COMMANDS, "the libclang to load (17 or newer)"},
    {0, "resource-dir", OPTION_TEXT, "DIR", "dir", AT(resource_dir), FOR_COMMANDS,
     "clang's own folder, in which include/stddef.h is"},
    {0, "color", OPTION_TEXT, "WHEN", "color", AT(color), FOR_COMMANDS,
     "colours and source lines in messages: auto (on a terminal; default), always, never"},
    {'q', "quiet", OPTION_FLAG, NULL, NULL, AT(quiet), FOR_COMMANDS, "say nothing but errors"},
    {'v', "verbose", OPTION_COUNT, NULL, NULL, AT(verbose), FOR_COMMANDS, "say what is run and why"},
    {'h', "help", OPTION_FLAG, NULL, NULL, AT(help), FOR_COMMANDS | FOR_PROGRAM, "print this text"},
    {0, "version", OPTION_FLAG, NULL, NULL, AT(version), FOR_PROGRAM, "print the version"},
};
const int n_option_rows = sizeof option_rows / sizeof *option_rows;

static bool
takes_value(const struct option_row *row)
{
    return row->value != NULL;
}

/* "--name" or "-l", for messages. Valid until the next call. */
static const char *
shown(const struct option_row *row)
{
    static char text[64];
    if (row->name != NULL)
        snprintf(text, sizeof text, "--%s", row->name);
    else
        snprintf(text, sizeof text, "-%c", row->letter);
    return text;
}

/* First line of every complaint about the command line: "pkwrap build: ". */
static void
complain(const char *command_name)
{
    fprintf(stderr, "pkwrap%s%s: error: ", command_name ? " " : "", command_name ? command_name : "");
}

static void
point_to_help(const char *command_name)
{
    fprintf(stderr, "; see pkwrap %s%s-h\n", command_name ? command_name : "", command_name ? " " : "");
}

static void
list_add(struct option_list *list, const char *value)
{
    const char **values = realloc(list->values, (size_t)(list->n + 1) * sizeof *values);
    if (values == NULL)
        exit(environment_error("out of memory"));
    values[list->n++] = value;
    list->values = values;
}

/* Stores a value in the row's member. 0, or -1 after a message. */
static int
store(struct options *options, const struct option_row *row, const char *value, const char *command_name)
{
    void *member = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        break;
    case OPTION_COUNT:
        ++*(int *)member;
        break;
    case OPTION_NUMBER: {
        char *end;
        errno = 0;
        long number = strtol(value, &end, 10);
        if (errno != 0 || end == value || *end != '\0' || number < 1 || number > INT_MAX) {
            complain(command_name);
            fprintf(stderr, "%s needs a positive number, not '%s'", shown(row), value);
            point_to_help(command_name);
            return -1;
        }
        *(int *)member = (int)number;
        break;
    }
    case OPTION_TEXT:
        *(const char **)member = value;
        break;
    case OPTION_MANY:
        list_add(member, value);
        break;
    }
    return 0;
}

static const struct option_row *
find_letter(char letter, unsigned bits)
{
    for (int i = 0; i < n_option_rows; i++)
        if (letter != 0 && option_rows[i].letter == letter && (option_rows[i].commands & bits))
            return &option_rows[i];
    return NULL;
}

static const struct option_row *
find_name(const char *name, size_t length, unsigned bits)
{
    for (int i = 0; i < n_option_rows; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->name != NULL && strlen(row->name) == length && memcmp(row->name, name, length) == 0
            && (row->commands & bits))
            return row;
    }
    return NULL;
}

/* "no option 'X'", with the nearest one, or with the commands that do have it. */
static int
unknown(const char *given, size_t length, enum command_bit bit, const char *command_name)
{
    char text[64];
    const char *names[64];
    int n = 0;
    snprintf(text, sizeof text, "%.*s", (int)length, given);
    for (int i = 0; i < n_option_rows && n < 64; i++)
        if (option_rows[i].name != NULL && (option_rows[i].commands & bit))
            names[n++] = option_rows[i].name;
    complain(command_name);
    fprintf(stderr, "no option '%s'", text);
    const char *bare = text + strspn(text, "-");
    const char *nearest = text[1] == '-' || strlen(bare) > 2 ? diag_nearest(bare, names, n) : NULL;
    const struct option_row *elsewhere = text[1] == '-' ? find_name(bare, strlen(bare), FOR_COMMANDS | FOR_PROGRAM)
                                                        : find_letter(bare[0], FOR_COMMANDS | FOR_PROGRAM);
    if (elsewhere != NULL) {
        const char *separator = " (it is one of ";
        for (int i = 0; i < n_commands; i++)
            if (elsewhere->commands & (unsigned)commands[i].bit) {
                fprintf(stderr, "%spkwrap %s", separator, commands[i].name);
                separator = ", ";
            }
        fputs(separator[0] == ',' ? ")" : " (it goes before the command's name)", stderr);
    } else if (nearest != NULL) {
        fprintf(stderr, "; did you mean '--%s'?", nearest);
    }
    point_to_help(command_name);
    return -1;
}

static int
missing_value(const struct option_row *row, const char *command_name)
{
    complain(command_name);
    fprintf(stderr, "%s needs a value: %s", shown(row), row->value);
    point_to_help(command_name);
    return -1;
}

/* "--name", "--name=value" or "--name" "value". Returns how many arguments were used, or -1. */
static int
parse_long(struct options *options, enum command_bit bit, const char *command_name, int argc, char **argv)
{
    const char *name = argv[0] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_row *row = find_name(name, length, bit);
    if (row == NULL)
        return unknown(argv[0], length + 2, bit, command_name);
    if (!takes_value(row)) {
        if (equals != NULL) {
            complain(command_name);
            fprintf(stderr, "%s takes no value", shown(row));
            point_to_help(command_name);
            return -1;
        }
        return store(options, row, NULL, command_name) < 0 ? -1 : 1;
    }
    if (equals != NULL)
        return store(options, row, equals + 1, command_name) < 0 ? -1 : 1;
    if (argc < 2)
        return missing_value(row, command_name);
    return store(options, row, argv[1], command_name) < 0 ? -1 : 2;
}

/* "-qv", "-oDIR" or "-o" "DIR". Returns how many arguments were used, or -1. */
static int
parse_letters(struct options *options, enum command_bit bit, const char *command_name, int argc, char **argv)
{
    for (const char *at = argv[0] + 1; *at != '\0'; at++) {
        const struct option_row *row = find_letter(*at, bit);
        if (row == NULL) {
            char one[3] = {'-', *at, '\0'};
            bool first = at == argv[0] + 1;
            return unknown(first ? argv[0] : one, first ? strlen(argv[0]) : 2, bit, command_name);
        }
        if (!takes_value(row)) {
            if (store(options, row, NULL, command_name) < 0)
                return -1;
            continue;
        }
        if (at[1] != '\0')
            return store(options, row, at + 1, command_name) < 0 ? -1 : 1;
        if (argc < 2)
            return missing_value(row, command_name);
        return store(options, row, argv[1], command_name) < 0 ? -1 : 2;
    }
    return 1;
}

int
options_parse(struct options *options, enum command_bit bit, const char *command_name, int argc, char **argv)
{
    struct option_list files = {options->files, options->n_files};
    bool only_files = false;
    int at = 0;
    while (at < argc) {
        int used = 1;
        if (!only_files && strcmp(argv[at], "--") == 0)
            only_files = true;
        else if (!only_files && strncmp(argv[at], "--", 2) == 0)
            used = parse_long(options, bit, command_name, argc - at, argv + at);
        else if (!only_files && argv[at][0] == '-' && argv[at][1] != '\0')
            used = parse_letters(options, bit, command_name, argc - at, argv + at);
        else if (bit == FOR_PROGRAM)
            break;
        else
            list_add(&files, argv[at]);
        options->files = files.values;
        options->n_files = files.n;
        if (used < 0)
            return -1;
        at += used;
    }
    return at;
}

void
options_release(struct options *options)
{
    free(options->files);
    free(options->include_dirs.values);
    free(options->defines.values);
    free(options->includes.values);
    free(options->prefixes.values);
    free(options->kernels.values);
    *options = (struct options){0};
}

void
options_print(FILE *stream, enum command_bit bit)
{
    for (int i = 0; i < n_option_rows; i++) {
        const struct option_row *row = &option_rows[i];
        char left[64] = "";
        size_t used = 0;
        if (!(row->commands & (unsigned)bit))
            continue;
        if (row->letter != 0)
            used += (size_t)snprintf(left + used, sizeof left - used, "-%c", row->letter);
        else
            used += (size_t)snprintf(left + used, sizeof left - used, "   ");
        if (row->name != NULL)
            used += (size_t)snprintf(left + used, sizeof left - used, "%s--%s", row->letter ? ", " : " ", row->name);
        if (row->value != NULL)
            snprintf(left + used, sizeof left - used, " %s", row->value);
        fprintf(stream, "  %-22s  %s\n", left, row->help);
    }
}
