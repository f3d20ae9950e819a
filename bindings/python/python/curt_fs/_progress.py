from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class _Bar(Protocol):
        def update(self, n: int, /) -> object:
            """Adds `n` finished entries."""


class showing:
    def __init__(self, progress: bool | _Bar, description: str) -> None:
        self.bar: Any = None
        self.update: Callable[[int], object] | None = None
        if progress is True:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
            except ImportError as error:
                message = "progress=True needs tqdm: pip install tqdm"
                raise ImportError(message, name="tqdm") from error
            self.bar = tqdm(desc=description, unit=" entries")
            self.update = self.bar.update
        elif progress is not False:
            self.update = getattr(progress, "update", None)
            if not callable(self.update):
                name = type(progress).__name__
                raise TypeError(f"progress should be a bool or have a method update, not {name}")

    def __enter__(self) -> Callable[[int], object] | None:
        return self.update

    def __exit__(self, *_raised: object) -> None:
        if self.bar is not None:
            self.bar.close()
