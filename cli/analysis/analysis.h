/* analysis.h - which memory functions write, from their bodies, whatever language those are in.
 *
 * Sound first: what is not understood may be written. A value is a set of spots, each a piece of memory that it may point into: of
 * a parameter, of a variable, of what a call made, and of their fields and what those point to. Each function is walked in the
 * order of its statements, again and again where there are loops, until nothing changes; callees first, and callers again where
 * they change.
 *
 * Numbers: an address that becomes a number (by a cast, by the distance to other memory, by being read byte by byte) is exposed.
 * From any number the address of anything exposed may be made, wherever it went in between.
 */
#ifndef ANALYSE_H
#define ANALYSE_H

#include "library.h"
#include "model/body.h"
#include "base/mem.h"
#include "model/model.h"

/* All bodies of a program. */
struct program {
    struct arena *arena;
    struct body *bodies;
    int n_bodies;
    const struct library_row *library; /* what is known of functions without a body */
    int n_library;
};

/* Judges every function of the program, and enters into the model what that says of its functions: writes with their
 * evidence, attributes of structures included; unused, nullable and single parameters. */
void analyse_program(const struct program *program, struct model *model);

#endif
