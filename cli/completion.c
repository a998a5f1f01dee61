/* completion.c - completion scripts for bash, zsh and fish, printed from the rows of commands and options. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"

/* Prints every spelling of the command's options, separated by blanks: "-o --output -q --quiet". */
static void
print_spellings(unsigned bit, bool only_with_value)
{
    for (int i = 0; i < n_option_rows; i++) {
        const struct option_row *row = &option_rows[i];
        if (!(row->commands & bit) || (only_with_value && row->value == NULL))
            continue;
        if (row->letter != 0)
            printf(" -%c", row->letter);
        if (row->name != NULL)
            printf(" --%s", row->name);
    }
}

static void
print_commands(void)
{
    for (int i = 0; i < n_commands; i++)
        printf("%s%s", i ? " " : "", commands[i].name);
}

/* The option's spellings as a case pattern: "-o|--output". */
static void
print_pattern(const struct option_row *row)
{
    if (row->letter != 0)
        printf("-%c", row->letter);
    if (row->name != NULL)
        printf("%s--%s", row->letter ? "|" : "", row->name);
}

/* How each shell completes the value of an option. */
struct value_row {
    const char *what; /* of the option's row; NULL: something else, or nothing */
    const char *bash, *zsh, *fish;
};

static const struct value_row value_rows[] = {
    {"dir", "compgen -d", "_files -/", " -x -a '(__fish_complete_directories)'"},
    {"program", "compgen -c", "_command_names -e", " -x -a '(__fish_complete_command)'"},
    {"color", "compgen -W 'auto always never'", "(auto always never)", " -x -a 'auto always never'"},
    {"file", "compgen -f", "_files", " -r -F"},
    {NULL, NULL, " ", " -x"},
};

static const struct value_row *
value_row(const struct option_row *row)
{
    const struct value_row *at = value_rows;
    while (at->what != NULL && (row->complete == NULL || strcmp(row->complete, at->what) != 0))
        at++;
    return at;
}

static void
print_bash(void)
{
    puts("# bash completion of pkwrap; printed by `pkwrap completion bash`\n"
         "_pkwrap()\n"
         "{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
         "    if [[ $COMP_CWORD -eq 1 ]]; then");
    fputs("        COMPREPLY=($(compgen -W \"", stdout);
    print_commands();
    print_spellings(FOR_PROGRAM, false);
    puts("\" -- \"$word\"))\n        return\n    fi\n    case $command in");
    for (int i = 0; i < n_commands; i++) {
        const struct command *command = &commands[i];
        printf("    %s)\n        case $previous in\n", command->name);
        for (int k = 0; k < n_option_rows; k++) {
            const struct option_row *row = &option_rows[k];
            if (!(row->commands & (unsigned)command->bit) || row->value == NULL)
                continue;
            fputs("        ", stdout);
            print_pattern(row);
            const char *bash = value_row(row)->bash;
            printf(bash != NULL ? ") COMPREPLY=($(%s -- \"$word\")); return ;;\n" : ") COMPREPLY=(); return ;;\n", bash);
        }
        fputs("        esac\n        if [[ $word == -* ]]; then\n            COMPREPLY=($(compgen -W \"", stdout);
        print_spellings(command->bit, false);
        puts("\" -- \"$word\"))\n            return\n        fi");
        fputs("        COMPREPLY=($(compgen -d -S / -- \"$word\")", stdout);
        for (const char *at = command->complete; *at != '\0';) {
            size_t length = strcspn(at, " ");
            printf(" $(compgen -f -X '!%.*s' -- \"$word\")", (int)length, at);
            at += length + strspn(at + length, " ");
        }
        puts(") ;;");
    }
    puts("    esac\n}\ncomplete -o filenames -F _pkwrap pkwrap");
}

/* Text inside single quotes of a zsh specification: brackets and colons are special there. */
static void
print_zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr("[]:\\", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

static void
print_zsh_spec(const char *spelling_start, char letter, const char *name, const struct option_row *row)
{
    bool repeats = row->kind == OPTION_MANY || row->kind == OPTION_COUNT;
    printf(" \\\n            '%s%s", repeats ? "*" : "", spelling_start);
    if (letter != 0)
        putchar(letter);
    else
        fputs(name, stdout);
    if (row->value != NULL)
        putchar(letter != 0 ? '+' : '=');
    putchar('[');
    print_zsh_text(row->help);
    putchar(']');
    if (row->value != NULL) {
        putchar(':');
        print_zsh_text(row->value);
        printf(":%s", value_row(row)->zsh);
    }
    putchar('\'');
}

static void
print_zsh_options(unsigned bit)
{
    for (int k = 0; k < n_option_rows; k++) {
        const struct option_row *row = &option_rows[k];
        if (!(row->commands & bit))
            continue;
        if (row->letter != 0)
            print_zsh_spec("-", row->letter, NULL, row);
        if (row->name != NULL)
            print_zsh_spec("--", 0, row->name, row);
    }
}

static void
print_zsh(void)
{
    puts("#compdef pkwrap\n"
         "# zsh completion of pkwrap; printed by `pkwrap completion zsh`\n"
         "_pkwrap()\n"
         "{\n"
         "    local state line\n"
         "    local -a pkwrap_commands=(");
    for (int i = 0; i < n_commands; i++) {
        printf("        '%s:", commands[i].name);
        print_zsh_text(commands[i].summary);
        puts("'");
    }
    fputs("    )\n    _arguments -C", stdout);
    print_zsh_options(FOR_PROGRAM);
    puts(" \\\n            '1:command:->command' '*::argument:->argument'\n"
         "    case $state in\n"
         "    command) _describe command pkwrap_commands ;;\n"
         "    argument)\n"
         "        case $line[1] in");
    for (int i = 0; i < n_commands; i++) {
        printf("        %s) _arguments -s", commands[i].name);
        print_zsh_options(commands[i].bit);
        /* A single pattern in parentheses would be a glob qualifier. */
        bool several = strchr(commands[i].complete, ' ') != NULL;
        printf(" \\\n            '*:file:_files -g \"%s", several ? "(" : "");
        for (const char *at = commands[i].complete; *at != '\0'; at++)
            putchar(*at == ' ' ? '|' : *at);
        printf("%s\"' ;;\n", several ? ")" : "");
    }
    puts("        esac ;;\n    esac\n}\n_pkwrap \"$@\"");
}

/* Text inside single quotes of fish. */
static void
print_fish_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void
print_fish_option(const struct option_row *row, const char *condition)
{
    printf("complete -c pkwrap -n '%s'", condition);
    if (row->letter != 0)
        printf(" -s %c", row->letter);
    if (row->name != NULL)
        printf(" -l %s", row->name);
    if (row->value != NULL)
        fputs(value_row(row)->fish, stdout);
    fputs(" -d '", stdout);
    print_fish_text(row->help);
    puts("'");
}

static void
print_fish(void)
{
    puts("# fish completion of pkwrap; printed by `pkwrap completion fish`\n"
         "complete -c pkwrap -f");
    for (int i = 0; i < n_commands; i++) {
        printf("complete -c pkwrap -n __fish_use_subcommand -a %s -d '", commands[i].name);
        print_fish_text(commands[i].summary);
        puts("'");
    }
    for (int k = 0; k < n_option_rows; k++)
        if (option_rows[k].commands & FOR_PROGRAM)
            print_fish_option(&option_rows[k], "__fish_use_subcommand");
    for (int i = 0; i < n_commands; i++) {
        char condition[64];
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", commands[i].name);
        for (int k = 0; k < n_option_rows; k++)
            if (option_rows[k].commands & (unsigned)commands[i].bit)
                print_fish_option(&option_rows[k], condition);
        /* __fish_complete_suffix would offer all other files too. */
        printf("complete -c pkwrap -n '%s' -a '(__fish_complete_path (commandline -ct) | string match -re \"(?:/", condition);
        for (const char *at = commands[i].complete; *at != '\0';) {
            size_t length = strcspn(at, " "); /* "*.json" */
            printf("|\\%.*s", (int)length - 1, at + 1);
            at += length + strspn(at + length, " ");
        }
        puts(")(?:\\t|\\$)\")'");
    }
}

bool
completion_print(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return true;
        }
    return false;
}
