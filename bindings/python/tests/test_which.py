from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings, HealthCheck
from hypothesis import strategies as st

import curt_fs as curt


@pytest.fixture(scope="module")
def bins(tmp_path_factory):
    root = tmp_path_factory.mktemp("bins")
    for directory in ("one", "two", "three/deep"):
        (root / directory).mkdir(parents=True)
    for name, mode in (("one/tool", 0o755), ("two/tool", 0o755), ("one/plain", 0o644), ("two/plain", 0o755)):
        (root / name).write_text("#!/bin/sh\n")
        (root / name).chmod(mode)
    (root / "one/directory").mkdir()
    (root / "two/link").symlink_to("tool")
    (root / "two/broken").symlink_to("gone")
    for name, mode in (("one/fifo", 0o755), ("two/fifo", 0o644), ("one/other-fifo", 0o644)):
        os.mkfifo(root / name, mode)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(root / "one/socket"))
        (root / "one/socket").chmod(0o755)
    (root / "two/to-fifo").symlink_to("../one/fifo")
    return root


NAMES = ["tool", "plain", "fifo", "other-fifo", "to-fifo", "socket", "null", "directory", "link", "broken", "gone", "", ".", "..", "a\udcff"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_which_is_that_of_cpython(bins: Path, data) -> None:
    previous = os.getcwd()
    os.chdir(bins)
    try:
        entries = ["", ".", "one", "two", "one/", "two//", str(bins / "one"), str(bins / "two"), "gone", "~", "/dev"]
        path = data.draw(st.one_of(st.none(), st.lists(st.sampled_from(entries), max_size=5).map(":".join)))
        prefixes = ["", "", "", "./", "one/", "two//", "one/./", "three/../one/", f"{bins}/two/"]
        prefix = data.draw(st.sampled_from(prefixes))
        cmd = prefix + data.draw(st.sampled_from(NAMES))
        assert curt.which(cmd, path=path) == shutil.which(cmd, path=path), (cmd, path)
        if path is not None:
            as_bytes = os.fsencode(cmd)
            assert curt.which(as_bytes, path=path) == shutil.which(as_bytes, path=path)
        for mode in (os.F_OK, os.R_OK):
            assert curt.which(cmd, mode, path) == shutil.which(cmd, mode, path)
    finally:
        os.chdir(previous)


def test_environment_is_read_each_time(bins: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(bins / "one"))
    assert curt.which("tool") == str(bins / "one/tool")
    monkeypatch.setenv("PATH", str(bins / "two"))
    assert curt.which("tool") == str(bins / "two/tool")
    monkeypatch.setenv("PATH", "")
    assert curt.which("tool") is None
    assert curt.which(str(bins / "one/tool")) == str(bins / "one/tool")
    monkeypatch.delenv("PATH")
    assert curt.which("sh") == shutil.which("sh")


def test_changes_between_calls_are_seen(bins: Path, tmp_path: Path, monkeypatch) -> None:
    """The split search path is cached, but neither results nor the working directory."""
    path = f"{tmp_path}:{bins}/two"
    assert curt.which("tool", path=path) == f"{bins}/two/tool"
    shutil.copy2(bins / "one/tool", tmp_path / "tool")
    assert curt.which("tool", path=path) == f"{tmp_path}/tool"
    (tmp_path / "tool").unlink()
    assert curt.which("tool", path=path) == f"{bins}/two/tool"
    for relative in ("one", f"{tmp_path}:one", f"{tmp_path}:"):
        monkeypatch.chdir(tmp_path)
        assert curt.which("tool", path=relative) is None
        monkeypatch.chdir(bins / "one" if relative.endswith(":") else bins)
        assert curt.which("tool", path=relative) == shutil.which("tool", path=relative) is not None


def test_text_that_no_name_has() -> None:
    for cmd, path in (("a\0b", None), ("sh", "/bin\0:/bin"), ("\ud800", None), ("sh", "\ud800:/bin"), ("./\0", None)):
        try:
            expected = shutil.which(cmd, path=path)
        except ValueError as error:
            with pytest.raises(type(error)):
                curt.which(cmd, path=path)
        else:
            assert curt.which(cmd, path=path) == expected


def test_invalid_paths_raise_as_in_cpython() -> None:
    for command, path in (("sh", 3), ("sh", ["/bin"]), (3, "/bin"), (b"sh", object()), (None, None)):
        for function in (curt.which, shutil.which):
            with pytest.raises(TypeError):
                function(command, path=path)
    assert curt.which("no/such", path=3) is shutil.which("no/such", path=3) is None


class Named:
    def __init__(self, path: str | bytes) -> None:
        self.path = path

    def __fspath__(self) -> str | bytes:
        return self.path


def test_all_forms_of_paths(bins: Path, monkeypatch) -> None:
    monkeypatch.chdir(bins)
    texts = [form(text) for text in ("tool", "one/tool", "") for form in (str, str.encode)]
    paths = [form(text) for text in (str(bins / "one"), "one", "") for form in (str, str.encode)]

    def outcome(which, command, path) -> object:
        try:
            return which(command, path=path)
        except TypeError as error:
            return type(error)

    found = set()
    for command in [*texts, *map(Named, texts)]:
        for path in [None, *paths, *map(Named, paths)]:
            ours, theirs = outcome(curt.which, command, path), outcome(shutil.which, command, path)
            assert (type(ours), ours) == (type(theirs), theirs)
            found.add(type(ours))
    assert found >= {str, bytes, type, type(None)}
