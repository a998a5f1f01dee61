/* front_request.h - what inspect and init ask of the front end, from the command line. */
#ifndef FRONT_REQUEST_H
#define FRONT_REQUEST_H

#include "front/c/clang.h"
#include "base/options.h"
#include "front/python/pymodel.h"

/* Sorts options->files into headers, sources and Python files, and -I and -D into flags. `directory`: where shown paths start; header names
 * then are relative to it, those found on the include path only as given. EXIT_DONE, or EXIT_INPUT after findings. */
int front_request(struct front_options *request, struct pymodel_request *python_request, struct arena *arena, struct diag *diag,
                  const struct options *options, const char *directory);

/* Parses what was asked for into the model: headers and sources, then Python files. The worst exit status of both. */
int front_load(struct model *model, struct diag *diag, const struct front_options *request,
               const struct pymodel_request *python_request);

#endif
