from __future__ import annotations

import os

from curt import _curt, _originals


def stat(
    path: int | str | bytes | os.PathLike[str] | os.PathLike[bytes],
    *,
    dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> os.stat_result:
    """Returns the metadata of a path, as `os.stat` does."""
    if dir_fd is None and isinstance(path, (str, bytes, os.PathLike)):
        result = _curt.stat(path, bool(follow_symlinks))
        if result is not None:
            return result
    return _originals.stat(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
