"""The client's side: the queue of pieces, and collecting their results."""

from __future__ import annotations

import asyncio
import numbers
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn
from uuid import uuid4

from curt_fs.dask._scan import Directory, Identity, Piece, PredicateFailed, Result, shown
from curt_fs.dask._worker import address, distributed, has_seceded, is_task

TIMEOUTS = (TimeoutError, asyncio.TimeoutError)
TICK = 0.25
# The longest budget in seconds, because Dask has no infinite timeouts.
LONGEST = 1e9
# How often Dask may report a piece for killing workers. It starts a piece four times per report.
MAX_KILLS = 5


@dataclass(frozen=True)
class Budget:
    """The limits of a piece.

    After `entries` entries or `seconds` seconds, a piece ends with its current directory. After
    `patience` seconds without a result, another worker gets the piece, too.
    """

    entries: int = 100_000
    seconds: float = 10.0
    patience: float = 60.0

    def __post_init__(self) -> None:
        for name, least in (("entries", 1), ("seconds", 0), ("patience", 0.001)):
            value: Any = getattr(self, name)
            is_number = isinstance(value, numbers.Real)
            if not is_number:
                raise TypeError(f"{name} should be a number, not {type(value).__name__}")
            # Not `<`, which is false for NaN.
            if not value >= least:
                raise ValueError(f"{name} must be {least} or more, not {value}")


class Job(NamedTuple):
    """A directory in the queue. The id is its position in the order of results."""

    id: tuple[int, ...]
    function: Callable[..., Result]
    directory: Directory


@dataclass
class Task:
    jobs: list[Job]
    piece: Piece
    patience: float
    due: float = 0.0
    attempts: int = 0
    kills: int = 0
    allowed: frozenset[str] = frozenset()
    futures: list[Any] = field(default_factory=list)


def run_on_worker(function: Callable[..., Result], piece: Piece, *arguments: Any) -> Any:
    """Runs a piece. Returns the worker's address, and the result or the fatal error."""
    try:
        return address(), function(piece, *arguments)
    except PredicateFailed as error:
        return address(), error.args[0]
    except OSError as error:
        # Return the error, because Dask would log a raised one with its whole traceback.
        return address(), error


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Yields the given client, the current one, or one of a temporary local cluster.

    Inside a task, yields the worker's client, and frees the worker's thread for other tasks.
    """
    if client is None and not is_task():
        try:
            client = distributed.default_client()
        except ValueError:
            with distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0") as cluster:
                with distributed.Client(cluster) as client:
                    yield client
            return
    if is_task():
        with distributed.worker_client(separate_thread=not has_seceded()) as own:
            yield own if client is None else checked(client)
        return
    yield checked(client)


def checked(client: Any) -> Any:
    if not isinstance(client, distributed.Client):
        name = type(client).__name__
        raise TypeError(f"client should be a distributed.Client, not {name}")
    if client.asynchronous:
        raise TypeError("an asynchronous client cannot be used: this function waits")
    if client.status in ("closed", "closing"):
        raise ValueError("the client is closed")
    return client


class Run:
    def __init__(self, client: Any, verb: str, root: bytes, budget: Budget) -> None:
        self.client = client
        self.verb = verb
        self.root = root
        seconds, patience = min(budget.seconds, LONGEST), min(budget.patience, LONGEST)
        self.budget = Budget(budget.entries, seconds, patience)
        self.name = f"curt-{verb}-{uuid4().hex[:8]}"
        self.arguments: tuple[Any, ...] = ()
        # Last in, first out: depth-first keeps the queue small.
        self.queue: list[Job] = []
        self.tasks: dict[tuple[int, ...], Task] = {}
        self.ready = threading.Event()
        self.identity: Identity | None = None
        self.suspects: set[str] = set()
        self.workers: dict[str, int] = {}
        self.refreshed = float("-inf")

    def work(
        self, first: Job, take: Callable[[list[Job], Piece, Result], list[Job]]
    ) -> None:
        self.queue.append(first)
        try:
            while self.queue or self.tasks:
                self._fill()
                for task, future in self._wait():
                    if self.tasks.get(task.jobs[0].id) is task:
                        self._collect(task, future, take)
                self._repeat_overdue()
        finally:
            if self.client.status == "running":
                self.client.cancel([f for task in self.tasks.values() for f in task.futures])

    def call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except OSError:
            self._check_connection()
            raise

    def message(self, reason: str) -> str:
        return f"cannot {self.verb} '{shown(self.root, b'')}': {reason}"

    def _refresh_workers(self, max_age: float) -> None:
        if time.monotonic() - self.refreshed > max_age:
            self.workers = dict(self.call(self.client.nthreads))
            self.refreshed = time.monotonic()

    def _trusted(self) -> list[str]:
        return [worker for worker in self.workers if worker not in self.suspects]

    def _fill(self) -> None:
        """Starts a piece per thread."""
        self._refresh_workers(1.0)
        for task in list(self.tasks.values()):
            if task.allowed and not task.allowed & self.workers.keys():
                self._submit(task)
        slots = max(1, sum(self.workers[worker] for worker in self._trusted()))
        while self.queue and len(self.tasks) < slots:
            # With a short queue, pieces end early to create work for idle threads.
            share = 1.0 if len(self.queue) >= slots else 0.01
            most = max(1, min(1000, len(self.queue) // (2 * slots)))
            jobs = [self.queue.pop()]
            while len(jobs) < most and self.queue and _is_next(jobs[-1], self.queue[-1]):
                jobs.append(self.queue.pop())
            piece = Piece(
                self.root,
                tuple(job.directory for job in jobs),
                max(1, self.budget.entries * share),
                self.budget.seconds * max(share, 0.1),
                identity=self.identity,
            )
            task = Task(jobs, piece, self.budget.patience)
            self.tasks[jobs[0].id] = task
            self._submit(task)

    def _submit(self, task: Task) -> None:
        job = task.jobs[0]
        allowed = self._trusted()
        restricts = bool(allowed) and bool(self.suspects)
        task.allowed = frozenset(allowed if restricts else ())
        task.attempts += 1
        task.due = time.monotonic() + task.patience
        future = self.client.submit(
            run_on_worker,
            job.function,
            task.piece,
            *self.arguments,
            key=f"{self.name}-{'.'.join(map(str, (0, *job.id)))}-{task.attempts}",
            workers=allowed if restricts else None,
            allow_other_workers=False if restricts else None,
            pure=False,
        )
        task.futures.append(future)
        # Not `distributed.wait`, which would use the default client instead of this one.
        future.add_done_callback(lambda _future: self.ready.set())

    def _wait(self) -> list[tuple[Task, Any]]:
        if self.client.status != "running":
            self.check_scheduler()
        self.ready.wait(TICK)
        self.ready.clear()
        waiting = [(task, future) for task in self.tasks.values() for future in task.futures]
        return [(task, future) for task, future in waiting if future.done()]

    def _collect(
        self, task: Task, future: Any, take: Callable[[list[Job], Piece, Result], list[Job]]
    ) -> None:
        status = future.status
        if status in ("pending", "lost"):
            return
        if status == "finished":
            try:
                worker, result = future.result(timeout=task.patience)
            except distributed.CancelledError:
                self.check_scheduler()
            except (OSError, *TIMEOUTS):
                self._check_connection()
                task.due = 0.0
                return
        else:
            self._failed(task, future)
            return
        if isinstance(result, Exception):
            raise result
        del self.tasks[task.jobs[0].id]
        self.suspects.discard(worker)
        if len(task.futures) > 1:
            self.client.cancel([other for other in task.futures if other is not future])
        self.queue += reversed(take(task.jobs, task.piece, result))

    def _failed(self, task: Task, future: Any) -> None:
        """Reruns a piece whose workers were killed. Raises other errors."""
        error = future.exception() if future.status == "error" else None
        if error is None:
            self.check_scheduler()
        if isinstance(error, ImportError):
            reason = f"a worker cannot import curt_fs.dask ({error}): install curt-fs[dask] there"
            raise ImportError(self.message(reason)) from error
        if not isinstance(error, distributed.KilledWorker):
            raise error
        task.futures.remove(future)
        task.kills += 1
        if task.kills >= MAX_KILLS:
            where = ", ".join(shown(self.root, d.path) for d in task.piece.directories[:3])
            raise RuntimeError(self.message(f"{where}: each worker died of it")) from error
        self._submit(task)

    def _repeat_overdue(self) -> None:
        """Gives overdue pieces to other workers as well, because their first workers may hang."""
        overdue = [task for task in self.tasks.values() if time.monotonic() > task.due]
        if not overdue:
            return
        self._refresh_workers(0.0)
        if not self.workers:
            raise TimeoutError(self.message("no worker is left"))
        running = self.call(self.client.processing)
        holding = self.call(self.client.who_has)
        late = {future.key for task in overdue for future in task.futures}
        self.suspects |= {worker for worker, keys in running.items() if late & set(keys)}
        self.suspects |= {worker for key in late for worker in holding.get(key, ())}
        for task in overdue:
            task.patience *= 2
            self._submit(task)

    def _check_connection(self) -> None:
        """Raises if the scheduler is lost. Waits, because the client notices with a delay."""
        for _ in range(20):
            if self.client.status != "running":
                self.check_scheduler()
            time.sleep(0.05)

    def check_scheduler(self) -> NoReturn:
        if self.client.status != "running":
            address = self.client.scheduler.address if self.client.scheduler else "unknown"
            reason = f"the connection to the scheduler {address} was lost"
            raise ConnectionError(self.message(reason))
        raise RuntimeError(self.message("its tasks were cancelled on the scheduler"))


def _is_next(job: Job, other: Job) -> bool:
    return job.id[:-1] == other.id[:-1] and job[1] is other[1]
