from __future__ import annotations

import os
from collections import namedtuple

from curt_fs import _curt
from curt_fs._progress import showing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from curt_fs._progress import _Bar

    class UsageRecord(NamedTuple):
        path: Any
        depth: int
        kind: str
        apparent: int
        allocated: int
        entries: int

    class _Usage(NamedTuple):
        apparent: int
        allocated: int
        entries: int
        records: list[UsageRecord]
        errors: list[OSError]

else:
    # Do not import `typing` or `dataclasses`, which takes longer than importing curt.
    UsageRecord = namedtuple("UsageRecord", "path depth kind apparent allocated entries")
    _Usage = namedtuple("_Usage", "apparent allocated entries records errors")

UsageRecord.__doc__ = (
    "A directory, a file or an operand, and the space that it takes with everything in it."
)

_ROWS = 100


class Usage(_Usage):
    """The disk usage of trees. A file with several hard links counts once."""

    __slots__ = ()

    def __repr__(self) -> str:
        sizes = f"apparent={self.apparent}, allocated={self.allocated}, entries={self.entries}"
        return f"<Usage {sizes}, {len(self.records)} records, {len(self.errors)} errors>"

    def _repr_html_(self) -> str:
        largest = sorted(self.records, key=lambda record: record.allocated, reverse=True)[:_ROWS]
        rows = "".join(map(_row, largest))
        head = "".join(f"<th>{name}</th>" for name in ("path", "allocated", "apparent", "entries"))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        if len(largest) < len(self.records):
            table += f"<p>the {len(largest)} largest of {len(self.records):,} records</p>"
        if self.errors:
            items = "".join(f"<li>{_escaped(str(error))}</li>" for error in self.errors[:_ROWS])
            rest = "<li>…</li>" if len(self.errors) > _ROWS else ""
            table += f"<p>{len(self.errors):,} not counted:</p><ul>{items}{rest}</ul>"
        return table


def _row(record: UsageRecord) -> str:
    sizes = "".join(
        f'<td title="{size:,} {"byte" if size == 1 else "bytes"}">{_readable(size)}</td>'
        for size in (record.allocated, record.apparent)
    )
    return f"<tr><td>{_escaped(os.fsdecode(record.path))}</td>{sizes}<td>{record.entries:,}</td></tr>"


def _escaped(text: str) -> str:
    """Escapes text for HTML, and replaces surrogates, which UTF-8 cannot encode."""
    text = text.encode("utf-8", "replace").decode()
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _readable(size: int) -> str:
    amount, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if amount < 1023.5:
            break
        amount, unit = amount / 1024, larger
    if size == 1:
        return "1 byte"
    return f"{amount:.0f} {unit}" if unit == "bytes" or amount >= 99.95 else f"{amount:.1f} {unit}"


def usage(
    *paths: Any,
    max_depth: int | None = None,
    files: bool = False,
    same_file_system: bool = False,
    follow_operands: bool = False,
    count_links: bool = False,
    threads: int | None = None,
    progress: bool | _Bar = False,
) -> Usage:
    """Measures trees, as `du` does. The default is the working directory.

    There is a record for each directory down to `max_depth`, and with `files=True` for all other
    entries. Failures below a path are in `errors`; a path that cannot be examined raises.
    `progress=True` shows a bar of `tqdm`; or pass your own bar.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError("max_depth must not be negative")
    operands = [os.fspath(path) for path in paths or (".",)]
    with showing(progress, "usage") as update:
        rows, errors = _curt.usage(
            operands, max_depth, files, same_file_system, follow_operands, count_links, threads,
            update,
        )  # fmt: skip
    records = [UsageRecord._make(row) for row in rows]
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
