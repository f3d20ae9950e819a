from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable
from typing import Any

from curt import _curt
from curt._progress import Bar, shown

Handler = Callable[[Callable[..., Any], Any, OSError], object]

def rmtree(
    path: Any,
    ignore_errors: bool = False,
    onerror: Callable[..., object] | None = None,
    *,
    onexc: Handler | None = None,
    dir_fd: int | None = None,
    threads: int = 1,
    progress: bool | Bar = False,
) -> None:
    """Removes a directory with everything in it, as `shutil.rmtree` does.

    Links are removed and never followed, at any moment. Mount points below `path` are refused.
    `threads` may be larger than 1; handlers are called on the caller's thread all the same.
    `progress=True` shows a bar of `tqdm`; a bar can be passed instead.
    """
    sys.audit("shutil.rmtree", path, dir_fd)
    text = os.fsdecode(path)
    if isinstance(path, bytes):
        # CPython's errors and handlers have it as text.
        path = text
    prefix, name, opened = "", text, None
    if dir_fd is not None:
        dir_fd = operator.index(dir_fd)
    if dir_fd is not None and not text.startswith("/"):
        prefix, name = os.path.split(text.rstrip("/"))
    else:
        dir_fd = None
    handler = None if ignore_errors else _handler(onerror, onexc)
    if prefix:
        try:
            opened = dir_fd = os.open(prefix, os.O_RDONLY | os.O_DIRECTORY, dir_fd=dir_fd)
        except OSError as error:
            error.filename = path
            if handler is not None:
                handler(os.lstat, path, error)
            elif not ignore_errors:
                raise
            return
    try:
        with shown(progress, "rmtree") as update:
            if handler is None:
                _curt.remove(name, dir_fd, prefix, threads, not ignore_errors, None, update)
            else:
                report = _Reporter(path, text, handler)
                _curt.remove(name, dir_fd, prefix, threads, False, report, update)
                report.report_parents(name, dir_fd)
    finally:
        if opened is not None:
            os.close(opened)


# As `shutil.rmtree` has it: links that appear while a tree is removed are not followed.
rmtree.avoids_symlink_attacks = True  # type: ignore[attr-defined]


def _handler(onerror: Callable[..., object] | None, onexc: Handler | None) -> Handler | None:
    """Returns the function that is called with each failure, if the caller passed one."""
    if onexc is not None or onerror is None:
        return onexc
    old = onerror
    return lambda function, path, error: old(function, path, (type(error), error, error.__traceback__))


def _function(name: str) -> Callable[..., Any]:
    """Returns the function of CPython that would have failed."""
    function: Callable[..., Any] = os.path.islink if name == "islink" else getattr(os, name)
    return function


class _Reporter:
    """Passes failures to a handler, and remembers which directories stay because of them."""

    def __init__(self, path: Any, text: str, handler: Handler) -> None:
        self.path = path
        self.text = text
        self.handler = handler
        self.parents: set[str] = set()

    def __call__(self, name: str, path: str, error: OSError) -> None:
        self._add_parents(path, itself=name == "scandir")
        shown = self.path if path == self.text else path
        # A handler may say `raise`, and look at `sys.exc_info()`.
        try:
            raise error
        except OSError:
            self.handler(_function(name), shown, error)

    def _add_parents(self, path: str, itself: bool) -> None:
        if itself:
            self.parents.add(path)
        while len(path) > len(self.text):
            path = os.path.dirname(path)
            if len(path) < len(self.text) or path in self.parents:
                break
            self.parents.add(path)

    def report_parents(self, name: str, dir_fd: int | None) -> None:
        """Removes the directories that stayed, or calls the handler for them as CPython does.

        It does so because they could not be removed either; a handler that has removed what was in
        them has made that possible.
        """
        below = sorted((path for path in self.parents if path != self.text), key=len, reverse=True)
        if below:
            self._remove_below(below, name, dir_fd)
        if self.text in self.parents:
            self._rmdir(lambda: os.rmdir(name, dir_fd=dir_fd), self.path)

    def _remove_below(self, paths: list[str], name: str, dir_fd: int | None) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        try:
            fd = os.open(name, flags, dir_fd=dir_fd)
        except FileNotFoundError:
            return
        except OSError as error:
            for path in paths:
                self.handler(os.rmdir, path, error)
            return
        try:
            root = _curt.Root(fd)
        finally:
            os.close(fd)
        for path in paths:
            relative = path[len(self.text) :].lstrip("/")
            self._rmdir(lambda relative=relative: root.rmdir(relative), path)  # type: ignore[misc]
        root.close()

    def _rmdir(self, remove: Callable[[], None], path: Any) -> None:
        try:
            remove()
        except FileNotFoundError:
            pass
        except OSError as error:
            error.filename = path
            self.handler(os.rmdir, path, error)
