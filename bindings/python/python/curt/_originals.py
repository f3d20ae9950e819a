"""CPython's own functions, from before `curt.install()`, and what only they can answer."""

from __future__ import annotations

import os
import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

abspath = posixpath.abspath
expanduser = posixpath.expanduser
fwalk = os.fwalk
listdir = os.listdir
scandir = os.scandir
stat = os.stat
walk = os.walk


if TYPE_CHECKING:
    from shutil import which as which
else:

    def which(*arguments: Any) -> Any:
        """`shutil.which`, which takes the place of this one in `curt.install()`."""
        import shutil

        return shutil.which(*arguments)


def entry_stat(path: Any, dir_fd: int | None, follow_symlinks: bool) -> os.stat_result:
    """Asks about an entry of a directory that was closed."""
    return stat(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
