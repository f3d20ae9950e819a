#!/usr/bin/env python3
"""Counts the native calls of removals of the report's tree under Wine.

usage: windows.py FOLDER-OF-PROGRAMS DRIVE-C. Exits with 1 if a count is wrong.
"""

import os
import shutil
import subprocess
import sys

import tree
from table import table

PROGRAMS, DRIVE_C = sys.argv[1:]
NEWEST = os.environ["NEWEST"]
FILES, DIRECTORIES = tree.FILES, sum(tree.LEVELS)

# Program, the report's seconds, and the expected counts beyond those for an empty directory.
ROWS = [
    ("old: Zig 0.9.1", "zig-0.9.1", "8.23 s", (89_524, 0, 29_080, 0, 65_366, 0)),
    ("new: Zig 0.11", "zig-0.11.0", "5.61 s", (46_070, 0, 11_478, 41_208, 46_070, 0)),
    (f"Zig {NEWEST}", f"zig-{NEWEST}", "", (46_070, 0, 10_047, 41_208, 46_070, 0)),
    ("curt, in Zig 0.11", "curt-0.11.0", "", (0, 41_208, 9_725, 41_208, 41_208, 4_901)),
]
CALLS = ["NtCreateFile", "NtOpenFile", "NtQueryDirectoryFile", "NtSetInformationFile", "NtClose"]

# Folders are named PROGRAM-CONTENTS.
SESSION = """
cd "$WINEPREFIX/drive_c/proof"
for folder in */; do
    name=${folder%/}
    cd "$folder"
    sh "$CURT_NATIVE_CALLS" "../$name.calls" "$WINEPREFIX/drive_c/proof/${name%-*}.exe" tree
    cd ..
    rm -f "$name.calls.log"
done
"""


def counts(name, kind, place):
    if os.path.exists(os.path.join(place, f"{name}-{kind}", "tree")):
        raise SystemExit(f"{name} left the tree there")
    with open(os.path.join(place, f"{name}-{kind}.calls"), encoding="ascii") as lines:
        return {call: int(count) for count, call in map(str.split, lines)}


def main():
    place = os.path.join(DRIVE_C, "proof")
    shutil.rmtree(place, ignore_errors=True)
    for _, name, _, _ in ROWS:
        for kind, make in (("empty", os.mkdir), ("full", tree.make)):
            os.makedirs(os.path.join(place, f"{name}-{kind}"))
            make(os.path.join(place, f"{name}-{kind}", "tree"))
        shutil.copy(os.path.join(PROGRAMS, name + ".exe"), place)
    subprocess.run(["cargo", "xtask", "windows-session", "--", "sh", "-euc", SESSION], check=True)
    wrong, lines = [], []
    for label, name, report, today in ROWS:
        empty, full = (counts(name, kind, place) for kind in ("empty", "full"))
        more = {call: full.get(call, 0) - empty.get(call, 0) for call in {*empty, *full}}
        numbers = tuple(more.pop(call, 0) for call in CALLS)
        rest = sum(more.values())
        if (*numbers, rest) != today:
            wrong.append(f"{label}: {(*numbers, rest)} instead of {today}, with {more}")
        lines.append(
            [label, report, *(f"{number:,}" for number in (*numbers, rest, sum(numbers) + rest))]
        )
    print(
        f"{FILES:,} files in {DIRECTORIES:,} directories: calls beyond those for an empty directory"
    )
    table(["calls of Windows", "report", *CALLS, "others", "all"], lines)
    shutil.rmtree(place)
    if wrong:
        print("\n".join(["wrong:", *wrong]))
        raise SystemExit(1)


main()
