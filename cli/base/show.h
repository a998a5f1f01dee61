/* show.h - how a finding looks: one line for logs and editors; on a terminal with its source line, a caret, and colours. */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

/* `when` is what --color says: "auto" (or NULL), "always", "never". Terminals get source lines in each case but "never";
 * colours too, unless NO_COLOR is set (no-color.org) or TERM is "dumb". False for any other word: nothing has changed. */
bool show_set_color(const char *when);

/* To stderr. */
void show_finding(const struct finding *finding);

#endif
