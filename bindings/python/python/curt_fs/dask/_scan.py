"""The worker's side. Each function can run again on any worker."""

from __future__ import annotations

import ast
import builtins
import errno
import importlib
import os
import pwd
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import curt_fs as curt
from curt_fs import _curt
from curt_fs.dask._worker import address, is_cancelled

# Symlinks are never followed, even if one replaces a directory meanwhile.
FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# The most directories of a path that remain open.
OPEN = 64

KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character-device",
    stat.S_IFBLK: "block-device",
}


# The errors for a directory that is gone or was replaced.
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

# Inode number and creation time of a directory. A network filesystem reports the same values to all
# machines. Other attributes are unsuitable: users can forge names and writable attributes, and
# removing an entry updates the change time. Some filesystems lack the creation time.
Identity = tuple[int, "int | None"]


def identity_of(fd: int, name: bytes = b".") -> Identity:
    return _curt.identity(fd, name)


def is_same(one: Identity, other: Identity) -> bool:
    """Returns whether two directories are the same, as far as is known."""
    return one[0] == other[0] and (one[1] == other[1] or None in (one[1], other[1]))


class Directory(NamedTuple):
    """A directory to process: its path below the root, and its filesystem.

    Device numbers differ between machines, so the mount point in the tree identifies a filesystem.
    The empty path identifies the filesystem of the root.
    """

    path: bytes
    mount: bytes = b""
    identity: Identity | None = None


@dataclass(frozen=True)
class Piece:
    """Directories in order, and the limits after which a worker returns."""

    root: bytes
    directories: tuple[Directory, ...]
    entries: float = float("inf")
    seconds: float = float("inf")
    stops: frozenset[bytes] = frozenset()
    identity: Identity | None = None


@dataclass
class Result:
    leftovers: list[Directory] = field(default_factory=list)
    errors: list[OSError] = field(default_factory=list)
    entries: int = 0
    value: Any = None
    identity: Identity | None = None


class Entry(NamedTuple):
    """An entry of a tree. Times are in seconds, sizes in bytes; `owner` is a name or a number."""

    path: str
    kind: str
    size: int
    allocated: int
    mtime: float
    atime: float
    ctime: float
    uid: int
    gid: int
    owner: str
    links: int
    inode: int

    @property
    def name(self) -> str:
        """Returns the last component of the path."""
        return os.path.basename(self.path)


class Found(NamedTuple):
    """An entry in the directory `parent`."""

    path: bytes
    parent: Directory
    facts: os.stat_result
    # The device if it differs from the directory's, as in a layered filesystem; otherwise 0.
    foreign: int

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.facts.st_mode)


class Level(NamedTuple):
    path: bytes
    fd: int
    stat: os.stat_result
    mount_id: bytes


class Beneath:
    """Opens directories beneath a root, each relative to its parent, without following symlinks."""

    def __init__(
        self,
        root: bytes,
        identity: Identity | None = None,
        parent: int | None = None,
        one_mount: bool = False,
    ) -> None:
        self.root = root
        self.one_mount = one_mount
        self.levels: list[Level] = []
        self.identities: list[tuple[int, int]] = []
        try:
            place = root if parent is None else os.path.basename(root)
            self._push(b"", os.open(place, FLAGS, dir_fd=parent))
            self.identity = identity_of(self.levels[0].fd)
        except OSError as error:
            self._pop_to(0)
            if identity and error.errno in GONE:
                raise foreign_error(root) from None
            raise named(error, root, b"") from None
        if identity and not is_same(identity, self.identity):
            self._pop_to(0)
            raise foreign_error(root)

    def __enter__(self) -> Beneath:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._pop_to(0)

    def _push(self, path: bytes, fd: int) -> None:
        try:
            mount_id = _mount_id(fd) if self.one_mount else b""
            if self.levels and mount_id != self.levels[0].mount_id:
                raise OSError(errno.EBUSY, "a filesystem is mounted there")
            level = Level(path, fd, os.fstat(fd), mount_id)
            self.levels.append(level)
            self.identities.append((level.stat.st_dev, level.stat.st_ino))
        except BaseException:
            os.close(fd)
            raise
        # The root remains open, because closed directories are reopened from it.
        if len(self.levels) > OPEN + 1 and self.levels[-OPEN - 1].fd >= 0:
            os.close(self.levels[-OPEN - 1].fd)
            self.levels[-OPEN - 1] = self.levels[-OPEN - 1]._replace(fd=-1)

    def _pop_to(self, count: int) -> None:
        del self.identities[count:]
        while len(self.levels) > count:
            fd = self.levels.pop().fd
            if fd >= 0:
                os.close(fd)

    def open(self, path: bytes, identity: Identity | None = None) -> Level:
        """Opens a directory, which remains open until a directory outside of it is opened.

        Fails if another directory has the path now.
        """
        while self.levels[-1].path and not (path + b"/").startswith(self.levels[-1].path + b"/"):
            self._pop_to(len(self.levels) - 1)
        if self.levels[-1].fd < 0:
            self._pop_to(1)
        done = self.levels[-1].path
        for name in filter(None, path[len(done) :].split(b"/")):
            done = join(done, name)
            try:
                self._push(done, os.open(name, FLAGS, dir_fd=self.levels[-1].fd))
            except OSError as error:
                raise named(error, self.root, done) from None
        if identity and not is_same(identity, identity_of(self.levels[-1].fd)):
            raise named(replaced_error(), self.root, path)
        return self.levels[-1]

    def is_open_ancestor(self, found: os.stat_result) -> bool:
        """Returns whether a directory is an open ancestor that is also mounted below itself."""
        return (found.st_dev, found.st_ino) in self.identities

    def is_loop(self) -> bool:
        """Returns whether the last directory opened is one of its own ancestors."""
        return self.identities[-1] in self.identities[:-1]


def foreign_error(root: bytes) -> OSError:
    worker = address()
    sees = f"the worker {worker} sees another directory" if worker else "another directory is"
    reason = f"{sees} there: it was replaced, or is on another filesystem"
    return OSError(errno.EXDEV, reason, shown(root, b""))


def replaced_error() -> OSError:
    return OSError(errno.ESTALE, "another directory has its name now")


def _mount_id(fd: int) -> bytes:
    """Returns the mount id, which unlike the device differs for each mount."""
    with open(f"/proc/self/fdinfo/{fd}", "rb") as info:
        return next((line for line in info if line.startswith(b"mnt_id")), b"")


def join(parent: bytes, name: bytes) -> bytes:
    return parent + b"/" + name if parent and not parent.endswith(b"/") else parent + name


def shown(root: bytes, path: bytes) -> str:
    return os.fsdecode(join(root, path) if path else root.rstrip(b"/") or b"/")


def named(error: OSError, root: bytes, path: bytes) -> OSError:
    return OSError(error.errno, error.strerror, shown(root, path))


def facts_of(root: bytes) -> os.stat_result:
    try:
        return os.lstat(root)
    except OSError as error:
        raise named(error, root, b"") from None


class Scan:
    """Walks the directories of a piece, at least one, until its budget is spent.

    Entries come before subdirectories, both in the byte order of their names.
    """

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.result = Result()

    def fail(self, error: OSError, path: bytes) -> None:
        self.result.errors.append(named(error, self.piece.root, path))

    def directories(self) -> Iterator[tuple[Beneath, Directory, Level, list[Directory]]]:
        """Yields open directories, each with a list for its subdirectories."""
        piece, result = self.piece, self.result
        end = time.monotonic() + piece.seconds
        waiting = list(reversed(piece.directories))
        with Beneath(piece.root, piece.identity) as beneath:
            result.identity = beneath.identity
            while waiting:
                directory = waiting.pop()
                if directory.path in piece.stops:
                    continue
                below: list[Directory] = []
                try:
                    level = beneath.open(directory.path, directory.identity)
                    if not beneath.is_loop():
                        yield beneath, directory, level, below
                except OSError as error:
                    self.fail(error, directory.path)
                waiting.extend(reversed(below))
                if result.entries >= piece.entries or time.monotonic() >= end:
                    break
                # A dataframe's partitions, which have no time limit, must be complete.
                if end < float("inf") and is_cancelled():
                    break
        result.leftovers = waiting[::-1]

    def found(self) -> Iterator[Found]:
        piece = self.piece
        if piece.directories[0].path == b"":
            top = facts_of(piece.root)
            if not stat.S_ISDIR(top.st_mode):
                self.result.entries += 1
                yield Found(b"", piece.directories[0], top, 0)
                return
        for beneath, directory, level, below in self.directories():
            if directory.path == b"":
                self.result.entries += 1
                yield Found(b"", directory, level.stat, 0)
            for name in sorted(map(os.fsencode, curt.listdir(level.fd))):
                path, identity = join(directory.path, name), None
                try:
                    facts = os.stat(name, dir_fd=level.fd, follow_symlinks=False)
                    if stat.S_ISDIR(facts.st_mode):
                        identity = identity_of(level.fd, name)
                except OSError as error:
                    self.fail(error, path)
                    continue
                is_foreign = facts.st_dev != level.stat.st_dev
                found = Found(path, directory, facts, facts.st_dev if is_foreign else 0)
                if found.is_directory:
                    if beneath.is_open_ancestor(facts):
                        continue
                    mount = path if is_foreign else directory.mount
                    below.append(Directory(path, mount, identity))
                self.result.entries += 1
                yield found


def split(piece: Piece) -> Result:
    if piece.directories[0].path == b"" and not stat.S_ISDIR(facts_of(piece.root).st_mode):
        return Result(entries=1)
    scan = Scan(piece)
    for _beneath, directory, level, below in scan.directories():
        names, count = subdirectories(level.fd)
        scan.result.entries += count
        for name in names:
            path = join(directory.path, name)
            try:
                below.append(Directory(path, identity=identity_of(level.fd, name)))
            except OSError as error:
                scan.fail(error, path)
    return scan.result


def subdirectories(fd: int) -> tuple[list[bytes], int]:
    names, count = [], 0
    with curt.scandir(fd) as entries:
        for entry in entries:
            count += 1
            if entry.is_dir(follow_symlinks=False):
                names.append(os.fsencode(entry.name))
    return sorted(names), count


class Sums(NamedTuple):
    by_directory: dict[bytes, tuple[int, int, int]]
    linked: dict[tuple[bytes, int, int], tuple[bytes, tuple[int, int, int]]]
    kind: str


def measure(piece: Piece, max_depth: float) -> Result:
    scan, sums, kind = Scan(piece), Sums({}, {}, "directory"), "directory"
    for path, parent, facts, foreign in scan.found():
        is_directory = stat.S_ISDIR(facts.st_mode)
        has_content = stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)
        size = (facts.st_size if has_content else 0, facts.st_blocks * 512, 1)
        if path == b"":
            kind = kind_of(facts)
        if is_directory or facts.st_nlink == 1:
            charge(sums.by_directory, path if is_directory else parent.path, max_depth, size)
            continue
        key = (parent.mount, foreign, facts.st_ino)
        if key not in sums.linked or components(path) < components(sums.linked[key][0]):
            sums.linked[key] = (path, size)
    scan.result.value = sums._replace(kind=kind)
    return scan.result


def components(path: bytes) -> list[bytes]:
    return path.split(b"/") if path else []


def charge(
    sums: dict[bytes, tuple[int, int, int]],
    directory: bytes,
    max_depth: float,
    size: tuple[int, int, int],
) -> None:
    names = components(directory)
    if len(names) > max_depth:
        directory = b"/".join(names[: int(max_depth)])
    before = sums.get(directory, (0, 0, 0))
    sums[directory] = (before[0] + size[0], before[1] + size[1], before[2] + size[2])


OWNERS: dict[int, str] = {}


def owner(uid: int) -> str:
    if uid not in OWNERS:
        try:
            OWNERS[uid] = pwd.getpwuid(uid).pw_name
        except KeyError:
            OWNERS[uid] = str(uid)
    return OWNERS[uid]


def kind_of(facts: os.stat_result) -> str:
    return KINDS.get(stat.S_IFMT(facts.st_mode), "unknown")


def entry_of(path: str, facts: os.stat_result) -> Entry:
    return Entry(
        path,
        kind_of(facts),
        facts.st_size,
        facts.st_blocks * 512,
        facts.st_mtime,
        facts.st_atime,
        facts.st_ctime,
        facts.st_uid,
        facts.st_gid,
        owner(facts.st_uid),
        facts.st_nlink,
        facts.st_ino,
    )


def search(piece: Piece, predicate: Callable[[Entry], object]) -> Result:
    scan = Scan(piece)
    entries = (entry_of(shown(piece.root, found.path), found.facts) for found in scan.found())
    scan.result.value = [entry for entry in entries if _matches(entry, predicate)]
    return scan.result


class PredicateFailed(Exception):
    """Ends a search, and carries the predicate's exception to the caller."""


def _matches(entry: Entry, predicate: Callable[[Entry], object]) -> bool:
    try:
        return bool(predicate(entry))
    except Exception as error:
        name = type(error).__name__
        text = f"the predicate raised {name} for '{entry.path}': {error}"
        try:
            # Keep only classes built into Python: the client may lack others.
            raised = getattr(builtins, name)(text)
        except (AttributeError, TypeError):
            raised = RuntimeError(text)
        raise PredicateFailed(raised) from None


class Condition:
    """A predicate from a Python expression over the fields of an entry."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code = compile(text, "CONDITION", "eval")
        fields = ("name", *Entry._fields)
        nodes = ast.walk(ast.parse(text, mode="eval"))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
        unknown = {name.id for name in names} - bound - {*fields, *dir(builtins)}
        if unknown:
            raise NameError(f"an entry has no '{min(unknown)}'; it has {', '.join(fields)}")

    def __call__(self, entry: Entry) -> object:
        return eval(self.code, {**entry._asdict(), "name": entry.name})

    def __reduce__(self) -> tuple[Any, ...]:
        # Code objects cannot be pickled; the text can.
        return Condition, (self.text,)


# Paths are Python strings, because Arrow's strings must be valid UTF-8.
COLUMNS = {
    "path": "object",
    "kind": "object",
    "size": "int64",
    "allocated": "int64",
    "mtime": "datetime64[us]",
    "atime": "datetime64[us]",
    "ctime": "datetime64[us]",
    "uid": "int64",
    "gid": "int64",
    "owner": "object",
    "links": "int64",
    "inode": "uint64",
    "error": "object",
}


def frame(pieces: tuple[Piece, ...]) -> Any:
    """Returns a partition of the dataframe. Failures are rows of kind `error`, at the end."""
    # Imported here, because only dataframes need it, and by name, because pandas has no types.
    numpy: Any = importlib.import_module("numpy")
    pandas: Any = importlib.import_module("pandas")
    rows: list[tuple[Any, ...]] = []
    errors: list[OSError] = []
    for piece in pieces:
        scan = Scan(piece)
        for path, _parent, facts, _foreign in scan.found():
            entry = entry_of(shown(piece.root, path), facts)
            times = (facts.st_mtime_ns, facts.st_atime_ns, facts.st_ctime_ns)
            rows.append((*entry[:4], *map(_microseconds, times), *entry[7:], None))
        errors += scan.result.errors
    for error in errors:
        never = _microseconds(None)
        failed = (error.filename, "error", 0, 0, never, never, never, 0, 0, "", 0, 0)
        rows.append((*failed, error.strerror))
    columns = zip(*rows) if rows else [()] * len(COLUMNS)
    return pandas.DataFrame(
        {
            name: pandas.Series(numpy.array(column, dtype=kind), dtype=kind)
            for (name, kind), column in zip(COLUMNS.items(), columns)
        }
    )


def _microseconds(nanoseconds: int | None) -> int:
    """Converts a time. Out of range, returns the value for a missing time."""
    if nanoseconds is None or not -(2**63) < nanoseconds // 1000 < 2**63:
        return -(2**63)
    return nanoseconds // 1000
