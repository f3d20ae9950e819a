from __future__ import annotations

import gc
import os
import pickle
import stat
import warnings
from pathlib import Path

import pytest

import curt_fs as curt


def described(entry) -> tuple:
    def call(function, **kwargs):
        try:
            result = function(**kwargs)
        except OSError as error:
            return type(error), error.errno, error.filename
        return tuple(result) if isinstance(result, os.stat_result) else result

    return (
        entry.name,
        entry.path,
        entry.inode(),
        [call(entry.is_dir, follow_symlinks=follow) for follow in (True, False)],
        [call(entry.is_file, follow_symlinks=follow) for follow in (True, False)],
        entry.is_symlink(),
        [call(entry.stat, follow_symlinks=follow) for follow in (True, False)],
        os.fspath(entry),
        repr(entry),
    )


@pytest.mark.parametrize("convert", [str, os.fsencode, Path, lambda path: str(path) + "/"])
def test_entries_are_those_of_cpython(tree: Path, convert) -> None:
    path = convert(tree)
    expected = sorted(map(described, os.scandir(path)))
    with curt.scandir(path) as iterator:
        while_open = [described(entry) for entry in iterator]
    assert sorted(while_open) == expected
    listed = list(curt.scandir(path))
    assert sorted(map(described, listed)) == expected
    assert curt.listdir(path) == os.listdir(path)


def test_descriptors_can_be_listed_again(tree: Path) -> None:
    fd = os.open(tree, os.O_RDONLY)
    try:
        # The first look at a symlink's target updates its access time (relatime).
        with os.scandir(fd) as iterator:
            list(map(described, iterator))
        for _ in range(2):
            assert sorted(curt.listdir(fd)) == sorted(os.listdir(tree))
            with curt.scandir(fd) as iterator:
                found = sorted(map(described, iterator))
            with os.scandir(fd) as iterator:
                assert found == sorted(map(described, iterator))
        listed = list(curt.scandir(fd))
        assert sorted(map(described, listed)) == found
    finally:
        os.close(fd)


@pytest.mark.parametrize("name", ["listdir", "scandir"])
def test_descriptors_that_cannot_be_listed(tree: Path, name: str) -> None:
    def outcome(function, argument):
        try:
            return list(function(argument))
        except OSError as error:
            return type(error), str(error), error.filename

    file, path = os.open(tree / "top", os.O_RDONLY), os.open(tree, os.O_PATH)
    pipe = os.pipe()
    try:
        for fd in (file, path, *pipe, 10**6, -2):
            ours, theirs = (outcome(getattr(module, name), fd) for module in (curt, os))
            assert ours == theirs and type(ours) is tuple
    finally:
        for fd in (file, path, *pipe):
            os.close(fd)


def test_default_is_the_working_directory(tree: Path, monkeypatch) -> None:
    monkeypatch.chdir(tree)
    assert curt.listdir() == os.listdir()
    assert curt.listdir(None) == os.listdir(None)
    assert sorted(e.path for e in curt.scandir()) == sorted(e.path for e in os.scandir())


@pytest.mark.parametrize("name", ["gone", "top", "loop", ""])
@pytest.mark.parametrize("function", ["listdir", "scandir"])
def test_errors_are_those_of_cpython(tree: Path, monkeypatch, function: str, name: str) -> None:
    monkeypatch.chdir(tree)
    for path in (name, os.fsencode(name), Path(name) if name else name):
        with pytest.raises(OSError) as expected:
            getattr(os, function)(path)
        with pytest.raises(OSError) as caught:
            getattr(curt, function)(path)
        assert type(caught.value) is type(expected.value)
        assert str(caught.value) == str(expected.value)
        assert os.fspath(caught.value.filename) == os.fspath(expected.value.filename)


@pytest.mark.parametrize("name", ["gone", "top", "loop", "broken", "to-directory", "a", "top/x", ""])
def test_stat_is_that_of_cpython(tree: Path, name: str) -> None:
    path = os.path.join(tree, name) if name else name
    for follow in (True, False):
        for form in (path, os.fsencode(path)):
            try:
                expected = os.stat(form, follow_symlinks=follow)
            except OSError as error:
                with pytest.raises(type(error)) as caught:
                    curt.stat(form, follow_symlinks=follow)
                assert str(caught.value) == str(error)
            else:
                found = curt.stat(form, follow_symlinks=follow)
                assert type(found) is os.stat_result
                assert found == expected
                for field in dir(expected):
                    if field.startswith("st_"):
                        assert getattr(found, field) == getattr(expected, field), field


def test_stat_of_times_before_1970_and_descriptors(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("")
    os.utime(path, ns=(-1_500_000_001, -1))
    for field in ("st_atime", "st_mtime", "st_atime_ns", "st_mtime_ns"):
        assert getattr(curt.stat(path), field) == getattr(os.stat(path), field)
    assert [curt.stat(path)[i] for i in (7, 8)] == [os.stat(path)[i] for i in (7, 8)]
    with open(path) as file:
        assert curt.stat(file.fileno()) == os.stat(file.fileno())
    fd = os.open(tmp_path, os.O_RDONLY)
    assert curt.stat("old", dir_fd=fd) == os.stat("old", dir_fd=fd)
    os.close(fd)


def test_entries_keep_no_descriptor(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    before = os.listdir("/proc/self/fd")
    listed = [list(curt.scandir(tmp_path)) for _ in range(50)]
    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert all(entry.is_file() and entry.stat().st_size == 0 for [entry] in listed)


def test_results_are_cached(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with curt.scandir(tmp_path) as iterator:
        entry = next(iterator)
    first = entry.stat()
    (tmp_path / "file").write_text("longer")
    assert entry.stat() is first
    assert entry.stat(follow_symlinks=False) is first


def test_iterators_close(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("")
    iterator = curt.scandir(tmp_path)
    next(iterator)
    iterator.close()
    iterator.close()
    assert list(iterator) == []
    exhausted = curt.scandir(tmp_path)
    assert len(list(exhausted)) == 3 and list(exhausted) == []
    with pytest.warns(ResourceWarning, match="unclosed scandir iterator"):
        unclosed = curt.scandir(tmp_path)
        next(unclosed)
        del unclosed
        gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del iterator, exhausted
        gc.collect()


def test_types() -> None:
    for make in (curt.DirEntry, type(curt.scandir("/"))):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(TypeError):
        pickle.dumps(next(curt.scandir("/")))
    assert curt.DirEntry[str].__origin__ is curt.DirEntry
    assert stat.S_ISDIR(curt.stat("/").st_mode)


def test_a_large_directory(quick: Path) -> None:
    names = {f"{number:05}" for number in range(5000)}
    for name in names:
        os.close(os.open(quick / name, os.O_CREAT))
    assert set(curt.listdir(quick)) == names
    found = [entry.name for entry in curt.scandir(quick)]
    assert len(found) == len(names) and set(found) == names


def test_any_object_says_whether_links_are_followed(tree: Path) -> None:
    class Neither:
        def __bool__(self):
            raise ArithmeticError

    [link] = [entry for entry in curt.scandir(tree) if entry.name == "to-directory"]
    for method in (link.is_dir, link.is_file, link.stat):
        for follow in (0, 1, "", "x", None, []):
            assert method(follow_symlinks=follow) == method(follow_symlinks=bool(follow))
        with pytest.raises(ArithmeticError):
            method(follow_symlinks=Neither())


def test_exit_accepts_any_arguments(tree: Path) -> None:
    for arguments in ((), (None, None, None), (1, 2, 3, 4)):
        iterator = curt.scandir(tree)
        iterator.__exit__(*arguments)
        assert list(iterator) == []


def test_removed_entries_are_neither_directory_nor_file(tree: Path) -> None:
    for closes in (False, True):
        (tree / "link").symlink_to("a")
        found = []
        for scandir in (os.scandir, curt.scandir):
            with scandir(tree) as iterator:
                [entry] = [entry for entry in iterator if entry.name == "link"]
                if closes:
                    iterator.close()
                (tree / "link").unlink()
                found.append([entry.is_dir(), entry.is_file(), entry.is_symlink(), entry.is_dir(follow_symlinks=False)])
                for call in (entry.stat, lambda: curt.stat(entry)):
                    with pytest.raises(FileNotFoundError):
                        call()
            (tree / "link").symlink_to("a")
        (tree / "link").unlink()
        assert found[0] == found[1] == [False, False, True, False]
