from __future__ import annotations

import itertools
import os
import random
import shutil
import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import curt_fs as curt

FORMS = [lambda path: path, os.fsencode, Path]
MODES = [0o600, 0o644, 0o755, 0o4755, 0o1777, 0o2750]
LINKS = ["f", "d", "d/f", "g", "nowhere", "f/"]
# Links lead only to entries of their own directory and below, so that no tree is endless.
LEAVES = st.one_of(st.binary(max_size=20), st.sampled_from(LINKS), st.just(None))
NAMES = st.sampled_from(["f", "d", "g", "\udcff", "new\nline"])
TREES = st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=12)


def attributes(path: str) -> list[tuple[str, bytes]]:
    return [(name, os.getxattr(path, name, follow_symlinks=False)) for name in os.listxattr(path, follow_symlinks=False)]


def fill(path: str, tree: dict | bytes | str | None, chance: random.Random) -> None:
    if tree is None:
        os.mkfifo(path)
    elif isinstance(tree, str):
        os.symlink(tree, path)
    else:
        if isinstance(tree, bytes):
            Path(path).write_bytes(tree)
        else:
            os.mkdir(path)
            for name, inner in tree.items():
                fill(f"{path}/{name}", inner, chance)
        try:
            os.setxattr(path, "user.curt", chance.randbytes(3))
        except OSError:
            pass
        os.chmod(path, chance.choice(MODES) | 0o700 * isinstance(tree, dict))
    os.utime(path, ns=(chance.randrange(10**18),) * 2, follow_symlinks=False)


def older(tree: dict, chance: random.Random) -> dict:
    """Returns a tree into which the given one can be merged."""
    merged: dict = {name: b"old" if isinstance(inner, bytes) else older(inner, chance)
        for name, inner in tree.items() if isinstance(inner, (bytes, dict)) and chance.random() < 0.5}  # fmt: skip
    return {**merged, "other": b"other"}


def seen(root: str) -> list:
    found = []
    for top, directories, files in os.walk(root):
        for path in [top, *(f"{top}/{name}" for name in directories + files)]:
            status = os.lstat(path)
            what = os.readlink(path) if os.path.islink(path) else os.path.isfile(path) and Path(path).read_bytes()
            found.append((path, status.st_mode, status.st_mtime_ns, what, attributes(path)))
    return sorted(found)


def result(function, *arguments: object, **options: object) -> tuple:
    try:
        return function(*arguments, **options), None
    except shutil.Error as error:
        return type(error), sorted(error.args[0], key=repr)
    except Exception as error:
        return type(error), getattr(error, "errno", None)


@settings(deadline=None)
@given(TREES, st.randoms(use_true_random=False), st.booleans(), st.booleans(), st.booleans(), st.sampled_from(FORMS), st.sampled_from([None, 1, 4]))
def test_copies_as_shutil_does(tree, chance: random.Random, exists: bool, symlinks: bool, dirs_exist_ok: bool, form, threads) -> None:
    before = os.getcwd()
    seed = chance.randrange(2**32)
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            fill("src", tree, random.Random(seed))
            results, counts = [], []
            progress = SimpleNamespace(update=counts.append)
            for function, options in ((shutil.copytree, {}), (curt.copytree, {"threads": threads, "progress": progress})):
                destination = "dst" if exists else "new/parents/dst"
                if exists:
                    fill("dst", older(tree, random.Random(seed)) if isinstance(tree, dict) else b"", random.Random(seed))
                found = result(function, form("src"), form(destination), symlinks, dirs_exist_ok=dirs_exist_ok, **options)
                results.append((found, seen(destination)))
                shutil.rmtree("new", ignore_errors=True)
                os.system("rm -rf dst")
            assert results[1] == results[0]
            copied = {path for path, *_ in results[0][1]} - ({destination} if dirs_exist_ok else set())
            assert exists or sum(counts) == len(copied)
        finally:
            os.chdir(before)


# One operand of each pair is usual: CPython finds the faults of both in another order.
SOURCES = ["d/", "gone", "f/", "f/x", "fifo", "socket", "/dev/null", "broken", "loop", "", "n" * 300, "a\0b", "\udcff", None, 1.5, 10**6]
TARGETS = ["new/", "new/x", "f", "f/", "f/x", "e/.", "", "n" * 300, "a\0b", "\ud800", None, 1.5, 10**6]
PAIRS = [*itertools.product(SOURCES, ["new", "e"]), *itertools.product(["f", "d", "link"], ["new", "e", *TARGETS]), ("f", "fifo"), ("d", "d/x"), ("d", "d/x/y")]
# These have the time of the test.
RECENT = [".", "./new", "./e", "./socket", "./d", "./d/x", "./d/x/y"]


def made(function, source: object, target: object, **options: object) -> tuple:
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, tree in (("f", b"text"), ("d", {"f": b"more"}), ("e", {}), ("fifo", None), ("link", "f"), ("broken", "no"), ("loop", "loop")):
            fill(name, tree, random.Random(1))
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("socket")
        found = result(function, source, target, **options), [each for each in seen(".") if each[0] not in RECENT]
        os.chdir("/")
        return found


@pytest.mark.parametrize("way", ["copytree", "merged", "copy2", "link itself"])
def test_operands_fail_as_in_shutil(monkeypatch, way: str) -> None:
    monkeypatch.chdir("/")
    name = "copytree" if way in ("copytree", "merged") else "copy2"
    options = {"merged": {"dirs_exist_ok": True}, "link itself": {"follow_symlinks": False}}.get(way, {})
    for (source, target), form in itertools.product(PAIRS, FORMS):
        try:
            source, target = form(source), form(target)
        except (TypeError, UnicodeError):
            continue
        if Path() in (source, target):
            # curt refuses to copy a directory into itself.
            continue
        expected = made(getattr(shutil, name), source, target, **options)
        assert made(getattr(curt, name), source, target, **options) == expected, (source, target)
