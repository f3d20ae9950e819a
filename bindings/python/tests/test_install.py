from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import curt

NAMES = [
    (os, "fwalk"), (os, "listdir"), (os, "scandir"), (os, "walk"), (os, "DirEntry"),
    (os.path, "abspath"), (os.path, "expanduser"), (shutil, "rmtree"), (shutil, "which"),
]


def test_functions_are_replaced_and_put_back() -> None:
    before = [getattr(module, name) for module, name in NAMES]
    supported = set(os.supports_fd)
    start = subprocess.Popen._execute_child
    curt.install()
    curt.install()
    assert [getattr(module, name) for module, name in NAMES] == [getattr(curt, name) for _, name in NAMES]
    assert os.listdir in os.supports_fd and os.scandir in os.supports_fd
    assert subprocess.Popen._execute_child is curt.Popen._execute_child is not start
    curt.uninstall()
    curt.uninstall()
    assert [getattr(module, name) for module, name in NAMES] == before
    assert os.supports_fd == supported
    assert subprocess.Popen._execute_child is start


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
        [sys.executable, "-m", "curt.patch", *arguments], capture_output=True, text=True, **kwargs
    )


def test_programs_run_patched(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("NAME = 'helper'\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import os, shutil, sys, curt, helper\n"
        "assert __name__ == '__main__' and __file__ == sys.argv[0]\n"
        "assert shutil.rmtree is curt.rmtree and os.walk is curt.walk\n"
        "print(helper.NAME, *sys.argv[1:])\n"
        "sys.exit(7)\n"
    )
    done = run(str(script), "--option", "b c")
    assert (done.returncode, done.stdout, done.stderr) == (7, "helper --option b c\n", "")
    done = run("script.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (7, "helper\n"), done.stderr


def test_modules_run_patched(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "import os, sys, curt\nassert os.scandir is curt.scandir\nprint(sys.argv[1:])\n"
    )
    done = run("-m", "module", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "['x']\n"), done.stderr


def test_usage_of_the_command() -> None:
    assert run("--help").stdout.startswith("usage: python -m curt.patch")
    for arguments in ([], ["-m"]):
        done = run(*arguments)
        assert done.returncode == 2 and "curt.patch" in done.stderr
    done = run("gone.py")
    text = "python -m curt.patch: cannot run 'gone.py': No such file or directory\n"
    assert (done.returncode, done.stderr) == (2, text)
    for module in ("gone", "gone.below", "curt.gone"):
        done = run("-m", module)
        text = f"python -m curt.patch: no module named {module}\n"
        assert (done.returncode, done.stderr) == (1, text)


def test_no_directory_is_added_where_python_adds_none(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; print(sys.path)")
    options = ["-I", "-P"] if sys.version_info >= (3, 11) else ["-I"]
    for option in options:
        expected, found = (
            subprocess.run([sys.executable, option, *words, str(script)], capture_output=True, check=True)
            for words in ([], ["-m", "curt.patch"])
        )
        if option == "-I" and sys.version_info < (3, 11):
            # Python 3.10 adds the directory of a script all the same.
            assert str(tmp_path).encode() not in found.stdout
        else:
            assert found.stdout == expected.stdout


def test_a_module_has_the_search_path_of_python(tmp_path: Path) -> None:
    (tmp_path / "shows.py").write_text("import os, sys; os.chdir('/'); print(sys.path)")
    expected, found = (
        subprocess.run([sys.executable, *words, "-m", "shows"], cwd=tmp_path, capture_output=True, check=True)
        for words in ([], ["-m", "curt.patch"])
    )
    assert found.stdout == expected.stdout


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
