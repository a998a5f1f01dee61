#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int
error_set(struct session_error *error, enum session_error_kind kind, const char *format, ...)
{
    error->kind = kind;
    error->cuda = 0;
    error->cuda_name = NULL;
    error->first = error->second = -1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return -1;
}
