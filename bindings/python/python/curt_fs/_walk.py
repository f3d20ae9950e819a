from __future__ import annotations

import os
import sys

from curt_fs import _curt, _originals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, AnyStr

    _OnError = Callable[[OSError], object] | None

# Older versions of Python read the list lazily, so that later edits count, too.
_WALK_READS_LAZILY = sys.version_info < (3, 12)
_FWALK_READS_LAZILY = sys.version_info < (3, 13)


def walk(
    top: AnyStr | os.PathLike[AnyStr],
    topdown: bool = True,
    onerror: _OnError = None,
    followlinks: bool = False,
) -> Iterator[tuple[AnyStr, list[AnyStr], list[AnyStr]]]:
    """Walks a tree one directory at a time, as `os.walk` does.

    Keeps at most 64 ancestors open, so a tree may have any depth. Never follows a symlink that
    replaces a directory meanwhile. With `followlinks`, calls CPython's function.
    """
    if followlinks:
        yield from _originals.walk(top, topdown, onerror, followlinks)
        return
    sys.audit("os.walk", top, topdown, onerror, followlinks)
    walk: Any = _curt.Directories(top, bool(topdown), onerror, False, _WALK_READS_LAZILY)
    yield from walk


def fwalk(
    top: Any = ".",
    topdown: bool = True,
    onerror: _OnError = None,
    *,
    follow_symlinks: bool = False,
    dir_fd: int | None = None,
) -> Iterator[tuple[Any, list[Any], list[Any], int]]:
    """Walks a tree as `os.fwalk` does, yielding the descriptor of each directory.

    With `follow_symlinks` or `dir_fd`, calls CPython's function.
    """
    if follow_symlinks or dir_fd is not None or os.path.islink(top):
        yield from _originals.fwalk(
            top, topdown, onerror, follow_symlinks=follow_symlinks, dir_fd=dir_fd
        )
        return
    sys.audit("os.fwalk", top, topdown, onerror, follow_symlinks, dir_fd)
    walk: Any = _curt.Directories(top, bool(topdown), onerror, True, _FWALK_READS_LAZILY)
    yield from walk
