from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import curt_fs as curt

pytest.importorskip("mypy")

PROGRAM = """
import curt_fs as curt
from pathlib import Path

reveal_type(curt.abspath("a"))
reveal_type(curt.abspath(Path("a")))
reveal_type(curt.listdir(b"a"))
reveal_type(curt.which("sh"))
reveal_type(curt.which(Path("sh")))
reveal_type(curt.__version__)
for top, directories, files in curt.walk("."):
    reveal_type(files)
with curt.scandir(".") as entries:
    for entry in entries:
        reveal_type(entry.path)
        reveal_type(entry.stat().st_size)
reveal_type(curt.usage(".").allocated)
reveal_type(curt.remove("a", b"b", exclude=["*.log"]).errors)
with curt.Root(".") as root:
    reveal_type(root.listdir())
"""


def test_stubs_match_the_module(tmp_path: Path) -> None:
    pytest.importorskip("dask")
    command = [sys.executable, "-m", "mypy.stubtest", "curt_fs"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_types_of_results(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "program.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    revealed = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    assert done.returncode == 0, done.stdout
    assert [name.replace("builtins.", "") for name in revealed] == [
        "str", "str", "list[bytes]", "str | None", "str | pathlib.Path | None", "str", "list[str]",
        "str", "int", "int", "list[OSError]", "list[str]",
    ]


def test_the_package_itself_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("dask")
    assert (Path(curt.__file__).parent / "py.typed").exists()
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "-p", "curt_fs"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
