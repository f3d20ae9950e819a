from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curt


def test_files(tree: Path) -> None:
    with curt.Root(tree) as root:
        with root.open("a/new", "x", encoding="utf-8") as file:
            file.write("grün\n")
        assert file.name == "a/new"
        assert root.open("a/new", encoding="utf-8").read() == "grün\n"
        assert root.open(b"a/new", "rb").read() == "grün\n".encode()
        with root.open(Path("a/new"), "ab") as file:
            file.write(b"more")
        with root.open("a/new", "r+b", 0) as file:
            assert file.read() == "grün\nmore".encode()
        with pytest.raises(FileExistsError):
            root.open("a/new", "x")
        for mode in ("w", "a", "w+", "a+", "x+"):
            with root.open(f"a/made {mode}", mode) as file:
                file.write(mode)
            assert (tree / f"a/made {mode}").read_text() == mode
        for mode in ("w", "w+b"):
            root.open("a/made w", mode).close()
            assert (tree / "a/made w").read_text() == ""
        for mode in ("r", "r+"):
            with pytest.raises(FileNotFoundError):
                root.open("a/not made", mode)
        with pytest.raises(FileNotFoundError) as caught:
            root.open("a/gone")
        assert caught.value.filename == "a/gone"
        assert root.stat("a/new") == os.stat(tree / "a/new")
        assert root.stat("to-file", follow_symlinks=False) == os.lstat(tree / "to-file")
        assert root.stat("to-file") == os.stat(tree / "top")
        assert sorted(root.listdir()) == sorted(os.listdir(tree))
        assert sorted(root.listdir("to-directory")) == sorted(os.listdir(tree / "a"))
        assert root.readlink("to-file") == "top"
        assert root.realpath("to-directory/b") == "a/b"
        root.chmod("a/new", 0o600)
        assert os.stat(tree / "a/new").st_mode & 0o777 == 0o600
        root.replace("a/new", "x/moved")
        root.unlink("x/moved")
        root.mkdir("made")
        root.makedirs("made/on/the/way")
        root.symlink("anywhere", "made/link")
        with pytest.raises(OSError):
            root.rmdir("made")
        root.rmtree("made")
        assert not (tree / "made").exists()
        root.rmdir("a/empty")
        assert root.exists("a") and not root.exists("gone") and not root.exists("broken")
        assert os.path.samestat(os.fstat(root.fileno()), os.stat(tree))


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../outside", "out/file", "out"])
def test_nothing_leaves_the_root(tree: Path, path: str) -> None:
    outside = tree.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    (tree / "out").symlink_to(outside)
    with curt.Root(tree) as root:
        for call in (
            lambda: root.open(path),
            lambda: root.open(path, "w"),
            lambda: root.stat(path),
            lambda: root.listdir(path),
            lambda: root.mkdir(path + "/made"),
            lambda: root.rmtree(path + "/"),
            lambda: root.chmod(path, 0),
            lambda: root.replace("top", path + "/moved"),
        ):
            with pytest.raises(OSError) as caught:
                call()
            assert caught.value.filename
        assert not root.exists(path)
    assert (outside / "file").read_text() == "secret" and os.listdir(outside) == ["file"]


def test_as_a_root_directory(tree: Path) -> None:
    (tree / "absolute").symlink_to("/a/one")
    with curt.Root(tree, in_root=True) as root:
        assert root.open("/../a/one").read() == "a/one"
        assert root.open("absolute").read() == "a/one"


def test_closed(tree: Path) -> None:
    root = curt.Root(tree)
    root.close()
    root.close()
    for call in (root.listdir, root.fileno, lambda: root.open("top"), lambda: root.mkdir("x")):
        with pytest.raises(ValueError, match="closed"):
            call()
    with pytest.raises(NotADirectoryError):
        curt.Root(tree / "top")
    fd = os.open(tree, os.O_RDONLY)
    root = curt.Root(fd)
    os.close(fd)
    assert root.exists("top")
    with pytest.raises(OSError):
        curt.Root(fd)


def test_a_handler_closes_a_root_that_removes(tmp_path: Path) -> None:
    program = """
import curt, os, signal, sys

def close(*_):
    count = sum(len(files) for _, _, files in os.walk(tree))
    if count == 40_000:
        # Nothing was removed yet.
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        return
    root.close()
    print("closed with files left:", count > 0)

tree = os.path.join(sys.argv[1], "tree")
for number in range(20):
    os.makedirs(f"{tree}/{number}")
    for file in range(2000):
        os.close(os.open(f"{tree}/{number}/{file}", os.O_CREAT))
root = curt.Root(sys.argv[1])
signal.signal(signal.SIGALRM, close)
signal.setitimer(signal.ITIMER_REAL, 0.001)
root.rmtree("tree")
print("removed:", not os.path.exists(tree))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["closed with files left: True", "removed: True"]


def test_a_fifo_does_not_hang(tree: Path) -> None:
    with curt.Root(tree) as root:
        with root.open("fifo", "rb", 0) as file:
            assert file.read() == b""
        with pytest.raises(OSError):
            root.open("fifo", "wb")


def test_numbers_are_no_paths(tree: Path) -> None:
    with curt.Root(tree) as root:
        with pytest.raises(TypeError):
            root.open(0)  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            root.open("a\0b")
        with pytest.raises(ValueError):
            root.open_fd("top", os.O_PATH)


def test_empty_paths_do_not_exist(tree: Path) -> None:
    with curt.Root(tree) as root:
        calls = [root.open, root.stat, root.mkdir, root.rmtree, root.listdir, root.unlink, root.realpath]
        for call in [*calls, lambda path: root.replace("top", path), lambda path: root.chmod(path, 0)]:
            with pytest.raises(FileNotFoundError) as caught:
                call("")
            assert caught.value.filename == ""
        assert not root.exists("")


def test_links_that_are_refused(tree: Path) -> None:
    with curt.Root(tree) as root:
        for call in (lambda: root.rmtree("to-directory"), lambda: curt.rmtree(tree / "to-directory")):
            with pytest.raises(OSError, match=r"^\[Errno 40\] the path is a link: '.*to-directory'$"):
                call()


def test_it_shows_what_it_is(tree: Path, monkeypatch) -> None:
    monkeypatch.chdir(tree)
    fd = os.open(tree, os.O_RDONLY)
    roots = [curt.Root(path) for path in ("a", b"a", Path("a"), fd)]
    os.close(fd)
    names = ["'a'", "b'a'", "'a'", str(fd)]
    assert [repr(root) for root in roots] == [f"<curt.Root {name}>" for name in names]
    for root in roots:
        root.close()
    assert [repr(root) for root in roots] == [f"<curt.Root {name} closed>" for name in names]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(path=st.one_of(
    st.lists(st.sampled_from(["..", ".", "/", "a", "b", "out", "to-directory", "loop", "\udcff"]), max_size=8).map("/".join),
    st.text(max_size=8),
))
def test_hostile_paths(tree: Path, path: str) -> None:
    if not os.path.lexists(tree / "out"):
        (tree / "out").symlink_to("/etc")
    with curt.Root(tree) as root:
        try:
            found = root.stat(path)
        except (OSError, ValueError):
            return
    assert found.st_dev == os.stat(tree).st_dev
    inside = {os.stat(os.path.join(top, name)).st_ino for top, dirs, files in os.walk(tree)
              for name in [".", *dirs, *files] if os.path.exists(os.path.join(top, name))}
    assert found.st_ino in inside
