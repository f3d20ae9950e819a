from __future__ import annotations

import errno
import gc
import os
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import curt_fs as curt


def by_path(walk) -> list:
    return sorted((top, sorted(dirs), sorted(files)) for top, dirs, files, *_ in walk)


@pytest.mark.parametrize("topdown", [True, False])
@pytest.mark.parametrize("followlinks", [True, False])
@pytest.mark.parametrize("convert", [str, os.fsencode, Path, lambda path: str(path) + "/"])
def test_walk_is_that_of_cpython(tree: Path, topdown, followlinks, convert) -> None:
    path = convert(tree)
    expected = list(os.walk(path, topdown, followlinks=followlinks))
    found = list(curt.walk(path, topdown, followlinks=followlinks))
    assert [entry[0] for entry in found] == [entry[0] for entry in expected]
    assert found == expected
    assert type(found[0][0]) is type(expected[0][0])


@pytest.mark.parametrize("topdown", [True, False])
def test_fwalk_is_that_of_cpython(tree: Path, topdown: bool) -> None:
    for path in (str(tree), os.fsencode(tree), str(tree / "to-directory")):
        expected = by_path(os.fwalk(path, topdown))
        found = []
        for top, dirs, files, fd in curt.fwalk(path, topdown):
            assert os.path.samestat(os.fstat(fd), os.stat(top))
            assert sorted(os.listdir(fd)) == sorted(dirs + files) or isinstance(top, bytes)
            found.append((top, dirs, files))
        assert by_path(found) == expected
    with pytest.raises(FileNotFoundError):
        list(curt.fwalk(tree / "gone"))
    assert list(curt.fwalk(tree / "top", topdown)) == list(curt.fwalk(tree / "fifo", topdown)) == []


def test_callers_choose_subdirectories(tree: Path) -> None:
    def pruned(walk, *added: str) -> list:
        shutil.rmtree(tree / "a/new", ignore_errors=True)
        seen, errors = [], []
        for top, dirs, files, *_fd in walk(tree, onerror=lambda e: errors.append((e.errno, e.filename))):
            dirs[:] = [name for name in sorted(dirs, reverse=True) if name not in ("x", "b")]
            if os.path.basename(top) == "a":
                os.makedirs(os.path.join(top, "new/below"), exist_ok=True)
                dirs.extend(["new", "gone", "b/c", "b/gone", *added])
            seen.append((top, list(dirs), sorted(files)))
        return [*sorted(seen), sorted(errors)]

    assert pruned(curt.walk, "one") == pruned(os.walk, "one")
    assert pruned(curt.fwalk) == pruned(os.fwalk)


def test_errors_go_to_the_function(tree: Path) -> None:
    for walk in (os.walk, curt.walk):
        errors: list[OSError] = []
        assert list(walk(tree / "gone", onerror=errors.append)) == []
        assert [(type(e), e.filename) for e in errors] == [(FileNotFoundError, str(tree / "gone"))]
        assert list(walk(tree / "top")) == []

    def fail(error: OSError) -> None:
        raise error

    with pytest.raises(FileNotFoundError):
        list(curt.walk(tree / "gone", onerror=fail))


def test_errors_of_fwalk_have_names(tree: Path) -> None:
    reported = []
    for fwalk in (os.fwalk, curt.fwalk):
        for convert in (str, os.fsencode):
            (tree / "x").mkdir(exist_ok=True)
            (tree / "a/gone").mkdir(exist_ok=True)
            errors: list[OSError] = []
            for top, dirs, _files, _fd in fwalk(convert(tree), onerror=errors.append):
                if top == convert(tree):
                    (tree / "x").rmdir()
                if os.path.basename(top) == convert("a"):
                    (tree / "a/gone").rmdir()
                    dirs.append(convert("ñ"))
            reported.append(sorted((type(e), e.errno, e.filename) for e in errors))
    assert reported[:2] == reported[2:]
    assert [name for *_, name in reported[0]] == ["gone", "x", "ñ"]


EVENTS = """
import os, shutil, sys, curt_fs as curt
seen = []
def hook(event, arguments):
    if event in ("os.walk", "os.fwalk", "os.scandir") and not closed:
        if event == "os.scandir" and type(arguments[0]) is int:
            # Descriptors have numbers; their directories are the same.
            arguments = (os.readlink(f"/proc/self/fd/{arguments[0]}"),)
        seen.append((event, *arguments[:2]))
closed = []
sys.addaudithook(hook)
top = sys.argv[1]
results = []
for module in (os, curt):
    seen.clear()
    for name in ("walk", "fwalk"):
        walk = getattr(module, name)
        for arguments in ((top,), (top, False), (os.fsencode(top),), (top + "/gone",), (top + "/top",)):
            try:
                list(walk(*arguments))
            except FileNotFoundError:
                pass
        for found in walk(top):
            found[1].sort()
            if found[0] == top:
                found[1].append("a/b")
                if name == "walk":
                    found[1].append("top")
            if found[0] == top + "/a":
                found[1].append("gone")
    list(module.walk(top, followlinks=True))
    list(module.fwalk(top, follow_symlinks=True))
    results.append(seen[:])
closed.append(1)
for whose, events in zip(("os", "curt"), results):
    for event in sorted(events, key=str):
        print(whose, event)
"""


def test_audit_events_are_those_of_cpython(tree: Path) -> None:
    done = subprocess.run([sys.executable, "-c", EVENTS, str(tree)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    events = {whose: [event for who, event in lines if who == whose] for whose in ("curt", "os")}
    assert events["curt"] == events["os"] and len(events["os"]) > 50


def test_an_abandoned_walk_closes_everything(tree: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for topdown in (True, False):
        for function in (curt.walk, curt.fwalk):
            walk = function(tree, topdown)
            next(walk)
            next(walk)
            walk.close()
            assert list(walk) == []
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_walk_is_not_entered_twice(tree: Path) -> None:
    def again(_error: OSError) -> None:
        next(walk)

    walk = curt.walk(tree / "gone", onerror=again)
    with pytest.raises(ValueError):
        next(walk)


@pytest.mark.parametrize("topdown", [True, False])
def test_a_top_that_is_no_directory_is_an_error(tree: Path, topdown: bool) -> None:
    for name in ("top", "to-file", "loop", "broken"):
        reported = []
        for walk in (curt.walk, os.walk):
            errors: list[OSError] = []
            assert list(walk(tree / name, topdown, errors.append)) == []
            reported.append([str(error) for error in errors])
        assert reported[0] == reported[1] and len(reported[0]) == 1


def test_links_are_no_errors_after_a_change_of_directory(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.makedirs("top/directory")
    os.symlink("directory", "top/link")
    errors: list[OSError] = []
    found = []
    for path, _, _ in curt.walk("top", onerror=errors.append):
        found.append(path)
        os.chdir("/")
    assert (found, errors) == (["top", "top/directory"], [])


@pytest.mark.parametrize("name", ["walk", "fwalk"])
def test_a_walk_that_its_own_function_holds_is_collected(tree: Path, name: str) -> None:
    class Owner:
        def failed(self, error: OSError) -> None:
            raise error

    owner = Owner()
    owner.walk = getattr(curt, name)(str(tree), onerror=owner.failed)
    next(owner.walk)
    reference = weakref.ref(owner)
    del owner
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("name", ["walk", "fwalk"])
@pytest.mark.parametrize(("steps", "which"), [(1, 0), (2, 0), (2, 1), (0, 0)])
def test_a_walk_that_a_list_of_its_own_holds_is_collected(tree: Path, name: str, steps: int, which: int) -> None:
    class Owner:
        def __fspath__(self) -> str:
            return "a/b"

    owner = Owner()
    owner.walk = getattr(curt, name)(str(tree))
    if steps == 0:
        next(owner.walk)[1][:] = [owner]
        lists = [next(owner.walk)[1]]
    else:
        lists = [next(owner.walk)[1] for _ in range(steps)]
        lists[which].append(owner)
    reference = weakref.ref(owner)
    del owner, lists
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("topdown", [True, False])
def test_a_descriptor_that_the_caller_closes_is_an_error(tree: Path, topdown: bool) -> None:
    for walk in (curt.fwalk, os.fwalk):
        iterator = walk(str(tree), topdown)
        os.close(next(iterator)[3])
        with pytest.raises(OSError) as caught:
            list(iterator)
        assert caught.value.errno == errno.EBADF
        assert list(iterator) == []
    iterator = curt.fwalk(str(tree), topdown)
    os.close(next(iterator)[3])
    del iterator
    gc.collect()


def late(walk, top: str, edit) -> list:
    lists, seen = {}, []
    for where, directories, *_ in walk(top):
        lists[os.path.relpath(where, top)] = directories
        seen.append(os.path.relpath(where, top))
        edit(seen[-1], lists)
        directories.sort() if len(seen) == 1 else None
    return seen


def begins(items: list, where: str, change):
    def edit(here: str, lists: dict) -> None:
        if here == ".":
            lists["."][:] = items
        if here == where:
            change(lists["."])

    return edit


EDITS = {
    "appends": lambda here, lists: lists["."].append("e") if here == "c" else None,
    "appends at the end": lambda here, lists: lists["."].append("e") if here == "d/x" else None,
    "appends far above": lambda here, lists: lists["."].append("e") if here == "d/x/y" else None,
    "clears": lambda here, lists: lists["."].clear() if here == "b" else None,
    "removes what was walked": lambda here, lists: lists["."].remove("b") if here == "b" else None,
    "replaces": lambda here, lists: lists["."].__setitem__(slice(None), ["b", "d", "e"]) if here == "b/x" else None,
    "replaces one": lambda here, lists: lists["."].__setitem__(2, "gone") if here == "b" else None,
    "inner and outer": lambda here, lists: [one.clear() for where, one in lists.items() if where != here] if here == "c/x" else None,
    "removes a path": begins(["b", "c/x", "d"], "b", lambda first: first.remove("c/x")),
    "removes what is before a path": begins(["b", "c/x", "d"], "b", lambda first: first.remove("b")),
    "appends after a path": begins(["c/x"], "c/x", lambda first: first.append("d")),
    "replaces what is before a path": begins(["b", "c", "c/x"], "b", lambda first: first.__setitem__(1, "d")),
    "replaces a path": begins(["b", "c/x", "d"], "b", lambda first: first.__setitem__(1, "e")),
    "replaces by a path": begins(["b", "c", "d"], "b", lambda first: first.__setitem__(1, "e/x")),
    "inserts before": begins(["b", "c/x", "d"], "c/x", lambda first: first.insert(0, "e") if len(first) < 4 else None),
    "the same name twice": begins(["b", "b", "c"], "b", lambda first: first.pop()),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("walk", ["walk", "fwalk"])
def test_late_edits_count_as_in_this_version_of_python(tmp_path: Path, walk: str, edit: str) -> None:
    for name in "bcde":
        for below in ("x/y", "z"):
            (tmp_path / name / below).mkdir(parents=True)

    def hides(here: str, lists: dict) -> None:
        if here == ".":
            lists["."].remove("e")
        EDITS[edit](here, lists)

    expected = late(getattr(os, walk), str(tmp_path), hides)
    assert late(getattr(curt, walk), str(tmp_path), hides) == expected
    assert (expected == late(getattr(os, walk), str(tmp_path), lambda here, lists: hides(here, lists) if here == "." else None)) == (
        sys.version_info >= ((3, 12) if walk == "walk" else (3, 13)))


def test_wide_directories_are_left_by_late_edits(tmp_path: Path) -> None:
    names = [f"{number:03}" for number in range(300)]
    for name in names:
        (tmp_path / name / "below").mkdir(parents=True)
    for walk in (os.walk, curt.walk):
        seen = []
        for top, directories, _ in walk(str(tmp_path)):
            seen.append(os.path.relpath(top, tmp_path))
            if len(seen) == 1:
                directories.sort()
                outer = directories
            elif "/" not in seen[-1] and int(seen[-1]) % 3 == 0 and len(outer) > 1:
                outer.pop()
        if walk is os.walk:
            expected = seen
    assert seen == expected


@pytest.mark.parametrize("added", [b"x", 3, None, "a/b", "", Path("x")])
@pytest.mark.parametrize("walk", ["walk", "fwalk"])
def test_items_of_other_types(tree: Path, walk: str, added: object) -> None:
    for top in (str(tree), os.fsencode(tree)):
        found = []
        for function in (getattr(os, walk), getattr(curt, walk)):
            seen = []
            try:
                for where, directories, *_ in function(top):
                    seen.append(where)
                    directories[:] = [added] if len(seen) == 1 else []
                found.append(seen)
            except (TypeError, ValueError, OSError) as error:
                found.append(type(error))
        # `os.fwalk` queries numbers and bytes before joining them to a path, and since Python 3.13
        # joins no other objects.
        is_odd = walk == "fwalk" and TypeError in found
        assert found[1] == found[0] or is_odd, (top, found)
