/* analysis.h - which memory functions write, from their bodies.
 *
 * Sound first: what is not understood may be written. A pointer's value is a set of tags, each a piece of memory that it may
 * point into: of a parameter, what it points to, and what pointers found there point to, field by field where it is a
 * structure; of a local variable, the variable. Each function is walked in the order of its statements, again and again
 * where there are loops, until nothing changes; the functions of a program until no summary changes.
 */
#ifndef ANALYSE_H
#define ANALYSE_H

#include "model/body.h"
#include "base/mem.h"
#include "model/model.h"

/* All bodies of a program. */
struct program {
    struct arena *arena;
    struct body *bodies;
    int n_bodies;
};

/* Judges every function of the program, and enters into the model what that says of its functions: writes with their
 * evidence, attributes of structures included; unused, nullable and single parameters. */
void analyse_program(const struct program *program, struct model *model);

#endif
