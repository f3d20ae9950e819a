from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import curt_fs as curt

THREADS = 6


def together(work: Callable[[int], object]) -> list[object]:
    barrier = threading.Barrier(THREADS)
    results: list[object] = [None] * THREADS
    failures: list[BaseException] = []

    def one(number: int) -> None:
        try:
            barrier.wait(60)
            results[number] = work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=[number], daemon=True) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a thread waits for ever"
    if failures:
        raise failures[0]
    return results


def fill(root: Path, directories: int, files: int) -> None:
    for directory in range(directories):
        (root / f"d{directory}").mkdir(parents=True)
        for file in range(files):
            (root / f"d{directory}/f{file}").touch()


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("wide")
    fill(root, 10, 200)
    return root


def test_one_iterator_yields_each_entry_to_one_thread(quick: Path) -> None:
    # More than two batches of 1,024 entries.
    fill(quick, 1, 2500)
    for _ in range(5):
        entries = curt.scandir(quick / "d0")

        def work(number: int) -> list[str]:
            names = []
            for entry in entries:
                assert entry.is_file() and entry.stat().st_size == 0
                names.append(entry.name)
            return names

        names = sum(together(work), [])
        assert sorted(names) == sorted(os.listdir(quick / "d0"))


def test_an_iterator_is_closed_while_others_use_it(wide: Path) -> None:
    for _ in range(20):
        entries = curt.scandir(wide / "d1")
        first = next(entries)

        def work(number: int) -> None:
            if number == 0:
                entries.close()
            for entry in entries:
                assert entry.path == f"{wide}/d1/{entry.name}"
            assert first.stat().st_size == 0

        together(work)


def test_threads_share_the_results_of_an_entry(wide: Path) -> None:
    with curt.scandir(wide / "d2") as entries:
        for entry in entries:
            results = together(lambda number: (entry.stat(), entry.path))
            assert len({(id(stat), id(path)) for stat, path in results}) == 1


def test_one_walk_yields_each_directory_to_one_thread(wide: Path) -> None:
    for topdown in (True, False):
        walk = curt._curt.Directories(str(wide), topdown, None, False, False)

        def work(number: int) -> list[str]:
            tops = []
            while True:
                try:
                    tops.append(next(walk)[0])
                except ValueError as error:
                    assert str(error) == "walk is already running"
                except StopIteration:
                    return tops

        tops = sum(together(work), [])
        assert sorted(tops) == sorted(top for top, _, _ in os.walk(wide))


def test_a_list_of_directories_changes_while_the_walk_reads_it(wide: Path) -> None:
    for _ in range(20):
        walk = curt.walk(wide)
        _, directories, _ = next(walk)
        names = list(directories)

        def work(number: int) -> None:
            if number == 0:
                assert all(os.path.basename(top) in names for top, _, _ in walk)
            else:
                for _ in range(50):
                    directories.sort(reverse=number % 2 == 0)
                    directories[:] = names

        together(work)


def test_a_root_is_closed_while_others_use_it(wide: Path) -> None:
    for _ in range(20):
        root = curt.Root(wide)

        def work(number: int) -> None:
            if number == 0:
                root.stat("d1")
                root.close()
                return
            for _ in range(100):
                try:
                    assert root.stat("d1/f1").st_size == 0
                except ValueError as error:
                    assert str(error) == "the root is closed"

        together(work)


def test_searches_and_paths(tmp_path: Path) -> None:
    for number in range(THREADS):
        (tmp_path / f"bin{number}").mkdir()
        (tmp_path / f"bin{number}/tool").touch(0o755)

    def work(number: int) -> None:
        for _ in range(200):
            assert curt.which("tool", path=f"{tmp_path}/bin{number}") == f"{tmp_path}/bin{number}/tool"
            assert curt.abspath(f"/a/./{number}/..") == "/a"
            with pytest.raises(FileNotFoundError, match=f"gone{number}"):
                curt.stat(f"{tmp_path}/gone{number}")

    together(work)


@pytest.mark.skipif("t" not in sys.abiflags, reason="this Python has the GIL")
def test_the_gil_remains_disabled() -> None:
    code = "import sys, curt_fs as curt; print(sys._is_gil_enabled())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, capture_output=True, env=environment, check=True).stdout == b"False\n"
