from __future__ import annotations

import errno
import itertools
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import curt_fs as curt


def outcome(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except OSError as error:
        return type(error), error.errno, error.filename


@pytest.mark.parametrize("convert", [str, os.fsencode, Path, lambda path: str(path) + "/"])
@pytest.mark.parametrize("threads", [1, 4])
def test_trees_are_removed(tree: Path, convert, threads: int) -> None:
    assert curt.rmtree(convert(tree), threads=threads) is None
    assert not os.path.lexists(tree)


def test_a_refusal_can_be_ignored(tree: Path) -> None:
    assert curt.rmtree(tree / "to-directory", ignore_errors=True) is None
    assert (tree / "to-directory").exists() and (tree / "a").exists()


def test_dir_fd(tree: Path) -> None:
    fd = os.open(tree, os.O_RDONLY)
    try:
        curt.rmtree("x", dir_fd=fd)
        curt.rmtree("a/b", dir_fd=fd)
        assert not (tree / "x").exists() and not (tree / "a/b").exists() and (tree / "a").exists()
        with pytest.raises(FileNotFoundError) as caught:
            curt.rmtree("a/gone", dir_fd=fd)
        assert caught.value.filename == "a/gone"
        os.makedirs(os.fsencode(tree) + b"/\xff/below")
        curt.rmtree(b"\xff/below", dir_fd=fd)
        with pytest.raises(FileNotFoundError) as caught:
            curt.rmtree(b"\xff/below", dir_fd=fd)
        assert caught.value.filename == "\udcff/below"
        with pytest.raises(FileNotFoundError):
            curt.rmtree("gone/below", dir_fd=fd)
        curt.rmtree(str(tree / "a"), dir_fd=fd)
        assert not (tree / "a").exists()
    finally:
        os.close(fd)
    with pytest.raises(TypeError):
        curt.rmtree(tree / "grün", dir_fd="invalid")
    for bad in (fd, -1, 10**6):
        with pytest.raises(OSError) as caught:
            curt.rmtree("grün", dir_fd=bad)
        assert (caught.value.errno, caught.value.filename) == (errno.EBADF, "grün")
        curt.rmtree("grün", dir_fd=bad, ignore_errors=True)
    assert (tree / "grün").exists()


class Raises:
    def __fspath__(self) -> str:
        raise LookupError


# Each fails for the operand, before anything is removed.
OPERANDS = [
    "", "gone", "gone/", "gone/x", "top", "top//", "top/x", "loop/x", "a/gone", "a//gone", "n" * 300, "a/" + "n" * 300,
    "n" * 300 + "/x", "broken", "broken/", "broken/.", "loop", "loop//", "through", "through/", "long", "top/..", "gone/.",
    "x/" * 2500, "a\0b", "\ud800", "a/\ud800", "\udcff", None, 3, Raises(),
]  # fmt: skip
FORMS = [lambda path: path, os.fsencode, Path, os.path.abspath]
DIR_FDS = [None, "open", -1, 10**6, 2**70, 1.5, "invalid"]
WAYS = ["raises", "ignored", "onerror", "onexc", "both", "ignored with both", "reraised"]


def called(rmtree, path, dir_fd, way: str, more: dict) -> tuple:
    """What a removal raises, and what its handlers are called with."""
    calls = []
    fd = os.open(".", os.O_RDONLY) if dir_fd == "open" else None
    options = more if dir_fd is None else {**more, "dir_fd": dir_fd if fd is None else fd}

    def seen(function, path, error: Exception) -> None:
        assert sys.exc_info()[1] is error and threading.current_thread() is threading.main_thread()
        name = getattr(error, "filename", None)
        calls.append((function, path, type(error), getattr(error, "errno", None), os.fspath(name) if isinstance(name, Path) else name))

    def onerror(function, path, info: tuple) -> None:
        assert info[0] is type(info[1]) and way != "both"
        seen(function, path, info[1])

    def reraise(*_: object) -> None:
        raise

    if "ignored" in way:
        options["ignore_errors"] = True
    if way in ("onerror", "both", "ignored with both"):
        options["onerror"] = onerror
    if "both" in way or way == "onexc":
        options["onexc"] = seen
    if way == "reraised":
        options["onerror"] = reraise
    try:
        if way == "onerror" and not options.keys() - {"onerror"}:
            found = rmtree(path, False, onerror)
        else:
            found = rmtree(path, **options)
    except Exception as error:
        name = getattr(error, "filename", None)
        found = (type(error), getattr(error, "errno", None), os.fspath(name) if isinstance(name, Path) else name)
    if fd is not None:
        os.close(fd)
    return found, calls


@pytest.mark.parametrize("way", WAYS)
def test_operands_fail_as_in_cpython(tree: Path, monkeypatch, way: str) -> None:
    monkeypatch.chdir(tree)
    os.symlink("top/x", "through")
    os.symlink("n" * 300, "long")
    # Older ones lack `onexc`, and Python 3.10 `dir_fd`.
    by_cpython = way if sys.version_info >= (3, 12) else {"onexc": "onerror", "both": "onerror", "ignored with both": "ignored"}.get(way, way)
    before, descriptors = sorted(os.walk(".")), len(os.listdir("/proc/self/fd"))
    for path, convert in itertools.product(OPERANDS, FORMS):
        try:
            given = convert(path)
        except (TypeError, ValueError, LookupError):
            continue
        if given in (str(tree), Path(".")):
            continue
        for dir_fd in DIR_FDS if sys.version_info >= (3, 11) else DIR_FDS[:1]:
            expected = called(shutil.rmtree, given, dir_fd, by_cpython, {})
            for more in ({}, {"threads": 1}, {"threads": 4}, {"progress": Counter()}):
                assert called(curt.rmtree, given, dir_fd, way, dict(more)) == expected, (given, dir_fd, more)
    assert sorted(os.walk(".")) == before and len(os.listdir("/proc/self/fd")) == descriptors


class Counter:
    done = 0

    def update(self, count: int) -> None:
        assert threading.current_thread() is threading.main_thread() and count > 0
        self.done += count


def test_progress_counts_in_every_form(tmp_path: Path, monkeypatch) -> None:
    def failed(*call: object) -> None:
        raise AssertionError(call)

    monkeypatch.chdir(tmp_path)
    fd = os.open(".", os.O_RDONLY)
    ways = ({}, {"ignore_errors": True}, {"onerror": failed}, {"onexc": failed})
    for convert, threads, dir_fd, way in itertools.product(FORMS, (None, 1, 4), (None, fd), ways):
        os.makedirs("t/a/b")
        Path("t/a/file").touch()
        bar = Counter()
        curt.rmtree(convert("t/a"), dir_fd=dir_fd, threads=threads, progress=bar, **way)
        assert bar.done == 3 and os.listdir("t") == []
    os.close(fd)


MOUNTED = """
import curt_fs as curt, itertools, os, subprocess, sys
from pathlib import Path

class Counter:
    done = 0
    def update(self, count):
        self.done += count

os.makedirs("tree/a/mounted")
subprocess.run(["mount", "-t", "tmpfs", "none", "tree/a/mounted"], check=True)
open("tree/a/mounted/kept", "w").close()
fd = os.open(".", os.O_RDONLY)
calls = []
def seen(function, path, error):
    calls.append((function.__name__, os.fspath(path), (error[1] if isinstance(error, tuple) else error).errno))

def plant():
    for number in range(9):
        os.makedirs(f"tree/d{number}/below", exist_ok=True)
        os.makedirs(f"tree/a/d{number}/below", exist_ok=True)

forms = zip(
    itertools.cycle((str, os.fsencode, Path)), itertools.cycle((None, 1, 4, 1, 4)), itertools.cycle((False, True)),
    itertools.product(
        ("tree", "tree/a", "tree//a/"), ({}, {"ignore_errors": True}, {"onerror": seen}, {"onexc": seen}),
    ),
)
for convert, threads, bar, (place, way) in forms:
    for below in ({}, {"dir_fd": fd}):
        plant()
        counter = Counter()
        try:
            curt.rmtree(convert(place), **way, **below, threads=threads, progress=counter if bar else False)
        except OSError as error:
            calls.append(("raised", os.fspath(error.filename), error.errno))
        assert os.path.exists("tree/a/mounted/kept"), (place, way, below)
        # Without a handler the first failure ends it.
        assert not way or os.listdir("tree/a") == ["mounted"], (place, way, below)
        if "ignore_errors" in way:
            assert calls == []
        else:
            name = "raised" if not way else "rmdir"
            shown = [call for call in calls if os.path.normpath(call[1]) == "tree/a/mounted"]
            # What holds the mount point is reported, too.
            assert [(call[0], call[2]) for call in shown] == [(name, 16)], (calls, place, way, below)
            assert all(call[0] == name for call in calls)
        calls.clear()
    plant()
    with curt.Root(".") as root:
        try:
            root.rmtree(convert(place))
        except OSError as error:
            assert error.errno == 16 and os.path.exists("tree/a/mounted/kept")
        else:
            raise AssertionError("Root.rmtree has not failed")
print("kept")
"""


def may_mount() -> bool:
    """Returns whether this is root with all rights, which it may not have in a container."""
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not may_mount(), reason="only root mounts")
def test_mounts_are_kept_in_every_form(tmp_path: Path) -> None:
    command = ["unshare", "-m", sys.executable, "-c", MOUNTED]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "kept\n", done.stderr


def test_exceptions_of_handlers_end_the_removal(tree: Path) -> None:
    class Stop(Exception):
        pass

    def stop(*_args) -> None:
        raise Stop

    for name in ("onerror", "onexc"):
        with pytest.raises(Stop):
            curt.rmtree(tree / "gone", **{name: stop})

    def reraise(*_args) -> None:
        raise

    with pytest.raises(FileNotFoundError):
        curt.rmtree(tree / "gone", onerror=reraise)


def test_handlers_run_on_the_callers_thread(tree: Path) -> None:
    seen = []
    curt.rmtree(
        tree / "gone", threads=4, onexc=lambda *_args: seen.append(threading.current_thread())
    )
    assert seen == [threading.current_thread()]


def test_it_says_that_it_is_safe() -> None:
    assert curt.rmtree.avoids_symlink_attacks is True


def test_threads_start_by_default_and_end(tmp_path: Path) -> None:
    """A program whose handler runs while the others wait, so that they can be counted."""
    program = """
import curt_fs as curt, os, sys, threading, time

def threads_left():
    # One that was waited for is listed for a moment more.
    end = time.monotonic() + 60
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < end:
        time.sleep(0.001)
    return len(os.listdir("/proc/self/task"))

class Watch:
    most = 0
    def update(self, count):
        assert threading.current_thread() is threading.main_thread()
        self.most = max(self.most, len(os.listdir("/proc/self/task")))

for threads in ({}, {"threads": 1}):
    for number in range(200):
        os.makedirs(f"{sys.argv[1]}/{number}", exist_ok=True)
        for file in range(200):
            os.close(os.open(f"{sys.argv[1]}/{number}/{file}", os.O_CREAT))
    watch = Watch()
    curt.rmtree(sys.argv[1], progress=watch, **threads)
    print(watch.most, threads_left())
"""
    command = [sys.executable, "-c", program, str(tmp_path / "tree")]
    for _ in range(10):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (default, after), one = (line.split() for line in done.stdout.splitlines())
        assert (after, one) == ("1", ["1", "1"])
        # How many are worth it is measured while it works.
        if int(default) > 1 or os.cpu_count() == 1:
            return
    pytest.fail("no run has started a thread")


def test_read_only_files_go(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.mkdir()
    (path / "file").write_text("")
    (path / "file").chmod(stat.S_IREAD)
    curt.rmtree(path)
    assert not path.exists()
