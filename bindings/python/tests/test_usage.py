from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import curt_fs as curt


@pytest.mark.skipif(shutil.which("du") is None, reason="du is not installed")
def test_sums_are_those_of_du(tree: Path) -> None:
    (tree / "a/big").write_bytes(b"x" * 100_000)
    os.link(tree / "a/big", tree / "x/second-name")
    total = int(subprocess.check_output(["du", "-s", "-B1", str(tree)]).split()[0])
    assert curt.usage(tree).allocated == total
    twice = int(subprocess.check_output(["du", "-sl", "-B1", str(tree)]).split()[0])
    assert curt.usage(tree, count_links=True).allocated == twice > total
    assert curt.usage(tree, threads=4) == curt.usage(tree)


def test_records(tree: Path) -> None:
    report = curt.usage(tree / "a")
    assert [os.path.relpath(record.path, tree) for record in report.records] == [
        "a/b/c", "a/b", "a/empty", "a",
    ]
    assert {record.kind for record in report.records} == {"directory"}
    assert report.entries == 7
    assert report.apparent == len("a/one" "a/b/two" "a/b/c/three")
    assert len(curt.usage(tree, max_depth=0).records) == 1
    assert len(curt.usage(tree, files=True).records) == curt.usage(tree).entries
    data = curt.usage(os.fsencode(tree), files=True)
    assert all(type(record.path) is bytes for record in data.records)
    assert "<table>" in report._repr_html_() and "a/b/c" in report._repr_html_()


def test_errors(tree: Path) -> None:
    for convert in (str, os.fsencode, Path):
        for options in ({}, {"threads": 4}, {"files": True}):
            with pytest.raises(FileNotFoundError) as caught:
                curt.usage(convert(tree), convert(tree / "gone"), **options)
            assert caught.value.filename == os.fspath(convert(tree / "gone"))
    with pytest.raises(ValueError):
        curt.usage(tree, max_depth=-1)
    for bad in (None, 3):
        with pytest.raises(TypeError):
            curt.usage(bad)
    assert curt.usage(tree / "broken").entries == 1


def test_names_are_escaped_in_tables(tmp_path: Path) -> None:
    (tmp_path / "<b>").mkdir()
    with open(os.fsencode(tmp_path) + b"/<b>/\xff", "w"):
        pass
    shown = curt.usage(tmp_path, files=True)._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown
    shown.encode()


def test_a_report_is_one_line(tree: Path) -> None:
    report = curt.usage(tree)
    sizes = f"apparent={report.apparent}, allocated={report.allocated}, entries={report.entries}"
    assert repr(report) == f"<Usage {sizes}, {len(report.records)} records, 0 errors>"
