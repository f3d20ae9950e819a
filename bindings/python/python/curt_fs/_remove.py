from __future__ import annotations

import operator
import os
import sys
from collections import namedtuple

from curt_fs import _curt, _originals
from curt_fs._progress import showing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NamedTuple

    from curt_fs._progress import _Bar

    _Handler = Callable[[Callable[..., Any], Any, Exception], object]

    class RemoveReport(NamedTuple):
        files: int
        directories: int
        skipped: int
        made_writable: int
        errors: list[OSError]

else:
    RemoveReport = namedtuple("RemoveReport", "files directories skipped made_writable errors")

RemoveReport.__doc__ = "What `remove` has removed and left."

# For an invalid operand, handlers get these exceptions as if `os.lstat` had raised them.
_FAILURES = Exception if sys.version_info < (3, 13) else OSError


def rmtree(
    path: Any,
    ignore_errors: bool = False,
    onerror: Callable[..., object] | None = None,
    *,
    onexc: _Handler | None = None,
    dir_fd: int | None = None,
    threads: int | None = None,
    progress: bool | _Bar = False,
) -> None:
    """Removes a directory with everything in it, as `shutil.rmtree` does.

    Symlinks are never followed, even if one replaces a directory meanwhile. Refuses a symlink, a
    path that ends in `.` or `..`, and mount points below `path`.

    A relative `path` starts at the directory of the descriptor `dir_fd`. Uses as many threads as
    make it faster, but at most `threads`. For each failure, calls `onexc(function, path, error)`,
    or `onerror` with the tuple of `sys.exc_info()` as `error`, on the caller's thread; without
    either, raises the first failure. `progress=True` shows a bar of `tqdm`; or pass an object with
    a method `update(count)`.
    """
    if os.unlink is not _originals.unlink or os.rmdir is not _originals.rmdir:
        # A mock of these functions may protect files or fake them, so CPython must call it.
        keywords: dict[str, Any] = {} if onexc is None else {"onexc": onexc}
        if dir_fd is not None:
            keywords["dir_fd"] = dir_fd
        return _originals.rmtree(path, ignore_errors, onerror, **keywords)
    sys.audit("shutil.rmtree", path, dir_fd)
    handler = None if ignore_errors else _handler(onerror, onexc)
    if isinstance(path, bytes):
        # CPython passes text to errors and handlers.
        path = os.fsdecode(path)
    try:
        text = os.fsdecode(path)
        if b"\0" in os.fsencode(text):
            raise ValueError("rmtree: embedded null character in path")
        if dir_fd is not None:
            dir_fd = operator.index(dir_fd)
            if dir_fd.bit_length() > 31:
                raise OverflowError("dir_fd is no descriptor")
    except _FAILURES as error:
        if handler is not None:
            handler(os.lstat, path, error)
        elif not ignore_errors:
            raise
        return
    with showing(progress, "rmtree") as update:
        on_error = None if handler is None else _reporter(path, text, handler)
        raises = handler is None and not ignore_errors
        _curt.remove(text, dir_fd, threads, raises, on_error, update)


rmtree.avoids_symlink_attacks = True  # type: ignore[attr-defined]


def _handler(onerror: Callable[..., object] | None, onexc: _Handler | None) -> _Handler | None:
    if onexc is not None or onerror is None:
        return onexc
    old = onerror
    return lambda function, path, error: old(function, path, (type(error), error, error.__traceback__))


def _function(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = os.path.islink if name == "islink" else getattr(os, name)
    return function


def _reporter(path: Any, text: str, handler: _Handler) -> Callable[[str, str, OSError], object]:
    def on_error(name: str, failed: str, error: OSError) -> None:
        shown = path if failed == text else failed
        # Call the handler inside `except`, so that it can use `raise` and `sys.exc_info()`.
        try:
            raise error
        except OSError:
            handler(_function(name), shown, error)

    return on_error


def remove(
    *paths: Any,
    contents: bool = False,
    exclude: str | bytes | Iterable[str | bytes] = (),
    make_writable: bool = False,
    missing_ok: bool = False,
    retries: int | None = None,
    threads: int | None = None,
    progress: bool | _Bar = False,
) -> RemoveReport:
    """Removes files and trees, and returns a report: failures are in `errors`, and do not raise.

    Keeps entries that match one of the globs `exclude`, and their parents. `contents=True` empties
    directories without removing them. `make_writable=True` gives the user's own directories in the
    trees the permissions that their removal needs. `retries` limits how often a directory is
    emptied again while others add entries. `threads` and `progress` are those of `rmtree`.
    """
    operands = [os.fspath(path) for path in paths]
    globs = [exclude] if isinstance(exclude, (str, bytes)) else list(exclude)
    for path in operands:
        sys.audit("shutil.rmtree", path, None)
    with showing(progress, "remove") as update:
        counts = _curt.remove_paths(
            operands, contents, globs, make_writable, missing_ok, retries, threads, update
        )
    return RemoveReport._make(counts)
