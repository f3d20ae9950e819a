"""Runs one module of CPython's tests, and prints the tests that did not pass as JSON lines.

usage: run_one.py MODULE (curt | cpython) [TEST ...]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest


class Result(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.failed: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        if os.environ.get("CURT_TRACE_TESTS"):
            print(test.id(), file=sys.stderr, flush=True)

    def _failed(self, test: unittest.TestCase, error) -> None:
        # A failed subtest counts as its test; a failed class has only its name.
        test = getattr(test, "test_case", test)
        self.failed.setdefault(test.id(), self._exc_info_to_string(error, test))

    def addError(self, test, error) -> None:
        super().addError(test, error)
        self._failed(test, error)

    def addFailure(self, test, error) -> None:
        super().addFailure(test, error)
        self._failed(test, error)

    def addSubTest(self, test, subtest, error) -> None:
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._failed(test, error)


def main() -> None:
    module, whose, *names = sys.argv[1:]
    if whose == "curt":
        import shutil

        import curt_fs as curt

        curt.install()
        # `install()` leaves this one alone, because it replaces symlinks at the destination.
        shutil.copy2 = curt.copy2
    result = Result()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        loader = unittest.TestLoader()
        if names:
            suite = loader.loadTestsFromNames(names)
        else:
            suite = loader.loadTestsFromName(module)
        suite.run(result)
        os.chdir("/")
    answer = {"run": result.testsRun, "skipped": len(result.skipped), "failed": result.failed}
    print("\n" + json.dumps(answer))


main()
