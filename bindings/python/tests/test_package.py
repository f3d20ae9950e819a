from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import curt_fs as curt

def output(program: str, *options: str) -> str:
    return run(*options, "-c", program)


def run(*words: str, cwd: Path | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(curt.__file__).parent.parent)}
    command = [sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_cheap() -> None:
    program = "import sys; before = set(sys.modules); import curt_fs; print(*sorted(set(sys.modules) - before))"
    new, beside = output(program, "-S").split(), output(program.replace("curt_fs", "shutil"), "-S").split()
    assert len([name for name in new if name.startswith("curt")]) < 13
    own = {"__future__", "encodings.utf_16_le", "math", "operator", "_operator", "pwd"}
    assert {name for name in new if not name.startswith("curt")} <= own | set(beside)


def test_no_call_imports_anything(tmp_path: Path) -> None:
    assert run("-S", str(Path(__file__).parent / "first_calls.py"), "modules", cwd=tmp_path) == ""


def test_names() -> None:
    manifest = (Path(__file__).parent.parent / "Cargo.toml").read_text()
    [version] = re.findall('^version = "(.*)"$', manifest, re.M)
    assert curt.__version__ == version
    for module in (curt, curt.windows):
        public = [name for name in dir(module) if not name.startswith("_")]
        assert public == sorted(name for name in module.__all__)


def test_subinterpreters_are_refused() -> None:
    program = """
try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters

CODE = '''
try:
    import curt_fs as curt
    print("imported")
except ImportError as error:
    print(error)
'''
for kind in KINDS:
    interpreter = _interpreters.create(*kind)
    _interpreters.run_string(interpreter, "import sys; sys.stdout.flush()" + CODE)
    _interpreters.destroy(interpreter)
import curt_fs as curt
print(curt.stat(".").st_ino == __import__("os").stat(".").st_ino, curt.expanduser("~") != "~")
"""
    # Subinterpreters with a shared GIL, as `Py_NewInterpreter` makes them, and with a separate GIL.
    if sys.version_info >= (3, 13):
        kinds = "(('legacy',), ('isolated',))"
    elif sys.version_info >= (3, 12):
        kinds = "((), )"
    else:
        kinds = "((), )"
    lines = output(f"KINDS = {kinds}\n{program}").splitlines()
    assert lines[-1] == "True True" and len(lines) > 1
    for line in lines[:-1]:
        assert "subinterpreter" in line, lines
