from __future__ import annotations

import os
import sys

from curt_fs import _curt, _originals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr


# Newer versions split a command with a directory and join it again.
_RETURNS_AS_WRITTEN = sys.version_info < (3, 12)


def which(
    cmd: AnyStr, mode: int = os.F_OK | os.X_OK, path: str | os.PathLike[str] | None = None
) -> AnyStr | None:
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
        found: AnyStr | None = _curt.which(cmd, path)
    except (TypeError, ValueError):
        # A NUL, an unpaired surrogate, or not a path at all.
        return _originals.which(cmd, mode, path)
    if _RETURNS_AS_WRITTEN and found is not None and os.path.dirname(cmd):
        return cmd
    return found
