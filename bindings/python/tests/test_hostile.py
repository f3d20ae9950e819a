from __future__ import annotations

import fnmatch
import json
import os
import subprocess
from pathlib import Path

import curt_fs as curt
from curt_fs import _curt

TABLE = json.loads((Path(__file__).parents[3] / "tests/hostile.json").read_text())
VERDICTS = {name: (int(number), text) for name, _, number, text in TABLE["verdicts"]}


def shell(name: str) -> str:
    done = subprocess.run(["sh", "-c", "\n".join(TABLE[name])], stdout=subprocess.PIPE, text=True)
    return " ".join(done.stdout.split())


def opened(root: curt.Root, path: str) -> str:
    with root.open(path) as file:
        return file.read()


def copied(paths: str, existing: str) -> None:
    _, failures = _curt.copy(*paths.split(" -> "), existing, "never", True, True, None, None)
    for *_, error in failures:
        raise error


OPERATIONS = {
    **{f"root.{name}": getattr(curt.Root, name) for name in ("stat", "readlink", "mkdir", "utime", "unlink", "rmdir")},
    "root.open": opened,
    "root.create": lambda root, path: root.open(path, "w").close(),
    "root.create_new": lambda root, path: root.open(path, "x").close(),
    "root.open_fd": lambda root, path: os.close(root.open_fd(path, os.O_RDONLY)),
    "root.scandir": lambda root, path: root.scandir(path).close(),
    "root.list": curt.Root.listdir,
    "root.lstat": lambda root, path: root.stat(path, follow_symlinks=False),
    "root.symlink": lambda root, path: root.symlink("file", path),
    "root.link_from": lambda root, path: root.link(path, "new"),
    "root.link_to": lambda root, path: root.link("file", path),
    "root.rename_from": lambda root, path: root.replace(path, "new"),
    "root.rename_new_to": lambda root, path: root.rename("file", path),
    "root.rename_to": lambda root, path: root.replace("file", path),
    "root.chmod": lambda root, path: root.chmod(path, 0o600),
    "root.remove_directory": curt.Root.rmtree,
    "beneath.mkdir_all": curt.Root.makedirs,
    "beneath.realpath": curt.Root.realpath,
    "remove_directory": lambda _, path: curt.rmtree(path),
    "copy": lambda _, paths: copied(paths, "fail"),
    "copy_replace": lambda _, paths: copied(paths, "replace"),
    "list": lambda _, path: curt.listdir(path),
    "stat": lambda _, path: curt.stat(path),
    "lstat": lambda _, path: curt.stat(path, follow_symlinks=False),
    "usage": lambda _, path: curt.usage(path),
}


def outcome(name: str, path: str, in_root: bool) -> tuple:
    try:
        with curt.Root("in", in_root=in_root) as root:
            result = OPERATIONS[name](root, path)
            return 0, result if name == "root.open" else "", (path,)
    except OSError as error:
        return error.errno, error.strerror, (error.filename, error.filename2)


def test_hostile_cases_have_their_verdicts(tmp_path: Path, monkeypatch) -> None:
    wrong, changes = [], "all"
    for pattern, path, verdict, *result in TABLE["cases"]:
        number, text = VERDICTS.get(verdict, (0, ""))
        names = fnmatch.filter(OPERATIONS, pattern.replace("inroot.", "root."))
        for name in names:
            if changes:
                monkeypatch.chdir(tmp_path)
                shell("setup")
                monkeypatch.chdir("t")
            found, message, paths = outcome(name, path, "inroot" in pattern)
            changes = shell("look") if found == 0 or name == names[-1] else ""
            is_right = (changes == "" and text in message) if number else message + changes == "".join(result)
            is_named = not {path, *path.split(" -> ")}.isdisjoint(paths)
            if found != number or not is_named or not is_right:
                wrong.append((name, path, verdict, found, message, paths, changes))
    assert not wrong, wrong
