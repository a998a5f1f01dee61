"""paths.py - prints what a shell reads to find the tool, the package and the Python that they were built with.

    python tests/paths.py BUILD >BUILD/env        then, in a shell: . BUILD/env
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

import numpy_first


def folders_of_programs(build):
    """What comes first on PATH: the tool, compilers that see the right NumPy where they need that, and this Python if `python3`
    is another one (its environment has Pyccel)."""
    folders = [build]
    if numpy_first.is_needed():
        folders.append(numpy_first.make_compilers(build / "compilers"))
    found = shutil.which("python3")
    here = Path(sys.executable).parent
    if found is None or Path(found).parent != here:
        folders.append(here)
    return folders


def main():
    build = Path(sys.argv[1]).resolve()
    first = ":".join(shlex.quote(str(folder)) for folder in folders_of_programs(build))
    package = shlex.quote(str(build / "python"))
    print(f"""# For `. {os.path.relpath(build / 'env')}`: the tool, the package and their Python, on this shell's paths.
export PATH={first}:"$PATH"
export PYTHONPATH={package}"${{PYTHONPATH:+:$PYTHONPATH}}\"""")


if __name__ == "__main__":
    main()
