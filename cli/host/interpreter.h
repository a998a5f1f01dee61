/* interpreter.h - the Python that a module is built for: found without starting it, asked in one child process. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <stdbool.h>

#include "base/mem.h"

struct interpreter {
    const char *program; /* as given: "python3", ".venv/bin/python" */
    const char *path;    /* where PATH has it; links not followed, since a virtual environment's python is a link */
    bool is_script;      /* not a program but a script that picks one, such as a pyenv shim: has to be asked every time */

    /* What it answered; NULL before interpreter_ask. */
    const char *answer;         /* the whole text: equal answers mean the same interpreter */
    const char *version;        /* "3.11.7" */
    const char *suffix;         /* of extension modules: ".cpython-311-x86_64-linux-gnu.so" */
    const char *include;        /* folder of Python.h */
    const char *plat_include;   /* folder of pyconfig.h, often the same */
    const char *compiler;       /* the command it was built with: "gcc -pthread" */
    const char *numpy;          /* NumPy's folder */
    const char *numpy_version;  /* "2.4.1" */
    const char *package;        /* folder of the Python package pkwrap that it would import, or "" */
};

/* The program that is meant where none is named: the tool's own environment's, where the tool was installed into a virtual
 * environment (which need not be active), else "python3". */
const char *interpreter_default(struct arena *arena);

/* Finds the program; NULL: interpreter_default. EXIT_DONE, or EXIT_ENVIRONMENT after a message. Starts nothing. */
int interpreter_find(struct interpreter *python, struct arena *arena, const char *program);

/* Starts it and fills in the rest; a second call does nothing. EXIT_DONE, or EXIT_ENVIRONMENT after a message: it does not
 * run, is older than 3.10, is not CPython or has no NumPy. Of the user's files it reads none. */
int interpreter_ask(struct interpreter *python, struct arena *arena);

/* The file of this program, links followed, or NULL. */
const char *tool_file(struct arena *arena);

/* The full path of a program as the shell would find it, or NULL. */
const char *program_find(struct arena *arena, const char *name);

#endif
