from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "many-files"
version = "1.0"
"""
BACKEND = """
import os, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "many_files-1.0-py3-none-any.whl"
    info = "many_files-1.0.dist-info"
    names = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        for top, directories, files in os.walk("many"):
            names += [os.path.join(top, file) for file in files]
        for file in sorted(names):
            wheel.write(file)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: many-files\\nVersion: 1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/entry_points.txt", "[console_scripts]\\nmany = many:main\\n")
        lines = [f"{file},," for file in [*names, f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD"]]
        wheel.writestr(f"{info}/RECORD", "\\n".join(lines) + "\\n")
    return name
"""
TESTS = """
import os, shutil, subprocess, sys
import pytest

@pytest.fixture
def tree(tmp_path):
    for directory in range(20):
        path = tmp_path / f"d{directory}" / "deep" / "er"
        path.mkdir(parents=True)
        for file in range(25):
            (path / f"f{file}").write_text(str(file))
    return tmp_path

def test_walk(tree):
    found = [name for _, _, names in os.walk(tree) for name in names]
    assert len(found) == 500 == len(list(tree.rglob("f*")))

def test_remove(tree):
    shutil.rmtree(tree / "d3")
    assert sorted(os.listdir(tree))[:3] == ["d0", "d1", "d10"]

def test_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "1\\n"

def test_fails(tmp_path):
    assert os.listdir(tmp_path) == ["other"]

@pytest.mark.skip(reason="on purpose")
def test_is_skipped():
    pass
"""


def run(patched: bool, *arguments: object, **kwargs) -> subprocess.CompletedProcess[str]:
    patch = ["-m", "curt_fs.patch"] if patched else []
    command = [sys.executable, *patch, "-m", *map(str, arguments)]
    # With SOURCE_DATE_EPOCH, bytecode depends on a file's text, not on its time.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "COLUMNS": "80"}
    environment = {name: text for name, text in environment.items() if not name.startswith("PIP_")}
    return subprocess.run(command, capture_output=True, text=True, env=environment, **kwargs)


def contents(root: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        text = path.read_bytes() if path.is_file() else os.readlink(path) if path.is_symlink() else None
        found[str(path.relative_to(root))] = (path.lstat().st_mode, text)
    return found


def test_pip_installs_the_same_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for directory in range(20):
        package = source / "many" / f"p{directory}"
        package.mkdir(parents=True)
        for file in range(15):
            (package / f"m{file}.py").write_text(f"VALUE = {directory * file}\n")
        (package / "data.bin").write_bytes(bytes(range(256)))
    (source / "many" / "__init__.py").write_text("def main():\n    print('many')\n")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "backend.py").write_text(BACKEND)
    results = []
    for patched in (False, True):
        prefix, target = tmp_path / "prefix", tmp_path / "target"
        for directory in range(10):
            (target / "many" / f"old{directory}").mkdir(parents=True)
            (target / "many" / f"old{directory}" / "file").write_text("old")
        for options in (["--prefix", prefix], ["--target", target, "--no-compile", "--upgrade"]):
            options += ["--isolated", "--no-index", "--disable-pip-version-check", source]
            done = run(patched, "pip", "install", *options, cwd=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
        assert sorted(os.listdir(tmp_path)) == ["prefix", "source", "target"]
        results.append(contents(prefix) | contents(target))
        for path in (prefix, target):
            path.rename(tmp_path.parent / f"{path.name}-{patched}")
    plain, ours = results
    assert not {name for name in plain.keys() | ours.keys() if plain.get(name) != ours.get(name)}
    assert len([name for name in plain if name.endswith(".py")]) == 2 * 301
    assert len([name for name in plain if name.endswith(".pyc")]) == 301


def test_pytest_gives_the_same_results(tmp_path: Path) -> None:
    (tmp_path / "test_tree.py").write_text(TESTS)
    base = tmp_path / "base"
    options = ["-p", "no:cacheprovider", "-rA", f"--basetemp={base}", "test_tree.py"]
    results = []
    for patched in (False, True, True):
        done = run(patched, "pytest", *options, cwd=tmp_path)
        assert done.returncode == 1, done.stdout + done.stderr
        report = re.sub(r"=* (.*) in \d+\.\d+s.*", r"\1", done.stdout)
        assert "1 failed, 3 passed, 1 skipped" in report
        results.append((report, done.stderr, contents(base)))
    assert len(results[0][2]) > 1000
    assert results[1:] == results[:1] * 2
