"""cupy_names.py - the public names of CuPy, for the stand-in (stand_in/cupy); run with CuPy installed, a device is not needed.

    python tests/gpu/cupy_names.py >tests/gpu/stand_in/cupy/names.json
"""

import importlib
import json


def main():
    import cupy
    importlib.import_module("cupy.random")
    objects = {"": cupy, "ndarray": cupy.ndarray, "random": cupy.random, "cuda": cupy.cuda}
    objects |= {f"cuda.{name}": getattr(cupy.cuda, name) for name in ("runtime", "Stream", "Event", "Device", "MemoryPointer")}
    names = {name: [n for n in dir(found) if not n.startswith("_")] for name, found in objects.items()}
    print(json.dumps({"version": cupy.__version__, "names": names}, indent=0))


if __name__ == "__main__":
    main()
