"""`python -m curt_fs.patch SCRIPT …`, `-m MODULE …` or `-c CODE …`.

Runs a program as `python` does, with curt's functions instead of CPython's.
"""

from __future__ import annotations

import builtins
import io
import marshal
import os
import pkgutil
import runpy
import sys
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from types import ModuleType
from typing import Any

import curt_fs as curt

PROGRAM = "python -m curt_fs.patch"
USAGE = f"usage: {PROGRAM} (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]"
# The function that the interpreter calls for a module, a directory or a zip file.
_run_module: Any = getattr(runpy, "_run_module_as_main")


def _fail(text: str) -> None:
    print(text, file=sys.stderr)
    raise SystemExit(2)


def _new_main(loader: Any) -> dict[str, Any]:
    """Replaces this module `__main__` with an empty module. Returns the names of the new module."""
    main: Any = ModuleType("__main__")
    main.__builtins__ = builtins
    main.__loader__ = loader
    main.__annotations__ = {}
    sys.modules["__main__"] = main
    names: dict[str, Any] = vars(main)
    return names


def _has_directory() -> bool:
    return not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))


def _run_script(script: str) -> None:
    path = os.path.join(os.getcwd(), script)
    data = None
    try:
        os.stat(path)
        if pkgutil.get_importer(path) is None:
            with io.open_code(path) as file:
                data = file.read()
    except OSError as error:
        _fail(f"{PROGRAM}: cannot run {script!r}: {error.strerror}")
    curt.install()
    if data is None:
        sys.path[: int(_has_directory())] = [path]
        _new_main(BuiltinImporter)
        _run_module("__main__", False)
        return
    if _has_directory():
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    if data.startswith(MAGIC_NUMBER):
        names = _new_main(SourcelessFileLoader("__main__", path))
        code = marshal.loads(data[16:])
    else:
        names = _new_main(SourceFileLoader("__main__", path))
        code = compile(data, path, "exec", dont_inherit=True)
    names.update(__file__=path, __cached__=None)
    exec(code, names)


def main() -> None:
    arguments = sys.argv[1:]
    if arguments and arguments[0] in ("-h", "--help"):
        print(USAGE)
        return
    if not arguments:
        _fail(USAGE)
    option = arguments[0][:2]
    if option not in ("-m", "-c"):
        sys.argv = arguments
        _run_script(arguments[0])
        return
    if arguments[0] != option:
        arguments.insert(1, arguments[0][2:])
    if len(arguments) == 1:
        _fail(f"{PROGRAM}: {option} needs {'the name of a module' if option == '-m' else 'code'}")
    sys.argv = [option, *arguments[2:]]
    names = _new_main(BuiltinImporter)
    curt.install()
    if option == "-m":
        _run_module(arguments[1])
    else:
        if _has_directory():
            sys.path[0] = ""
        exec(compile(arguments[1], "<string>", "exec", dont_inherit=True), names)


if __name__ == "__main__":
    main()
