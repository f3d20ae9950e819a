#!/usr/bin/env python3
"""Counts and times removals of the report's tree on Linux, and prints the report's table, too.

usage: linux.py FOLDER-OF-PROGRAMS. Exits with 1 if a count is wrong.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import tree
from table import table

PROGRAMS = os.path.abspath(sys.argv[1])
ROUNDS = int(os.environ.get("CURT_ROUNDS", "11"))
NEWEST = os.environ["NEWEST"]
FLAT = 25_000
DIRECTORIES = sum(tree.LEVELS)

wrong = []


def program(name, *arguments):
    return [os.path.join(PROGRAMS, name), "tree", *arguments]


class Row:
    """A program, the report's counts, the expected counts, and the descriptor limit."""

    def __init__(self, name, command, report=None, today=None, descriptors=None, may_fail=False):
        self.name, self.command = name, command
        self.report, self.today = report, today
        self.descriptors, self.may_fail = descriptors, may_fail


# The expected counts: unlinkat, failed unlinkat, getdents64, openat and close.
CURT = (41_209, 0, 9_726, 4_863, 4_863)
ROWS = [
    Row(
        "old: Zig 0.9.1",
        program("zig-0.9.1"),
        (65_368, 24_159, 29_036, 24_159, 24_159, 166_884),
        (65_368, 24_159, 29_037, 24_159, 24_159),
    ),
    Row(
        "16 levels: Zig 0.11 with 8 KiB",
        program("zig-8192-16"),
        (41_210, 1, 9_744, 4_863, 4_863, 60_683),
        (41_210, 1, 9_744, 4_863, 4_863),
    ),
    Row(
        "8 levels: the same, changed",
        program("zig-8192-8"),
        (41_210, 1, 9_754, 4_873, 4_873, 60_717),
        (41_210, 1, 9_754, 4_873, 4_873),
    ),
    Row(
        "4 levels: the same, changed",
        program("zig-8192-4"),
        (41_210, 1, 12_428, 7_548, 7_548, 68_737),
        (41_210, 1, 12_429, 7_548, 7_548),
    ),
    Row(
        "fallback alone: Zig 0.11",
        program("zig-0.11.0", "min-stack"),
        (41_210, 1, 29_036, 24_159, 24_159, 118_567),
        (46_072, 4_863, 29_157, 24_159, 24_159),
    ),
    Row("Zig 0.11 as it is", program("zig-0.11.0"), None, (41_210, 1, 9_887, 4_863, 4_863)),
    Row(f"Zig {NEWEST}", program(f"zig-{NEWEST}"), None, (41_210, 1, 9_799, 4_863, 4_863)),
    Row(
        f"Zig {NEWEST}, fallback alone",
        program(f"zig-{NEWEST}", "min-stack"),
        None,
        (46_072, 4_863, 29_082, 24_159, 24_159),
    ),
    Row("curt, in Zig 0.9.1", program("curt-0.9.1"), None, CURT),
    Row("curt, in Zig 0.11", program("curt-0.11.0"), None, CURT),
    Row(f"curt, in Zig {NEWEST}", program(f"curt-{NEWEST}"), None, CURT),
    Row("GNU rm -rf", ["rm", "-rf", "tree"]),
]
# Three descriptors are in use from the start.
LIMITS = [
    Row("curt, 20 descriptors", program("curt-0.11.0"), None, CURT, 20),
    Row("curt, 12 descriptors", program("curt-0.11.0"), None, None, 12),
    Row("curt, 8 descriptors", program("curt-0.11.0"), None, None, 8),
    Row("Zig 0.11, 8 descriptors", program("zig-0.11.0"), None, None, 8, may_fail=True),
    Row(
        "Zig 0.11, fallback, 8 descriptors",
        program("zig-0.11.0", "min-stack"),
        None,
        (46_072, 4_863, 29_157, 24_159, 24_159),
        8,
    ),
    Row("GNU rm -rf, 8 descriptors", ["rm", "-rf", "tree"], None, None, 8, may_fail=True),
]


def flat(path):
    os.mkdir(path)
    for n in range(FLAT):
        os.close(os.open(os.path.join(path, f"f{n:05}"), os.O_CREAT | os.O_WRONLY, 0o644))


def trace(command, descriptors=None):
    """Runs a program. Returns its calls by name with their failures, and whether it succeeded."""
    prefix = [] if descriptors is None else ["prlimit", f"--nofile={descriptors}"]
    with tempfile.NamedTemporaryFile("r") as log:
        strace = ["strace", "-f", "-c", "-U", "calls,errors,name", "-o", log.name]
        done = subprocess.run(strace + prefix + command, stderr=subprocess.DEVNULL, check=False)
        calls = {}
        for line in log.read().splitlines():
            words = line.split()
            if words and words[0].isdigit():
                failed = int(words[1]) if len(words) == 3 else 0
                calls[words[-1]] = (int(words[0]), failed)
    return calls, done.returncode == 0


def counts(command, make, descriptors=None):
    """Returns the table's counts of a removal, all its calls, and whether it succeeded."""
    seen = []
    for build in (os.mkdir, make):
        shutil.rmtree("tree", ignore_errors=True)
        build("tree")
        calls, succeeded = trace(command, descriptors)
        calls["open"] = [
            sum(both) for both in zip(calls.get("openat", (0, 0)), calls.get("openat2", (0, 0)))
        ]
        names = ("unlinkat", "getdents64", "open", "close", "total")
        seen.append([calls.get(name, (0, 0)) for name in names])
    is_gone = not os.path.exists("tree")
    if succeeded != is_gone:
        wrong.append(f"{' '.join(command)}: it says {succeeded}, and the tree is gone: {is_gone}")
    start, (unlink, getdents, opened, closed, total) = seen
    # Subtract the opens for an empty directory, but keep the open of that directory itself.
    opened = opened[0] - start[2][0] + 1
    closed = closed[0] - start[3][0] + 1
    return (unlink[0], unlink[1], getdents[0], opened, closed), total[0], succeeded


def shown(numbers, total):
    if numbers is None:
        return [""] * 5
    unlink, failed, getdents, opened, closed = numbers
    text = f"{unlink:,}" + (f" ({failed:,} fail)" if failed else "")
    return [text, f"{getdents:,}", f"{opened:,}", f"{closed:,}", f"{total:,}"]


def count_all():
    names = ["unlinkat", "getdents64", "openat", "close", "all"]
    head = ["calls"] + [
        f"{when}: {name}" if n == 0 else name
        for when in ("report", "today")
        for n, name in enumerate(names)
    ]
    lines = []
    for row in ROWS + LIMITS:
        numbers, total, succeeded = counts(row.command, tree.make, row.descriptors)
        if not succeeded and row.may_fail:
            lines.append([row.name, *shown(None, None), "fails", "", "", "", ""])
            continue
        if not succeeded:
            wrong.append(f"{row.name}: it failed")
        if row.today is not None and numbers != row.today:
            wrong.append(f"{row.name}: {numbers} instead of {row.today}")
        # With few descriptors curt makes more opens (but fewer than Zig's fallback), and the same
        # removals.
        if row.name.startswith("curt") and (
            numbers[:2] != CURT[:2] or numbers[3] > 7_548 or total > 68_737
        ):
            wrong.append(
                f"{row.name}: {numbers}, {total} in all, is more than the report's 4 levels"
            )
        report = shown(row.report[:5], row.report[5]) if row.report else shown(None, None)
        lines.append([row.name, *report, *shown(numbers, total)])
    print(
        f"{tree.FILES:,} files in {DIRECTORIES:,} directories; 'all' includes the program's start"
    )
    table(head, lines)


def count_buffers():
    head = ["reading directories", "1 KiB", "2 KiB", "4 KiB", "8 KiB", "curt"]
    lines = []
    trees = [
        ("the tree", tree.make, ["29.5", "29.8", "30.2", "30.6"]),
        (f"{FLAT:,} files in one directory", flat, ["9.1", "9.2", "9.5", "8.9"]),
    ]
    for name, make, report in trees:
        lines.append([f"{name}, report, ms", *report, ""])
        line = [f"{name}, calls"]
        for size in (1024, 2048, 4096, 8192, None):
            which = program("curt-0.11.0") if size is None else program(f"zig-{size}-16")
            numbers, _, _ = counts(which, make)
            line.append(f"{numbers[2]:,}")
            if size is None and make is flat and numbers[2] > 30:
                wrong.append(f"curt read a directory of {FLAT:,} files with {numbers[2]} calls")
        lines.append(line)
    table(head, lines)


def interval(values):
    """Returns the median and its 95 % confidence interval (sign test)."""
    values, count = sorted(values), len(values)
    term = total = 0.5**count
    cut = 0
    while total <= 0.025 and cut < count // 2:
        cut += 1
        term *= (count - cut + 1) / cut
        total += term
    cut = max(cut - 1, 0)
    return statistics.median(values), values[cut], values[count - 1 - cut]


def run(command):
    """Runs a command that must remove the tree. Returns the milliseconds."""
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status = os.waitpid(pid, 0)
    taken = (time.perf_counter() - begin) * 1000
    if status != 0 or os.path.exists("tree"):
        raise SystemExit(f"{command} failed")
    return taken


def measure():
    """Runs the programs in turn, in a different order each round, and prints the times."""
    runs = [
        ("GNU rm -rf", ["rm", "-rf", "tree"], "423.9 ± 35"),
        ("old: Zig 0.9.1", program("zig-0.9.1"), "701.2 ± 28"),
        ("new: Zig 0.11", program("zig-0.11.0"), "382.7 ± 8"),
        ("fallback alone: Zig 0.11", program("zig-0.11.0", "min-stack"), "683.6 ± 28"),
        (f"Zig {NEWEST}", program(f"zig-{NEWEST}"), ""),
        ("curt, 1 thread", program("curt-0.11.0"), ""),
        ("curt, threads as pay", program("curt-0.11.0", "automatic"), ""),
    ]
    times = {name: [] for name, _, _ in runs}
    for turn in range(ROUNDS + 1):
        for n in range(len(runs)):
            name, command, _ = runs[(n + turn) % len(runs)]
            tree.make("tree")
            taken = run(command)
            # The first round is a warm-up.
            if turn > 0:
                times[name].append(taken)
    base = times["GNU rm -rf"]
    lines = []
    for name, _, report in runs:
        middle, low, high = interval(times[name])
        ratio, least, most = interval([own / rm for own, rm in zip(times[name], base)])
        today = f"{middle:.1f} [{low:.1f}, {high:.1f}]"
        lines.append([name, report, today, f"{ratio:.2f} [{least:.2f}, {most:.2f}]"])
    print(f"The tree, on tmpfs: {ROUNDS} rounds, median and 95 % interval")
    table(["time", "report, ms", "today, ms", "× rm of the same round"], lines)


def main():
    with tempfile.TemporaryDirectory(dir=os.environ["PLACE"]) as place:
        os.chdir(place)
        count_all()
        count_buffers()
        if not wrong:
            measure()
        os.chdir("/")
    if wrong:
        print("\n".join(["wrong:", *wrong]))
        raise SystemExit(1)


main()
