from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "cpython"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# The least number of tests per module. If fewer run, the module is missing or skipped itself.
MODULES = {
    "test_shutil": 120,
    "test_os": 200,
    "test_posixpath": 60,
    "test_ntpath": 50,
    "test_genericpath": 20,
    "test_glob": 12,
    "test_pathlib": 200,
}


def listed() -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    lines = (HERE / "failures.txt").read_text().splitlines()
    for index, line in enumerate(lines):
        if not line or line.startswith(("#", " ")):
            continue
        *versions, name = line.split()
        reason = lines[index + 1 : index + 2]
        assert versions and reason and reason[0].startswith("    "), f"no reason: {line}"
        module = name.split(".")[0]
        assert module in MODULES, line
        if VERSION in versions:
            names.setdefault(module, set()).add(name)
    return names


def run(module: str, whose: str, *names: str) -> dict:
    command = [sys.executable, "-W", "ignore", str(HERE / "run_one.py"), f"test.{module}", whose, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def answers():
    with ThreadPoolExecutor(3) as pool:
        yield {module: pool.submit(run, module, "curt") for module in MODULES if is_present(module)}


def is_present(module: str) -> bool:
    return find_spec("test") is not None and find_spec(f"test.{module}") is not None


@pytest.mark.parametrize("module", MODULES)
def test_module(answers, module: str) -> None:
    if not is_present(module):
        pytest.skip(f"this Python has no test.{module}; on Debian it is in libpython3-testsuite")
    answer = answers[module].result()
    assert answer["run"] >= MODULES[module]
    failed = answer["failed"]
    if failed:
        failed = {name: failed[name] for name in failed if name not in run(module, "cpython", *failed)["failed"]}
    found = {name.removeprefix("test."): why for name, why in failed.items()}
    expected = listed().get(module, set())
    unexpected = "\n".join(found[name] for name in sorted(found.keys() - expected))
    assert not unexpected, f"{sorted(found.keys() - expected)}\n{unexpected}"
    assert not expected - found.keys(), "listed, and passes: remove it from failures.txt"


def test_at_most_ten_are_listed() -> None:
    assert sum(len(names) for names in listed().values()) <= 10
