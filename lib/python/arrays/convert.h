/* convert.h - what the package offers for single arrays and for staging memory: methods of its extension module. */
#ifndef PYTHON_CONVERT_H
#define PYTHON_CONVERT_H

#include "base/python.h"

/* to_numpy(array), to_cupy(array), is_device_array(object), device_kind(), trim(), staging_bytes(); ended by a null row. What
 * each of them takes and gives is in its docstring. */
extern PyMethodDef convert_functions[];

#endif
