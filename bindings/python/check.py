#!/usr/bin/env python3
"""Builds the wheel and runs the tests, in a virtual environment in the target folder.

usage: python3 bindings/python/check.py [--all] [PYTEST ARGUMENT ...]

Needs Rust, and Python 3.10 or newer with `venv`. As root, tests of permissions run as `nobody`.
With `--all`, also runs slow tests and those with large dependencies: CPython's own tests, where
Python has them (on Debian in `libpython3-testsuite`), a Dask cluster, tables and progress.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WITH_ALL = ["test_cpython.py", "test_dask.py", "test_notebook.py"]


def run(*command: object, **kwargs) -> None:
    words = [str(word) for word in command]
    print("+", " ".join(words), flush=True)
    code = subprocess.run(words, cwd=kwargs.pop("cwd", HERE), **kwargs).returncode
    if code != 0:
        sys.exit(code)


def target_folder() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target")).resolve()


def as_nobody(python: Path, wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        shutil.copytree(HERE / "tests", root / "tests")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--target", root / "site", wheel], check=True)
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o777)
        system = shutil.which("python3", path="/usr/bin:/bin")
        for interpreter in filter(None, (str(python), system)):
            probe = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", interpreter]
            environment = {"PATH": os.defpath, "PYTHONPATH": f"{root}/site", "TMPDIR": f"{root}/tmp"}
            ready = subprocess.run([*probe, "-c", "import curt_fs"], env=environment, capture_output=True)
            if ready.returncode == 0:
                run(*probe, root / "tests" / "permissions.py", env=environment, cwd=root / "tmp")
                return
    print("skipped: python: permissions: nobody may not run this Python", flush=True)


def main() -> None:
    target = target_folder()
    environment = target / "python-venv"
    python = environment / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", environment)
    arguments = sys.argv[1:]
    requirements = ["requirements.txt"]
    if arguments[:1] == ["--all"]:
        del arguments[0]
        requirements.append("requirements-all.txt")
    else:
        arguments += [f"--ignore={HERE / 'tests' / name}" for name in WITH_ALL]
    lists = [word for name in requirements for word in ("-r", HERE / name)]
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *lists)
    run("cargo", "fmt", "--check")
    run("cargo", "clippy", "--all-targets", "--locked", "--", "-D", "warnings")
    wheels = target / "python-wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    # An unoptimized build takes a third of the time.
    run(python, "-m", "maturin", "build", "-q", "--locked", "--profile", "dev", "-o", wheels)
    [wheel] = wheels.glob("*.whl")
    run(python, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel)
    if os.geteuid() == 0:
        as_nobody(python, wheel)
    else:
        run(python, HERE / "tests" / "permissions.py")
    run(python, "-m", "pytest", "-q", *arguments)


main()
