"""Trees that outgrow one machine, on Dask: `usage`, `walk`, `find` and `remove`.

How it works:

1. A piece is a list of directories, each with everything in it, as paths below the root.
2. A worker walks a piece in the order of names until the piece's budget of entries or seconds is
   spent. It returns results, errors, and the directories left over.
3. The finished part is the beginning of the piece, and the leftovers are its end. So pieces are
   always disjoint, and results sorted by piece id are in the order of a single process.
4. The client keeps the queue, and starts as many pieces as there are threads. Queued pieces can
   still be divided. While the queue is short, pieces are short, too.
5. A path may mean a different directory later, or on another machine. So a worker processes a
   directory only if its inode number and creation time match those in the listing.
6. Only the first result of a piece counts. So a piece can run again after its worker has died, or
   while its worker hangs.
7. Only workers need access to the tree, not the client.
"""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from curt_fs._usage import Usage, UsageRecord
from curt_fs.dask import _scan
from curt_fs.dask._remove import Removal, look
from curt_fs.dask._run import Budget, Job, Run, connected
from curt_fs.dask._scan import Directory, Entry, Piece, Result, components, shown

__all__ = ["Budget", "Entry", "Found", "Removed", "find", "remove", "usage", "walk"]

_Path = str | bytes | os.PathLike[Any]


@dataclass(frozen=True)
class Found:
    """The matching entries, in order, and the errors."""

    entries: list[Entry]
    errors: list[OSError] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Found {len(self.entries)} entries, {len(self.errors)} errors>"


@dataclass(frozen=True)
class Removed:
    """The number of entries removed, and the errors.

    Entries removed by a worker that died before it returned are not counted.
    """

    entries: int
    errors: list[OSError] = field(default_factory=list)


def usage(
    path: _Path, *, max_depth: int | None = 0, client: Any = None, budget: Budget = Budget()
) -> Usage:
    """Measures a tree, as `curt.usage` does.

    There is a record for each directory down to `max_depth`, or for all with `None`. A file with
    several hard links counts once, and is charged to the first of its paths in byte order.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError("max_depth must not be negative")
    depth = float("inf") if max_depth is None else max_depth
    results = _results(client, "measure", _root(path), budget, _scan.measure, depth)
    errors = [error for result in results for error in result.errors]
    sums: dict[bytes, tuple[int, int, int]] = {}
    linked: dict[Any, tuple[bytes, tuple[int, int, int]]] = {}
    for result in results:
        for directory, size in result.value.by_directory.items():
            _scan.charge(sums, directory, depth, size)
        for key, (name, size) in result.value.linked.items():
            if key not in linked or components(name) < components(linked[key][0]):
                linked[key] = (name, size)
    for name, size in linked.values():
        _scan.charge(sums, name.rpartition(b"/")[0], depth, size)
    # Process subdirectories first, because a directory's sum includes theirs.
    order = sorted(sums, key=lambda name: [*((0, part) for part in components(name)), (1, b"")])
    records = []
    for name in order:
        size = sums[name]
        if name:
            _scan.charge(sums, name.rpartition(b"/")[0], depth, size)
        kind = "directory" if name else results[0].value.kind
        records.append(UsageRecord(shown(_root(path), name), len(components(name)), kind, *size))
    return Usage(*sums[b""], records, errors)


def walk(path: _Path, *, client: Any = None, budget: Budget = Budget()) -> Any:
    """Returns the entries of a tree as a Dask dataframe, in order.

    This call divides the tree, without querying entries. A partition is a group of pieces, walked
    whenever a scheduler computes it. So workers store no results, and only requested data passes
    through the client.
    """
    dask: Any = importlib.import_module("dask")
    dataframe: Any = importlib.import_module("dask.dataframe")
    root = _root(path)
    pieces: list[tuple[Piece, int]] = []
    for done, result in _pairs(client, "walk", root, budget, _scan.split):
        stops = frozenset(directory.path for directory in result.leftovers)
        piece = Piece(done.root, done.directories, stops=stops, identity=result.identity)
        pieces.append((piece, result.entries))
    partitions: list[list[Piece]] = []
    entries = float("inf")
    for piece, count in pieces:
        if entries + count > budget.entries:
            partitions.append([])
            entries = 0
        partitions[-1].append(piece)
        entries += count
    with dask.config.set({"dataframe.convert-string": False}):
        return dataframe.from_map(
            _scan.frame, map(tuple, partitions), meta=_scan.frame(()), label="curt-walk"
        )


def find(
    path: _Path,
    predicate: Callable[[Entry], object],
    *,
    client: Any = None,
    budget: Budget = Budget(),
) -> Found:
    """Returns the entries of a tree that satisfy `predicate`, in order.

    Workers call `predicate` with an `Entry`. If it raises, the search ends and the error names the
    entry.
    """
    found = Found([])
    for result in _results(client, "search", _root(path), budget, _scan.search, predicate):
        found.entries.extend(result.value)
        found.errors.extend(result.errors)
    return found


def remove(path: _Path, *, client: Any = None, budget: Budget = Budget()) -> Removed:
    """Removes a directory with everything in it. Entries that are already missing are no errors.

    Refuses to begin unless every worker sees the same directory, by inode number and creation time.
    As root, also refuses a path that others can redirect. Symlinks are removed and never followed.
    Mount points in the tree are not emptied.
    """
    root = _root(path).rstrip(b"/")
    last = os.path.basename(root)
    if last in (b"", b".", b".."):
        number = errno.EINVAL if last else errno.EBUSY
        raise OSError(number, os.strerror(number), os.fspath(path))
    with connected(client) as client:
        run = Run(client, "remove", root, budget)
        removal = Removal(run)
        removal.check_workers()
        run.work(Job((), look, Directory(b"")), removal.take)
    return Removed(removal.entries, _without_consequences(removal.errors))


def _root(path: _Path) -> bytes:
    """Returns the full path, because workers have different working directories.

    Does not use `abspath`, which simplifies `link/..` without knowing the target. Keeps one
    trailing separator, because it makes the system follow a symlink and reject a file.
    """
    given = os.fsencode(path)
    if b"\0" in given:
        raise ValueError("embedded null character in path")
    if not given:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    base = b"/" if given.startswith(b"/") else os.getcwdb()
    # If a mount covers the working directory, its path leads elsewhere.
    if not given.startswith(b"/") and not os.path.samestat(os.stat(base), os.stat(".")):
        reason = "the working directory cannot be reached by its name"
        raise FileNotFoundError(errno.ENOENT, reason, os.fspath(path))
    joined = os.path.join(base, given)
    return joined.rstrip(b"/") + b"/" if joined.endswith(b"/") else joined


def _pairs(
    client: Any, verb: str, root: bytes, budget: Budget, function: Any, *arguments: Any
) -> list[tuple[Piece, Result]]:
    results: list[tuple[tuple[int, ...], Piece, Result]] = []
    with connected(client) as client:
        run = Run(client, verb, root, budget)
        run.arguments = arguments

        def take(jobs: list[Job], piece: Piece, result: Result) -> list[Job]:
            run.identity = run.identity or result.identity
            results.append((jobs[0].id, piece, result))
            id = jobs[0].id
            return [Job((*id, i), function, left) for i, left in enumerate(result.leftovers)]

        run.work(Job((), function, Directory(b"")), take)
    results.sort(key=lambda done: done[0])
    return [(piece, result) for _, piece, result in results]


def _results(*arguments: Any) -> list[Result]:
    return [result for _piece, result in _pairs(*arguments)]


def _without_consequences(errors: list[OSError]) -> list[OSError]:
    """Drops errors of directories that are nonempty only because of another error."""
    ancestors = set()
    for error in errors:
        parent = os.path.dirname(error.filename)
        while parent not in ancestors and parent != os.path.dirname(parent):
            ancestors.add(parent)
            parent = os.path.dirname(parent)
    causes = {
        (error.filename, error.errno): error
        for error in errors
        if error.errno != errno.ENOTEMPTY or error.filename not in ancestors
    }
    return [causes[key] for key in sorted(causes, key=lambda key: os.fsencode(key[0]).split(b"/"))]
