from __future__ import annotations

import os
import posix
import shutil
import sys

from curt_fs import _curt, _originals
from curt_fs._progress import showing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from curt_fs._progress import _Bar

# A mock of these functions may protect files or fake them, so CPython must call it.
_MOCKABLE = ("chmod", "mkdir", "symlink", "utime")
_SPECIAL = ("is-a-device", "is-a-named-pipe", "is-a-socket", "special")


def copytree(
    src: Any,
    dst: Any,
    symlinks: bool = False,
    ignore: Callable[..., Any] | None = None,
    copy_function: Callable[..., Any] = _originals.copy2,
    ignore_dangling_symlinks: bool = False,
    dirs_exist_ok: bool = False,
    *,
    threads: int | None = None,
    progress: bool | _Bar = False,
) -> Any:
    """Copies a directory with everything in it, as `shutil.copytree` does, and returns `dst`.

    A symlink that replaces a directory meanwhile is not followed. Symlinks of the tree itself are
    followed, unless `symlinks` is set.

    Uses as many threads as make it faster, but at most `threads`. Failures inside the tree are
    raised at the end, as one `shutil.Error`. `progress=True` shows a bar of `tqdm`; or pass an
    object with a method `update(count)`. With `ignore`, `ignore_dangling_symlinks` or a different
    `copy_function`, calls CPython's function.
    """
    is_own = copy_function is _originals.copy2 or copy_function is copy2
    if ignore is not None or ignore_dangling_symlinks or not is_own or _is_foreign(src, dst):
        return _originals.copytree(
            src, dst, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok
        )
    sys.audit("shutil.copytree", src, dst)
    # As in CPython, the errors of `src` come before any directory is created.
    _originals.scandir(src).close()
    target = os.fspath(dst)
    if dirs_exist_ok:
        needed, is_there = target, os.path.isdir(target)
        # The directory itself, even if `dst` is a symlink.
        target = os.path.join(target, b"." if isinstance(target, bytes) else ".")
    else:
        head, tail = os.path.split(target)
        needed = head if tail else os.path.dirname(head)
        is_there = not needed or os.path.exists(needed)
    if not is_there:
        if _is_inside(needed, src):
            # CPython lists `src` before it makes a `dst` inside.
            return _originals.copytree(src, dst, symlinks, dirs_exist_ok=dirs_exist_ok)
        os.makedirs(needed, exist_ok=True)
    existing, follow = "replace" if dirs_exist_ok else "fail", "operands" if symlinks else "links"
    with showing(progress, "copytree") as update:
        copied, failures = _curt.copy(src, target, existing, follow, True, False, threads, update)
    if copied == 0 and any(refusal == "into-itself" for _, _, refusal, _ in failures):
        # CPython's rules allow a `dst` inside `src`.
        return _originals.copytree(src, dst, symlinks, dirs_exist_ok=dirs_exist_ok)
    errors = [_error(src, dst, *failure) for failure in failures]
    if errors and copied == 0 and not dirs_exist_ok:
        raise errors[0][2]
    if errors:
        raise shutil.Error([(source, copy, str(error)) for source, copy, error in errors])
    return dst


def copy2(src: Any, dst: Any, *, follow_symlinks: bool = True) -> Any:
    """Copies a file with its metadata, as `shutil.copy2` does, and returns the path of the copy.

    `dst` may be a directory. An existing file is replaced when the copy is complete.
    """
    is_foreign = _is_foreign(src, dst)
    if not is_foreign and os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    # CPython has an error of its own for a path that ends in a slash.
    if is_foreign or not os.path.basename(dst):
        return _originals.copy2(src, dst, follow_symlinks=follow_symlinks)
    for event in ("shutil.copyfile", "shutil.copystat"):
        sys.audit(event, src, dst)
    follow = "operands" if follow_symlinks else "never"
    _, failures = _curt.copy(src, dst, "replace", follow, False, False, 1, None)
    if any(refusal in _SPECIAL for _, _, refusal, _ in failures):
        return _originals.copy2(src, dst, follow_symlinks=follow_symlinks)
    for failure in failures:
        raise _error(src, dst, *failure)[2]
    return dst


def _is_foreign(src: Any, dst: Any) -> bool:
    if any(getattr(os, name) is not getattr(posix, name) for name in _MOCKABLE):
        return True
    for path in (src, dst):
        if not isinstance(path, (str, bytes)) and not hasattr(type(path), "__fspath__"):
            return True
    return isinstance(os.fspath(src), bytes) is not isinstance(os.fspath(dst), bytes)


def _is_inside(path: Any, directory: Any) -> bool:
    above: str = os.path.realpath(os.fsdecode(directory))
    return os.path.commonpath([os.path.realpath(os.fsdecode(path)), above]) == above


def _error(
    src: Any, dst: Any, of_source: bool, below: Any, refusal: str | None, error: OSError
) -> tuple[Any, Any, OSError]:
    source, copy = (os.path.join(top, below) if below else top for top in (src, dst))
    if refusal == "same-entry":
        error = shutil.SameFileError(f"{source!r} and {copy!r} are the same file")
    elif refusal == "special":
        error = shutil.SpecialFileError(f"`{copy}` is not a regular file")
    elif refusal in _SPECIAL:
        error = shutil.SpecialFileError(f"`{source}` {refusal.replace('-', ' ')}")
    else:
        error.filename = os.fspath(source if of_source else copy)
    return source, copy, error
