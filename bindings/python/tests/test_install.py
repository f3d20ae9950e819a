from __future__ import annotations

import functools
import glob
import os
import py_compile
import re
import shlex
import shutil
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from types import FunctionType
from unittest import mock

import pytest

import curt_fs as curt

NAMES = [
    (os, "fwalk"), (os, "listdir"), (os, "scandir"), (os, "walk"), (os, "DirEntry"),
    (os.path, "abspath"), (os.path, "expanduser"), (shutil, "copytree"), (shutil, "rmtree"), (shutil, "which"),
]
ORIGINALS = {name: getattr(module, name) for module, name in NAMES}


def test_functions_are_replaced_and_put_back() -> None:
    before = [getattr(module, name) for module, name in NAMES]
    supported = set(os.supports_fd)
    curt.install()
    curt.install()
    assert [getattr(module, name) for module, name in NAMES] == [getattr(curt, name) for _, name in NAMES]
    assert os.listdir in os.supports_fd and os.scandir in os.supports_fd
    curt.uninstall()
    curt.uninstall()
    assert [getattr(module, name) for module, name in NAMES] == before
    assert os.supports_fd == supported


def wrapper(function):
    @functools.wraps(function)
    def replacement(*arguments, **options):
        return function(*arguments, **options)

    return replacement


def wrapper_in_disguise(function):
    replacement = wrapper(function)
    del replacement.__wrapped__
    return FunctionType(replacement.__code__, vars(shutil), closure=replacement.__closure__)


OTHERS = {
    "mock": lambda function: mock.Mock(),
    "mock that calls it": lambda function: mock.create_autospec(function, side_effect=function),
    "wrapper": wrapper,
    "wrapper in disguise": wrapper_in_disguise,
    "subclass": lambda function: type("Sub", (), {"__call__": lambda self, *_: None})(),
    "bound method": lambda function: Path().exists,
    "another function of C": lambda function: os.getpid,
    "another function of Python": lambda function: glob.glob,
    "missing": lambda function: None,
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize(("module", "name"), NAMES, ids=[name for _, name in NAMES])
def test_functions_of_others_remain(module, name: str, other: str) -> None:
    theirs = OTHERS[other](getattr(module, name))
    with mock.patch.object(module, name, theirs):
        with pytest.warns(UserWarning, match=f"leaves .*{name}.* alone") as warned:
            curt.install()
        assert len(warned) == 1 and warned[0].filename == __file__
        one, several = "it, or a function that it calls, is", "they, or functions that they call, are"
        reason = several if name == "scandir" else one
        assert str(warned[0].message).endswith(f"alone: {reason} not CPython's own")
        assert getattr(module, name) is theirs
        curt.uninstall()
        assert getattr(module, name) is theirs
    curt.install()
    with mock.patch.object(module, name, theirs):
        curt.uninstall()
        assert getattr(module, name) is theirs
    setattr(module, name, ORIGINALS[name])
    assert [getattr(module, name) for module, name in NAMES] == list(ORIGINALS.values())


def test_mocks_of_called_functions_protect_files(tree: Path) -> None:
    with mock.patch("os.scandir"), pytest.warns(UserWarning, match="os.walk, os.DirEntry, shutil.copytree, shutil.rmtree"):
        curt.install()
        shutil.rmtree(tree, ignore_errors=True)
    curt.uninstall()
    curt.install()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("unlink", "rmdir"):
            with mock.patch(f"os.{name}", side_effect=OSError(1, "mocked")):
                with pytest.raises(OSError, match="mocked"):
                    shutil.rmtree(tree / "a" if name == "unlink" else tree / "x")
    curt.uninstall()
    assert (tree / "a/one").exists() and (tree / "x").exists()


def test_other_modules_use_them(tree: Path) -> None:
    def look() -> list:
        return [
            sorted(glob.glob(f"{tree}/**", recursive=True)),
            sorted(map(str, Path(tree).rglob("*"))),
            sorted(map(str, Path(tree).iterdir())),
            os.path.realpath(tree / "to-directory"),
            str(Path("~").expanduser()),
        ]

    expected = look()
    curt.install()
    try:
        assert look() == expected
    finally:
        curt.uninstall()


def run(*arguments: str, **kwargs) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "curt_fs.patch", *arguments], capture_output=True, text=True, **kwargs
    )


def test_programs_run_patched(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("NAME = 'helper'\n")
    (tmp_path / "script.py").write_text(
        "import os, shutil, sys, curt_fs as curt, helper\n"
        "assert shutil.rmtree is curt.rmtree and os.walk is curt.walk\n"
        "print(helper.NAME, *sys.argv[1:])\n"
        "sys.exit(7)\n"
    )
    for words in (["script.py"], [str(tmp_path / "script.py")], ["-m", "script"]):
        done = run(*words, "--option", "b c", cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (7, "helper --option b c\n", "")


SHOWS = """
import sys
names = vars(sys.modules["__main__"])
print(__name__, sys.argv, sys.path, __package__, __spec__, __loader__, type(__builtins__))
print(names is globals(), sorted(names), [names.get(key) for key in ("__file__", "__cached__")])
"""
STARTS = [
    "show.py a -b", "./show.py", "package/../show.py", "package/link.py", "compiled a", "-m package a",
    "-mpackage -x", "-m show", "-mshow", "directory a", "./directory", "application.zip a", "-c CODE a",
    "-cCODE", "-m gone", "-m gone.below", "-mpackage.gone", "package/empty", "-m package.empty",
]
ISOLATED = ["show.py a", "-m package a", "directory a", "-c CODE a"]


@pytest.mark.parametrize("option", ["-B", "-I", *(["-P"] if sys.version_info >= (3, 11) else [])])
def test_programs_start_as_with_python(tmp_path: Path, option: str) -> None:
    for name in ("show.py", "package/__main__.py", "directory/__main__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SHOWS)
    (tmp_path / "package/__init__.py").write_text("")
    (tmp_path / "package/empty").mkdir()
    (tmp_path / "package/link.py").symlink_to("../show.py")
    with zipfile.ZipFile(tmp_path / "application.zip", "w") as archive:
        archive.write(tmp_path / "show.py", "__main__.py")
    py_compile.compile(str(tmp_path / "show.py"), str(tmp_path / "compiled"))
    failed = []
    for start in STARTS if option == "-B" else ISOLATED:
        words = [word.replace("CODE", SHOWS) for word in start.split()]
        plain, patched = (
            subprocess.run([sys.executable, option, *how, *words], cwd=tmp_path, capture_output=True, text=True)
            for how in ([], ["-m", "curt_fs.patch"])
        )
        results = [
            (done.returncode, re.sub(" at 0x[0-9a-f]+", "", done.stdout), done.stderr)
            for done in (plain, patched)
        ]
        assert results[0] == results[1], start
        failed += [start] if plain.returncode else []
    missing = ["-m gone", "-m gone.below", "-mpackage.gone", "package/empty", "-m package.empty"]
    assert failed == (missing if option == "-B" else ["-m package a"])


def test_annotations_are_those_of_the_program(tmp_path: Path) -> None:
    """curt's `from __future__ import annotations` does not affect the program."""
    code = "def function() -> undefined: pass"
    (tmp_path / "script.py").write_text(code)
    for words in (["script.py"], ["-c", code]):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 1 and "NameError: name 'undefined'" in done.stderr


def test_a_program_that_cannot_be_read_again(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m curt_fs.patch <(echo 'print(3)')"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_errors_of_a_program_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "application").mkdir()
    for name in ("application/__main__.py", "script.py"):
        (tmp_path / name).write_text("raise OSError(5, 'mine')")
        done = run(name.split("/")[0], cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.endswith("OSError: [Errno 5] mine\n")


def test_usage_of_the_command() -> None:
    assert run("--help").stdout.startswith("usage: python -m curt_fs.patch")
    for arguments in ([], ["-m"], ["-c"]):
        done = run(*arguments)
        assert done.returncode == 2 and "curt_fs.patch" in done.stderr
    done = run("gone.py")
    text = "python -m curt_fs.patch: cannot run 'gone.py': No such file or directory\n"
    assert (done.returncode, done.stderr) == (2, text)


@pytest.mark.parametrize("module", ["compileall", "zipfile"])
def test_programs_of_the_standard_library_do_the_same(tmp_path: Path, module: str) -> None:
    source = tmp_path / "source"
    for number in range(20):
        (source / f"p{number}").mkdir(parents=True)
        (source / f"p{number}/m.py").write_text(f"X = {number}\n")
    arguments = {
        "compileall": ["-q", "-f", str(source)],
        "zipfile": ["-c", str(tmp_path / "made.zip"), str(source)],
    }[module]
    plain = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True)
    made = sorted(str(path) for path in tmp_path.rglob("*"))
    patched = run("-m", module, *arguments)
    assert (patched.returncode, patched.stdout, patched.stderr) == (
        plain.returncode, plain.stdout.decode(), plain.stderr.decode(),
    )
    assert sorted(str(path) for path in tmp_path.rglob("*")) == made
