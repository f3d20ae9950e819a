from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curt_fs as curt


class Raises:
    def __fspath__(self):
        raise LookupError("from __fspath__")


class ReturnsNumber:
    def __fspath__(self):
        return 3


class Index:
    def __index__(self) -> int:
        return 10**6


FUNCTIONS = [
    ("abspath", curt.abspath, os.path.abspath),
    ("expanduser", curt.expanduser, os.path.expanduser),
    ("listdir", curt.listdir, os.listdir),
    ("scandir", curt.scandir, os.scandir),
    ("stat", curt.stat, os.stat),
    ("walk", lambda path: list(curt.walk(path)), lambda path: list(os.walk(path))),
    ("rmtree", curt.rmtree, shutil.rmtree),
]

ODD = [
    None, True, 1.5, -1, 2**40, 2**70, [], {}, object(), Raises(), ReturnsNumber(), Index(),
    "a\0b", b"a\0b", "\ud800", "\udc80", "x" * 5000, "x/" * 3000, "/" * 5000, b"\xff" * 300,
    PurePosixPath("no such path"), "", b"", bytearray(b"/"), memoryview(b"/"), type, Raises,
]


def kind(function, argument):
    try:
        function(argument)
    except Exception as error:
        return type(error), getattr(error, "errno", None)
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("argument", ODD, ids=lambda argument: repr(argument)[:20])
@pytest.mark.parametrize(("name", "ours", "theirs"), FUNCTIONS, ids=[name for name, *_ in FUNCTIONS])
def test_odd_arguments(tmp_path, monkeypatch, name, ours, theirs, argument) -> None:
    monkeypatch.chdir(tmp_path)
    if name in ("walk", "rmtree") and argument in ("/" * 5000, bytearray(b"/"), memoryview(b"/")):
        pytest.skip("would walk or remove the root directory")
    expected = kind(theirs, argument)
    if argument == -1 and name in ("listdir", "scandir"):
        # CPython 3.11 mistakes -1 for "no argument", and lists the working directory.
        expected = (OSError, errno.EBADF)
    assert kind(ours, argument) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(argument=st.one_of(
    st.text(max_size=30), st.binary(max_size=30), st.integers(), st.floats(), st.none(),
    st.lists(st.text(max_size=3), max_size=3),
).filter(lambda value: not isinstance(value, int) or not -1 <= value < 1000))
def test_any_argument(tmp_path, monkeypatch, argument) -> None:
    monkeypatch.chdir(tmp_path)
    for name, ours, theirs in FUNCTIONS:
        if name in ("walk", "rmtree"):
            text = os.fsdecode(argument) if isinstance(argument, (str, bytes)) else ""
            if text.startswith("/") or ".." in text or text.strip("./") == "":
                continue
        assert kind(ours, argument) == kind(theirs, argument), name


@given(st.lists(st.one_of(st.none(), st.text(max_size=4), st.integers(-3, 3), st.binary(max_size=4)), max_size=6))
def test_any_arguments_of_the_native_functions(arguments: list) -> None:
    from curt_fs import _curt

    for function in (_curt.Directories, _curt.stat, _curt.usage, _curt.which, _curt.windows_abspath):
        try:
            function(*arguments)
        except (TypeError, ValueError, OSError, OverflowError):
            pass


def rmtree_below(path: Path, **options: object) -> None:
    fd = os.open(path.parent.parent, os.O_RDONLY)
    try:
        curt.rmtree(f"{path.parent.name}/{path.name}", dir_fd=fd, **options)
    finally:
        os.close(fd)


def rmtree_beneath(path: Path, **options: object) -> None:
    with curt.Root(path.parent) as root:
        root.rmtree(path.name, **options)


def copied(path: Path, **options: object) -> None:
    curt.copytree(path, f"{path} copy", dirs_exist_ok=True, **options)


@pytest.mark.parametrize("function", [curt.remove, curt.rmtree, rmtree_below, rmtree_beneath, curt.usage, copied])
def test_numbers_of_threads(tmp_path, function) -> None:
    for threads in (1, 1024):
        (tmp_path / "d").mkdir(exist_ok=True)
        function(tmp_path / "d", threads=threads)
    (tmp_path / "d").mkdir(exist_ok=True)
    for threads in (-1, 0, 1025, 10**9, 2**80):
        with pytest.raises(ValueError) as caught:
            function(tmp_path / "d", threads=threads)
        assert str(caught.value) == "threads must be from 1 to 1024"
    with pytest.raises(TypeError):
        function(tmp_path / "d", threads="2")
