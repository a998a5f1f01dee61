#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mistake in a loop must not fill a disk. */
enum { MOST_PRINTED = 100 };

static char *text;
static size_t length, room;
static char detail[160];
static char last_violation[256];

static void
append(const char *line)
{
    size_t more = strlen(line) + 1;
    if (length + more + 1 > room) {
        size_t larger = 2 * (length + more) + 4096;
        char *moved = realloc(text, larger);
        if (moved == NULL)
            return; /* a line is lost, the run goes on */
        text = moved;
        room = larger;
    }
    memcpy(text + length, line, more - 1);
    text[length + more - 1] = '\n';
    length += more;
    text[length] = '\0';
}

void
log_detail(const char *format, ...)
{
    if (!emulator.logging)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
}

void
log_call(const char *symbol, int error)
{
    if (!emulator.logging)
        return;
    char line[256];
    snprintf(line, sizeof(line), "%s(%s) = %d", symbol, detail, error);
    detail[0] = '\0';
    append(line);
}

void
log_line(const char *format, ...)
{
    if (!emulator.logging)
        return;
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    append(line);
}

void
report_violation(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_violation, sizeof(last_violation), format, arguments);
    va_end(arguments);
    if (++emulator.counters.violations <= MOST_PRINTED)
        fprintf(stderr, "pkwrap emulator: %s%s\n", last_violation,
                emulator.counters.violations == MOST_PRINTED ? " (more of them are counted only)" : "");
    log_line("violation: %s", last_violation);
}

void
emulator_last_violation(char *buffer, size_t size)
{
    pthread_mutex_lock(&emulator.lock);
    snprintf(buffer, size, "%s", last_violation);
    pthread_mutex_unlock(&emulator.lock);
}

void
emulator_log(bool on)
{
    pthread_mutex_lock(&emulator.lock);
    if (on)
        length = 0;
    emulator.logging = on;
    pthread_mutex_unlock(&emulator.lock);
}

size_t
emulator_log_text(char *buffer, size_t size)
{
    pthread_mutex_lock(&emulator.lock);
    if (size > 0)
        snprintf(buffer, size, "%s", length > 0 ? text : "");
    size_t whole = length;
    pthread_mutex_unlock(&emulator.lock);
    return whole;
}
