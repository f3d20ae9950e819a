from __future__ import annotations

import os
import sys

from curt_fs import _curt, _originals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, AnyStr, TypeVar, overload

    _PathT = TypeVar("_PathT", bound=os.PathLike[str])


# Older versions of Python return a command with a directory as written; newer ones split and join.
_RETURNS_AS_WRITTEN = sys.version_info < (3, 12)

if TYPE_CHECKING:

    @overload
    def which(
        cmd: AnyStr, mode: int = ..., path: str | os.PathLike[str] | None = None
    ) -> AnyStr | None: ...

    @overload
    def which(
        cmd: _PathT, mode: int = ..., path: str | os.PathLike[str] | None = None
    ) -> str | _PathT | None: ...


def which(
    cmd: Any, mode: int = os.F_OK | os.X_OK, path: str | os.PathLike[str] | None = None
) -> Any:
    """Returns the path of a program, or `None`, as `shutil.which` does."""
    if mode != os.F_OK | os.X_OK or not cmd or not isinstance(cmd, (str, bytes)):
        return _originals.which(cmd, mode, path)
    if path is None:
        path = os.environ.get("PATH")
        if path is None:
            return _originals.which(cmd, mode)
    if not path:
        if not os.path.dirname(cmd):
            return None
        path = None
    try:
        found = _curt.which(cmd, path)
    except (TypeError, ValueError):
        # The path has a NUL or an unpaired surrogate, or is not a path at all.
        return _originals.which(cmd, mode, path)
    if _RETURNS_AS_WRITTEN and found is not None and os.path.dirname(cmd):
        return cmd
    return found
