#!/bin/sh
# setup.sh - installs what is missing: Debian packages by name, and Python packages into a virtual environment.
#
#     sh tests/setup.sh [build|all|bench]
#
# "build": what `make` needs; "all" (the default): what `make check` and `make demo` need too; "bench": the tools that
# `make bench` compares with as well. Says what it installs, and is quick when nothing is missing. Environment:
#     PYTHON  the interpreter that the library is built for (python3)
#     VENV    the virtual environment made from it (.venv); its stamp is $VENV/ready
#     OFFLINE not empty: installs nothing; $VENV is an environment that has what is needed
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}
group=${1:-all}

# Debian packages. Other systems: the same things under other names; then only missing programs are a fault.
build_packages="gcc libc6-dev make libclang-19-dev libcjson-dev"
test_packages="check clang clang-tidy fish libclang-rt-dev gfortran libopenblas-dev liblapacke-dev mandoc pkg-config shellcheck zsh"
bench_packages="g++"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "error: $*"; exit 3; }

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# Installs those of the named Debian packages that are missing.
install_packages() {
    missing=
    for package; do
        is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing Debian packages:$missing"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "not root and no sudo; run as root: apt-get install$missing"
        as_root=sudo
    fi
    # shellcheck disable=SC2086 # lists of words
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1; then
        $as_root apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get update failed"; }
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1 ||
            { cat "$log" >&2; fail "apt-get install failed"; }
    fi
}

# Installs a list of packages into the environment, unless this very list is in it.
install_requirements() {
    stamp="$VENV/ready-$(echo "$1" | tr / -)"
    cmp -s "$1" "$stamp" && return 0
    say "installing into $VENV: $(sed -n 's/^\([a-zA-Z_0-9-]*\)==.*/\1/p' "$1" | uniq | xargs)"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r "$1" >"$log" 2>&1 ||
        { cat "$log" >&2; fail "pip install failed"; }
    cp "$1" "$stamp"
    touch "$VENV/ready"
}

make_environment() {
    interpreter=$("$PYTHON" -c 'import sys; print("Python", sys.version, sys.base_prefix)')
    if [ "$interpreter" != "$(cat "$VENV/interpreter" 2>/dev/null)" ]; then
        say "making $VENV with $("$PYTHON" -c 'import sys; print("Python", sys.version.split()[0], "of", sys.base_prefix)')"
        "$PYTHON" -m venv --clear "$VENV" >"$log" 2>&1 || { cat "$log" >&2; fail "$PYTHON cannot make a virtual environment"; }
        printf '%s\n' "$interpreter" >"$VENV/interpreter"
    fi
    install_requirements tests/requirements.txt
}

# The modules that `pkwrap build` makes are imported by $PYTHON itself, which needs a NumPy of its own for that.
install_numpy() {
    "$PYTHON" -c 'import numpy' 2>/dev/null && return 0
    if [ "$of_debian" = yes ]; then
        install_packages python3-numpy
    else
        say "installing NumPy for $PYTHON ($("$PYTHON" -c 'import sys; print(sys.executable)'))"
        grep '^numpy==' tests/requirements.txt >"$log.numpy"
        "$PYTHON" -m pip install -q --disable-pip-version-check -r "$log.numpy" >"$log" 2>&1 ||
            { cat "$log" >&2; fail "pip install numpy failed"; }
    fi
}

if [ -n "${OFFLINE:-}" ]; then
    "$VENV/bin/python" -c 'import numpy, pytest' || fail "OFFLINE is set, and $VENV has no Python with NumPy and pytest; give one with VENV="
    exit 0
fi

log=$(mktemp)
trap 'rm -f "$log" "$log.numpy"' EXIT

command -v "$PYTHON" >/dev/null || [ "$PYTHON" != python3 ] || install_packages python3
command -v "$PYTHON" >/dev/null || fail "no interpreter $PYTHON; give one with PYTHON="
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$PYTHON is older than 3.10"
of_debian=$("$PYTHON" -c 'import sys; print("yes" if sys.base_prefix == "/usr" else "no")')

if command -v dpkg-query >/dev/null; then
    # shellcheck disable=SC2086 # lists of words
    install_packages $build_packages
    [ "$of_debian" = no ] || install_packages python3-dev python3-venv
    # shellcheck disable=SC2086
    [ "$group" = build ] || install_packages $test_packages
    # shellcheck disable=SC2086
    [ "$group" != bench ] || install_packages $bench_packages
fi
make_environment
[ "$group" = build ] || install_numpy
[ "$group" != bench ] || install_requirements tests/bench/requirements.txt
