/* backend.c - see backend.h. */
#include "backend.h"

static bool is_cupy;

bool
backend_is_cupy(void)
{
    return is_cupy;
}
