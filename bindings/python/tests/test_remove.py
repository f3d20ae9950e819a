from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import curt_fs as curt


def test_remove_refuses_wrong_arguments(tree: Path) -> None:
    for error, options in (
        (ValueError, {"exclude": "[a"}), (TypeError, {"exclude": [3]}), (OverflowError, {"retries": -1}),
        (TypeError, {"exclude": 3}), (TypeError, {"progress": 3}),
    ):  # fmt: skip
        with pytest.raises(error):
            curt.remove(tree, **options)
    for path in (None, 3, "a\0b", Raises()):
        with pytest.raises((TypeError, ValueError, LookupError)):
            curt.remove(tree, path)
    assert tree.exists() and curt.remove() == (0, 0, 0, 0, [])
    assert curt.remove(tree / "broken", exclude=b"broken", missing_ok=True).files == 1


class Raises:
    def __fspath__(self) -> str:
        raise LookupError


OPERANDS = [
    "", "gone", "gone/", "gone/x", "top", "top//", "top/x", "loop/x", "a/gone", "a//gone", "n" * 300, "a/" + "n" * 300,
    "n" * 300 + "/x", "broken", "broken/", "broken/.", "loop", "loop//", "through", "through/", "long", "top/..", "gone/.",
    "x/" * 2500, "a\0b", "\ud800", "a/\ud800", "\udcff", None, 3, Raises(),
]  # fmt: skip
FORMS = [lambda path: path, os.fsencode, Path, os.path.abspath]
DIR_FDS = [None, "open", -1, 10**6, 2**70, 1.5, "invalid"]
WAYS = ["raises", "ignored", "onerror", "onexc", "both", "ignored with both", "reraised"]


def called(rmtree, path, dir_fd, way: str, more: dict) -> tuple:
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
    # Older versions lack `onexc`; Python 3.10 also lacks `dir_fd`.
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
import curt_fs as curt, itertools, os, subprocess

os.makedirs("tree/a/mounted")
subprocess.run(["mount", "-t", "tmpfs", "none", "tree/a/mounted"], check=True)
fd = os.open(".", os.O_RDONLY)
calls = []
def seen(function, path, error):
    calls.append((function.__name__, path, error.errno))

ways = [({}, ["raised"]), ({"ignore_errors": True}, []), ({"onexc": seen}, ["rmdir"] * 3)]
for below, (more, names) in itertools.product(({}, {"dir_fd": fd}), ways):
    os.makedirs("tree/a/d/below", exist_ok=True)
    try:
        curt.rmtree("tree", **more, **below)
    except OSError as error:
        calls.append(("raised", error.filename, error.errno))
    # Without a handler the first failure ends the removal. A handler also gets the parents' errors.
    assert not more or os.listdir("tree/a") == ["mounted"]
    assert [call[0] for call in calls] == names, calls
    assert not calls or calls[0][1:] == ("tree/a/mounted", 16), calls
    calls.clear()
print("kept")
"""


def may_mount() -> bool:
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not may_mount(), reason="only root mounts")
def test_mount_points_are_not_emptied(tmp_path: Path) -> None:
    command = ["unshare", "-m", sys.executable, "-c", MOUNTED]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "kept\n", done.stderr


def test_it_says_that_it_is_safe() -> None:
    assert curt.rmtree.avoids_symlink_attacks is True


def test_threads_start_by_default_and_end(quick: Path) -> None:
    """Counts the other threads, which wait while the handler of this program runs."""
    program = """
import curt_fs as curt, os, sys, threading, time

def threads_left():
    # A joined thread is listed for a moment more.
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
    for function in curt.usage, curt.rmtree:
        watch = Watch()
        function(sys.argv[1], progress=watch, **threads)
        print(watch.most, threads_left())
"""
    command = [sys.executable, "-c", program, str(quick / "tree")]
    usage = removal = 1
    for _ in range(10):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        most, after = zip(*(map(int, line.split()) for line in done.stdout.splitlines()))
        assert (most[2:], after) == ((1, 1), (1, 1, 1, 1))
        # The engine measures during the work whether threads help, so one run may start none.
        usage, removal = max(usage, most[0]), max(removal, most[1])
        if min(usage, removal) > 1 or os.cpu_count() == 1:
            return
    pytest.fail("no run has started a thread")
