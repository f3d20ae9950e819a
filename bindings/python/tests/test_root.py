from __future__ import annotations

import errno
import fcntl
import io
import itertools
import os
import runpy
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import curt_fs as curt


def test_files(tree: Path) -> None:
    with curt.Root(tree) as root:
        with root.open("a/new", "x", encoding="utf-8") as file:
            file.write("grün\n")
        assert file.name == "a/new"
        assert root.open("a/new", encoding="utf-8").read() == "grün\n"
        with root.open(Path("a/new"), "ab") as file:
            file.write(b"more")
        with root.open(b"a/new", "r+b", 0) as file:
            assert file.read() == "grün\nmore".encode()
        assert root.stat("a/new") == os.stat(tree / "a/new")
        assert root.stat("to-file", follow_symlinks=False) == os.lstat(tree / "to-file")
        assert root.stat("to-file") == os.stat(tree / "top")
        assert sorted(root.listdir()) == sorted(os.listdir(tree))
        assert sorted(root.listdir(b"a")) == sorted(os.listdir(os.fsencode(tree / "a")))
        assert root.readlink("to-file") == "top"
        for name in ("to-directory/b", "gone", "gone/", "gone//./", "a/./", "top/", "./", "a/gone/."):
            assert root.realpath(name) == os.path.relpath(os.path.realpath(f"{tree}/{name}"), os.path.realpath(tree))
        root.symlink("anywhere", "x/link")
        assert os.readlink(tree / "x/link") == "anywhere"
        root.replace("a/new", "x/link")
        root.rmtree("a")
        assert (tree / "x/link").is_file() and not (tree / "a").exists()
        assert os.path.samestat(os.fstat(root.fileno()), os.stat(tree))


FORMS = [str, os.fsencode, Path]


PATHS = [
    "", ".", "./", ".//.", "a", "a/", "a//b", "./a", "a/.", "a/..", "a/b/../b", "new", "new/", "new//", "new/.", "new/..",
    "new/../other", "new/below", "new/./below", "new/below/.", "top", "top/", "top/x", "top/.", "top/..", "to-a", "to-a/",
    "to-a/new", "to-a/.", "to-top", "to-top/", "to-top/x", "broken", "broken/", "broken/x", "broken/.", "loop", "loop/x",
    "empty", "empty/", "to-empty", "n" * 300, "n" * 300 + "/x", "new/" * 60 + "last", "a\0b", "new/\0/x", "\ud800",
    "new/\ud800/x", "\udcff", "a/\udcff/x",
]  # fmt: skip
METHODS = [
    ("mkdir",), ("mkdir", 0o700), ("mkdir", 0o17777), ("mkdir", 0), ("mkdir", -1),
    ("makedirs",), ("makedirs", 0o2770, True), ("makedirs", 0o700, False), ("makedirs", 0),
    ("unlink",), ("rmdir",), ("rmtree",), ("stat",), ("listdir",), ("scandir",), ("readlink",), ("exists",), ("chmod", 0o640),
    ("utime", (1, 2.5)), ("open",), ("open", "w"), ("open", "x"), ("open", "ab", 0), ("open", "q"),
]  # fmt: skip


def listing(location: str) -> list:
    found = []
    for top, directories, files in curt.walk(location):
        for name in directories + files:
            facts = os.lstat(path := os.path.join(top, name))
            time = facts.st_mtime if facts.st_mtime < 10**9 else None
            found.append((path, facts.st_mode, time, stat.S_ISLNK(facts.st_mode) and os.readlink(path)))
    return sorted(found)


def outcome(function, *arguments):
    try:
        result = function(*arguments)
    except (OSError, ValueError, TypeError, OverflowError) as error:
        name = getattr(error, "filename", None)
        # `os.utime` reports no name, and `shutil.rmtree` sometimes reports the object.
        name = None if "utime" in repr(function) else os.fspath(name) if isinstance(name, Path) else name
        return type(error), getattr(error, "errno", None), name
    if isinstance(result, (str, bytes, bool, type(None))):
        return result
    if isinstance(result, os.stat_result):
        return result.st_mode, stat.S_ISDIR(result.st_mode) or result.st_size
    if isinstance(result, io.IOBase):
        result.close()
        return result.name
    return sorted(entry if isinstance(entry, (str, bytes)) else entry.path for entry in result)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_methods_have_the_results_of_python(quick: Path, monkeypatch, method: tuple) -> None:
    name, *arguments = method
    theirs = {"open": open, "exists": os.path.exists, "rmtree": shutil.rmtree}.get(name) or getattr(os, name)
    cases = [*zip(PATHS, itertools.repeat(str)), *itertools.product(PATHS[::6], FORMS[1:])]
    previous = os.umask(0o027)
    try:
        for number, (path, convert) in enumerate(cases):
            try:
                given = convert(path)
            except UnicodeEncodeError:
                continue
            found = []
            for kind in ("ours", "theirs"):
                location = quick / f"{kind} {number}"
                os.makedirs(location / "a/b")
                (location / "empty").mkdir()
                (location / "top").touch()
                for link, target in (("to-a", "a"), ("to-top", "top"), ("broken", "gone"), ("loop", "loop"), ("to-empty", "empty")):
                    (location / link).symlink_to(target)
                monkeypatch.chdir(location)
                with curt.Root(".") as root:
                    found.append((outcome(getattr(root, name) if kind == "ours" else theirs, given, *arguments), listing(".")))
            ours, expected = found
            refused = (errno.ENOTDIR, errno.EINVAL) if os.path.islink(path.rstrip("/")) else (errno.EINVAL,)
            if name == "rmtree" and ours[0] and ours[0][1] in refused:
                continue
            assert ours == expected, given
    finally:
        os.umask(previous)


def methods(root: curt.Root) -> dict:
    return {
        "open": lambda: root.open("top"),
        "open_fd": lambda: root.open_fd("top", os.O_RDONLY),
        "stat": lambda: root.stat("top"),
        "exists": lambda: root.exists("top"),
        "listdir": root.listdir,
        "scandir": root.scandir,
        "mkdir": lambda: root.mkdir("made"),
        "makedirs": lambda: root.makedirs("made/below"),
        "unlink": lambda: root.unlink("top"),
        "rmdir": lambda: root.rmdir("a/empty"),
        "rmtree": lambda: root.rmtree("a"),
        "rename": lambda: root.rename("top", "new"),
        "replace": lambda: root.replace("top", "new"),
        "link": lambda: root.link("top", "new"),
        "symlink": lambda: root.symlink("top", "new"),
        "readlink": lambda: root.readlink("to-file"),
        "chmod": lambda: root.chmod("top", 0o600),
        "utime": lambda: root.utime("top"),
        "realpath": lambda: root.realpath("top"),
        "fileno": root.fileno,
        "__enter__": root.__enter__,
    }


def test_closed(tree: Path) -> None:
    root = curt.Root(tree)
    entries = list(root.scandir())
    root.close()
    root.close()
    calls = methods(root)
    named = {name for name in dir(curt.Root) if not name.startswith("_") and name != "close"}
    assert calls.keys() == named | {"__enter__"}
    queries = [entry.stat for entry in entries] + [entry.is_dir for entry in entries if entry.is_symlink()]
    before = sorted(os.listdir(tree))
    for call in [*calls.values(), *queries]:
        with pytest.raises(ValueError, match="^the root is closed$"):
            call()
    assert sorted(os.listdir(tree)) == before
    for location in (tree / "top", tree / "fifo"):
        with pytest.raises(NotADirectoryError):
            curt.Root(location)
        fd = os.open(location, os.O_RDONLY | os.O_NONBLOCK)
        with pytest.raises(NotADirectoryError) as caught:
            curt.Root(fd)
        os.close(fd)
        assert caught.value.filename == fd
    fd = os.open(tree, os.O_RDONLY)
    root = curt.Root(fd)
    os.close(fd)
    assert root.exists("top")
    with pytest.raises(OSError):
        curt.Root(fd)


FLAGS = ["CREAT", "EXCL", "TRUNC", "APPEND", "NONBLOCK", "NOFOLLOW", "CLOEXEC"]


def opened(function, path: str, flags: int, *mode: int):
    before = os.path.lexists(path) and os.lstat(path).st_size
    try:
        fd = function(path, flags, *mode)
    except OSError as error:
        return error.errno, os.path.lexists(path)
    try:
        status = fcntl.fcntl(fd, fcntl.F_GETFL), fcntl.fcntl(fd, fcntl.F_GETFD)
        facts = os.fstat(fd)
        return status, stat.filemode(facts.st_mode), facts.st_size, before, os.path.lexists(path)
    finally:
        os.close(fd)


@pytest.mark.parametrize("access", ["RDONLY", "WRONLY", "RDWR"])
def test_descriptors_are_those_of_os_open(quick: Path, monkeypatch, access: str) -> None:
    previous = os.umask(0o022)
    try:
        for chosen in itertools.product([False, True], repeat=len(FLAGS)):
            names = [name for name, yes in zip(FLAGS, chosen) if yes]
            flags = sum(getattr(os, f"O_{name}") for name in [access, *names])
            locations = ("file", "gone", "directory", "link", "broken", "gone/below", *["fifo"] * ("NONBLOCK" in names))
            for location, mode in itertools.product(locations, ((), (0o4751,), (0o17777,), (-1,))):
                found = []
                for function in ("ours", "theirs"):
                    (quick / "t/directory").mkdir(parents=True)
                    monkeypatch.chdir(quick / "t")
                    Path("file").write_text("text")
                    os.mkfifo("fifo")
                    os.symlink("file", "link")
                    os.symlink("made", "broken")
                    with curt.Root(".") as root:
                        call = root.open_fd if function == "ours" else os.open
                        found.append((opened(call, location, flags, *mode), os.path.exists("made")))
                    shutil.rmtree(quick / "t")
                assert found[0] == found[1], (location, access, names, mode)
    finally:
        os.umask(previous)


def test_flags_for_anything_but_files_are_refused(tree: Path) -> None:
    with curt.Root(tree) as root:
        for flag in (os.O_PATH, os.O_DIRECTORY):
            with pytest.raises(ValueError, match=f"^unsupported flags: {flag:#o}$"):
                root.open_fd("top", flag | os.O_SYNC)


def test_operations_of_an_archive(tree: Path) -> None:
    with curt.Root(tree) as root:
        root.link("top", "x/second")
        root.link("to-file", "x/link")
        assert os.path.samefile(tree / "top", tree / "x/second") and (tree / "x/link").is_symlink()
        with pytest.raises(FileExistsError):
            root.link("top", "x/second")
        root.rename("top", "newer")
        with pytest.raises(FileExistsError):
            root.rename("x", "broken")
        assert (tree / "newer").read_text() == "top" and not (tree / "top").exists()
        root.chmod("newer", 0o6751)
        assert stat.S_IMODE(os.stat(tree / "newer").st_mode) == 0o6751
        path = tree / "theirs"
        path.touch()
        index = type("Index", (), {"__index__": lambda self: 5})()
        good = ((1, 2.5), (index, 1), (-0.7, 1e9 + 0.1), (-(2**63), 1))
        nanoseconds = ({"ns": (3, -1_000_000_001)}, {"times": None, "ns": (1, 2)})
        for times in ({}, *({"times": pair} for pair in good), *nanoseconds):
            root.utime("newer", **times)
            os.utime(path, **times)
            ours, theirs = os.stat(tree / "newer"), os.stat(path)
            pair = [(facts.st_atime_ns, facts.st_mtime_ns) for facts in (ours, theirs)]
            assert pair[0] == pair[1] or (not times and pair[1][0] - pair[0][0] < 10**9)
        for bad in ({"times": (1,)}, {"times": [1, 2]}, {"times": ("a", "b")}, {"ns": 3}, {"times": (1, 2), "ns": (1, 2)}, {"ns": None}, {"times": (1, 2), "ns": None}):
            with pytest.raises((TypeError, ValueError)) as ours:
                root.utime("newer", **bad)
            with pytest.raises(type(ours.value)):
                os.utime(path, **bad)
        for call in (root.utime, lambda path, **more: root.chmod(path, 0o600, **more)):
            with pytest.raises(NotImplementedError):
                call("newer", follow_symlinks=False)


def test_entries_query_beneath_the_root(tree: Path) -> None:
    outside = tree.parent / "outside"
    outside.mkdir()
    (tree / "a/out").symlink_to(outside)
    (tree / "a/up").symlink_to("../top")
    with curt.Root(tree) as root:
        for closes in (False, True):
            with root.scandir("a") as iterator:
                entries = {entry.name: entry for entry in iterator}
                if closes:
                    iterator.close()
                assert sorted(entries) == sorted(os.listdir(tree / "a"))
                assert entries["one"].path == "a/one" and entries["one"].is_file() and entries["b"].is_dir()
                assert entries["up"].stat() == os.stat(tree / "top") and entries["up"].is_file()
                assert entries["out"].is_symlink() and entries["out"].stat(follow_symlinks=False).st_size
                for call in (entries["out"].stat, entries["out"].is_dir):
                    with pytest.raises(OSError) as caught:
                        call()
                    assert (caught.value.errno, caught.value.filename) == (errno.EXDEV, "a/out")
                assert root.open(entries["one"]).read() == "a/one"
        assert sorted(entry.name for entry in root.scandir()) == sorted(os.listdir(tree))
    assert [entry.is_file() for entry in curt.Root(tree).scandir() if entry.name == "to-file"] == [True]
    with curt.Root(tree) as root:
        broken = [entry for entry in root.scandir() if entry.name == "broken"][0]
        assert not broken.is_file()
        with pytest.raises(FileNotFoundError):
            broken.stat()
        with pytest.raises(NotADirectoryError):
            root.scandir("top")


def test_the_example_refuses_escapes(tmp_path: Path) -> None:
    example = runpy.run_path(str(Path(__file__).parent.parent / "examples/unpack.py"))
    archive, folder = io.BytesIO(), tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    with tarfile.open(fileobj=archive, mode="w") as tar:

        def add(
            name: str, kind: bytes = tarfile.REGTYPE, link: str = "", text: bytes = b"", mode: int = 0o644, **pax: str
        ) -> None:
            member = tarfile.TarInfo(name)
            member.pax_headers = pax
            member.type, member.linkname, member.size, member.mode, member.mtime = kind, link, len(text), mode, 10**9
            tar.addfile(member, io.BytesIO(text))

        add("top", text=b"top", mode=0o4755)
        add("d", tarfile.DIRTYPE, mode=0o555)
        add("d/file", text=b"file")
        add("d/hard", tarfile.LNKTYPE, "top")
        add("d/link", tarfile.SYMTYPE, "file")
        add("out", tarfile.SYMTYPE, "..")
        for name in ("../secret", "/etc/curt-test", "out/secret", "d/../../secret"):
            add(name, text=b"hostile")
        add("stolen", tarfile.LNKTYPE, "out/secret")
        add("fifo", tarfile.FIFOTYPE)
        add("d/never", tarfile.DIRTYPE, mtime="nan")
        add("d/late", text=b"late", mtime="1e300")
        add("top", text=b"again")
    archive.seek(0)
    with tarfile.open(fileobj=archive) as tar, curt.Root(folder) as root:
        failed = example["unpack"](tar, root)
    refused = ["../secret", "/etc/curt-test", "out/secret", "d/../../secret", "stolen", "fifo", "d/late", "d/never"]
    assert [name for name, _ in failed] == refused
    assert (tmp_path / "secret").read_text() == "secret" and sorted(os.listdir(tmp_path)) == ["folder", "secret"]
    assert sorted(os.listdir(folder)) == ["d", "out", "top"]
    assert (folder / "top").read_text() == "again" and (folder / "d/hard").read_text() == "top"
    assert os.readlink(folder / "d/link") == "file" and os.stat(folder / "d/file").st_mtime == 10**9
    assert stat.S_IMODE(os.stat(folder / "d").st_mode) == 0o555 and os.stat(folder / "d").st_mtime == 10**9


def test_a_handler_closes_a_root_that_removes(quick: Path) -> None:
    program = """
import curt_fs as curt, os, signal, sys

def close(*_):
    count = sum(len(files) for _, _, files in os.walk(tree))
    if count == 40_000:
        # All files remain: try again.
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
    command = [sys.executable, "-c", program, str(quick)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["closed with files left: True", "removed: True"]


def test_a_fifo_does_not_hang(tree: Path) -> None:
    with curt.Root(tree) as root:
        with root.open("fifo", "rb", 0) as file:
            assert file.read() == b"" and os.get_blocking(file.fileno())


def test_numbers_are_no_paths(tree: Path) -> None:
    with curt.Root(tree) as root:
        with pytest.raises(TypeError):
            root.open(0)  # type: ignore[arg-type]
        for mode in ("7", None, 1.5, 2**40, -(2**40)):
            for name in ("mkdir", "makedirs"):
                assert outcome(getattr(root, name), "new", mode) == outcome(getattr(os, name), "new", mode)


def test_errors_about_two_paths_are_those_of_os(tree: Path, monkeypatch) -> None:
    monkeypatch.chdir(tree)
    pairs = [("gone", "new"), ("top", "a"), ("top", "x" * 300), ("top", "gone/new"), ("top", "top/new"), ("x" * 300, "new")]
    for name in ("rename", "replace", "link", "symlink"):
        for src, dst in [*pairs, (b"gone", "new"), ("top", "to-file")]:
            if (name, dst) in (("rename", "to-file"), ("replace", "to-file"), ("symlink", "new")):
                continue
            found = []
            with curt.Root(".") as root:
                for module in (root, os):
                    with pytest.raises(OSError) as caught:
                        getattr(module, name)(src, dst)
                    found.append((caught.value.errno, caught.value.filename, caught.value.filename2, str(caught.value)))
            if (name, dst) == ("rename", "a"):
                found[0] = (errno.EISDIR, *found[0][1:3], found[1][3])
            assert found[0] == found[1], (name, src, dst)


def test_repr(tree: Path, monkeypatch) -> None:
    monkeypatch.chdir(tree)
    fd = os.open(tree, os.O_RDONLY)
    roots = [curt.Root(path) for path in ("a", b"a", Path("a"), fd)]
    os.close(fd)
    names = ["'a'", "b'a'", "'a'", str(fd)]
    assert [repr(root) for root in roots] == [f"<curt_fs.Root {name}>" for name in names]
    for root in roots:
        root.close()
    assert [repr(root) for root in roots] == [f"<curt_fs.Root {name} closed>" for name in names]
