"""The C sources of the Gibbs SeaWater toolbox, from the source package gsw of PyPI: 12,300 lines without a const. Only read."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "3.6.23"


class NotThere(Exception):
    """The package cannot be downloaded; the message says why."""


def gsw_sources():
    """Folder with the toolbox's sources, kept between runs in $PKWRAP_BUILD/cache."""
    folder = Path(os.environ["PKWRAP_BUILD"]).absolute() / "cache" / f"gsw-{VERSION}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "gsw", f"gsw=={VERSION}"]
        done = subprocess.run([*download, "-d", str(folder.parent)], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise NotThere(f"gsw {VERSION} cannot be downloaded: {(done.stderr.strip() or '?').splitlines()[-1]}")
        unpacked = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.unpack_archive(folder.parent / f"gsw-{VERSION}.tar.gz", unpacked)
        try:
            unpacked.rename(folder)
        except OSError:  # another worker was first
            pass
    return folder / f"gsw-{VERSION}" / "src" / "c_gsw"


FILES = ["gswteos-10.h", "gsw_oceanographic_toolbox.c", "gsw_saar.c"]
