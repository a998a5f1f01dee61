/* options.h - the commands and their options. A command is a row of `commands` (commands.c), an option a row of `option_rows`
 * (options.c); parsing, `-h`, completions and the test of the manual page all read these rows.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Values of an option that may be given several times, in the order given. */
struct option_list {
    const char **values;
    int n;
};

/* What the command line said. All zero: nothing. Text points into argv. */
struct options {
    bool json;
    bool quiet;
    bool bundle;
    bool werror;
    bool fix;
    const char *color;               /* "auto", "always", "never"; NULL: auto */
    const char *observed;            /* what learn mode wrote; NULL: not given */
    bool help;
    bool version;
    int verbose;                     /* how often -v was given */
    int jobs;                        /* 0: as many as there are processors */
    struct option_list includes;     /* --include */
    struct option_list prefixes;     /* --prefix */
    struct option_list kernels;      /* --kernel, as patterns */
    bool with_static;
    const char *output;              /* -o: a file (init) or a folder (build, generate, check); NULL: not given */
    const char *python;              /* NULL: interpreter_default */
    const char *extension;           /* of a stub: dotted name of the compiled module; NULL: the stub's own name */
    const char *database;            /* -p: folder of compile_commands.json */
    const char *depfile, *stamp;
    const char *libclang;            /* the shared library to load */
    const char *resource_dir;        /* of clang: where its stddef.h is */
    struct option_list include_dirs; /* -I */
    struct option_list defines;      /* -D, as NAME or NAME=VALUE */
    const char **files;              /* the arguments that are not options */
    int n_files;
};

/* Bit of a command in option_row.commands. */
enum command_bit {
    FOR_INSPECT = 1 << 0,
    FOR_INIT = 1 << 1,
    FOR_BUILD = 1 << 2,
    FOR_GENERATE = 1 << 3,
    FOR_CHECK = 1 << 4,
    FOR_PROGRAM = 1 << 5 /* before a command's name */
};

struct command {
    const char *name;
    enum command_bit bit;
    /* Does the work. Returns an enum exit_status (diag.h). */
    int (*run)(const struct options *options);
    const char *arguments;  /* as a usage line shows them: "MANIFEST..." */
    const char *complete;   /* what completes an argument: glob patterns, separated by blanks */
    const char *summary;    /* one line, for the list of commands */
    const char *details;    /* what `-h` says besides */
};

int cmd_inspect(const struct options *options);
int cmd_init(const struct options *options);
int cmd_build(const struct options *options);
int cmd_generate(const struct options *options);
int cmd_check(const struct options *options);

extern const struct command commands[];
extern const int n_commands;

enum option_kind { OPTION_FLAG, OPTION_COUNT, OPTION_NUMBER, OPTION_TEXT, OPTION_MANY };

struct option_row {
    char letter;          /* 0: only a long name */
    const char *name;     /* long name without dashes; NULL: only a letter */
    enum option_kind kind;
    const char *value;    /* what its value is, for -h; NULL where it takes none */
    const char *complete; /* what completes the value: "dir", "file", "program", "color"; NULL: nothing */
    size_t offset;        /* of its member in struct options */
    unsigned commands;    /* FOR_ bits of the commands that take it */
    const char *help;
};

extern const struct option_row option_rows[];
extern const int n_option_rows;

/* Reads argv[0..argc) for the command with this bit (command_name NULL: the program itself; then reading stops at the first
 * argument that is not an option). Options and files may come in any order; "--" ends the options. Returns the number of
 * arguments read, or -1 after one message on stderr that names the nearest option. options->files and the lists are
 * malloc'd; options_release frees them. */
int options_parse(struct options *options, enum command_bit bit, const char *command_name, int argc, char **argv);
void options_release(struct options *options);

/* The option table of -h for the command with this bit. */
void options_print(FILE *stream, enum command_bit bit);

/* Completion script for "bash", "zsh" or "fish" on stdout. False: no such shell. */
bool completion_print(const char *shell);

#endif
