/* main.c - the program pkwrap: picks a command by its row. */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/options.h"
#include "base/show.h"
#include "pkwrap_version.h"

static void
print_program_help(FILE *stream)
{
    fputs("usage: pkwrap COMMAND [OPTION...] FILE...\n"
          "\n"
          "Turns C kernels into Python functions that take NumPy arrays and CUDA device arrays.\n"
          "\n"
          "commands:\n",
          stream);
    for (int i = 0; i < n_commands; i++)
        fprintf(stream, "  %-9s  %s\n", commands[i].name, commands[i].summary);
    fputs("\noptions:\n", stream);
    options_print(stream, FOR_PROGRAM);
    fputs("\n\"pkwrap COMMAND -h\" tells more. Exit status: 0 done, 1 the input is wrong or check found something, 2 wrong\n"
          "usage, 3 the environment is at fault (no compiler, no NumPy, disk full).\n",
          stream);
}

static void
print_command_help(const struct command *command)
{
    printf("usage: pkwrap %s [OPTION...] %s\n\n%s\n\n%s\n\noptions:\n", command->name, command->arguments, command->summary,
           command->details);
    options_print(stdout, command->bit);
}

static int
unknown_command(const char *given)
{
    const char *names[16];
    for (int i = 0; i < n_commands && i < 16; i++)
        names[i] = commands[i].name;
    const char *nearest = diag_nearest(given, names, n_commands);
    fprintf(stderr, "pkwrap: error: no command '%s'", given);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest);
    fputs("; see pkwrap -h\n", stderr);
    return EXIT_USAGE;
}

static int
run_command(const struct command *command, int argc, char **argv)
{
    struct options options = {0};
    int status;
    if (options_parse(&options, command->bit, command->name, argc, argv) < 0) {
        status = EXIT_USAGE;
    } else if (options.help) {
        print_command_help(command);
        status = EXIT_DONE;
    } else if (options.n_files == 0) {
        fprintf(stderr, "pkwrap %s: error: no file given; usage: pkwrap %s [OPTION...] %s\n", command->name, command->name,
                command->arguments);
        status = EXIT_USAGE;
    } else if (!show_set_color(options.color)) {
        fprintf(stderr, "pkwrap %s: error: --color takes auto, always or never, not '%s'\n", command->name, options.color);
        status = EXIT_USAGE;
    } else {
        status = command->run(&options);
    }
    options_release(&options);
    return status;
}

/* `pkwrap completion SHELL`: for packagers, so it is in no list. */
static int
run_completion(int argc, char **argv)
{
    if (argc == 1 && completion_print(argv[0]))
        return EXIT_DONE;
    fputs("pkwrap completion: error: needs one of: bash, zsh, fish\n", stderr);
    return EXIT_USAGE;
}

static int
run_program(int argc, char **argv)
{
    struct options options = {0};
    int used = options_parse(&options, FOR_PROGRAM, NULL, argc - 1, argv + 1);
    bool help = options.help, version = options.version;
    options_release(&options);
    if (used < 0)
        return EXIT_USAGE;
    if (help) {
        print_program_help(stdout);
        return EXIT_DONE;
    }
    if (version) {
        puts("pkwrap " PKWRAP_VERSION);
        return EXIT_DONE;
    }
    int left = argc - 1 - used;
    char **rest = argv + 1 + used;
    if (left == 0) {
        print_program_help(stderr);
        return EXIT_USAGE;
    }
    for (int i = 0; i < n_commands; i++)
        if (strcmp(rest[0], commands[i].name) == 0)
            return run_command(&commands[i], left - 1, rest + 1);
    if (strcmp(rest[0], "completion") == 0)
        return run_completion(left - 1, rest + 1);
    return unknown_command(rest[0]);
}

int
main(int argc, char **argv)
{
    int status = run_program(argc, argv);
    /* A full disk behind stdout shows itself only now. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_DONE)
        return environment_error("cannot write to stdout");
    return status;
}
