"""CPython's functions from before `curt_fs.install()`."""

from __future__ import annotations

import os
import posix
import posixpath
import pwd  # noqa: F401 (`posixpath.expanduser` needs it)
import shutil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

abspath = posixpath.abspath
copy2 = shutil.copy2
copytree = shutil.copytree
expanduser = posixpath.expanduser
fwalk = os.fwalk
listdir = os.listdir
rmdir = posix.rmdir
rmtree = shutil.rmtree
scandir = os.scandir
stat = os.stat
unlink = posix.unlink
walk = os.walk
which = shutil.which


def entry_stat(path: Any, dir_fd: int | None, follow_symlinks: bool) -> os.stat_result:
    return stat(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
