/* library.h - how a language's front end tells what functions do whose bodies nobody sees.
 */
#ifndef LIBRARY_ROWS_H
#define LIBRARY_ROWS_H

enum library_extra {
    LIBRARY_PLAIN,
    LIBRARY_COPIES, /* what the second argument points to is copied to the first, addresses and all */
    LIBRARY_PRINTS, /* the last named argument is a format: with a plain one without %n, nothing is written behind it */
    LIBRARY_SCANS   /* writes through all that is behind the named arguments */
};

/* One row for all functions of the names, which are separated by spaces. In a name, * is anything at all, ? a letter of s, d, c
 * and z. Arguments, one letter each, the last one's for all that follow:
 *   .  a number; nothing happens     r  read                       w  written
 *   a  given away: it, and all that can be reached, may be written  t  as the C type tells
 *   f  a function that is called with the other arguments           k  written, and points where the first argument does then
 *   n  written, and points to new memory then
 * Result: . a number, or memory of the library's own; m new memory; 0 to 9 where that argument points; b new memory with what was
 * in the first argument's, or that. */
struct library_row {
    const char *names, *arguments;
    char result;
    enum library_extra extra;
};

#endif
