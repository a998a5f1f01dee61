/* plain_children.c - linked into the tool where it is built with a sanitizer. The suite preloads the sanitizer's library into
 * Python; the interpreters and compilers that the tool starts are not ours, and several times as fast without it.
 */
#include <stdlib.h>

__attribute__((constructor)) static void forget_preload(void)
{
    unsetenv("LD_PRELOAD");
}
