"""names.py - the public names of CuPy, for the stand-in beside this file; run with CuPy installed, a device is not needed.

    python tests/gpu/stand_in/names.py >tests/gpu/stand_in/cupy/names.json
"""

import importlib
import json


def main():
    import cupy
    importlib.import_module("cupy.random")
    objects = {"": cupy, "ndarray": cupy.ndarray, "cuda": cupy.cuda, "cuda.runtime": cupy.cuda.runtime, "cuda.Stream": cupy.cuda.Stream,
               "cuda.Event": cupy.cuda.Event, "cuda.Device": cupy.cuda.Device, "cuda.MemoryPointer": cupy.cuda.MemoryPointer,
               "random": cupy.random}
    names = {name: [n for n in dir(found) if not n.startswith("_")] for name, found in objects.items()}
    print(json.dumps({"version": cupy.__version__, "names": names}, indent=0))


if __name__ == "__main__":
    main()
