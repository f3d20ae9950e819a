"""Puts curt's functions in the place of CPython's, and back."""

from __future__ import annotations

import os
import posixpath
import shutil

import curt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATCHED: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Replaces the functions of `os`, `os.path` and `shutil` that curt has, in this program.

    Modules that have imported a function by its name before keep CPython's. Does nothing if the
    functions are replaced already.
    """
    if _PATCHED:
        return
    functions: list[tuple[Any, str, Any]] = [
        (os, "fwalk", curt.fwalk),
        (os, "listdir", curt.listdir),
        (os, "scandir", curt.scandir),
        (os, "walk", curt.walk),
        (os, "DirEntry", curt.DirEntry),
        (posixpath, "abspath", curt.abspath),
        (posixpath, "expanduser", curt.expanduser),
        (shutil, "rmtree", curt.rmtree),
        (shutil, "which", curt.which),
    ]
    for module, name, function in functions:
        _PATCHED.append((module, name, getattr(module, name)))
        setattr(module, name, function)
    for accelerated in (os.listdir, os.scandir):
        # `os.listdir in os.supports_fd` is how programs ask whether it takes a descriptor.
        os.supports_fd.add(accelerated)


def uninstall() -> None:
    """Puts CPython's functions back."""
    os.supports_fd.discard(curt.listdir)
    os.supports_fd.discard(curt.scandir)
    while _PATCHED:
        module, name, original = _PATCHED.pop()
        setattr(module, name, original)
