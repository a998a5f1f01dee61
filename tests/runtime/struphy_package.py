"""The Python files of the package struphy from PyPI: real Pyccel kernels. Only read, never imported."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

VERSION = "3.0.0"


class NotThere(Exception):
    """The package cannot be downloaded; the message says why."""


def struphy_package():
    """Folder with the unpacked wheel, kept between runs in $PKWRAP_BUILD/cache."""
    folder = Path(os.environ["PKWRAP_BUILD"]).absolute() / "cache" / f"struphy-{VERSION}"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", f"struphy=={VERSION}", "-d", str(folder.parent)]
    done = subprocess.run(download, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise NotThere(f"struphy {VERSION} cannot be downloaded: {(done.stderr.strip() or '?').splitlines()[-1]}")
    (wheel,) = folder.parent.glob(f"struphy-{VERSION}-*.whl")
    unpacked = folder.with_name(f"{folder.name}.{os.getpid()}")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    try:
        unpacked.rename(folder)
    except OSError:  # another worker was first
        pass
    return folder
