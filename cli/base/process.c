/* process.c - posix_spawn, pipes and poll: a small pool of children. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diag.h"

/* A started child. */
struct child {
    struct process *process;
    pid_t pid;
    int out, err; /* read ends; -1: at its end */
};

/* This process's environment with LC_ALL=C. NULL: out of memory. */
static char **
child_environment(void)
{
    static char locale[] = "LC_ALL=C";
    size_t n = 0, kept = 0;
    while (environ[n] != NULL)
        n++;
    char **result = malloc((n + 2) * sizeof *result);
    if (result == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            result[kept++] = environ[i];
    result[kept++] = locale;
    result[kept] = NULL;
    return result;
}

/* A descriptor to read `input` from; an unlinked file in memory, so that no pipe can fill up. -1 with errno. */
static int
open_input(const char *input)
{
    if (input == NULL)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    size_t length = strlen(input);
    int fd = memfd_create("pkwrap", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (length > PROCESS_INPUT || write(fd, input, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0) {
        close(fd);
        errno = EIO;
        return -1;
    }
    return fd;
}

static void
close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* 0, or errno. The pipes are close-on-exec, so no child holds another's open. */
static int
start(struct child *child, struct process *process)
{
    int in = -1, out[2] = {-1, -1}, err[2] = {-1, -1}, error = 0;
    char **environment = child_environment();
    posix_spawn_file_actions_t actions;
    if (environment == NULL)
        return ENOMEM;
    posix_spawn_file_actions_init(&actions);
    if ((in = open_input(process->input)) < 0 || pipe2(out, O_CLOEXEC) < 0 || (!process->merge && pipe2(err, O_CLOEXEC) < 0)) {
        error = errno;
    } else {
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, process->merge ? out[1] : err[1], STDERR_FILENO);
        error = posix_spawnp(&child->pid, process->argv[0], &actions, NULL, (char *const *)process->argv, environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    close_if_open(in);
    close_if_open(out[1]);
    close_if_open(err[1]);
    if (error != 0) {
        close_if_open(out[0]);
        close_if_open(err[0]);
        return error;
    }
    child->process = process;
    child->out = out[0];
    child->err = err[0];
    return 0;
}

/* Reads what is there; closes the descriptor at its end. */
static void
drain(int *fd, struct text *text)
{
    char block[16384];
    ssize_t n = read(*fd, block, sizeof block);
    if (n > 0) {
        text_add_n(text, block, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(*fd);
        *fd = -1;
    }
}

static void
reap(struct child *child)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(child->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0) {
        child->process->status = PROCESS_LOST;
        child->process->error = errno;
        return;
    }
    child->process->status = WIFEXITED(status) ? WEXITSTATUS(status) : PROCESS_SIGNALLED;
    child->process->error = WIFEXITED(status) ? 0 : WTERMSIG(status);
}

/* Who started us may have had no interest in its children; we and those that we start have: with SIGCHLD ignored nobody learns how
 * a child has ended. */
static void
notice_children(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 && (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0))
        signal(SIGCHLD, SIG_DFL);
}

bool
process_run_all(struct process *processes, int n, int at_once)
{
    struct child *children = calloc((size_t)at_once, sizeof *children);
    struct pollfd *polled = calloc(2 * (size_t)at_once, sizeof *polled);
    int next = 0, running = 0;
    bool good = true;
    notice_children();
    if (children == NULL || polled == NULL)
        exit(environment_error("out of memory"));
    for (int i = 0; i < n; i++)
        processes[i].status = PROCESS_NOT_RUN;
    while (running > 0 || (good && next < n)) {
        while (good && next < n && running < at_once) {
            struct process *process = &processes[next++];
            process->error = start(&children[running], process);
            if (process->error == 0) {
                running++;
            } else {
                process->status = PROCESS_NOT_STARTED;
                good = false;
            }
        }
        for (int i = 0; i < running; i++) {
            polled[2 * i] = (struct pollfd){.fd = children[i].out, .events = POLLIN};
            polled[2 * i + 1] = (struct pollfd){.fd = children[i].err, .events = POLLIN};
        }
        if (running > 0 && poll(polled, 2 * (nfds_t)running, -1) < 0) {
            if (errno != EINTR)
                exit(environment_error("cannot wait for the programs that were started: %s", strerror(errno)));
            continue;
        }
        int kept = 0;
        for (int i = 0; i < running; i++) {
            struct child *child = &children[i];
            if (polled[2 * i].revents != 0)
                drain(&child->out, &child->process->out);
            if (polled[2 * i + 1].revents != 0)
                drain(&child->err, &child->process->err);
            if (child->out < 0 && child->err < 0) {
                reap(child);
                good = good && child->process->status == 0;
            } else {
                children[kept++] = *child;
            }
        }
        running = kept;
    }
    free(children);
    free(polled);
    return good;
}

bool
process_run(struct process *process)
{
    return process_run_all(process, 1, 1);
}

void
process_release(struct process *process)
{
    text_release(&process->out);
    text_release(&process->err);
}

const char *
process_outcome(struct arena *arena, const struct process *process)
{
    const char *silence = process->out.length + process->err.length == 0 ? " and printed nothing" : "";
    if (process->status == PROCESS_NOT_STARTED)
        return arena_printf(arena, "cannot be started: %s", strerror(process->error));
    if (process->status == PROCESS_SIGNALLED)
        return arena_printf(arena, "was ended by signal %d (%s)%s", process->error, strsignal(process->error), silence);
    if (process->status == PROCESS_LOST)
        return arena_printf(arena, "ended, but not even the system knows how: %s", strerror(process->error));
    return arena_printf(arena, "ended with exit status %d%s", process->status, silence);
}

const char *
process_account(struct arena *arena, const struct process *process)
{
    const struct text *printed = process->err.length > 0 ? &process->err : &process->out;
    const char *outcome = process_outcome(arena, process);
    struct text text = {0};
    if (printed->length == 0)
        return outcome;
    text_printf(&text, "%s and printed:", outcome);
    for (const char *line = printed->data; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        text_printf(&text, "\n    %.*s", length, line);
        line += length + (line[length] == '\n');
    }
    const char *account = arena_copy(arena, text.data);
    text_release(&text);
    return account;
}

const char *
process_sentence(struct arena *arena, const struct process *process)
{
    const struct text *printed = process->err.length > 0 ? &process->err : &process->out;
    const char *outcome = process_outcome(arena, process), *line = printed->length > 0 ? printed->data : "", *last = line;
    /* Of a Python traceback the last line is the error; other programs say it first. */
    if (strncmp(line, "Traceback", 9) == 0)
        for (const char *at = line; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
            last = at;
    int length = (int)strcspn(last, "\n");
    enum { LONGEST = 120 }; /* a program that does not know the question may repeat all of it */
    return length == 0 ? outcome
                       : arena_printf(arena, "%s and printed `%.*s%s`", outcome, length < LONGEST ? length : LONGEST, last,
                                      length < LONGEST ? "" : "...");
}

int
process_split(struct arena *arena, const char *text, const char ***words, int *n)
{
    const char *blanks = " \t\n\r\f\v";
    for (const char *at = text + strspn(text, blanks); *at != '\0'; at += strspn(at, blanks)) {
        char *word = arena_take(arena, strlen(at) + 1, 1), quote = '\0';
        size_t length = 0;
        for (; *at != '\0' && (quote != '\0' || strchr(blanks, *at) == NULL); at++) {
            if (quote == '\0' && (*at == '\'' || *at == '"'))
                quote = *at;
            else if (quote != '\0' && *at == quote)
                quote = '\0';
            else if (*at == '\\' && quote != '\'' && at[1] != '\0')
                word[length++] = *++at;
            else
                word[length++] = *at;
        }
        if (quote != '\0')
            return -1;
        *ARENA_PUSH(arena, *words, *n) = word;
    }
    return 0;
}
