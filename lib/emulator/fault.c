#include "state.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct sigaction former_segv, former_bus;

/* A line built without the C library's formatting, which a signal handler must not call. */
struct line {
    char text[256];
    size_t length;
};

static void
add_text(struct line *line, const char *text)
{
    while (*text != '\0' && line->length < sizeof(line->text))
        line->text[line->length++] = *text++;
}

static void
add_number(struct line *line, uintptr_t number, unsigned base)
{
    char digits[24];
    size_t n = sizeof(digits);
    digits[--n] = '\0';
    do
        digits[--n] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    add_text(line, digits + n);
}

static void
describe(const void *address)
{
    const struct allocation *found;
    if (!memory_describe(address, &found))
        return;
    struct line line = {.length = 0};
    add_text(&line, "pkwrap emulator: the host touched device memory at 0x");
    add_number(&line, (uintptr_t)address, 16);
    if (atomic_load(&emulator.gone))
        add_text(&line, " in a forked child, which has no device");
    if (found != NULL) {
        size_t offset = (size_t)((const char *)address - found->address);
        add_text(&line, offset < found->size ? ": byte " : ", behind: byte ");
        add_number(&line, offset, 10);
        add_text(&line, " of allocation ");
        add_number(&line, (uintptr_t)found->number, 10);
        if (found->name[0] != '\0') {
            add_text(&line, " '");
            add_text(&line, found->name);
            add_text(&line, "'");
        }
        add_text(&line, " (");
        add_number(&line, found->size, 10);
        add_text(&line, " bytes, device ");
        add_number(&line, (uintptr_t)found->device, 10);
        add_text(&line, ")");
    }
    add_text(&line, "\n");
    /* There is nobody to tell when even this fails. */
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        return;
}

static void
on_fault(int signal, siginfo_t *info, void *context)
{
    static atomic_int told;
    if (atomic_fetch_add(&told, 1) == 0)
        describe(info->si_addr);
    const struct sigaction *former = signal == SIGSEGV ? &former_segv : &former_bus;
    if (former->sa_flags & SA_SIGINFO) {
        former->sa_sigaction(signal, info, context);
    } else if (former->sa_handler != SIG_DFL && former->sa_handler != SIG_IGN) {
        former->sa_handler(signal);
    } else {
        /* The instruction faults again when this returns, and then as if we had never been here. */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
    }
}

void
fault_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &former_segv);
    sigaction(SIGBUS, &action, &former_bus);
}
