"""Tests for a user other than root, without pytest, which `nobody` may lack."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import unittest

import curt_fs as curt


class Counter:
    entries = 0

    def update(self, count: int) -> None:
        self.entries += count


class Forbidden(unittest.TestCase):
    def setUp(self) -> None:
        self.root = tempfile.mkdtemp()
        for path in ("a/b/c", "a/d", "x"):
            os.makedirs(os.path.join(self.root, path))
        for path in ("a/one", "a/b/two", "a/b/c/three", "x/four"):
            with open(os.path.join(self.root, path), "w"):
                pass
        os.chmod(self.path("a/b"), 0o555)
        os.chmod(self.path("x"), 0)

    def tearDown(self) -> None:
        for path in ("a/b", "x"):
            if os.path.exists(self.path(path)):
                os.chmod(self.path(path), 0o755)
        shutil.rmtree(self.root, ignore_errors=True)

    def path(self, name: str) -> str:
        return os.path.join(self.root, name)

    def calls(self, rmtree, name: str) -> list:
        found = []

        def onerror(function, path, info) -> None:
            self.assertIs(sys.exc_info()[1], info[1])
            found.append((function.__name__, os.path.relpath(path, self.root), info[0].__name__, info[1].errno))

        rmtree(self.path(name), onerror=onerror)
        return sorted(found)

    def test_handlers_are_called_as_by_cpython(self) -> None:
        for name in ("x", "a"):
            ours = self.calls(curt.rmtree, name)
            self.tearDown()
            self.setUp()
            self.assertEqual(ours, self.calls(shutil.rmtree, name), name)
            self.tearDown()
            self.setUp()

    def test_unreadable_ancestors_of_a_tree(self) -> None:
        os.chmod(self.path("a"), 0o311)
        os.chmod(self.path("a/b"), 0o755)
        fd = os.open(self.root, os.O_RDONLY)
        try:
            curt.rmtree("a/d", dir_fd=fd)
            curt.rmtree("a/b/c", ignore_errors=True, dir_fd=fd)
        finally:
            os.close(fd)
            os.chmod(self.path("a"), 0o755)
        self.assertEqual(sorted(os.listdir(self.path("a"))), ["b", "one"])
        self.assertEqual(os.listdir(self.path("a/b")), ["two"])

    def test_the_first_failure_is_raised(self) -> None:
        with self.assertRaises(PermissionError) as caught:
            curt.rmtree(self.path("a"))
        self.assertIn(os.path.relpath(caught.exception.filename, self.root), ("a/b/two", "a/b/c"))

    def test_many_failures_in_every_form(self) -> None:
        def failed(*_: object) -> None:
            self.assertIs(threading.current_thread(), threading.main_thread())
            calls.append(1)

        fd = os.open(self.root, os.O_RDONLY)
        for threads in (1, 4):
            for path, below in ((self.path("m"), {}), ("m", {"dir_fd": fd})):
                for way in ({}, {"onerror": failed}, {"onexc": failed}):
                    calls: list[int] = []
                    for number in range(40):
                        for name in (f"m/free{number}", f"m/locked{number}/d"):
                            os.makedirs(self.path(name))
                        os.chmod(self.path(f"m/locked{number}"), 0o555)
                    if way:
                        curt.rmtree(path, threads=threads, **below, **way)
                    else:
                        with self.assertRaises(PermissionError):
                            curt.rmtree(path, threads=threads, **below)
                    free = [name for name in os.listdir(self.path("m")) if name.startswith("free")]
                    self.assertEqual((bool(free), len(calls) >= 40), (not way, bool(way)))
                    for number in range(40):
                        os.chmod(self.path(f"m/locked{number}"), 0o755)
                    shutil.rmtree(self.path("m"))
        os.close(fd)

    def test_failures_can_be_ignored(self) -> None:
        curt.rmtree(self.path("a"), ignore_errors=True)
        self.assertEqual(os.listdir(self.path("a")), ["b"])

    def test_a_handler_can_repair(self) -> None:
        def repair(function, path, error) -> None:
            os.chmod(os.path.dirname(path), 0o755)
            os.chmod(path, 0o755) if function in (os.open, os.scandir) else None
            function(path) if function not in (os.open, os.scandir) else curt.rmtree(path)

        curt.rmtree(self.path("a"), onexc=repair)
        self.assertFalse(os.path.exists(self.path("a")))

    def test_a_copy_fails_as_in_cpython(self) -> None:
        os.chmod(self.path("a/b/two"), 0)
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for copytree in (curt.copytree, shutil.copytree):
                copy = os.path.join(folder, "copy")
                for source, name in ((self.root, copy), (self.path("x"), folder + "/x"), (self.path("a/b/c"), self.path("x/y"))):
                    with self.assertRaises(OSError) as caught:
                        copytree(source, name)
                    error = caught.exception
                    found.append((type(error), sorted(error.args[0]) if type(error) is shutil.Error else error.args))
                found.append([(os.path.relpath(path, folder), os.stat(path).st_mode, files) for path, _, files in os.walk(folder)])
                os.chmod(os.path.join(copy, "a/b"), 0o755)
                shutil.rmtree(copy)
            self.assertEqual(found[:4], found[4:])

    def test_errors_of_listing(self) -> None:
        for function in (curt.listdir, curt.scandir):
            with self.assertRaises(PermissionError) as caught:
                function(self.path("x"))
            self.assertEqual(caught.exception.filename, self.path("x"))
        errors: list[OSError] = []
        list(curt.walk(self.root, onerror=errors.append))
        self.assertEqual([error.filename for error in errors], [self.path("x")])
        with self.assertRaises(PermissionError):
            curt.stat(self.path("x/four"))

    def test_remove_has_all_options_and_reports_what_remains(self) -> None:
        for path in ("keep/y", "b.log"):
            os.makedirs(self.path(f"a/d/{path}"))
        missing = self.path("missing")
        counter = Counter()
        options = {"contents": True, "exclude": ["*.log", "d/keep/"], "retries": 1, "progress": counter}
        *counts, errors = curt.remove(self.path("a"), missing, **options)
        self.assertEqual(counts, [2, 0, 2, 0])
        failed = {(type(error), error.filename) for error in errors}
        denied = {(PermissionError, self.path(f"a/b/{name}")) for name in ("two", "c")}
        self.assertEqual(failed, {(FileNotFoundError, missing), *denied})
        *counts, errors = curt.remove(self.path("a"), missing, make_writable=True, missing_ok=True, **options)
        self.assertEqual(counts, [1, 2, 2, 1])
        self.assertEqual((errors, counter.entries), ([], 5))
        self.assertEqual(sorted(path for path, _, _ in os.walk(self.path("a"))), [
            self.path(name) for name in ("a", "a/d", "a/d/b.log", "a/d/keep", "a/d/keep/y")
        ])  # fmt: skip
        self.assertEqual(curt.remove(os.fsencode(self.path("a")), threads=1), (0, 5, 0, 0, []))

    def test_unreadable_directories_are_reported(self) -> None:
        report = curt.usage(self.root)
        found = [(type(error), error.filename) for error in report.errors]
        self.assertEqual(found, [(PermissionError, self.path("x"))])
        self.assertIn("1 not counted", report._repr_html_())
        with self.assertRaises(PermissionError):
            curt.usage(self.path("x/four"))


if __name__ == "__main__":
    if os.geteuid() == 0:
        sys.exit("permissions.py: root may do everything")
    unittest.main()
