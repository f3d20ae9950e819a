#!/usr/bin/env python3
"""Measures the startup of commands.

usage: start.py order TRACED BINARY: prints the functions of BINARY that run at startup, in that
order, for the linker. TRACED is a binary for this processor, and BINARY one for any processor. Both
must have symbols.
       start.py check BINARY: compares page faults and instructions with the limits in `start.txt`.
"""

import bisect
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

LIMITS = Path(__file__).with_suffix(".txt")
COMMANDS = ["rm -rf d", "ls -l d", "find d", "du -s d", "stat d", "which sh"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@contextlib.contextmanager
def small_tree() -> Iterator[str]:
    # The depth must always be the same, because the search for ignore files opens every parent.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder, "d").mkdir()
        Path(folder, "d", "file").touch()
        yield folder


def trace(binary: str, command: str, *options: str) -> str:
    valgrind = shutil.which("valgrind") or sys.exit("valgrind is not installed")
    words = [valgrind, "--tool=lackey", *options, Path(binary).resolve(), *command.split()]
    with small_tree() as folder:
        run = subprocess.run(words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{run.stderr[-2000:]}{command}: ended with {run.returncode} under valgrind")
    return run.stderr


def functions(binary: str) -> list[tuple[int, str]]:
    symbols = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tTwW] (.+)$", symbols, re.MULTILINE)
    return sorted((int(address, 16), name) for address, name in found)


def general(name: str) -> str:
    """Returns a symbol without its crate hashes, which differ between processors."""
    return re.sub(r"Cs[0-9A-Za-z]+_", "C_", name)


def order(binary: str, other: str) -> None:
    known = functions(binary)
    addresses = [address for address, _ in known]
    started: dict[str, int] = {}
    for command in COMMANDS:
        steps = trace(binary, command, "--trace-mem=yes")
        for step in re.finditer(r"^I +([0-9a-f]+),", steps, re.MULTILINE):
            last = bisect.bisect(addresses, int(step[1], 16))
            for _, name in known[bisect.bisect_left(addresses, addresses[last - 1]) : last]:
                started.setdefault(general(name), len(started))
    names = [name for _, name in functions(other) if general(name) in started]
    found = len({general(name) for name in names}) / len(started)
    if found < 0.8:
        sys.exit(f"{other} has {found:.0%} of the functions that start {binary}")
    print(*sorted(names, key=lambda name: started[general(name)]), sep="\n")


def faults(binary: str, command: str) -> int:
    """Returns the minimum of page faults in several starts, because addresses are random."""
    here = os.getcwd()
    counts = []
    for _ in range(9):
        with small_tree() as folder:
            os.chdir(folder)
            silent = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
            words = ["curt", *command.split()]
            child = os.posix_spawn(binary, words, ENVIRONMENT, file_actions=silent)
            _, status, used = os.wait4(child, 0)
            os.chdir(here)
        assert status == 0, command
        counts.append(used.ru_minflt)
    return min(counts)


def instructions(binary: str, command: str) -> int:
    return int(re.search(r"guest instrs: +([0-9,]+)", trace(binary, command))[1].replace(",", ""))


def check(binary: str) -> None:
    # The count depends on the layout in the page cache, which is always the same in a memfd.
    copy = os.memfd_create("curt")
    os.write(copy, Path(binary).read_bytes())
    found = {
        command: (faults(f"/proc/self/fd/{copy}", command), instructions(binary, command))
        for command in COMMANDS
    }
    for command, counts in found.items():
        print(f"{command:8} {counts[0]:4} {counts[1]:8}")
    limits = [line.rsplit(maxsplit=2) for line in LIMITS.read_text().splitlines()[1:]]
    assert [command for command, *_ in limits] == COMMANDS, LIMITS
    for command, *most in limits:
        if any(count > int(limit) for count, limit in zip(found[command], most)):
            sys.exit(f"{command}: {found[command]} page faults and instructions, not {most}")


{"order": order, "check": check}[sys.argv[1]](*sys.argv[2:])
