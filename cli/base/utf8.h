/* utf8.h - what is UTF-8. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Length of the UTF-8 character at `s` (`room` bytes left), or 0: overlong forms, surrogates and what is beyond U+10FFFF are
 * none. */
size_t utf8_length(const unsigned char *s, size_t room);

#endif
