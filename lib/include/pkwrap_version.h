/* pkwrap_version.h - the version of the tool, the library and the package. */
#ifndef PKWRAP_VERSION_H
#define PKWRAP_VERSION_H

#define PKWRAP_VERSION "0.1.0"

#endif
