/* deep.h - recursion as deep as a program that is read: on a stack that is made for it. */
#ifndef DEEP_H
#define DEEP_H

#include <stdbool.h>
#include <stddef.h>

/* Runs work(data) on a stack that holds `depth` levels of recursion, and waits for its end. False, after a message, where there
 * is no memory for such a stack. */
bool deep_run(size_t depth, void (*work)(void *), void *data);

#endif
