"""Runs the benchmarks (bench_*.py) and prints one table of their figures with targets and verdicts.

    python tests/bench/run.py [--strict] [--json FILE] [NAME...]

Each benchmark runs in a process of its own, in the folder $PKWRAP_BUILD/bench/NAME. With --strict a missed target, or a
benchmark that could not run, gives exit status 1.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import numpy_first  # noqa: E402, of the folder above
NAMES = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def one(name, output):
    """In the child: measures one benchmark and writes its figures."""
    figures = __import__(f"bench_{name}").measure()
    Path(output).write_text(json.dumps([dataclasses.asdict(figure) | {"met": figure.met} for figure in figures]))


def measure(name):
    """The figures of one benchmark as dictionaries, or None after a message."""
    folder = Path(os.environ["PKWRAP_BUILD"]).resolve() / "bench" / name
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "figures.json"
    output.unlink(missing_ok=True)
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
                              "PATH": numpy_first.path_with_compilers(folder.parent / "compilers")}
    done = subprocess.run([sys.executable, __file__, "--one", name, str(output)], cwd=folder, env=variables,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or not output.exists():
        print(f"\n{name}: could not be measured\n{textwrap.indent(done.stdout, '    ')}", file=sys.stderr, flush=True)
        return None
    return json.loads(output.read_text())


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show(figure):
    verdict = {True: "met", False: "MISSED", None: ""}[figure["met"]]
    limit = "" if figure["limit"] is None else f"{'<=' if figure['at_most'] else '>='} {number(figure['limit'])}"
    measured = f"{number(figure['value'])} {figure['unit']}"
    print(f"{figure['name']:58} {measured:>12}  {limit:>10}  {verdict:6}  {figure['note']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures what pkwrap promises.")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE too")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of: " + ", ".join(NAMES))
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    print(f"{'figure':58} {'measured':>12}  {'target':>10}")
    everything, bad = {}, 0
    for name in options.names or NAMES:
        everything[name] = measure(name)
        if everything[name] is None:
            bad += 1
            continue
        for figure in everything[name]:
            show(figure)
            bad += figure["met"] is False
    if options.json:
        Path(options.json).write_text(json.dumps(everything, indent=1))
    print(f"{bad} missed" if bad else "all targets met")
    return 1 if bad and options.strict else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        sys.exit(main())
