/* compiler_macros.h - what a compiler defines by itself under given options, so that libclang reads the same program.
 *
 * A body may depend on who compiles it: #ifdef __clang__, __GNUC__ >= 5, __OPTIMIZE__, __AVX2__, __FAST_MATH__.
 */
#ifndef COMPILER_MACROS_H
#define COMPILER_MACROS_H

#include "compiler.h"

/* Asks the compiler with -dM -E under `flags` and appends to `words` what makes clang define the same and nothing else. Flags that
 * only name files or say what to write are left out. Nothing is appended where the compiler does not answer; then the result is what it complains
 * of, or NULL where it prints nothing at all. */
const char *compiler_macros(struct arena *arena, struct words *words, const struct compiler *compiler, const struct words *flags);

#endif
