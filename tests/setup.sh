#!/bin/sh
# setup.sh - installs what is missing: Debian packages by name, and Python packages into a virtual environment.
#
#     sh tests/setup.sh [build|demo|check|bench]
#
# Each group includes those before it: what `make` needs; what `make demo` and README.md's examples need; what the tests need
# (the default); the tools that `make bench` compares with. Nothing is installed that is there in another way. Says what it
# installs, and is quick when nothing is missing. Where it may not install, one message lists everything. Environment:
#     PYTHON    the interpreter that the library is built for (python3)
#     CC        the C compiler (cc)
#     LLVM_DIR  where libclang has its headers, if that is known
#     VENV      the virtual environment made from PYTHON (.venv); "build" makes none if PYTHON has NumPy 2 itself
#     OFFLINE   not empty: installs nothing; $VENV, or PYTHON itself, has what is needed
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}
CC=${CC:-cc}
group=${1:-check}
case $group in
build) groups="build" ;;
demo) groups="build demo" ;;
check) groups="build demo check" ;;
bench) groups="build demo check bench" ;;
*) echo "setup: error: no group $group; there are build, demo, check, bench" >&2; exit 2 ;;
esac

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "error: $*"; exit 3; }
python_can() { "$PYTHON" -c "$1" >/dev/null 2>&1; }
numpy_version() { "$1" -c 'import numpy; print(numpy.__version__)' 2>/dev/null || true; }

# --- system packages: what shows that one is not needed, and its name in Debian ------------------------------------------

has_program() { command -v "$1" >/dev/null; }
has_compiler() { # shellcheck disable=SC2086 # it may have arguments
    $CC --version >/dev/null 2>&1; }
has_header() { # shellcheck disable=SC2086
    echo "#include <$1>" | $CC -E - >/dev/null 2>&1; }
has_libclang() { [ -n "${LLVM_DIR:-}" ] || ls -d /usr/lib/llvm-1[7-9]/include/clang-c /usr/lib/llvm-[2-9][0-9]/include/clang-c; }
has_python_header() { python_can 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))'; }
has_venv() { python_can 'import ensurepip, venv'; }
has_fuzzer() { case $(clang --print-file-name="libclang_rt.fuzzer-$(uname -m).a") in /*) ;; *) false ;; esac; }
has_module() { pkg-config --exists "$1"; }

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# need PACKAGE TEST...: PACKAGE is missing if the test fails and it is not installed.
missing=
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || is_installed "$package" || missing="$missing $package"
}

needs_of_build() {
    need gcc has_compiler
    need libc6-dev has_header stdio.h
    need make has_program make
    need libclang-19-dev has_libclang
    need libcjson-dev has_header cjson/cJSON.h
    [ "$PYTHON" != python3 ] || need python3 has_program python3
    # Other interpreters bring both along.
    [ "$of_debian" = no ] || need python3-dev has_python_header
    [ "$of_debian" = no ] || [ "$wants_environment" = no ] || need python3-venv has_venv
}

needs_of_demo() {
    need gfortran has_program gfortran
    need libopenblas-dev has_module openblas
    need pkg-config has_program pkg-config
}

needs_of_check() {
    need check has_header check.h
    need clang has_program clang
    need clang-tidy has_program clang-tidy
    need fish has_program fish
    need libclang-rt-dev has_fuzzer
    need liblapacke-dev has_header lapacke.h
    need mandoc has_program mandoc
    need shellcheck has_program shellcheck
    need zsh has_program zsh
}

needs_of_bench() { need g++ has_program g++; }

# Installs what `need` has found, or says all of it at once.
install_missing() {
    [ -n "$missing" ] || return 0
    as_root=
    has_program apt-get || fail "missing (by their names in Debian):$missing"
    if [ "$(id -u)" != 0 ]; then
        as_root=sudo
        has_program sudo || fail "not root, and no sudo; run as root: apt-get install$missing"
        [ -t 0 ] || sudo -n true 2>/dev/null || fail "not root, and sudo wants a password; run as root: apt-get install$missing"
    fi
    say "installing Debian packages:$missing"
    # shellcheck disable=SC2086 # lists of words
    install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing"
    $install >"$log" 2>&1 || { $as_root apt-get update -qq && $install; } >"$log" 2>&1 ||
        { cat "$log" >&2; fail "apt-get failed; needed are:$missing"; }
}

# --- the virtual environment ---------------------------------------------------------------------------------------------

make_environment() {
    interpreter=$("$PYTHON" -c 'import sys; print("Python", sys.version, sys.base_prefix)')
    [ "$interpreter" != "$(cat "$VENV/interpreter" 2>/dev/null)" ] || return 0
    if [ -e "$VENV" ] && [ ! -e "$VENV/interpreter" ] && [ -n "$(ls -A "$VENV")" ]; then
        fail "$VENV is not an environment of this script's; OFFLINE=1 uses it as it is, another VENV= leaves it alone"
    fi
    say "making $VENV with $("$PYTHON" -c 'import sys; print("Python", sys.version.split()[0], "of", sys.base_prefix)')"
    "$PYTHON" -m venv --clear "$VENV" >"$log" 2>&1 || { cat "$log" >&2; fail "$PYTHON cannot make a virtual environment"; }
    printf '%s\n' "$interpreter" >"$VENV/interpreter"
}

# What `make` can be told to do instead.
own_numpy() {
    version=$(numpy_version "$PYTHON")
    [ "$group" != build ] || [ -z "$version" ] || echo "; OFFLINE=1 builds with NumPy $version of $PYTHON, for NumPy 1 only"
}

# Installs those lists of the groups that are not in the environment as they are now. Wheels wherever there is one.
install_requirements() {
    lists=
    for name in $groups; do
        cmp -s "tests/requirements/$name.txt" "$VENV/has-$name.txt" || lists="$lists $name"
    done
    [ -n "$lists" ] || return 0
    set --
    for name in $lists; do
        set -- "$@" -r "tests/requirements/$name.txt"
        say "installing into $VENV: $(sed -n 's/^\([a-zA-Z_0-9-]*\)==.*/\1/p' "tests/requirements/$name.txt" | uniq | xargs)"
    done
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$@" >"$log" 2>&1 ||
        { cat "$log" >&2; fail "pip install failed$(own_numpy)"; }
    for name in $lists; do
        cp "tests/requirements/$name.txt" "$VENV/has-$name.txt"
    done
}

# --- what there is, and what is to be done -------------------------------------------------------------------------------

if [ -n "${OFFLINE:-}" ]; then
    case $group in
    build | demo)
        [ -n "$(numpy_version "$VENV/bin/python")$(numpy_version "$PYTHON")" ] ||
            fail "OFFLINE is set, and neither $VENV nor $PYTHON has NumPy; give an environment that has it with VENV=" ;;
    *)
        "$VENV/bin/python" -c 'import numpy, pytest' 2>/dev/null ||
            fail "OFFLINE is set, and $VENV has no Python with NumPy and pytest; give one with VENV=" ;;
    esac
    exit 0
fi

check_version() { python_can 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$PYTHON is older than 3.10, or does not run"; }
if has_program "$PYTHON"; then
    check_version
    of_debian=$("$PYTHON" -c 'import sys; print("yes" if sys.base_prefix == "/usr" else "no")')
else
    [ "$PYTHON" = python3 ] || fail "no interpreter $PYTHON; give one with PYTHON="
    of_debian=yes
fi
# NumPy 2's headers serve NumPy 1 too, and not the other way round.
wants_environment=yes
if [ "$group" = build ] && [ ! -e "$VENV/interpreter" ]; then
    case $(numpy_version "$PYTHON") in [2-9]*) wants_environment=no ;; esac
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for name in $groups; do
    "needs_of_$name"
done
install_missing
check_version
if [ "$wants_environment" = yes ]; then
    make_environment
    install_requirements
fi
