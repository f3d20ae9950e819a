"""Filesystem operations in few system calls, as drop-ins for `os` and `shutil`.

Cases that curt does not handle are forwarded to CPython.

>>> import curt_fs as curt
>>> curt.abspath("/usr/./lib/..")
'/usr'
"""

from curt_fs import windows
from curt_fs._curt import DirEntry, abspath, expanduser, listdir, scandir, stat
from curt_fs._curt import __version__ as __version__
from curt_fs._copy import copy2, copytree
from curt_fs._install import install, uninstall
from curt_fs._remove import RemoveReport, remove, rmtree
from curt_fs._root import Root
from curt_fs._usage import Usage, UsageRecord, usage
from curt_fs._walk import fwalk, walk
from curt_fs._which import which

__all__ = [
    "DirEntry",
    "RemoveReport",
    "Root",
    "Usage",
    "UsageRecord",
    "abspath",
    "copy2",
    "copytree",
    "expanduser",
    "fwalk",
    "install",
    "listdir",
    "remove",
    "rmtree",
    "scandir",
    "stat",
    "uninstall",
    "usage",
    "walk",
    "which",
    "windows",
]


def __dir__() -> "list[str]":
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
