"""Removing a tree: the functions for workers, and the client's state.

One worker removes a whole directory. If that takes too long for a piece, the subdirectories become
pieces. After the last of them, the directory is swept: its remaining files are removed, then the
directory itself.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import curt_fs as curt
from curt_fs import _curt
from curt_fs.dask._run import TICK, TIMEOUTS, Job, Run, run_on_worker
from curt_fs.dask._scan import (
    GONE,
    Beneath,
    Directory,
    Identity,
    Piece,
    Result,
    foreign_error,
    identity_of,
    is_same,
    join,
    named,
    replaced_error,
    shown,
    subdirectories,
)
from curt_fs.dask._worker import distributed, is_cancelled

PATH_ONLY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
# The most symlinks in a path, as in Linux.
MAX_LINKS = 40


class Cancelled(Exception):
    """Ends the removal of a directory early."""


def open_parent(root: bytes) -> int:
    """Opens the parent of a tree.

    Users who control a component of the path could make root remove a different directory, even
    after a check. So as root, opens each component itself, and refuses those that others control.
    """
    above = os.path.dirname(root)
    if os.geteuid() != 0:
        return os.open(above, PATH_ONLY & ~os.O_NOFOLLOW | os.O_DIRECTORY)
    pending, done, links = above.split(b"/")[::-1], b"", 0
    fd = os.open(b"/", PATH_ONLY)
    try:
        _check_only_root_controls(os.fstat(fd), b"/")
        while pending:
            name = pending.pop()
            if name in (b"", b"."):
                continue
            done += b"/" + name
            below = os.open(name, PATH_ONLY, dir_fd=fd)
            try:
                facts = os.fstat(below)
                _check_only_root_controls(facts, done)
                target = os.readlink(b"", dir_fd=below) if stat.S_ISLNK(facts.st_mode) else None
                if target is None:
                    if not stat.S_ISDIR(facts.st_mode):
                        raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                    fd, below = below, fd
                    continue
            finally:
                os.close(below)
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            pending += target.split(b"/")[::-1]
            if target.startswith(b"/"):
                os.close(fd)
                fd, done = os.open(b"/", PATH_ONLY), b""
            else:
                done = os.path.dirname(done)
        # Check, because the text of a symlink in `/proc` might not be its target.
        if not os.path.samestat(os.fstat(fd), os.stat(above or b"/")):
            raise replaced_error()
        return fd
    except BaseException:
        os.close(fd)
        raise


def _check_only_root_controls(facts: os.stat_result, path: bytes) -> None:
    is_open = not stat.S_ISLNK(facts.st_mode) and facts.st_mode & 0o022
    if facts.st_uid == 0 and not (is_open and not facts.st_mode & stat.S_ISVTX):
        return
    mode, where = stat.filemode(facts.st_mode), os.fsdecode(path)
    reason = f"others can change '{where}' on the way to it (owner {facts.st_uid}, {mode})"
    raise OSError(errno.EPERM, f"{reason}: let workers of that user remove it")


@contextmanager
def opened(piece: Piece) -> Iterator[tuple[int, Beneath]]:
    try:
        parent = open_parent(piece.root)
    except OSError as error:
        if piece.identity and error.errno in GONE:
            raise foreign_error(piece.root) from None
        raise named(error, piece.root, b"") from None
    try:
        with Beneath(piece.root, piece.identity, parent, one_mount=True) as beneath:
            yield parent, beneath
    finally:
        os.close(parent)


def look(piece: Piece, parent: Identity | None = None) -> Result:
    with opened(piece) as (above, beneath):
        if beneath.identity[1] is None:
            reason = "its filesystem does not say when directories were made, so that one cannot "
            reason += "be told from another: remove it with curt_fs.rmtree, on one machine"
            raise OSError(errno.ENOTSUP, reason, shown(piece.root, b""))
        value = {b"": _subdirectories(beneath.levels[0].fd, b"", piece.root, [])}
        return Result(value=(identity_of(above), value), identity=beneath.identity)


def clear(piece: Piece, parent: Identity) -> Result:
    result = Result(value={})
    end = time.monotonic() + piece.seconds
    with opened(piece) as (_, beneath):
        for index, directory in enumerate(piece.directories):
            left = end - time.monotonic()
            if index > 0 and (left <= 0 or is_cancelled()):
                result.leftovers = list(piece.directories[index:])
                break
            _clear(piece.root, beneath, directory, max(0.0, left), result)
    return result


def _clear(
    root: bytes, beneath: Beneath, directory: Directory, seconds: float, result: Result
) -> None:
    path = directory.path
    above, _, name = path.rpartition(b"/")

    def count(entries: int) -> None:
        result.entries += entries
        if is_cancelled():
            raise Cancelled

    def report(_function: str, below: str, error: OSError) -> None:
        if error.errno != errno.ENOENT:
            result.errors.append(named(error, root, join(above, os.fsencode(below))))

    try:
        parent = beneath.open(above)
        fd = -1
        try:
            fd = beneath.open(path, directory.identity).fd
        except PermissionError:
            # An empty directory can be removed without permission to open it.
            _compare(parent.fd, name, directory)
        try:
            _, stopped = _curt.remove(
                name, parent.fd, 1, False, report, count, min(seconds, 1e9)
            )
        except Cancelled:
            stopped = True
        if stopped and fd >= 0:
            result.value[path] = _subdirectories(fd, path, root, result.errors)
    except OSError as error:
        if error.errno not in GONE:
            result.errors.append(named(error, root, path))


def _compare(parent: int, name: bytes, directory: Directory) -> None:
    if directory.identity and not is_same(directory.identity, identity_of(parent, name)):
        raise replaced_error()


def _subdirectories(
    fd: int, path: bytes, root: bytes, errors: list[OSError]
) -> list[Directory]:
    found = []
    for name in subdirectories(fd)[0]:
        below = join(path, name)
        try:
            found.append(Directory(below, identity=identity_of(fd, name)))
        except OSError as error:
            if error.errno != errno.ENOENT:
                errors.append(named(error, root, below))
    return found


def sweep(piece: Piece, parent: Identity) -> Result:
    result = Result(value={})
    if piece.directories[0].path == b"" and _is_removed(piece.root, parent):
        return result
    with opened(piece) as (above, beneath):
        for directory in piece.directories:
            try:
                _sweep(piece.root, above, beneath, directory, result)
            except OSError as error:
                if error.errno not in GONE:
                    result.errors.append(named(error, piece.root, directory.path))
    return result


def _is_removed(root: bytes, parent: Identity) -> bool:
    try:
        fd = open_parent(root)
    except OSError:
        return False
    try:
        os.stat(os.path.basename(root), dir_fd=fd, follow_symlinks=False)
        return False
    except FileNotFoundError:
        return is_same(parent, identity_of(fd))
    finally:
        os.close(fd)


def _sweep(
    root: bytes, root_parent: int, beneath: Beneath, directory: Directory, result: Result
) -> None:
    path = directory.path
    above, _, name = (path or os.path.basename(root)).rpartition(b"/")
    parent = beneath.open(above).fd if path else root_parent
    fd = beneath.open(path, directory.identity).fd
    while True:
        failed, before = [], result.entries
        with curt.scandir(fd) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    continue
                try:
                    os.unlink(entry.name, dir_fd=fd)
                    result.entries += 1
                except FileNotFoundError:
                    pass
                except OSError as error:
                    failed.append(named(error, root, join(path, os.fsencode(entry.name))))
        try:
            _compare(parent, name, directory)
            os.rmdir(name, dir_fd=parent)
            result.entries += 1
        except OSError as error:
            # Sweep again, because entries were added meanwhile or the listing skipped some.
            if error.errno == errno.ENOTEMPTY and result.entries > before:
                continue
            if not failed and error.errno != errno.ENOENT:
                failed.append(named(error, root, path))
        result.errors += failed
        return


class Removal:
    """The client's state: how many unfinished subdirectories each divided directory has."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.waiting: dict[bytes, int] = {}
        self.divided: dict[bytes, Job] = {}
        self.entries = 0
        self.errors: list[OSError] = []

    def take(self, jobs: list[Job], piece: Piece, result: Result) -> list[Job]:
        self.entries += result.entries
        self.errors += result.errors
        first = jobs[0]
        new = [
            Job((*first.id, 0, index), clear, directory)
            for index, directory in enumerate(result.leftovers)
        ]
        value = result.value[1] if first.function is look else result.value
        for job in jobs[: len(jobs) - len(result.leftovers)]:
            path = job.directory.path
            below = value.get(path)
            if below is None:
                new += self._done(path)
                continue
            self.divided[path] = job
            self.waiting[path] = len(below)
            new += [
                Job((*job.id, 1, index), clear, directory) for index, directory in enumerate(below)
            ]
            if not below:
                new.append(self._sweep(path))
        return new

    def _sweep(self, path: bytes) -> Job:
        job = self.divided[path]
        identity = job.directory.identity or self.run.identity
        return Job((*job.id, 2), sweep, Directory(path, identity=identity))

    def _done(self, path: bytes) -> list[Job]:
        if not path:
            return []
        above = path.rpartition(b"/")[0]
        self.waiting[above] -= 1
        return [self._sweep(above)] if self.waiting[above] == 0 else []

    def check_workers(self) -> None:
        """Refuses to start unless every worker sees the same directory."""
        run = self.run
        piece = Piece(run.root, (Directory(b""),))
        end = time.monotonic() + run.budget.patience
        seen: list[Result] = []
        # Repeat, because Dask starts other workers if all have died meanwhile.
        while not seen:
            try:
                run.client.wait_for_workers(1, timeout=max(TICK, end - time.monotonic()))
            except TIMEOUTS:
                raise TimeoutError(run.message("there is no worker")) from None
            workers = list(run.call(run.client.nthreads))
            while not seen and workers:
                seen = self._look_on([workers.pop()], piece)
        run.identity = seen[0].identity
        run.arguments = (seen[0].value[0],)
        workers = list(run.call(run.client.nthreads))
        self._look_on(workers, replace(piece, identity=run.identity))

    def _look_on(self, workers: list[str], piece: Piece) -> list[Result]:
        """Lets each worker look at the tree. Returns the results of the workers that survive."""
        client, run = self.run.client, self.run
        futures = {
            worker: client.submit(
                run_on_worker,
                look,
                piece,
                key=f"{run.name}-look-{index}-{len(workers)}-{time.monotonic_ns()}",
                workers=[worker],
                allow_other_workers=False,
                pure=False,
            )
            for index, worker in enumerate(workers)
        }
        end = time.monotonic() + run.budget.patience
        found = []
        for worker, future in futures.items():
            while True:
                try:
                    result: Any = future.result(timeout=TICK)[1]
                except distributed.CancelledError:
                    run.check_scheduler()
                except TIMEOUTS:
                    if worker not in run.call(client.nthreads):
                        break
                    if time.monotonic() > end:
                        client.cancel(list(futures.values()))
                        reason = f"the worker {worker} has not answered in time"
                        raise TimeoutError(run.message(reason)) from None
                    continue
                if isinstance(result, Exception):
                    raise result
                found.append(result)
                break
        return found
