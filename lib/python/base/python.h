/* python.h - the one place where CPython's and NumPy's headers are included, with the versions we build for. */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#include "pkwrap.h"

#define NPY_TARGET_VERSION NPY_1_23_API_VERSION
#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pkwrap_numpy_api
#ifndef PKWRAP_IMPORTS_NUMPY /* defined by the one file that calls import_array */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#if NPY_ABI_VERSION < 0x02000000 /* NumPy 1 has the field; NumPy 2 has the function, since its field lies elsewhere */
#define PyDataType_ELSIZE(descr) ((descr)->elsize)
#endif

#endif
