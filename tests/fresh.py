"""fresh.py - what README.md promises, on a Debian that has nothing but what it asks for.

    python3 tests/fresh.py [make] [demo] [check]        (as root; needs debootstrap and git)

A root is made once by debootstrap (build/fresh/base: minbase, git, ca-certificates, python3, make) and copied for every trial; a
trial clones this tree's HEAD into it. Tried are, in order:

    plain user    without sudo: one message that names everything that is missing
    make          as root: the compiler, libclang, cJSON and headers, and no test environment
    demo          as a user with sudo: `make demo`, then every block of README.md in its order
    check         as root: `make check`

Each says its time and what it installed. How packages are fetched (apt's sources, pip's index, proxies, certificates) is taken
from this machine. The machine's own /dev and /proc are seen in the root; nothing else of it is.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDER = ROOT / "build/fresh"
PACKAGES = "git,ca-certificates,python3,make"  # README.md asks for git, make, python3
USER = "physicist"

sys.path.insert(0, str(HERE / "house"))
from readme import Readme  # noqa: E402

# What tells apt and pip where packages are, and whom to trust.
SETTINGS = ["/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d", "/etc/apt/auth.conf.d", "/etc/apt/keyrings",
            "/etc/apt/trusted.gpg", "/etc/apt/trusted.gpg.d", "/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs",
            "/usr/local/share/ca-certificates"]
VARIABLE = re.compile(r"(?i)^(pip_.*|.*_proxy|.*ssl_cert.*|.*ca_bundle|.*ca_certs.*)$")


def variables():
    """The environment in the root: these settings, and what a login has."""
    kept = {name: value for name, value in os.environ.items() if VARIABLE.match(name)}
    return kept | {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def fail(text):
    raise SystemExit(f"fresh: {text}")


def copy_settings(root):
    pointed = [value for name, value in os.environ.items() if VARIABLE.match(name) and value.startswith("/")]
    for path in [*SETTINGS, *pointed]:
        source, target = Path(path), root / path.lstrip("/")
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not source.is_dir():
                target.unlink(missing_ok=True)
            # Links among certificates stay links; what a path itself is a link to is copied.
            subprocess.run(["cp", "-aHT", source, target], check=True)


def mirror():
    """The first archive of apt's sources that has the release itself."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages"],
                            capture_output=True, text=True, check=True)
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    for line in listed.stdout.splitlines():
        site, _, of = line.partition(" ")
        if of == release:
            return release, site
    fail("apt knows no archive of this release: apt-get update")


def base():
    """The root that trials copy."""
    made = FOLDER / "base"
    if not made.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = FOLDER / "base.part"
        shutil.rmtree(part, ignore_errors=True)
        release, site = mirror()
        print(f"fresh: debootstrap of {release}", flush=True)
        command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, str(part), site]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            fail(f"{' '.join(command[:-1])}\n{done.stdout[-3000:]}")
        copy_settings(part)
        part.rename(made)
    return made


def run(root, script, user="root", folder="/", limit=7200):
    """Runs a shell script in the root as a user: (status, output, seconds). Its mounts end with it."""
    inside = f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot --userspec={user}:{user} {root} " \
             f"/usr/bin/env HOME={'/root' if user == 'root' else '/home/' + user} bash -c 'cd {folder} && exec bash /tmp/script'"
    (root / "tmp/script").write_text(script)
    start = time.monotonic()
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--propagation", "private", "sh", "-c", inside],
                          env=variables(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=limit)
    return done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - start


def trial(name, user, sudo):
    """(root, folder): a root of its own for a trial, with the clone in the user's home."""
    root = FOLDER / name
    if root.exists():
        shutil.rmtree(root)
    subprocess.run(["cp", "-a", base(), root], check=True)
    folder = ("/root" if user == "root" else f"/home/{user}") + "/pkwrap"
    script = "set -e\n" + (f"useradd --create-home --shell /bin/bash {user}\n" if user != "root" else "")
    if sudo:
        script += "apt-get update -qq\napt-get install -y -qq --no-install-recommends sudo >/dev/null\n" \
                  f"echo '{user} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{user}\n" \
                  f"echo 'Defaults env_keep += \"*\"' >>/etc/sudoers.d/{user}\n"
    status, output, _ = run(root, script)
    if status:
        fail(f"{name}: the root cannot be prepared\n{output}")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, scratch + "/pkwrap"], check=True)
        subprocess.run(["cp", "-r", scratch + "/pkwrap", str(root) + folder], check=True)
    status, output, _ = run(root, f"chown -R {user}:{user} {folder}\n")
    return root, folder


def expect(name, status, output, seconds, *words, good=True):
    """Prints a trial's line; fails where its status or its output is not as expected."""
    (FOLDER / f"{name.replace(' ', '-')}.log").write_text(output)
    missing = [word for word in words if word not in output]
    if (status == 0) != good or missing:
        fail(f"{name}: status {status} after {seconds:.0f} s" + (f", without {missing}" if missing else "") + f"\n{output[-6000:]}")
    print(f"fresh: {name}: {seconds:.0f} s", flush=True)
    for line in output.splitlines():
        if line.startswith("setup: ") or re.fullmatch(r"\d+ passed, \d+ failed.*", line):
            print(f"    {line}", flush=True)


def try_plain_user():
    root, folder = trial("plain", USER, sudo=False)
    for goal, words in (("all", ["gcc", "libclang-19-dev", "libcjson-dev"]), ("demo", ["gcc", "libopenblas-dev", "gfortran"])):
        status, output, seconds = run(root, f"make {goal}\n", USER, folder)
        expect(f"plain user, make {goal}", status, output, seconds, "run as root: apt-get install", *words, good=False)
        if output.count("setup: error") != 1:
            fail(f"more than one message:\n{output}")


def try_make():
    root, folder = trial("make", "root", sudo=False)
    status, output, seconds = run(root, "make && . build/env && pkwrap --version && python3 -c 'import pkwrap'\n", "root", folder)
    expect("make", status, output, seconds, "pkwrap 0")
    installed = " ".join(line for line in output.splitlines() if line.startswith("setup: "))
    for test_only in ("numba", "matplotlib", "pyccel", "pytest", "clang-tidy"):
        if test_only in installed:
            fail(f"make has installed {test_only}")
    status, output, seconds = run(root, "make\n", "root", folder)
    expect("make again", status, output, seconds)


def try_demo():
    root, folder = trial("demo", USER, sudo=True)
    status, output, seconds = run(root, "make demo\n", USER, folder)
    expect("make demo, with sudo", status, output, seconds)
    where = root / folder.lstrip("/")
    readme = Readme((ROOT / "README.md").read_text(), where, leave_out="make demo")
    status, output, seconds = run(root, readme.program(), USER, folder)
    wrong = readme.wrong(output)
    if wrong:
        fail("README.md\n" + "\n\n".join(wrong))
    expect(f"{len(readme.steps)} steps of README.md", status, output, seconds)


def try_check():
    root, folder = trial("check", "root", sudo=False)
    status, output, seconds = run(root, "make check\n", "root", folder)
    expect("make check", status, output, seconds, " passed, 0 failed")


TRIALS = {"plain": try_plain_user, "make": try_make, "demo": try_demo, "check": try_check}


def main(names):
    if os.geteuid() != 0:
        fail("making a root needs to be root")
    for program, package in (("debootstrap", "debootstrap"), ("unshare", "util-linux"), ("git", "git")):
        if shutil.which(program) is None:
            fail(f"there is no {program}: apt-get install {package}")
    unknown = [name for name in names if name not in TRIALS]
    if unknown:
        fail(f"no trial {unknown[0]}; there are {', '.join(TRIALS)}")
    for name in names or TRIALS:
        TRIALS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
