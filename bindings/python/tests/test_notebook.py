from __future__ import annotations

import html.parser
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import curt_fs as curt
from curt_fs._usage import Usage, UsageRecord, _readable


class Table(html.parser.HTMLParser):
    """Fails at unbalanced tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.items: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs) -> None:
        assert tag in ("table", "thead", "tbody", "tr", "th", "td", "p", "ul", "li")
        self.open.append(tag)
        if tag in ("td", "li"):
            (self.cells if tag == "td" else self.items).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "li"):
            texts = self.cells if self.open[-1] == "td" else self.items
            texts[-1] += data


def test_a_table_has_readable_sizes_and_escaped_names(tmp_path: Path) -> None:
    (tmp_path / "<b>&\"'").mkdir()
    (tmp_path / "<b>&\"'" / "big").write_bytes(b"x" * 200_000)
    with open(os.fsencode(tmp_path) + b"/\xff\xfe", "w"):
        pass
    report = curt.usage(tmp_path, files=True)
    text = report._repr_html_()
    text.encode()
    cells = Table(text).cells
    assert len(cells) == 4 * len(report.records) == 16
    row = cells.index(f"{tmp_path}/<b>&\"'/big")
    assert cells[row + 2 : row + 4] == ["195 KiB", "1"]
    assert 'title="200,000 bytes"' in text
    assert f"{tmp_path}/??" in cells


def test_sizes() -> None:
    sizes = [0, 1, 1023, 1024, 1535, 102_348, 102_400, 1 << 20, (1 << 20) - 1, 5 << 40, 1 << 63]
    assert [_readable(size) for size in sizes] == [
        "0 bytes", "1 byte", "1023 bytes", "1.0 KiB", "1.5 KiB", "99.9 KiB", "100 KiB", "1.0 MiB",
        "1.0 MiB", "5.0 TiB", "8192 PiB",
    ]  # fmt: skip


def test_long_reports_show_the_largest_and_some_errors() -> None:
    records = [UsageRecord(f"d{number}", 1, "directory", number, number * 512, 1) for number in range(1000)]
    errors = [PermissionError(13, "Permission denied", f"<{number}>") for number in range(150)]
    text = Usage(0, 0, 0, records, errors)._repr_html_()
    table = Table(text)
    assert table.cells[::4] == [f"d{number}" for number in range(999, 899, -1)]
    assert "the 100 largest of 1,000 records" in text and "150 not counted" in text
    assert table.items[0] == "[Errno 13] Permission denied: '<0>'"
    assert len(table.items) == 101 and table.items[-1] == "…"
    assert Table(Usage(0, 0, 0, [], [])._repr_html_()).cells == []


class Bar:
    def __init__(self) -> None:
        self.counts: list[int] = []
        self.threads: set[int] = set()

    def update(self, count: int) -> None:
        self.counts.append(count)
        self.threads.add(threading.get_ident())


def fill(root: Path, directories: int, files: int) -> int:
    for directory in range(directories):
        path = root / f"d{directory}"
        path.mkdir(parents=True)
        for file in range(files):
            os.close(os.open(path / f"f{file}", os.O_CREAT | os.O_WRONLY))
    return 1 + directories * (1 + files)


@pytest.mark.parametrize("threads", [1, 4])
def test_progress_counts_every_entry_on_the_callers_thread(tmp_path: Path, threads: int) -> None:
    entries = fill(tmp_path / "tree", 10, 300)
    bar = Bar()
    report = curt.usage(tmp_path / "tree", threads=threads, progress=bar)
    assert sum(bar.counts) == report.entries == entries
    assert report == curt.usage(tmp_path / "tree")
    removal = Bar()
    curt.rmtree(tmp_path / "tree", threads=threads, progress=removal)
    assert sum(removal.counts) == entries
    assert bar.threads == removal.threads == {threading.get_ident()}
    assert min(bar.counts + removal.counts) > 0


def test_progress_is_shown_meanwhile(tmp_path: Path) -> None:
    fill(tmp_path, 10, 300)
    bar = Bar()
    until = time.perf_counter() + 60
    paths = [tmp_path]
    while len(bar.counts) < 3 and time.perf_counter() < until:
        paths *= 4
        bar.counts.clear()
        curt.usage(*paths, count_links=True, progress=bar)
    assert len(bar.counts) >= 3


def test_an_exception_of_the_bar_ends_the_operation(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    class Broken:
        def update(self, count: int) -> None:
            raise Stop

    with pytest.raises(Stop):
        curt.usage(tmp_path, progress=Broken())
    for number in range(2):
        (tmp_path / f"d{number}").mkdir()
    for kwargs in ({}, {"onexc": print}, {"ignore_errors": True}):
        with pytest.raises(Stop):
            curt.rmtree(tmp_path, progress=Broken(), **kwargs)
        tmp_path.mkdir(exist_ok=True)


def test_other_values_are_refused(tmp_path: Path) -> None:
    for bad in (None, 1, 0, "yes", object(), print):
        with pytest.raises(TypeError, match="progress should be"):
            curt.usage(tmp_path, progress=bad)
        with pytest.raises(TypeError, match="progress should be"):
            curt.rmtree(tmp_path, progress=bad)
    assert tmp_path.exists()


def test_tqdm_shows_a_bar(tmp_path: Path, capsys, monkeypatch) -> None:
    tqdm = pytest.importorskip("tqdm")
    # Disable the thread of `tqdm`: it would keep running, and other tests fork.
    monkeypatch.setattr(tqdm.tqdm, "monitor_interval", 0)
    (tmp_path / "tree").mkdir()
    assert curt.usage(tmp_path, progress=True).entries == 2
    shown = capsys.readouterr().err
    assert "usage: 2 entries" in shown
    curt.rmtree(tmp_path / "tree", progress=True)
    assert "rmtree: 1 entries" in capsys.readouterr().err


def test_without_tqdm_the_error_says_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['tqdm'] = None\n"
        "import curt_fs as curt\n"
        "for function in (curt.usage, curt.rmtree):\n"
        "    try: function(sys.argv[1], progress=True)\n"
        "    except ImportError as error: print(error, error.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "progress=True needs tqdm: pip install tqdm tqdm\n" * 2, done.stderr
    assert tmp_path.exists()
