"""What `import curt` gives, and what it costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import curt

# What each takes longer to import than all of curt.
HEAVY = {
    "ast", "collections", "contextlib", "dataclasses", "functools", "importlib.metadata", "inspect",
    "re", "shutil", "subprocess", "threading", "typing",
}  # fmt: skip


def output(program: str, *options: str) -> str:
    command = [sys.executable, *options, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(Path(curt.__file__).parent.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_cheap() -> None:
    program = "import sys, os, posixpath; before = set(sys.modules); import curt; print(*sorted(set(sys.modules) - before))"
    new = output(program, "-S").split()
    assert [name for name in new if not name.startswith("curt")] == ["__future__"] and len(new) < 12
    assert not HEAVY & set(new) and "curt.windows" not in new and "curt._usage" not in new


def test_what_is_imported_late_is_there(tmp_path: Path) -> None:
    program = "from curt import *; print(usage.__module__, windows.abspath('C:/a'), Usage.__name__, UsageRecord.__name__)"
    assert output(program) == "curt._usage C:\\a Usage UsageRecord\n"
    assert output("import curt; curt.install(); curt.uninstall(); import shutil; print(curt.which('sh') == shutil.which('sh'))") == "True\n"
    assert output("import curt; print(hasattr(curt, 'gone'), curt.usage is curt.usage)") == "False True\n"


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
    import curt
    print("imported")
except ImportError as error:
    print(error)
'''
for kind in KINDS:
    interpreter = _interpreters.create(*kind)
    _interpreters.run_string(interpreter, "import sys; sys.stdout.flush()" + CODE)
    _interpreters.destroy(interpreter)
import curt
print(curt.stat(".").st_ino == __import__("os").stat(".").st_ino, curt.expanduser("~") != "~")
"""
    # With one GIL for all, as `Py_NewInterpreter` makes them, and with their own.
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
