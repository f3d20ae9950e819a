from __future__ import annotations

import os
import posixpath
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import curt_fs as curt

PIECES = st.sampled_from(["/", "//", "///", ".", "..", "a", "b c", "~", "ü", "\udcff", "\x00", "…"])
PATHS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=20))


def outcome(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error)


@given(PATHS)
@example("")
@example("//a/../..")
@example("///a")
@example("a\x00/../b")
@example("\ud800")
def test_abspath_is_that_of_cpython(path: str) -> None:
    assert outcome(curt.abspath, path) == outcome(posixpath.abspath, path)
    data = path.encode("utf-8", "surrogatepass")
    assert outcome(curt.abspath, data) == outcome(posixpath.abspath, data)


@given(PATHS)
@example("~")
@example("~/")
@example("~root/x")
@example("~no such user/x")
@example("~\x00")
def test_expanduser_is_that_of_cpython(path: str) -> None:
    assert outcome(curt.expanduser, path) == outcome(posixpath.expanduser, path)


@pytest.mark.parametrize("home", ["", "/", "///", "/home/me/", "relative", "/h\udcff", None])
@pytest.mark.parametrize("path", ["~", "~/", "~/x", b"~/x", "x", "~root"])
def test_expanduser_takes_the_home_directory(monkeypatch, home, path) -> None:
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    assert curt.expanduser(path) == posixpath.expanduser(path)


def test_abspath_follows_the_working_directory(tmp_path, monkeypatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert curt.abspath("x") == str(tmp_path / name / "x")
        assert curt.abspath("") == str(tmp_path / name)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileNotFoundError):
        curt.abspath("x")
    assert curt.abspath("/x/..") == "/"


def test_abspath_returns_no_subclass() -> None:
    class Name(str):
        pass

    for path in (Name("/a/b"), Name("/a/./b"), Name("a"), Path("/a/b"), Path("a")):
        assert type(curt.abspath(path)) is type(os.path.abspath(path)) is str
    plain = "/a/b"
    assert curt.abspath(plain) is plain


@pytest.mark.parametrize(
    ("path", "full"),
    [
        ("..\\..\\..\\x", "C:\\x"),
        ("D:\\a\\.\\b.", "D:\\a\\b"),
        ("\ud800", "C:\\work\\\ud800"),
    ],
)
def test_windows_paths(path: str, full: str) -> None:
    assert curt.windows.abspath(path, cwd="C:\\work") == full
    data = path.encode("utf-8", "surrogatepass")
    assert curt.windows.abspath(data, cwd="C:\\work") == full.encode("utf-8", "surrogatepass")


def test_windows_paths_need_a_directory_and_have_no_nul() -> None:
    for bad in ("a", "", "C:\\a\0b"):
        with pytest.raises(ValueError, match="abspath"):
            curt.windows.abspath(bad)
    with pytest.raises(ValueError, match="a relative path needs cwd, which must be a full path"):
        curt.windows.abspath("a", cwd="b")


@pytest.mark.parametrize("environment", [{"HOME": "/mine/"}, {"HOME": ""}, {"HOME": "ü\udcff"}, {}])
def test_a_replaced_environment_counts(monkeypatch, environment) -> None:
    monkeypatch.setattr(os, "environ", environment)
    for path in ("~", "~/x", b"~/x", Path("~")):
        assert curt.expanduser(path) == posixpath.expanduser(path)
