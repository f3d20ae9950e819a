"""Windows' rules for paths, on any system."""

from os import PathLike
from typing import AnyStr

from curt._curt import windows_abspath

__all__ = ["abspath"]


def abspath(
    path: "AnyStr | PathLike[AnyStr]", *, cwd: "str | PathLike[str] | None" = None
) -> AnyStr:
    r"""Returns the full path, as `GetFullPathNameW` of Windows 11 does.

    `cwd` is the working directory, which a relative path needs.

    >>> abspath(r"a/..\b.", cwd=r"C:\work")
    'C:\\work\\b'
    """
    return windows_abspath(path, cwd)


def __dir__() -> "list[str]":
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
