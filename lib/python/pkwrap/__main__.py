"""python -m pkwrap, or pkwrap-config: what other build systems compile and link a generated module with."""

import argparse

from pkwrap import __version__, paths

# option: (what it prints, its help)
ANSWERS = {
    "--include": (paths.get_include, "folder of pkwrap.h"),
    "--library": (paths.get_library_dir, "folder of libpkwrap.so"),
    "--cflags": (lambda: f"-I{paths.get_include()} -DPKW_API_BY_IMPORT",
                 "compiler flags of a module that is linked to nothing and imports the package pkwrap"),
    "--libs": (lambda: f"-L{paths.get_library_dir()} -Wl,-rpath,{paths.get_library_dir()} -lpkwrap",
               "linker flags of a module that is compiled with --include alone and linked to libpkwrap"),
    "--pkgconfigdir": (paths.get_pkgconfig_dir, "folder of pkwrap.pc, for PKG_CONFIG_PATH"),
    "--cmakedir": (paths.get_cmake_dir, "folder of pkwrapConfig.cmake, for pkwrap_DIR"),
    "--version": (lambda: __version__, "the version"),
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="pkwrap-config", description=__doc__.split(": ")[1])
    choice = parser.add_mutually_exclusive_group(required=True)
    for option, (answer, text) in ANSWERS.items():
        choice.add_argument(option, action="store_const", dest="answer", const=answer, help=text)
    print(parser.parse_args(arguments).answer())


if __name__ == "__main__":
    main()
