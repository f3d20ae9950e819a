from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import curt


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


def test_errors_are_those_of_cpython(tree: Path) -> None:
    for name in ("gone", "top", "broken", "to-directory"):
        path = str(tree / name)
        expected = outcome(shutil.rmtree, path)
        found = outcome(curt.rmtree, path)
        if name in ("gone", "top"):
            assert found == expected
        else:
            # CPython 3.11 opens what the link leads to, and has no number for the refusal.
            assert found == (OSError, errno.ELOOP, path)
        assert curt.rmtree(path, ignore_errors=True) is None
    # CPython before 3.13 waits here until somebody opens its other end.
    with pytest.raises(NotADirectoryError):
        curt.rmtree(tree / "fifo")
    assert (tree / "top").exists() and (tree / "a").exists() and (tree / "fifo").exists()
    with pytest.raises(FileNotFoundError):
        curt.rmtree("")
    with pytest.raises(ValueError):
        curt.rmtree("a\0b")
    for bad in (None, 3, object()):
        with pytest.raises(TypeError):
            curt.rmtree(bad)


def test_links_are_not_followed(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("")
    (tree / "a/out").symlink_to(outside)
    curt.rmtree(tree)
    assert (outside / "kept").exists()


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


@pytest.mark.parametrize("fd", [-1, 2**30])
def test_a_closed_dir_fd_is_reported_as_by_cpython(tree: Path, fd: int) -> None:
    found = []
    # Python 3.10 has no `dir_fd`.
    for rmtree in (curt.rmtree, shutil.rmtree) if sys.version_info >= (3, 11) else (curt.rmtree,):
        calls = []

        def report(function, path, failure):
            calls.append((function, path, failure[0], failure[1].errno, failure[1].filename))

        found.append([outcome(rmtree, "a", dir_fd=fd), outcome(rmtree, "a", True, dir_fd=fd)])
        rmtree("a", onerror=report, dir_fd=fd)
        found[-1].append(calls)
    assert found[0] == found[-1] and found[0][0] == (OSError, errno.EBADF, "a")


def test_bytes_are_text_in_errors_as_in_those_of_cpython(tree: Path) -> None:
    os.mkdir(os.fsencode(tree) + b"/\xff")
    fd = os.open(tree, os.O_RDONLY)
    # Python 3.10 has no `dir_fd`.
    for place in ({}, {"dir_fd": fd}) if sys.version_info >= (3, 11) else ({},):
        names = (b"gone", b"gone/below", b"top", b"top/below", b"\xff/gone", b"gone/", b"top//", b"a//gone")
        for name in names:
            path, found = name if place else os.fsencode(tree) + b"/" + name, []
            for rmtree in (curt.rmtree, shutil.rmtree):
                calls = []
                rmtree(path, onerror=lambda f, p, e: calls.append((f, p, e[1].filename)), **place)
                found.append((outcome(rmtree, path, **place), calls))
            assert found[0] == found[1] and type(found[0][0][2]) is str
    os.close(fd)


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
import curt, os, sys, threading, time

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
