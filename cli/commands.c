/* commands.c - the commands, a row each. */
#include "base/options.h"

const struct command commands[] = {
    {"inspect", FOR_INSPECT, cmd_inspect, "FILE...", "*.h *.c *.pyi *.py",
     "list kernels: their parameters, what each writes and why, what is in the way",
     "FILE is a header (its functions are the kernels), a C source (bodies for the analysis; without a header, the\n"
     "external functions it defines are the kernels), a .pyi stub or a Python source of kernels."},
    {"init", FOR_INIT, cmd_init, "FILE...", "*.h *.c *.pyi *.py",
     "print a manifest with everything that could be found out already filled in",
     "FILE is a header, a C source, a .pyi stub or a Python source of kernels. Paths in the manifest are relative to\n"
     "where it goes (-o), else to the current folder."},
    {"build", FOR_BUILD, cmd_build, "MANIFEST...", "*.json",
     "generate, compile and install the extension modules; does nothing when up to date",
     "Puts MODULE.so (with the interpreter's suffix) and MODULE.pyi beside the manifest or into -o DIR, and what it\n"
     "needs meanwhile into .pkwrap/MODULE/ there. CC, CFLAGS and LDFLAGS of the environment are used."},
    {"generate", FOR_GENERATE, cmd_generate, "MANIFEST...", "*.json",
     "write the C source and the .pyi only (for Meson, CMake, setuptools)",
     "Puts MODULE_wrap.c and MODULE.pyi beside the manifest or into -o DIR. Compile the former with the interpreter's include\n"
     "folder and the one of pkwrap (python3 -m pkwrap --include), and link it to libpkwrap."},
    {"check", FOR_CHECK, cmd_check, "MANIFEST...", "*.json",
     "for CI: fail if generated files are stale or a declaration contradicts the code",
     "Exits with 1 when it found an error. -o DIR is the folder that was given to build or generate."},
};
const int n_commands = sizeof commands / sizeof *commands;
