"""`python -m curt.patch SCRIPT …` and `python -m curt.patch -m MODULE …`.

Runs a program with curt's functions in the place of CPython's.
"""

from __future__ import annotations

import runpy
import sys

import curt


def main() -> None:
    """Runs the program that the arguments name."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        usage = "usage: python -m curt.patch (SCRIPT | -m MODULE) [ARGUMENT ...]"
        if arguments:
            print(usage)
            return
        print(usage, file=sys.stderr)
        raise SystemExit(2)
    if arguments[0] == "-m":
        if len(arguments) == 1:
            print("python -m curt.patch: -m needs the name of a module", file=sys.stderr)
            raise SystemExit(2)
        curt.install()
        # The first entry of `sys.path` is that of `python -m` already.
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        import os

        sys.argv = arguments
        if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        curt.install()
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
