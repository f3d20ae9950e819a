"""Makes the first call of every function and method, in an empty directory: `first_calls.py MODE`.

`modules` prints the modules that each call imports. `forks` forks while another thread makes its
first call, and prints the calls that hang or fail in the child.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident

# Import curt first: the other imports would hide modules that curt's functions import.
import curt_fs as curt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def failing(function: Callable[..., object], *arguments: object, **options: object) -> None:
    try:
        function(*arguments, **options)
    except (OSError, TypeError, ValueError, NotImplementedError):
        return
    raise AssertionError(f"{function} has not failed")


def removed() -> None:
    name = f"tree {os.getpid()} {get_ident()}"
    os.makedirs(name + "/a")
    curt.rmtree(name)


def copied() -> None:
    name = f"copy {os.getpid()} {get_ident()}"
    curt.copytree("still", name, symlinks=True)
    curt.copytree("still", name, symlinks=True, dirs_exist_ok=True)
    curt.copy2("still/file", name)
    failing(curt.copytree, "still", name + "/a/broken")
    curt.rmtree(name)


def with_fd(call: Callable[[int], object]) -> None:
    fd = os.open("still", os.O_RDONLY)
    try:
        call(fd)
    finally:
        os.close(fd)


def with_root(call: Callable[[curt.Root], object]) -> None:
    with curt.Root(".") as root:
        call(root)


def read(root: curt.Root) -> None:
    with root.open("still/file", "r+") as file:
        file.write("text")
    os.close(root.open_fd("still/file", os.O_RDONLY))


def moved(root: curt.Root) -> None:
    name = f"{os.getpid()} {get_ident()}"
    root.makedirs(f"{name}/a/b", exist_ok=True)
    root.symlink("a", f"{name}/link")
    root.link(f"{name}/link", f"{name}/other")
    root.rename(f"{name}/link", f"{name}/new")
    root.replace(f"{name}/new", f"{name}/newer")
    root.chmod(f"{name}/a", 0o700)
    root.unlink(f"{name}/newer")
    root.rmdir(f"{name}/a/b")
    root.rmtree(name)


def each(entries: object) -> None:
    with entries as iterator:  # type: ignore[attr-defined]
        for entry in iterator:
            entry.is_dir(), entry.is_file(), entry.is_symlink(), entry.is_junction(), entry.inode()
            entry.stat(follow_symlinks=entry.name != "broken"), repr(entry), os.fspath(entry)


CALLS: dict[str, list[Callable[[], object]]] = {
    "DirEntry": [lambda: curt.DirEntry[str]],
    "RemoveReport": [lambda: repr(curt.RemoveReport(1, 2, 3, 4, []))],
    "Root": [
        lambda: with_root(read), lambda: with_root(moved), lambda: with_root(lambda root: each(root.scandir("still"))),
        lambda: with_root(lambda root: (root.stat("still"), root.exists("gone"), root.listdir(b"still"), root.fileno())),
        lambda: with_root(lambda root: (root.utime("still"), root.utime("still", (1, 2.5)), root.realpath("still"))),
        lambda: with_root(lambda root: failing(root.readlink, "still")), lambda: failing(curt.Root, 1.5),
        lambda: with_fd(curt.Root), lambda: with_root(lambda root: failing(root.stat, "../.."))
    ],
    "Usage": [lambda: repr(curt.Usage(1, 2, 3, [], []))],
    "UsageRecord": [lambda: repr(curt.UsageRecord("a", 0, "file", 1, 2, 1))],
    "abspath": [lambda: curt.abspath("a/.."), lambda: curt.abspath(b"a"), lambda: curt.abspath("\ud800")],
    "copy2": [lambda: failing(curt.copy2, "still/file", "still/file"), lambda: failing(curt.copy2, "still/file", "gone/")],
    "copytree": [
        copied, lambda: failing(curt.copytree, "gone", "still"),
        lambda: failing(curt.copytree, "still", "still", ignore=lambda *_: ()),
    ],
    "expanduser": [lambda: curt.expanduser("~"), lambda: curt.expanduser("~root"), lambda: curt.expanduser(b"~nobody/a")],
    "fwalk": [lambda: list(curt.fwalk("still")), lambda: list(curt.fwalk("still", follow_symlinks=True))],
    "install": [curt.install],
    "listdir": [curt.listdir, lambda: with_fd(curt.listdir), lambda: failing(curt.listdir, 1.5)],
    "remove": [
        lambda: curt.remove("gone", exclude="*"), lambda: curt.remove("gone", missing_ok=True, threads=2, retries=1),
        lambda: failing(curt.remove, "gone", exclude="[a"),
    ],
    "rmtree": [
        removed, lambda: curt.rmtree("gone", ignore_errors=True), lambda: failing(curt.rmtree, "gone"),
        lambda: with_fd(lambda fd: curt.rmtree("gone/a", onexc=lambda *_: None, dir_fd=fd)),
    ],
    "scandir": [lambda: each(curt.scandir("still")), lambda: with_fd(lambda fd: each(curt.scandir(fd))), curt.scandir],
    "stat": [lambda: curt.stat("still/file"), lambda: failing(curt.stat, "still/broken"), lambda: failing(curt.stat, 1.5)],
    "uninstall": [curt.uninstall],
    "usage": [
        lambda: repr(curt.usage("still", threads=2)), lambda: curt.usage("still", files=True)._repr_html_(),
        lambda: failing(curt.usage, files="no"),
    ],
    "walk": [lambda: list(curt.walk("still")), lambda: list(curt.walk("still", False)), lambda: list(curt.walk("still", followlinks=True))],
    "which": [lambda: curt.which("sh"), lambda: curt.which("sh", os.R_OK), lambda: curt.which("s\0h")],
    "windows": [lambda: curt.windows.abspath("a", cwd="C:/"), lambda: failing(curt.windows.abspath, b"a")],
}
assert [name for name in CALLS] == sorted(set(curt.__all__))
NAMED = {f"{name} {number}": call for name, calls in CALLS.items() for number, call in enumerate(calls)}


def child(call: Callable[[], object]) -> None:
    # Without a Python handler, the signal ends a child that hangs on a lock in native code.
    signal.alarm(60)
    call()


def forked(call: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            child(call)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return pid


def ends(pids: list[int]) -> set[int]:
    return {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids} - {0}


def beside_the_first_call(call: Callable[[], object]) -> set[int]:
    ready = threading.Event()
    thread = threading.Thread(target=lambda: (ready.set(), call()))
    thread.start()
    ready.wait()
    process = multiprocessing.get_context("fork").Process(target=child, args=[call])
    process.start()
    found = ends([forked(call) for _ in range(6)])
    process.join()
    thread.join()
    return found | {process.exitcode or 0} - {0}


def forks() -> None:
    for name, call in NAMED.items():
        if any(ends([forked(lambda: os._exit(bool(beside_the_first_call(call))))]) for _ in range(2)):
            print(name, "hangs or fails in a forked child")
    # The calls must not leave locks held, either.
    calls = [call for name, call in NAMED.items() if "install" not in name]
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            for call in calls:
                call()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    found = ends([forked(lambda: [call() for call in calls]) for _ in range(30)])
    stop.set()
    for thread in threads:
        thread.join()
    if found:
        print("hangs or fails beside busy threads:", found)


def modules() -> None:
    for name, call in NAMED.items():
        before = set(sys.modules)
        call()
        print(*sorted(f"{name}: {module}" for module in set(sys.modules) - before), sep="\n", end="")


os.makedirs("still/a")
open("still/file", "w").close()
os.symlink("nowhere", "still/broken")
if sys.argv[1] == "modules":
    modules()
else:
    import multiprocessing
    import signal
    import threading

    forks()
