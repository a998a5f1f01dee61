/* library.h - where libpkwrap is for an interpreter. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "interpreter.h"

/* File name of the library; its number is that of the ABI. */
#define LIBRARY_FILE "libpkwrap.so.1"

struct library {
    const char *folder;  /* the Python package pkwrap */
    const char *file;    /* the shared library in it */
    const char *include; /* folder of pkwrap.h */
};

/* Looks beside the tool's own executable (python/pkwrap), where the interpreter imports pkwrap from, and in the site-packages of
 * the prefix that the tool is installed below, for a library that was built for this interpreter: its extension module has that suffix. EXIT_DONE, or EXIT_ENVIRONMENT after a message that
 * tells the places. The interpreter must have been asked. */
int library_find(struct library *library, struct arena *arena, const struct interpreter *python);

#endif
