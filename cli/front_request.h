/* front_request.h - what inspect and init ask of the front end, from the command line. */
#ifndef FRONT_REQUEST_H
#define FRONT_REQUEST_H

#include "clang.h"
#include "options.h"

/* Sorts options->files into headers and sources, and -I and -D into flags. `directory`: where shown paths start; header names
 * then are relative to it, those found on the include path only as given. EXIT_DONE, or EXIT_INPUT after findings. */
int front_request(struct front_options *request, struct arena *arena, struct diag *diag, const struct options *options,
                  const char *directory);

#endif
