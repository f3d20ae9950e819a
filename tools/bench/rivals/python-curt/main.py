"""Times functions of Python and their replacements in curt, like node-curt/main.js."""

import os
import shutil
import sys
from collections import deque
from functools import partial
from time import perf_counter_ns

import curt_fs as curt

LIBRARIES = {
    "cpython": (shutil.rmtree, shutil.copytree, os.walk, os.scandir, shutil.which, os.path.abspath),
    "curt": (curt.rmtree, curt.copytree, curt.walk, curt.scandir, curt.which, curt.abspath),
}
if sys.argv[1:2] == ["scandir-rs"]:
    from scandir_rs import ReturnType, Walk

    # With the other return types, scandir-rs skips symlinks.
    links_too = partial(Walk, return_type=ReturnType.Ext)
    LIBRARIES["scandir-rs"] = (None, None, links_too, None, None, None)
LEAST = 50_000_000


def exhaust(iterable):
    deque(iterable, maxlen=0)


def repeated(task):
    count, begin = 0, perf_counter_ns()
    while count < 3 or perf_counter_ns() - begin < LEAST:
        task()
        count += 1
    took((perf_counter_ns() - begin) / count)


def took(nanoseconds):
    print("took", nanoseconds, file=sys.stderr)


def once(task, threads):
    options = {} if threads is None else {"threads": int(threads)}
    begin = perf_counter_ns()
    task(**options)
    took(perf_counter_ns() - begin)


def remove(tree, threads=None):
    once(partial(rmtree, tree), threads)


def copy(tree, to, threads=None):
    once(partial(copytree, tree, to, symlinks=True), threads)


def paths(tree):
    for folder, *lists in walk(tree):
        prefix = folder + "/"
        out.writelines(prefix + name + "\n" for names in lists for name in names)
    repeated(lambda: exhaust(walk(tree)))


def sizes(tree):
    def stat_all():
        with scandir(tree) as entries:
            for entry in entries:
                entry.stat(follow_symlinks=False)

    with scandir(tree) as entries:
        for entry in entries:
            out.write(f"{entry.stat(follow_symlinks=False).st_size} {entry.name}\n")
    repeated(stat_all)


def programs(*names):
    out.writelines(f"{which(name)}\n" for name in names)
    repeated(lambda: exhaust(map(which, names)))


def expand(*paths):
    out.writelines(f"{abspath(path)}\n" for path in paths)
    repeated(lambda: exhaust(map(abspath, paths)))


TASKS = {
    "rmtree": remove,
    "copytree": copy,
    "walk": paths,
    "stat": sizes,
    "which": programs,
    "abspath": expand,
}

if len(sys.argv) < 4 or sys.argv[1] not in LIBRARIES or sys.argv[2] not in TASKS:
    print("usage: python-curt cpython|curt|scandir-rs", "|".join(TASKS), "OPERAND...", file=sys.stderr)
    sys.exit(2)
rmtree, copytree, walk, scandir, which, abspath = LIBRARIES[sys.argv[1]]
with open(1, "w", buffering=65536, closefd=False, errors="surrogateescape") as out:
    TASKS[sys.argv[2]](*sys.argv[3:])
