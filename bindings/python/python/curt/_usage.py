from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from typing import Any

from curt import _curt


@dataclass(frozen=True)
class UsageRecord:
    """A directory, a file or an operand, and the space that it takes with everything in it."""

    path: Any
    depth: int
    kind: str
    apparent: int
    allocated: int
    entries: int


@dataclass(frozen=True)
class Usage:
    """The space that trees take. A file with several names is counted once."""

    apparent: int
    allocated: int
    entries: int
    records: list[UsageRecord] = field(default_factory=list)
    errors: list[OSError] = field(default_factory=list)

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        rows = "".join(
            f"<tr><td>{html.escape(os.fsdecode(record.path).encode('utf-8', 'replace').decode())}"
            f"</td><td>{record.allocated:,}</td><td>{record.apparent:,}</td>"
            f"<td>{record.entries:,}</td></tr>"
            for record in self.records
        )
        failed = f"<p>{len(self.errors)} not counted</p>" if self.errors else ""
        head = "<tr><th>path</th><th>allocated</th><th>apparent</th><th>entries</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{failed}"


def usage(
    *paths: Any,
    max_depth: int | None = None,
    files: bool = False,
    one_file_system: bool = False,
    follow_operands: bool = False,
    count_links: bool = False,
    threads: int = 1,
) -> Usage:
    """Measures trees, as `du` does; `.` without a path.

    There is a record for each directory down to `max_depth`, with `files=True` for everything else
    too. A path that cannot be examined itself raises its error; what fails below it is in `errors`.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError("max_depth must not be negative")
    operands = [os.fspath(path) for path in paths or (".",)]
    rows, errors = _curt.usage(
        operands, max_depth, files, one_file_system, follow_operands, count_links, threads
    )
    records = [UsageRecord(*row) for row in rows]
    for error in errors:
        if os.fsencode(error.filename) in map(os.fsencode, operands):
            raise error
    top = [record for record in records if record.depth == 0]
    return Usage(
        sum(record.apparent for record in top),
        sum(record.allocated for record in top),
        sum(record.entries for record in top),
        records,
        errors,
    )
