/* version.h - the version of the tool, which is the package's too. */
#ifndef VERSION_H
#define VERSION_H

#define PKWRAP_VERSION "0.1.0"

#endif
