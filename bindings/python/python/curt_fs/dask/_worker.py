from __future__ import annotations

import importlib
from typing import Any


def _distributed() -> Any:
    try:
        # Imported by name; otherwise type checkers read all of Dask.
        return importlib.import_module("distributed")
    except ImportError as error:
        message = "curt_fs.dask needs Dask, which cannot be imported: pip install 'curt-fs[dask]'"
        raise ImportError(message) from error


distributed: Any = _distributed()


def address() -> str:
    try:
        return str(distributed.get_worker().address)
    except ValueError:
        return ""


def is_cancelled() -> bool:
    """Returns whether the client has cancelled this thread's piece, or has died."""
    try:
        worker = distributed.get_worker()
    except ValueError:
        return False
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state == "cancelled"


def is_task() -> bool:
    try:
        return distributed.get_worker().get_current_task() is not None
    except (ValueError, AttributeError, KeyError):
        return False


def has_seceded() -> bool:
    state = importlib.import_module("distributed.threadpoolexecutor").thread_state
    return not getattr(state, "proceed", False)
