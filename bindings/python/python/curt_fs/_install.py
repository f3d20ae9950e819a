from __future__ import annotations

import os
import posix
import posixpath
import shutil
from types import BuiltinFunctionType, FunctionType, ModuleType

import curt_fs as curt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATCHED: list[tuple[Any, str, Any, Any]] = []


def install() -> None:
    """Replaces the functions of `os`, `os.path` and `shutil` that curt implements.

    Modules that imported a function by name earlier keep CPython's function. Functions that a
    mock or another package has replaced are left alone, and one warning names them.
    """
    if _PATCHED:
        return
    # Module, function, and the functions of `os` that CPython's version calls.
    functions: list[tuple[Any, Any, str]] = [
        (os, curt.fwalk, "scandir stat open close"),
        (os, curt.listdir, ""),
        (os, curt.scandir, ""),
        (os, curt.walk, "scandir"),
        (os, curt.DirEntry, "scandir"),
        (posixpath, curt.abspath, "getcwd"),
        (posixpath, curt.expanduser, ""),
        (shutil, curt.copytree, "scandir stat mkdir chmod utime symlink readlink listxattr setxattr"),
        (shutil, curt.rmtree, "scandir lstat stat open close unlink rmdir"),
        (shutil, curt.which, "access stat"),
    ]
    found, skipped = [], []
    for module, ours, calls in functions:
        name = ours.__name__
        current = getattr(module, name)
        if _is_cpythons(module, name) and all(_is_cpythons(os, call) for call in calls.split()):
            found.append((module, name, ours, current))
        # Do not warn about a function that another copy of this package has replaced.
        elif str(getattr(current, "__module__", None)).split(".")[0] != "curt_fs":
            skipped.append(f"{module.__name__}.{name}")
    for module, name, ours, current in found:
        _PATCHED.append((module, name, ours, current))
        setattr(module, name, ours)
        if ours in (curt.listdir, curt.scandir):
            # Programs check `os.listdir in os.supports_fd` before passing a descriptor.
            module.supports_fd.add(ours)
    if skipped:
        import warnings

        reason = "they, or functions that they call, are not CPython's own"
        if len(skipped) == 1:
            reason = "it, or a function that it calls, is not CPython's own"
        names = ", ".join(skipped)
        warnings.warn(f"curt_fs.install() leaves {names} alone: {reason}", stacklevel=2)


def uninstall() -> None:
    """Restores CPython's functions, unless another package has replaced curt's since."""
    while _PATCHED:
        module, name, ours, original = _PATCHED.pop()
        if ours in (curt.listdir, curt.scandir):
            module.supports_fd.discard(ours)
        if getattr(module, name, None) is ours:
            setattr(module, name, original)


def _is_cpythons(module: Any, name: str) -> bool:
    current = getattr(module, name, None)
    if type(current) in (BuiltinFunctionType, type):
        return current is getattr(posix, name, None)
    if type(current) is not FunctionType or type(module) is not ModuleType:
        return False
    # A decorator may copy `__module__` and the names, but not the code.
    loader: Any = module.__loader__
    codes = loader.get_code(module.__name__).co_consts
    return current.__code__ in codes and not hasattr(current, "__wrapped__")
