from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Bar(Protocol):
    """What shows progress: a bar of `tqdm`, or any object that has this method."""

    def update(self, n: int, /) -> object:
        """Shows that so many more entries are done."""


@contextmanager
def shown(progress: bool | Bar, description: str) -> Iterator[Callable[[int], object] | None]:
    """Yields the function that shows the progress of an operation; `None` if nobody wants it."""
    if progress is False:
        yield None
    elif progress is True:
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
        except ImportError as error:
            why = "progress=True needs tqdm: pip install tqdm"
            raise ImportError(why, name="tqdm") from error
        with tqdm(desc=description, unit=" entries") as bar:
            yield bar.update
    else:
        update = getattr(progress, "update", None)
        if not callable(update):
            name = type(progress).__name__
            raise TypeError(f"progress should be a bool or have a method update, not {name}")
        yield update
