"""Windows rules for paths, on any system."""

from __future__ import annotations

import encodings.utf_16_le  # noqa: F401 (`windows_abspath` needs it)

from curt_fs._curt import windows_abspath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import AnyStr

__all__ = ["abspath"]


def abspath(
    path: AnyStr | PathLike[AnyStr], *, cwd: str | PathLike[str] | None = None
) -> AnyStr:
    r"""Returns the full path, as `GetFullPathNameW` of Windows 11 does.

    `cwd` is the working directory, required for a relative path.

    >>> abspath(r"a/..\b.", cwd=r"C:\work")
    'C:\\work\\b'
    """
    return windows_abspath(path, cwd)


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
