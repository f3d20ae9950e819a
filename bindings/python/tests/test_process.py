from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import curt_fs as curt


def fill(root: Path, directories: int, files: int) -> None:
    for directory in range(directories):
        path = root / f"d{directory}"
        path.mkdir()
        for file in range(files):
            os.close(os.open(path / f"f{file}", os.O_CREAT | os.O_WRONLY))


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("wide")
    fill(root, 20, 100)
    return root


# In a separate process, because the handler's exception could hit other code.
INTERRUPTED = """
import os, signal, sys, time
import curt_fs as curt

class Interrupted(Exception):
    pass

def handler(number, frame):
    raise Interrupted

path, after = sys.argv[1], float(sys.argv[3])
operation = {
    "usage": lambda: curt.usage(*[path] * 5000, count_links=True),
    "walk": lambda: [list(curt.walk(path)) for _ in range(5000)],
    "listdir": lambda: [curt.listdir(path) for _ in range(100_000)],
    "scandir": lambda: [list(curt.scandir(path)) for _ in range(100_000)],
    "copytree": lambda: [curt.copytree(path, path + " copy", dirs_exist_ok=True) for _ in range(1000)],
    "remove": lambda: curt.remove(path),
    "rmtree": lambda: curt.rmtree(path),
}[sys.argv[2]]
signal.signal(signal.SIGALRM, handler)
started = time.perf_counter()
try:
    signal.setitimer(signal.ITIMER_REAL, after)
    operation()
except Interrupted:
    print(time.perf_counter() - started - after)
"""


def interrupted(path: Path | str, operation: str, after: float) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(path), operation, str(after)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout, "it ended before the signal was noticed"
    assert float(done.stdout) < 0.05 + float(os.environ.get("CURT_TEST_SLACK", "1"))


@pytest.mark.parametrize("operation", ["usage", "walk", "listdir", "scandir", "copytree"])
def test_signals_end_every_operation(wide: Path, operation: str) -> None:
    interrupted(wide, operation, 0.06)


@pytest.mark.parametrize("operation", ["rmtree", "remove"])
def test_a_signal_ends_a_removal(quick: Path, operation: str) -> None:
    fill(quick, 20, 2000)
    interrupted(quick, operation, 0.002)
    assert os.listdir(quick)


def test_other_threads_run_meanwhile(wide: Path) -> None:
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    started = time.perf_counter()
    while time.perf_counter() - started < 0.3:
        curt.usage(wide)
    stop.set()
    thread.join()
    assert counted > 1000


def test_a_fork_beside_first_calls(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", str(Path(__file__).parent / "first_calls.py"), "forks"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_fork_between_calls(wide: Path) -> None:
    curt.usage(wide, threads=4)
    walk = curt.walk(wide)
    next(walk)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            try:
                ok = len(list(walk)) == 20 and curt.usage(wide, threads=3).entries == 2021
            except BaseException:
                ok = False
            os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0


FORKS = """
import os, signal, sys, threading
import curt_fs as curt

root = curt.Root(sys.argv[1])

def use(*entries):
    root.stat("d1")
    for entry in entries:
        entry.stat()

def listed(directory):
    return directory, [next(directory) for _ in range(100)]

statuses = set()
for _ in range(60):
    directories, entries = zip(listed(curt.scandir(sys.argv[1] + "/d1")), listed(root.scandir("d2")))
    threads = [threading.Thread(target=use, args=each * 20) for each in entries]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        use(*entries[0], *entries[1])
        for directory in directories:
            directory.close()
        os._exit(0)
    statuses.add(os.waitpid(child, 0)[1])
    for thread in threads:
        thread.join()
    for directory in directories:
        directory.close()
    if statuses != {0}:
        break
print(statuses, flush=True)
os._exit(0)
"""


def test_shared_state_in_a_forked_child(wide: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, wide]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "{0}\n"
