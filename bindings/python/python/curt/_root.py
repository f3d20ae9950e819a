from __future__ import annotations

import os
from types import TracebackType
from typing import IO, Any

from curt import _curt


class Root(_curt.Root):
    """A directory that is kept open, beneath which untrusted paths are used.

    No path leaves it: not by `..`, not by an absolute path, not by a symbolic link, and not while
    somebody replaces directories. One that would leave it raises `OSError` with `EXDEV`, as the
    kernel's `RESOLVE_BENEATH` does. With `in_root=True` the directory is the root of all paths, as
    with `chroot`.

    >>> import curt, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, curt.Root(folder) as root:
    ...     with root.open("page", "w") as file:
    ...         _ = file.write("hello")
    ...     root.listdir()
    ['page']
    """

    def open(
        self,
        path: str | bytes | os.PathLike[Any],
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        """Opens a file, as the built-in `open` does.

        A FIFO that nobody has open at its other end does not make it wait.
        """

        def opener(name: Any, flags: int) -> int:
            fd = self.open_fd(name, flags | os.O_NONBLOCK)
            os.set_blocking(fd, True)
            return fd

        name = os.fspath(path)
        return open(name, mode, buffering, encoding, errors, newline, opener=opener)

    def exists(self, path: str | bytes | os.PathLike[Any]) -> bool:
        """Returns whether a path exists, links followed. One that would leave the root does not."""
        try:
            self.stat(path)
        except (OSError, ValueError):
            return False
        return True

    def __enter__(self) -> Root:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
