from __future__ import annotations

import errno
import operator
import os
import stat
import time

from curt_fs import _curt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import IO, Any


# The default of `ns`. It cannot be `None`, because `os.utime` rejects `ns=None`.
_NOT_GIVEN: Any = object()


class Root(_curt.Root):
    """An open directory for untrusted paths.

    A path that would leave the directory raises `OSError` with `EXDEV`, like the kernel's
    `RESOLVE_BENEATH`: through `..`, as an absolute path, through a symlink, or because a directory
    is replaced meanwhile. With `in_root=True` the directory is the root of all paths, as with
    `chroot`.

    >>> import curt_fs as curt, tempfile
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

        Does not wait for the other end of a FIFO.
        """

        name = os.fspath(path)
        return open(name, mode, buffering, encoding, errors, newline, opener=self._opener)

    def exists(self, path: str | bytes | os.PathLike[Any]) -> bool:
        """Returns whether a path exists within the root, following symlinks."""
        try:
            self.stat(path)
            return True
        except (OSError, ValueError):
            pass
        self.fileno()
        return False

    def makedirs(
        self,
        name: str | bytes | os.PathLike[Any],
        mode: int = 0o777,
        exist_ok: bool = False,
    ) -> None:
        """Creates a directory and its missing ancestors, as `os.makedirs` does."""
        leaf: Any = os.fspath(name)
        path, missing = leaf, []
        while True:
            head, tail = os.path.split(path)
            if not tail:
                head, tail = os.path.split(head)
            if not head or not tail or self._exists_or_escapes(head):
                missing.append(path)
                break
            if tail not in (".", b"."):
                missing.append(path)
            path = head
        for path in reversed(missing):
            try:
                self.mkdir(path, mode if path is leaf else 0o777)
            except OSError as error:
                if path is not leaf and isinstance(error, FileExistsError):
                    continue
                if not exist_ok or not self._is_directory(path):
                    raise

    def _exists_or_escapes(self, path: Any) -> bool:
        try:
            self.stat(path)
        except (OSError, ValueError) as error:
            return getattr(error, "errno", None) == errno.EXDEV
        return True

    def _is_directory(self, path: Any) -> bool:
        try:
            return stat.S_ISDIR(self.stat(path).st_mode)
        except OSError:
            return False

    def utime(
        self,
        path: str | bytes | os.PathLike[Any],
        times: tuple[float, float] | None = None,
        *,
        ns: tuple[int, int] = _NOT_GIVEN,
        follow_symlinks: bool = True,
    ) -> None:
        """Sets the times of last access and modification, as `os.utime` does."""
        has_ns = ns is not _NOT_GIVEN
        if times is not None and has_ns:
            raise ValueError("utime: you may specify either 'times' or 'ns' but not both")
        if not has_ns and times is None:
            ns, has_ns = (time.time_ns(),) * 2, True
        given: Any = ns if has_ns else times
        if not isinstance(given, tuple) or len(given) != 2:
            name = "ns" if has_ns else "times"
            raise TypeError(f"utime: '{name}' must be a tuple of two numbers")
        exact: Any = given if has_ns else tuple(map(_nanoseconds, given))
        self._utime(path, exact[0], exact[1], follow_symlinks)

    def __enter__(self) -> Root:
        self.fileno()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _nanoseconds(seconds: float) -> int:
    """Converts seconds to nanoseconds, rounded down as in CPython."""
    if not isinstance(seconds, float):
        # Convert first, because NumPy integers would overflow.
        return operator.index(seconds) * 1_000_000_000
    whole = int(seconds)
    return whole * 1_000_000_000 + int((seconds - whole) * 1e9 // 1)
