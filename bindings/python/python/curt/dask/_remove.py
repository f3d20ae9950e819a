"""Removing a tree: what runs on the workers, and what the client keeps track of.

A directory is removed whole by one worker. If that takes longer than a piece may, the directory is
divided: its subdirectories become pieces, and when the last of them is done it is swept, which
removes the files that it still has and the directory itself.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from typing import Any, NamedTuple

import curt
from curt import _curt
from curt.dask._run import TICK, TIMEOUTS, Job, Run
from curt.dask._scan import Beneath, Directory, Piece, Result, join, named, shown
from curt.dask._worker import address, distributed, is_cancelled

# What a directory fails with that is gone, or that something else has taken the place of. The sweep
# of its parent removes what is there now.
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class Cancelled(Exception):
    """Ends the removal of a directory before its time is over."""


class Token(NamedTuple):
    """A file that shows whether a worker sees the same filesystem.

    It is in the tree itself and not beside it: the tree may be a mount point, and then its parent
    says nothing about it. Every piece compares it in the directory that it has opened.
    """

    name: str
    content: bytes

    def write(self, root: bytes) -> None:
        with Beneath(root, one_mount=True) as beneath:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            try:
                fd = os.open(self.name, flags, 0o644, dir_fd=beneath.levels[0].fd)
            except OSError as error:
                if error.errno == errno.EEXIST and self.is_in(beneath.levels[0].fd):
                    # Written by a worker that died then.
                    return
                reason = f"cannot write a token file in it: {error.strerror}"
                raise OSError(error.errno, reason, shown(root, b"")) from None
            with os.fdopen(fd, "wb") as file:
                file.write(self.content)

    def is_in(self, directory: int) -> bool:
        try:
            fd = os.open(self.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory)
        except FileNotFoundError:
            return False
        with os.fdopen(fd, "rb") as file:
            return file.read(len(self.content) + 1) == self.content

    def check(self, root: bytes, beneath: Beneath) -> None:
        """Fails on a machine that sees another filesystem."""
        if not self.is_in(beneath.levels[0].fd):
            raise foreign(root)

    def drop(self, root: bytes) -> None:
        """Removes the file, if it is there."""
        try:
            with Beneath(root) as beneath:
                if self.is_in(beneath.levels[0].fd):
                    os.unlink(self.name, dir_fd=beneath.levels[0].fd)
        except FileNotFoundError:
            pass


def new_token() -> Token:
    return Token(f".curt-token-{secrets.token_hex(8)}", secrets.token_bytes(32))


def foreign(root: bytes) -> OSError:
    """The error of a worker that has something else at the path of the tree."""
    reason = f"the worker {address()} sees another filesystem there: the token file is missing"
    return OSError(errno.EXDEV, reason, shown(root, b""))


def opened(piece: Piece, token: Token) -> Beneath:
    """Opens the tree, after making sure that it is the tree."""
    try:
        beneath = Beneath(piece.root, one_mount=True)
    except OSError as error:
        if error.errno in GONE:
            raise foreign(piece.root) from error
        raise
    try:
        token.check(piece.root, beneath)
    except BaseException:
        beneath.__exit__()
        raise
    return beneath


def look(piece: Piece, token: Token) -> Result:
    """Lists the subdirectories of a directory. The first piece of a removal."""
    with opened(piece, token) as beneath:
        path = piece.directories[0].path
        return Result(value={path: _subdirectories(beneath.open(path).fd, path)})


def clear(piece: Piece, token: Token) -> Result:
    """Removes directories, one after the other. Divides the one that takes too long."""
    result = Result(value={})
    end = time.monotonic() + piece.seconds
    with opened(piece, token) as beneath:
        for index, directory in enumerate(piece.directories):
            left = end - time.monotonic()
            if index > 0 and (left <= 0 or is_cancelled()):
                result.leftovers = list(piece.directories[index:])
                break
            _clear(piece.root, beneath, directory.path, max(0.0, left), result)
    return result


def _clear(root: bytes, beneath: Beneath, path: bytes, seconds: float, result: Result) -> None:
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
            fd = beneath.open(path).fd
        except PermissionError:
            # An empty directory can be removed even so.
            pass
        try:
            _, stopped = _curt.remove(
                name, parent.fd, "", 1, False, report, count, min(seconds, 1e9)
            )
        except Cancelled:
            stopped = True
        if stopped and fd >= 0:
            result.value[path] = _subdirectories(fd, path)
    except OSError as error:
        if error.errno not in GONE:
            result.errors.append(named(error, root, path))


def _subdirectories(fd: int, path: bytes) -> list[Directory]:
    with curt.scandir(fd) as entries:
        names = [os.fsencode(e.name) for e in entries if e.is_dir(follow_symlinks=False)]
    return [Directory(join(path, name)) for name in sorted(names)]


def sweep(piece: Piece, token: Token) -> Result:
    """Removes the files of directories whose subdirectories are done, and the directories."""
    result = Result(value={})
    with opened(piece, token) as beneath:
        for directory in piece.directories:
            try:
                _sweep(piece.root, beneath, directory.path, token, result)
            except OSError as error:
                if error.errno not in GONE:
                    result.errors.append(named(error, piece.root, directory.path))
    return result


def _sweep(root: bytes, beneath: Beneath, path: bytes, token: Token, result: Result) -> None:
    above, _, name = path.rpartition(b"/")
    parent = beneath.open(above) if path else None
    fd = beneath.open(path).fd
    while True:
        failed, before = [], result.entries
        with curt.scandir(fd) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) or (not path and entry.name == token.name):
                    continue
                try:
                    os.unlink(entry.name, dir_fd=fd)
                    result.entries += 1
                except FileNotFoundError:
                    pass
                except OSError as error:
                    failed.append(named(error, root, join(path, os.fsencode(entry.name))))
        try:
            if parent:
                os.rmdir(name, dir_fd=parent.fd)
                result.entries += 1
        except OSError as error:
            # Entries that were added meanwhile, or that the listing had passed over.
            if error.errno == errno.ENOTEMPTY and result.entries > before:
                continue
            if not failed and error.errno != errno.ENOENT:
                failed.append(named(error, root, path))
        result.errors += failed
        return


def finish(piece: Piece, token: Token) -> Result:
    """Removes the token and the root, on a worker that has seen the token before.

    There a root that is missing has been removed, by an earlier run of this.
    """
    result = Result(value={})
    token.drop(piece.root)
    try:
        os.rmdir(piece.root)
        result.entries += 1
    except FileNotFoundError:
        pass
    except OSError as error:
        result.errors.append(named(error, piece.root, b""))
    return result


class Removal:
    """What the client knows of a removal: how many subdirectories a divided directory waits for."""

    def __init__(self, run: Run, token: Token) -> None:
        self.run = run
        self.token = token
        self.waiting: dict[bytes, int] = {}
        self.divided: dict[bytes, tuple[int, ...]] = {}
        self.entries = 0
        self.errors: list[OSError] = []

    def take(self, jobs: list[Job], piece: Piece, result: Result) -> list[Job]:
        """Checks a result in, and returns what can be done now."""
        self.entries += result.entries
        self.errors += result.errors
        first = jobs[0]
        new = [
            Job((*first.id, 0, index), clear, directory)
            for index, directory in enumerate(result.leftovers)
        ]
        if first.function is finish:
            return new
        if first.function is look and first.id:
            # All workers that had seen the token were gone, and now one has.
            return [Job((*first.id, 1), finish, Directory(b""), proof=look)]
        for job in jobs[: len(jobs) - len(result.leftovers)]:
            path = job.directory.path
            below = result.value.get(path)
            if below is None:
                new += self._done(path)
                continue
            self.divided[path] = job.id
            self.waiting[path] = len(below)
            new += [
                Job((*job.id, 1, index), clear, directory) for index, directory in enumerate(below)
            ]
            if not below:
                new.append(self._sweep(path))
        return new

    def _sweep(self, path: bytes) -> Job:
        return Job((*self.divided[path], 2), sweep, Directory(path))

    def _done(self, path: bytes) -> list[Job]:
        """Returns what follows when a directory is done."""
        if not path:
            return [Job((3,), finish, Directory(b""), proof=look)]
        above = path.rpartition(b"/")[0]
        self.waiting[above] -= 1
        return [self._sweep(above)] if self.waiting[above] == 0 else []

    def check_workers(self) -> None:
        """Refuses to start unless every worker reads the token that one of them has written."""
        run, root = self.run, self.run.root
        end = time.monotonic() + run.budget.patience
        # Again, if all have died meanwhile: Dask starts others.
        while not run.known:
            try:
                run.client.wait_for_workers(1, timeout=max(TICK, end - time.monotonic()))
            except TIMEOUTS:
                raise TimeoutError(run.sentence("there is no worker")) from None
            # A worker that hangs would write the token when it wakes up, so all must answer first.
            workers = self._everywhere(list(run.ask(run.client.nthreads)), address)
            # One that dies may not have written it.
            while not run.known and workers:
                run.known.update(self._everywhere([workers.pop()], self.token.write, root))
        piece = Piece(root, (Directory(b""),))
        workers = list(run.ask(run.client.nthreads))
        run.known.update(self._everywhere(workers, look, piece, self.token))

    def _everywhere(self, workers: list[str], function: Any, *arguments: Any) -> list[str]:
        """Calls a function on each worker. Returns those that have done it, and are not gone."""
        client, run = self.run.client, self.run
        futures = {
            worker: client.submit(
                function,
                *arguments,
                key=f"{run.name}-token-{secrets.token_hex(4)}",
                workers=[worker],
                allow_other_workers=False,
                pure=False,
            )
            for worker in workers
        }
        end = time.monotonic() + run.budget.patience
        done = []
        for worker, future in futures.items():
            while True:
                try:
                    future.result(timeout=TICK)
                    done.append(worker)
                    break
                except distributed.CancelledError:
                    run.check_scheduler()
                except TIMEOUTS:
                    # A worker that has gone is none that could do harm.
                    if worker not in run.ask(client.nthreads):
                        break
                    if time.monotonic() > end:
                        client.cancel(list(futures.values()))
                        reason = f"the worker {worker} has not answered in time"
                        raise TimeoutError(run.sentence(reason)) from None
        return done

    def drop_token(self) -> None:
        """Removes the token file if it is still there, as after an error."""
        try:
            if self.run.client.status == "running":
                knows = self.run.known - self.run.suspects
                workers = [worker for worker in self.run.client.nthreads() if worker in knows]
                if self._everywhere(workers[:1], self.token.drop, self.run.root):
                    return
        except (*TIMEOUTS, OSError, RuntimeError):
            pass
        # No worker can: perhaps this machine sees the tree.
        try:
            self.token.drop(self.run.root)
        except OSError:
            pass
