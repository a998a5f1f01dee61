"""python -m pkwrap: where other build systems find what a generated module is compiled with."""

import argparse
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(prog="python -m pkwrap", description=__doc__.split(": ")[1])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--include", action="store_const", dest="path", const=FOLDER / "include", help="folder of pkwrap.h")
    choice.add_argument("--library", action="store_const", dest="path", const=FOLDER, help="folder of libpkwrap.so.1")
    print(parser.parse_args().path)


if __name__ == "__main__":
    main()
