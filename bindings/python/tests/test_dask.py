"""Trees on a real cluster, whose workers are killed, hang, and see other filesystems."""

from __future__ import annotations

import contextlib
import doctest
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import curt_fs as curt

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

import curt_fs.dask  # noqa: E402
from curt_fs.dask import Budget, Entry, __main__, _remove, _run, _scan  # noqa: E402
from curt_fs.dask._scan import Beneath, Directory, Piece, Result, Scan  # noqa: E402

WORKERS = 3
SMALL = Budget(entries=100, seconds=5.0, patience=60.0)
LIBRARY = Path(os.__file__).parent / "multiprocessing"
IS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def cluster() -> Iterator:
    settings = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    # Restarting a killed worker may exceed Dask's limit of 15 seconds.
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    with patience, distributed.LocalCluster(**settings) as cluster:
        yield cluster


@pytest.fixture
def client(cluster) -> Iterator:
    with distributed.Client(cluster) as client:
        client.wait_for_workers(WORKERS, timeout=60)
        yield client


def plant(root: Path) -> Path:
    for number in range(40):
        folder = root / f"d{number % 7}" / f"e{number % 5}" / f"f{number}"
        folder.mkdir(parents=True)
        for name in "abc":
            (folder / name).write_text(name * number)
    (root / "d1/to-outside").symlink_to(root.parent)
    (root / "d1/broken").symlink_to("nowhere")
    os.mkfifo(root / "d2/fifo")
    strange = os.fsencode(root) + b"/d3/\xff\xfe"
    os.mkdir(strange)
    with open(strange + b"/\xf0 \n", "w"):
        pass
    for number in (3, 4, 39, 12):
        os.link(root / "d0/e0/f0/a", root / f"d{number % 7}/e{number % 5}/f{number}/link")
    os.link(strange + b"/\xf0 \n", root / "d0/linked")
    return root


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    return plant(tmp_path / "forest")


def in_order(top: Path) -> list[str]:
    paths = [os.fsencode(top)]

    def visit(path: bytes) -> None:
        names = sorted(os.listdir(path))
        paths.extend(os.path.join(path, name) for name in names)
        for name in names:
            below = os.path.join(path, name)
            if os.path.isdir(below) and not os.path.islink(below):
                visit(below)

    visit(paths[0])
    return [os.fsdecode(path) for path in paths]


def test_pieces_make_the_whole_in_order(forest: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(20):
        queue, found = [Directory(b"")], []
        while queue:
            count = chance.randint(1, 3)
            piece = Piece(os.fsencode(forest), tuple(queue[:count]), chance.choice([1, 7, 50]))
            scan = Scan(piece)
            found += [_scan.shown(piece.root, entry.path) for entry in scan.found()]
            queue = scan.result.leftovers + queue[count:]
            assert scan.result.errors == []
        assert found == in_order(forest)


def test_deep_trees_need_few_descriptors(tmp_path: Path) -> None:
    root, fd = tmp_path / "deep", os.open(tmp_path, os.O_RDONLY)
    for name in ["deep"] + ["x" * 40] * 300:
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
        os.mkdir("y", dir_fd=fd)
    os.close(fd)
    before = len(os.listdir("/proc/self/fd"))
    scan, most = Scan(Piece(os.fsencode(root), (Directory(b""),))), 0
    for _ in scan.found():
        most = max(most, len(os.listdir("/proc/self/fd")) - before)
    assert scan.result.errors == [] and scan.result.entries == 602
    assert most <= _scan.OPEN + 2
    middle = b"/".join([b"x" * 40] * 200)
    assert _scan.split(Piece(os.fsencode(root), (Directory(middle),))).entries == 202 - 1
    assert len(os.listdir("/proc/self/fd")) == before
    curt.rmtree(root)


def test_a_link_that_replaces_a_directory_is_not_followed(forest: Path, tmp_path: Path) -> None:
    outside = plant(tmp_path / "outside")
    before = in_order(outside)
    shutil.rmtree(forest / "d0")
    (forest / "d0").symlink_to(outside / "d0")
    shutil.rmtree(forest / "d2/e1")
    (forest / "d2/e1").symlink_to(outside / "d2/e1")
    root = os.fsencode(forest)
    for path in (b"d0", b"d0/e0", b"d2/e1"):
        result = Result(value={})
        with Beneath(root, one_mount=True) as beneath:
            _remove._clear(root, beneath, Directory(path), 10.0, result)
        assert (result.entries, result.errors, result.value) == (0, [], {})
        scanned = _scan.split(Piece(root, (Directory(path),)))
        assert scanned.entries == 0
        assert [type(error) for error in scanned.errors] == [NotADirectoryError]
    with pytest.raises(NotADirectoryError):
        Beneath(root + b"/d0")
    assert in_order(outside) == before


def in_namespace(script: str, *arguments: object) -> list[str]:
    return ["unshare", "-m", "sh", "-ec", script, "sh", *map(str, arguments)]


def needs_mounts() -> None:
    if not IS_ROOT or shutil.which("unshare") is None:
        pytest.skip("skipped: python: dask: mounts need root and unshare")


def test_mounts_are_measured_and_not_removed(forest: Path, tmp_path: Path) -> None:
    needs_mounts()
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, curt_fs as curt\n"
        "from curt_fs.dask import _remove, _scan\n"
        "root = os.fsencode(sys.argv[1])\n"
        "done = _scan.measure(_scan.Piece(root, (_scan.Directory(b''),)), 0)\n"
        "sums, linked = done.value.by_directory[b''], done.value.linked.values()\n"
        "whole = [sum(part) for part in zip(sums, *(size for _, size in linked))]\n"
        "one = curt.usage(root)\n"
        "assert whole == [one.apparent, one.allocated, one.entries], (whole, one)\n"
        "result = _scan.Result(value={})\n"
        "with _scan.Beneath(root, one_mount=True) as beneath:\n"
        "    for path in (b'd4', b'd5'):\n"
        "        _remove._clear(root, beneath, _scan.Directory(path), 10.0, result)\n"
        "print([(error.errno, os.path.basename(error.filename)) for error in result.errors])\n"
    )
    script = 'mount --bind "$1" "$1/d6/e1"; mount --bind "$1/d1" "$1/d5"\n'
    script += 'mount -t tmpfs none "$1/d4/e0"; mkdir "$1/d4/e0/kept"; exec "$2" "$3" "$1"'
    command = in_namespace(script, forest, sys.executable, program)
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"[({errno.EBUSY}, 'e0'), ({errno.EBUSY}, 'd5')]\n"
    assert (forest / "d5/e0").exists() and (forest / "d1/to-outside").is_symlink()


def test_a_removal_that_is_cancelled_ends_as_if_its_time_were_over(tmp_path: Path, monkeypatch) -> None:
    for number in range(20):
        (tmp_path / f"tree/whole/{number}").mkdir(parents=True)
        for file in range(300):
            (tmp_path / f"tree/whole/{number}/{file}").touch()
    (tmp_path / "tree/next").mkdir()
    root = os.fsencode(tmp_path / "tree")
    parent = _scan.identity_of(os.open(tmp_path, os.O_RDONLY))
    monkeypatch.setattr(_remove, "is_cancelled", lambda: True)
    both = Directory(b"whole"), Directory(b"next")
    result = _remove.clear(Piece(root, both, seconds=3600.0), parent)
    left = sorted(os.listdir(tmp_path / "tree/whole")) if (tmp_path / "tree/whole").exists() else []
    assert list(result.value) == [b"whole"]
    assert [d.path for d in result.value[b"whole"]] == [os.fsencode(f"whole/{name}") for name in left]
    assert result.leftovers == [Directory(b"next")] and (tmp_path / "tree/next").exists()
    remaining = sum(1 for _ in (tmp_path / "tree/whole").rglob("*"))
    exists = (tmp_path / "tree/whole").exists()
    assert result.entries == 20 * 301 + 1 - remaining - exists and result.errors == []


def identified(root: Path, *paths: bytes) -> Piece:
    fd = os.open(root, os.O_RDONLY)
    directories = tuple(Directory(path, identity=_scan.identity_of(fd, path or b".")) for path in paths)
    piece = Piece(os.fsencode(root), directories, identity=_scan.identity_of(fd))
    os.close(fd)
    return piece


def parent_identity(root: Path) -> _scan.Identity:
    fd = os.open(root.parent, os.O_RDONLY)
    try:
        return _scan.identity_of(fd)
    finally:
        os.close(fd)


DO = {
    "split": _scan.split,
    "measure": lambda piece: _scan.measure(piece, 0),
    "search": lambda piece: _scan.search(piece, lambda entry: True),
    "frame": lambda piece: _scan.frame((piece,)),
    "look": _remove.look,
    "clear": lambda piece: _remove.clear(piece, parent_identity(Path(os.fsdecode(piece.root)))),
    "sweep": lambda piece: _remove.sweep(piece, parent_identity(Path(os.fsdecode(piece.root)))),
}


@pytest.mark.parametrize("verb", DO)
@pytest.mark.parametrize("swap", ["link on the way", "directory on the way", "root", "made again"])
def test_a_path_that_leads_elsewhere_meanwhile(tmp_path: Path, verb: str, swap: str) -> None:
    if verb == "frame":
        pytest.importorskip("pandas")
    (tmp_path / "way").mkdir()
    mine, other = plant(tmp_path / "way/tree"), plant(tmp_path / "other/tree")
    piece, before = identified(mine, b"d0", b"d1/e2"), in_order(other)
    if swap == "root":
        mine.rename(tmp_path / "way/moved")
        other.rename(mine)
        other = mine
    elif swap == "made again":
        shutil.rmtree(mine)
        other = plant(mine)
    else:
        (tmp_path / "way").rename(tmp_path / "aside")
        if swap.startswith("link"):
            (tmp_path / "way").symlink_to("other")
        else:
            (tmp_path / "other").rename(tmp_path / "way")
            other = mine
    with pytest.raises(OSError, match=f"another directory is there.*: '{mine}'") as caught:
        DO[verb](piece)
    assert caught.value.errno == errno.EXDEV
    assert len(in_order(other)) == len(before)


def test_a_recreated_directory_is_an_error_and_remains(tmp_path: Path) -> None:
    for verb in DO.keys() - {"look"}:
        forest = plant(tmp_path / verb)
        piece = identified(forest, b"d0", b"d1")
        (forest / "d0").rename(forest / "away")
        (forest / "d0").mkdir()
        (forest / "d0/new").touch()
        if verb == "frame":
            rows = DO[verb](piece)
            errors = list(rows[rows.kind == "error"].path)
        else:
            errors = [error.filename for error in DO[verb](piece).errors]
        assert str(forest / "d0") in errors and (forest / "d0/new").exists(), verb


def test_the_last_piece_may_run_again(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "file").touch()
    piece, parent = identified(root, b""), parent_identity(root)
    assert _remove.sweep(piece, parent).entries == 2 and not root.exists()
    assert (_remove.sweep(piece, parent).entries, _remove.sweep(piece, parent).errors) == (0, [])
    root.mkdir()
    with pytest.raises(OSError, match="another directory is there"):
        _remove.sweep(piece, parent)
    assert root.exists()
    root.rmdir()
    with pytest.raises(OSError, match="another directory is there"):
        _remove.sweep(piece, (parent[0] + 1, parent[1]))


def test_root_refuses_paths_that_others_control(tmp_path: Path) -> None:
    if not IS_ROOT:
        pytest.skip("skipped: python: dask: owners need root")
    tmp_path.chmod(0o755)
    for name, owner, mode in (
        ("root", 0, 0o755), ("sticky", 0, 0o1777), ("open", 0, 0o777), ("group", 0, 0o775), ("other", 12345, 0o755),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
        os.chown(tmp_path / name, owner, owner)
        for below, owner in (("mine", 0), ("theirs", 12345)):
            (tmp_path / name / below / "tree").mkdir(parents=True)
            os.chown(tmp_path / name / below, owner, owner)
            os.chown(tmp_path / name / below / "tree", 12345, 12345)
        (tmp_path / name / "link").symlink_to("../root/mine")
        (tmp_path / name / "whole").symlink_to(tmp_path / "root/mine")
        (tmp_path / name / "their-link").symlink_to("../root/mine")
        os.chown(tmp_path / name / "their-link", 12345, 12345, follow_symlinks=False)
    allowed = set()
    for name in ("root", "sticky", "open", "group", "other"):
        for below in ("mine", "theirs", "link", "whole", "their-link", "mine/../mine", "theirs/../mine"):
            path = f"{name}/{below}/tree"
            try:
                _remove.look(Piece(os.fsencode(tmp_path / path), (Directory(b""),)))
                allowed.add(path)
            except PermissionError as error:
                assert error.filename == str(tmp_path / path) and "others can change" in error.strerror
    ways = ("mine", "link", "whole", "mine/../mine")
    assert allowed == {f"{name}/{way}/tree" for name in ("root", "sticky") for way in ways}
    for place, number in (("gone", errno.ENOENT), ("loop", errno.ELOOP), ("file", errno.ENOTDIR)):
        (tmp_path / "loop").unlink(missing_ok=True)
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "file").touch()
        with pytest.raises(OSError) as caught:
            _remove.look(Piece(os.fsencode(tmp_path / place / "tree"), (Directory(b""),)))
        assert (caught.value.errno, caught.value.filename) == (number, str(tmp_path / place / "tree"))


def test_a_name_is_not_taken_for_an_address(tmp_path: Path) -> None:
    needs_mounts()
    root = plant(tmp_path / "way/tree")
    before = in_order(root)
    script = 'mount -t tmpfs none "$1"; mkdir "$1/tree"; echo; exec sleep 60'
    with subprocess.Popen(in_namespace(script, root.parent), stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout and other.stdout.readline() == b"\n"
            elsewhere = os.fsencode(f"/proc/{other.pid}/root{root}")
            with pytest.raises(OSError, match="another directory has its name now"):
                _remove.look(Piece(elsewhere, (Directory(b""),)))
        finally:
            other.kill()
    same = os.fsencode(f"/proc/self/root{root}")
    assert _remove.look(Piece(same, (Directory(b""),))).identity == identified(root).identity
    program = "import curt_fs.dask, os, sys; os.chdir(sys.argv[1]); os.system(f'mount -t tmpfs none {sys.argv[1]}')\n"
    program += "os.mkdir(sys.argv[1] + '/tree')\ntry: print(curt_fs.dask._root('tree'))\nexcept FileNotFoundError as error: print(error.strerror)"
    done = subprocess.run(in_namespace('exec "$@"', sys.executable, "-c", program, root.parent), capture_output=True, text=True)
    assert done.stdout == "the working directory cannot be reached by its name\n", done.stderr
    assert in_order(root) == before


def test_without_times_of_birth_nothing_is_removed(forest: Path, monkeypatch) -> None:
    exact = _scan.identity_of
    for module in (_scan, _remove):
        monkeypatch.setattr(module, "identity_of", lambda fd, name=b".": (exact(fd, name)[0], None))
    piece = identified(forest, b"")
    with pytest.raises(OSError, match="does not say when directories were made") as caught:
        _remove.look(piece)
    assert caught.value.errno == errno.ENOTSUP
    assert _scan.measure(piece, 0).errors == []
    with pytest.raises(OSError, match="another directory is there"):
        _scan.measure(Piece(piece.root, piece.directories, identity=(1, None)), 0)


def test_budgets_are_checked() -> None:
    for name, value in (("entries", 0), ("entries", -1), ("seconds", -0.1), ("patience", 0), ("patience", float("nan"))):
        with pytest.raises(ValueError, match=f"^{name} must be .* not {value}$"):
            Budget(**{name: value})
    for name in ("entries", "seconds", "patience"):
        for value in ("1", None):
            with pytest.raises(TypeError, match=f"^{name} should be a number, not {type(value).__name__}$"):
                Budget(**{name: value})
    assert Budget(1, 0, float("inf")).entries == 1


@pytest.mark.parametrize("budget", [SMALL, Budget()])
def test_usage_is_that_of_one_process(client, forest: Path, budget: Budget) -> None:
    for path in (forest, LIBRARY, forest / "d2/fifo", forest / "d1/broken", forest / "d0/linked"):
        for depth in (None, 0, 2):
            found = curt_fs.dask.usage(path, max_depth=depth, client=client, budget=budget)
            assert found == curt.usage(path, max_depth=depth)


def test_a_trailing_separator_is_passed_to_the_system(client, forest: Path) -> None:
    (forest / "link").symlink_to("d1")
    link = f"{forest}/link/"
    assert curt_fs.dask.usage(link, client=client).entries == curt.usage(link).entries > 1
    first = curt_fs.dask.find(link, lambda entry: True, client=client).entries[0]
    assert (first.path, first.name, first.kind) == (f"{forest}/link", "link", "directory")
    for path in (f"{forest}/d2/fifo/", f"{forest}/d1/broken//"):
        with pytest.raises(OSError) as expected:
            os.lstat(path)
        for function in (curt_fs.dask.usage, curt_fs.dask.walk):
            with pytest.raises(type(expected.value)):
                function(path, client=client)


def test_walk_is_a_dataframe_in_order(client, forest: Path) -> None:
    frame = curt_fs.dask.walk(forest, client=client, budget=SMALL)
    assert frame.npartitions > 1 and list(frame.columns) == list(_scan.COLUMNS)
    for rows in (client.compute(frame).result(60), frame.compute(scheduler="synchronous")):
        assert list(rows.path) == in_order(forest)
        assert rows.dtypes.map(str).to_dict() == _scan.COLUMNS
        for row in rows.itertuples():
            facts = os.lstat(row.path)
            assert (row.size, row.inode, row.links) == (facts.st_size, facts.st_ino, facts.st_nlink)
            assert row.mtime.value == facts.st_mtime_ns // 1000 * 1000
            assert row.kind == _scan.kind_of(facts) and row.error is None
        assert any("\udcff" in path for path in rows.path)
    assert frame[frame.kind == "file"]["size"].sum().compute() == sum(
        os.lstat(path).st_size for path in in_order(forest) if os.path.isfile(path) and not os.path.islink(path)
    )
    alone = curt_fs.dask.walk(forest / "d2/fifo", client=client).compute(scheduler="synchronous")
    assert list(alone.kind) == ["fifo"]
    (forest / "d6/e0").rename(forest / "d6/renamed")
    rows = frame.compute(scheduler="synchronous")
    assert "error" in set(rows.kind) or list(rows.path) == in_order(forest)


def test_an_empty_directory_has_one_row(client, tmp_path: Path) -> None:
    frame = curt_fs.dask.walk(tmp_path, client=client)
    assert list(frame.compute(scheduler="synchronous").path) == [str(tmp_path)]
    (tmp_path / "below").mkdir()
    one = Budget(entries=1, seconds=0.0)
    assert list(curt_fs.dask.walk(tmp_path, client=client, budget=one).compute(scheduler="synchronous").path) == in_order(tmp_path)


def test_inside_of_a_task_its_worker_has_the_client(client, forest: Path) -> None:
    # There are more tasks than threads, so pieces run only if waiting tasks free their threads.
    def entries(path: str, with_client: bool) -> int:
        if not with_client:
            return curt_fs.dask.usage(path).entries
        with distributed.worker_client() as own:
            return curt_fs.dask.usage(path, client=own).entries + curt_fs.dask.usage(path, client=distributed.get_client()).entries

    tasks = [client.submit(entries, str(forest), index % 2 == 1, pure=False) for index in range(2 * WORKERS)]
    expected = curt.usage(forest).entries
    assert client.gather(tasks) == [expected, 2 * expected] * WORKERS


def test_a_closed_client_is_refused(cluster, forest: Path) -> None:
    closed = distributed.Client(cluster, set_as_default=False)
    closed.close()
    for call in (curt_fs.dask.usage, curt_fs.dask.walk, curt_fs.dask.remove, lambda path, client: curt_fs.dask.find(path, bool, client=client)):
        with pytest.raises(ValueError, match="^the client is closed$"):
            call(forest, client=closed)


def test_find_takes_any_predicate(client, forest: Path) -> None:
    limit = 25
    predicates = {
        "name": lambda entry: entry.name == "b",
        "size": lambda entry: entry.kind == "file" and entry.size > limit,
        "links": lambda entry: entry.links > 1 and entry.kind != "directory",
        "owner": lambda entry: entry.owner == _scan.owner(os.geteuid()) and entry.mtime > 0,
        "strange": lambda entry: "\udcff" in entry.path,
        "nothing": lambda entry: False,
        "text": _scan.Condition("kind == 'symlink' and name.startswith('b')"),
    }
    entries = [_scan.entry_of(path, os.lstat(path)) for path in in_order(forest)]
    for name, predicate in predicates.items():
        found = curt_fs.dask.find(forest, predicate, client=client, budget=SMALL)
        assert found.errors == []
        assert [e.path for e in found.entries] == [e.path for e in entries if predicate(e)], name
        assert bool(found.entries) == (name != "nothing")
    assert repr(found) == "<Found 1 entries, 0 errors>"

    class Own(Exception):
        pass

    def chooses(name: str) -> None:
        if name == "linked":
            raise error

    for error in (ZeroDivisionError("no"), FileNotFoundError(2, "gone", "else"), Own("bad")):
        kind = RuntimeError if isinstance(error, Own) else type(error)
        with pytest.raises(kind) as caught:
            curt_fs.dask.find(forest, lambda entry: chooses(entry.name), client=client)
        sentence = f"the predicate raised {type(error).__name__} for '{forest}/d0/linked': {error}"
        assert str(caught.value) == sentence


def test_remove(client, forest: Path, tmp_path: Path) -> None:
    outside = plant(tmp_path / "outside")
    (forest / "d5/out").symlink_to(outside)
    many = forest / "flat"
    many.mkdir()
    for number in range(300):
        (many / str(number)).write_text("")
    count = len(in_order(forest))
    none = Budget(entries=100, seconds=0.0, patience=60.0)
    assert curt_fs.dask.remove(forest, client=client, budget=none) == curt_fs.dask.Removed(count, [])
    assert os.listdir(tmp_path) == ["outside"]
    count = len(in_order(outside))
    assert curt_fs.dask.remove(str(outside) + "/", client=client) == curt_fs.dask.Removed(count, [])
    assert os.listdir(tmp_path) == []


def test_bad_input(client, forest: Path, monkeypatch) -> None:
    for function in (curt_fs.dask.usage, curt_fs.dask.walk, curt_fs.dask.remove):
        for path in ("", forest / "gone"):
            with pytest.raises(FileNotFoundError) as caught:
                function(path, client=client)
            assert caught.value.filename == str(path)
        with pytest.raises(ValueError):
            function("a\0b", client=client)
        for bad in (None, 3):
            with pytest.raises(TypeError):
                function(bad, client=client)
    monkeypatch.chdir(forest)
    for path, number in ((".", errno.EINVAL), ("d1/..", errno.EINVAL), ("/", errno.EBUSY)):
        with pytest.raises(OSError) as caught:
            curt_fs.dask.remove(path, client=client)
        assert caught.value.errno == number
    for path in ("d1/broken", "d1/to-outside", "d0/linked"):
        with pytest.raises(NotADirectoryError):
            curt_fs.dask.remove(path, client=client)
    with pytest.raises(ValueError):
        curt_fs.dask.usage(forest, max_depth=-1, client=client)
    assert curt_fs.dask.usage("d1", client=client).records[0].path == str(forest / "d1")


def test_concurrent_changes_are_reported(client, forest: Path, tmp_path: Path) -> None:
    outside = plant(tmp_path / "outside")
    victims = [str(forest / name) for name in ("d5", "d6")]

    def predicate(entry: Entry) -> bool:
        if entry.path == victims[1] and os.path.isdir(victims[0]):
            shutil.rmtree(victims[0])
            shutil.rmtree(victims[1])
            os.symlink(outside, victims[1])
        return True

    expected = [p for p in in_order(forest) if not p.startswith((victims[0] + "/", victims[1] + "/"))]
    found = curt_fs.dask.find(forest, predicate, client=client, budget=SMALL)
    assert [entry.path for entry in found.entries] == expected
    assert [(type(e), e.filename) for e in found.errors] == [
        (FileNotFoundError, victims[0]), (NotADirectoryError, victims[1]),
    ]


@contextlib.contextmanager
def as_nobody(client, workers: list[str] | None) -> Iterator[None]:
    if IS_ROOT:
        client.run(os.seteuid, 65534, workers=workers)
    try:
        yield
    finally:
        if IS_ROOT:
            client.run(os.seteuid, 0, workers=workers)


def test_permissions(client) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        root = plant(Path(folder) / "forest")
        os.chmod(root / "d3/e1", 0)
        os.chmod(root / "d4/e0", 0o555)
        for path in [folder, *in_order(root)] if IS_ROOT else []:
            os.chown(path, 65534, 65534, follow_symlinks=False)
        with as_nobody(client, None):
            one = client.submit(curt.usage, root, pure=False).result(60)
            found = curt_fs.dask.usage(root, max_depth=None, client=client, budget=SMALL)
            assert (found.entries, found.allocated) == (one.entries, one.allocated)
            assert [e.filename for e in found.errors] == [str(root / "d3/e1")]
            assert found.records == one.records
        some = list(client.nthreads())[:1]
        with as_nobody(client, some):
            entries = curt_fs.dask.find(root, lambda entry: True, client=client, budget=SMALL)
            paths, every = {entry.path for entry in entries.entries}, set(in_order(root))
            missing = every - paths
            assert all(path.startswith(f"{root}/d3/e1/") for path in missing)
            assert bool(missing) == bool(entries.errors)
        with as_nobody(client, None):
            done = curt_fs.dask.remove(root, client=client, budget=SMALL)
        remaining = [f"d4/e0/{name}" for name in os.listdir(root / "d4/e0")]
        assert {type(error) for error in done.errors} == {PermissionError}
        failed = {os.path.relpath(error.filename, root) for error in done.errors}
        assert failed >= {"d3/e1"} and all(path.startswith(("d3/e1", "d4/e0")) for path in failed)
        assert remaining and sorted(os.listdir(root)) == ["d3", "d4"]
        os.chmod(root / "d3/e1", 0o755)
        os.chmod(root / "d4/e0", 0o755)
        if IS_ROOT:
            with pytest.raises(PermissionError, match=f"others can change '{folder}'"):
                curt_fs.dask.remove(root, client=client)
            os.chown(folder, 0, 0)
        assert curt_fs.dask.remove(root, client=client).errors == []


def slowly(entry: Entry) -> bool:
    time.sleep(0.002)
    return entry.kind == "file"


def test_workers_are_killed_in_the_middle(cluster, client, forest: Path, tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    kills = 0

    def kill() -> None:
        nonlocal kills
        while kills < 10:
            time.sleep(chance.uniform(0.05, 0.6))
            nanny = chance.choice(list(cluster.workers.values()))
            # Kill only registered workers: the nanny gives up on one that dies during a restart.
            pid = nanny.pid
            if pid and nanny.worker_address in cluster.scheduler.workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    kills += 1

    one = curt.usage(forest)
    files = [p for p in in_order(forest) if _scan.kind_of(os.lstat(p)) == "file"]
    killer = threading.Thread(target=kill)
    killer.start()
    rounds = 0
    try:
        while killer.is_alive() or rounds == 0:
            found = curt_fs.dask.find(forest, slowly, client=client, budget=SMALL)
            assert ([entry.path for entry in found.entries], found.errors) == (files, [])
            assert curt_fs.dask.usage(forest, max_depth=None, client=client, budget=SMALL) == one
            victim = plant(tmp_path / "victim")
            none = Budget(entries=100, seconds=0.0, patience=60.0)
            done = curt_fs.dask.remove(victim, client=client, budget=none)
            assert done.errors == [] and not victim.exists()
            rounds += 1
    finally:
        killer.join()
    assert kills == 10
    # Wait, because closing Dask while it starts workers fails.
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        addresses = {nanny.worker_address for nanny in cluster.workers.values()}
        if len(addresses) == WORKERS and addresses <= set(cluster.scheduler.workers):
            break
        time.sleep(0.1)


def test_pieces_end_with_their_client(client, forest: Path, tmp_path: Path, monkeypatch) -> None:
    seen = tmp_path / "seen"

    def predicate(_entry: Entry) -> bool:
        with open(seen, "a") as file:
            file.write(".")
        time.sleep(0.2)
        return True

    def interrupted(run: _run.Run) -> list:
        if seen.exists():
            raise KeyboardInterrupt
        return wait(run)

    wait = _run.Run._wait
    monkeypatch.setattr(_run.Run, "_wait", interrupted)
    endless = float("inf")
    whole = Budget(entries=10**9, seconds=endless, patience=endless)
    with pytest.raises(KeyboardInterrupt):
        curt_fs.dask.find(forest, predicate, client=client, budget=whole)
    before = 0
    while before < seen.stat().st_size:
        before = seen.stat().st_size
        time.sleep(3.0)
    assert before < len(in_order(forest)) // 2


def test_a_budget_may_have_no_end(client, forest: Path, tmp_path: Path) -> None:
    endless = float("inf")
    whole = Budget(entries=10**9, seconds=endless, patience=endless)
    assert curt_fs.dask.usage(forest, client=client, budget=whole).entries == curt.usage(forest).entries
    fill = tmp_path / "tree/below"
    fill.mkdir(parents=True)
    curt_fs.dask.remove(fill.parent, client=client, budget=whole)
    assert not fill.parent.exists()


def test_pieces_of_a_hanging_worker_are_rerun(cluster, client, forest: Path) -> None:
    impatient = Budget(entries=100, seconds=5.0, patience=1.0)
    files = [p for p in in_order(forest) if _scan.kind_of(os.lstat(p)) == "file"]
    [pid] = [nanny.pid for nanny in list(cluster.workers.values())[:1]]
    stopped = threading.Timer(0.2, os.kill, (pid, signal.SIGSTOP))
    stopped.start()
    try:
        found = curt_fs.dask.find(forest, slowly, client=client, budget=impatient)
        stopped.join()
        again = curt_fs.dask.find(forest, slowly, client=client, budget=impatient)
        with pytest.raises(TimeoutError, match=r"cannot remove '.*': the worker tcp:.* has not answered in time"):
            curt_fs.dask.remove(forest, client=client, budget=impatient)
    finally:
        os.kill(pid, signal.SIGCONT)
    for result in (found, again):
        assert ([entry.path for entry in result.entries], result.errors) == (files, [])
    assert curt_fs.dask.usage(forest, max_depth=None, client=client, budget=SMALL) == curt.usage(forest)


def test_workers_that_see_another_filesystem(cluster, client, forest: Path, monkeypatch) -> None:
    needs_mounts()
    before = in_order(forest)
    script = 'mount -t tmpfs none "$1"; mkdir "$1/kept"; shift; exec "$@"'
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard"]
    command = in_namespace(script, forest, *worker, "--name", "elsewhere", cluster.scheduler_address)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            client.wait_for_workers(WORKERS + 1, timeout=60)
            with pytest.raises(OSError, match="sees another directory there") as caught:
                curt_fs.dask.remove(forest, client=client, budget=SMALL)
            assert (caught.value.errno, caught.value.filename) == (errno.EXDEV, str(forest))
            assert in_order(forest) == before
            # Hide the worker from the check, as if it had joined later. The piece must refuse.
            [elsewhere] = [
                address
                for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()
                if worker["name"] == "elsewhere"
            ]
            check, look = _remove.Removal.check_workers, client.nthreads
            monkeypatch.setattr(client, "nthreads", lambda: {w: n for w, n in look().items() if w != elsewhere})
            monkeypatch.setattr(_remove.Removal, "check_workers", lambda removal: (check(removal), monkeypatch.setattr(client, "nthreads", look)))
            with pytest.raises(OSError, match=f"{elsewhere} sees another directory there"):
                for _ in range(50):
                    curt_fs.dask.remove(forest, client=client, budget=SMALL)
                    plant(forest)
            for look in (curt_fs.dask.usage, curt_fs.dask.walk):
                with pytest.raises(OSError, match="sees another directory there"):
                    for _ in range(50):
                        look(forest, client=client, budget=SMALL)
        finally:
            process.terminate()


def test_a_scheduler_that_is_lost(forest: Path, tmp_path: Path) -> None:
    for number in range(300):
        (forest / f"d9/{number}/below").mkdir(parents=True)
    file = tmp_path / "scheduler.json"
    python = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(
        [*python, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file], **quiet
    )
    worker = subprocess.Popen(
        [*python, "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", "--scheduler-file", file, "--death-timeout", "60"], **quiet
    )
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)

            def lose() -> None:
                while (forest / "d0/e0").exists():
                    time.sleep(0.001)
                scheduler.kill()

            loser = threading.Thread(target=lose)
            loser.start()
            none = Budget(entries=100, seconds=0.0, patience=30.0)
            with pytest.raises(ConnectionError, match=f"cannot remove '{forest}': .*scheduler tcp:.* was lost"):
                curt_fs.dask.remove(forest, client=client, budget=none)
            loser.join()
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    assert not (forest / "d0/e0").exists()


def test_the_command(cluster, client, forest: Path, monkeypatch, capfdbinary) -> None:
    def command(*arguments: object) -> tuple[int, bytes, bytes]:
        words = ["curt_fs.dask", *map(str, arguments), "--scheduler", cluster.scheduler_address]
        monkeypatch.setattr(sys, "argv", words)
        code = __main__.main()
        return code, *capfdbinary.readouterr()

    code, out, err = command("usage", "--max-depth", "1", forest)
    records = curt.usage(forest, max_depth=1).records
    assert out == b"".join(b"%d\t%s\n" % (r.allocated, os.fsencode(r.path)) for r in records)
    assert code == 0 and err.startswith(b"dashboard: http://")
    code, out, err = command("walk", "-0", forest)
    assert out.split(b"\0")[:-1] == [os.fsencode(path) for path in in_order(forest)]
    monkeypatch.chdir(forest)
    code, out, err = command("find", "d1", "kind == 'symlink'")
    assert out == os.fsencode(f"{forest}/d1/broken\n{forest}/d1/to-outside\n")
    code, out, err = command("remove", "gone")
    assert (code, out) == (1, b"")
    path = os.fsencode(forest / "gone")
    assert err.endswith(b"python -m curt_fs.dask: cannot remove '%s': No such file or directory\n" % path)
    code, out, err = command("find", "d1", "1 / (size - size)")
    failed = b"find: the predicate raised ZeroDivisionError for '%s': " % os.fsencode(forest / "d1")
    assert code == 1 and failed in err
    assert __main__.visible("a\x1b[2J\udcff\n") == "a\\x1b[2J\\udcff\\n"


def test_the_command_on_a_local_cluster(forest: Path) -> None:
    words = [sys.executable, "-m", "curt_fs.dask", "remove", str(forest)]
    done = subprocess.run(words, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert not forest.exists()
    assert done.stderr.splitlines()[0].startswith(b"dashboard: " if find_spec("bokeh") else b"no dashboard: ")


def test_the_command_prints_the_dashboard(client, monkeypatch) -> None:
    address = f"dashboard: {client.dashboard_link}"
    missing = "no dashboard: `pip install bokeh` gives one, which shows the progress"
    for found, scheduler, expected in ((None, None, missing), (object(), None, address), (None, "tcp://head:8786", address)):
        monkeypatch.setattr(__main__, "find_spec", lambda name, found=found: found)
        assert __main__.dashboard(client, scheduler) == expected


def test_wrong_usage_of_the_command(capsys) -> None:
    for arguments, text in (
        (["find", "tree", "siz > 3"], "no 'siz'; it has name, path, "),
        (["find", "tree", "size >"], "not an expression"),
        (["usage"], "PATH"),
        (["usage", "tree", "--max-depth=-1"], "--max-depth: it must not be negative"),
        (["usage", "tree", "--scheduler", ""], "--scheduler: it is empty"),
        (["measure", "tree"], "invalid choice"),
    ):
        with pytest.raises(SystemExit) as caught:
            __main__.arguments().parse_args(arguments)
        assert caught.value.code == 2 and text in capsys.readouterr().err


def test_dask_is_optional() -> None:
    program = "import sys, curt_fs as curt\nassert not {'dask', 'distributed', 'pandas'} & set(sys.modules)\n"
    program += "sys.modules['distributed'] = None\nimport curt_fs.dask\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == "ImportError: curt_fs.dask needs Dask, which cannot be imported: pip install 'curt-fs[dask]'"


def test_the_documentation(client, tmp_path: Path, monkeypatch) -> None:
    files = {"README": "readme", "setup.py": "setup", "src/main.py": "main", "build/a.o": "object", "build/b.o": "objects"}
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parent.parent / "docs/dask.md"
    result = doctest.testfile(str(page), module_relative=False, globs={"client": client})
    assert result.failed == 0 and result.attempted >= 6


def test_tasks_have_names(client, forest: Path) -> None:
    run = _run.Run(client, "walk", os.fsencode(forest), SMALL)
    from dask.utils import key_split

    assert key_split(f"{run.name}-0.1.2-1") == "curt-walk"
