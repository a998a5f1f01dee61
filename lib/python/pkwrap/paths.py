"""Where the package keeps what other build systems need of it. Folders are those of the extension module: in an editable
install the Python files lie elsewhere."""

from pathlib import Path

from pkwrap import _pkwrap

FOLDER = Path(_pkwrap.__file__).resolve().parent


def get_include():
    """The folder of pkwrap.h, as a str: what generated C is compiled with."""
    return str(FOLDER / "include")


def get_library_dir():
    """The folder of libpkwrap.so, as a str."""
    return str(FOLDER)


def get_pkgconfig_dir():
    """The folder of pkwrap.pc, as a str; for PKG_CONFIG_PATH."""
    return str(FOLDER / "pkgconfig")


def get_cmake_dir():
    """The folder of pkwrapConfig.cmake, as a str; for CMake's pkwrap_DIR."""
    return str(FOLDER / "cmake")
