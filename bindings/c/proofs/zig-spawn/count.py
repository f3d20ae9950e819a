#!/usr/bin/env python3
"""Counts the native calls of starts by name under Wine, and compares the programs started.

usage: count.py FOLDER-OF-PROGRAMS DRIVE-C. Exits with 1 if a count or an answer is wrong.
"""

import os
import shlex
import shutil
import subprocess
import sys

from table import table

PROGRAMS, DRIVE_C = sys.argv[1:]
NEWEST = os.environ["NEWEST"]
PLACE = os.path.join(DRIVE_C, "proof")
ENTRIES, HIT = 211, 197
STARTS = 100

OLD, NEW, NEWEST_ZIG, CURT = "zig-0.9.1", "zig-0.11.0", f"zig-{NEWEST}", "curt"
LABELS = {OLD: "old: Zig 0.9.1", NEW: "new: Zig 0.11", NEWEST_ZIG: f"Zig {NEWEST}", CURT: "curt"}

# Wine appends four entries to PATH.
WINES = 4
FAR = [rf"C:\proof\path\{number:03}" for number in range(1, ENTRIES - WINES + 1)]
NEAR = [FAR[HIT - 1]]
# Situations: name, PATH, the program to start, and the report's milliseconds for 100 starts.
COUNTED = [
    (
        f"far: {ENTRIES} entries, found in number {HIT}",
        "far",
        FAR,
        "hello",
        {OLD: "8,188 ± 38", NEW: "854.3 ± 6"},
    ),
    ("near: found in number 1", "near", NEAR, "hello", {OLD: "271.3 ± 1", NEW: "237.9 ± 4"}),
    (f"missing: {ENTRIES} entries", "missing", FAR, "goodbye", {}),
    ("a full path without its extension", "full", FAR, NEAR[0] + r"\hello", {}),
]

# Answers: topic, files (in the folders `cwd`, `one` and `two`, searched in this order), name, and
# the report's answer. A file is a program, a batch file, or corrupt.
EXE, BAT, CMD, BAD = "exe", "bat", "cmd", "corrupt"
ANSWERS = [
    ("another case", {"two/hello.exe": EXE}, "HeLLo.exe", EXE),
    ("another case, no extension", {"two/hello.exe": EXE}, "heLLo", EXE),
    ("missing", {"two/other.exe": EXE}, "hello", "FileNotFound"),
    (
        "the order of extensions",
        {"one/hello.bat": BAT, "one/hello.cmd": CMD, "one/hello.exe": EXE},
        "hello",
        EXE,
    ),
    ("the order of directories", {"one/hello.bat": BAT, "two/hello.exe": EXE}, "hello", BAT),
    ("a batch file by its name", {"one/hello.exe": EXE, "one/hello.bat": BAT}, "hello.bat", BAT),
    (
        "a batch file of the other kind",
        {"one/hello.exe": EXE, "two/hello.cmd": CMD},
        "heLLo.cmd",
        CMD,
    ),
    ("a batch file without extension", {"one/hello.cmd": CMD, "one/hello.bat": BAT}, "hello", BAT),
    ("a program without extension", {"one/hello": EXE}, "hello", EXE),
    ("a corrupt image", {"one/hello.exe": BAD, "two/hello.exe": EXE}, "hello", "InvalidExe"),
    (
        "the same by its full name",
        {"one/hello.exe": BAD, "two/hello.exe": EXE},
        "hello.exe",
        "InvalidExe",
    ),
    (
        "the same before a batch file",
        {"one/hello.exe": BAD, "one/hello.bat": BAT},
        "hello",
        "InvalidExe",
    ),
    (
        "the same in the working directory",
        {"cwd/hello.exe": BAD, "two/hello.exe": EXE},
        "hello",
        "InvalidExe",
    ),
    ("another bad candidate", {"one/hello": BAD, "one/hello.bat": BAT}, "hello", BAT),
    ("another bad candidate, in PATH alone", {"two/hello": BAD}, "hello", "FileNotFound"),
    ("a separator is not for PATH", {"one/sub/hello.exe": EXE}, "sub/hello", "FileNotFound"),
    ("a separator, from the working directory", {"cwd/sub/hello.exe": EXE}, r"sub\hello", EXE),
    ("a separator, and dots", {"one/hello.exe": EXE}, r"..\one/hello", EXE),
    ("a full path", {"one/hello.bat": BAT}, r"C:\proof\HERE\one\hello", BAT),
    ("extensions match whole", {"one/hello.exec": EXE, "two/hello.bat": BAT}, "hello", BAT),
    (
        "extensions that cannot be started",
        {"one/hello.vbs": BAT, "two/hello.exe": EXE},
        "hello",
        EXE,
    ),
    ("a directory of that name", {"one/hello.exe/file": EXE, "two/hello.exe": EXE}, "hello", EXE),
]
CODES = {"3": EXE, "4": BAT, "5": CMD}

SESSION = r"""
cd "$WINEPREFIX/drive_c/proof"
for name in PATH PATHEXT; do wine cmd /c "echo %$name%" | tr -d '\r' >"$name"; done
count() {
    file=$PWD/$1
    export WINEPATH="$2"
    cd cwd
    shift 2
    # Its status is not 0 where nothing is found.
    sh "$CURT_NATIVE_CALLS" "$file" "$WINEPREFIX/drive_c/proof/$@" || :
    cd ..
    rm "$file.log"
}
answer() {
    folder=$PWD/$1
    export WINEPATH="$2"
    cd "$folder/cwd"
    wine "$WINEPREFIX/drive_c/proof/$3" "$4" 1 >"$folder/$3.answer" 2>&1 || :
    cd ../..
}
"""

wrong = []


def content(kind):
    if kind == EXE:
        with open(os.path.join(PROGRAMS, "hello.exe"), "rb") as program:
            return program.read()
    return {BAT: b"@exit 4\r\n", CMD: b"@exit 5\r\n", BAD: b"invalid"}[kind]


def plant(files, folder):
    for path, kind in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content(kind))


def script():
    """Creates all files, and returns the commands for the session."""
    shutil.rmtree(PLACE, ignore_errors=True)
    os.makedirs(os.path.join(PLACE, "cwd"))
    plant({f"path/{number:03}/other.exe": BAD for number in range(1, len(FAR) + 1)}, PLACE)
    plant({f"path/{HIT:03}/hello.exe": EXE}, PLACE)
    lines = [SESSION]
    for program in LABELS:
        shutil.copy(os.path.join(PROGRAMS, program + ".exe"), PLACE)
        for _, key, path, name, _ in COUNTED:
            for starts in (1, 11):
                words = [
                    f"{program}.{key}.{starts}",
                    ";".join(path),
                    program + ".exe",
                    name,
                    str(starts),
                ]
                lines.append("count " + shlex.join(words))
    for number, (_, files, name, _) in enumerate(ANSWERS):
        folder = f"answer-{number}"
        for empty in ("cwd", "one", "two"):
            os.makedirs(os.path.join(PLACE, folder, empty))
        plant(files, os.path.join(PLACE, folder))
        path = rf"C:\proof\{folder}\one;C:\proof\{folder}\two"
        for program in LABELS:
            lines.append(
                shlex.join(["answer", folder, path, program + ".exe", name.replace("HERE", folder)])
            )
    return "\n".join(lines)


def read(program, key, starts):
    with open(os.path.join(PLACE, f"{program}.{key}.{starts}"), encoding="ascii") as lines:
        return {call: int(count) for count, call in map(str.split, lines)}


def variable(name):
    with open(os.path.join(PLACE, name), encoding="ascii") as text:
        return text.read().strip()


def judge_counts():
    pathext = variable("PATHEXT")
    extensions = len(pathext.split(";"))
    if len(variable("PATH").split(";")) != WINES:
        wrong.append(f"Wine's own PATH has not {WINES} entries: {variable('PATH')}")
    lines, seen = [], {}
    for label, key, _, _, report in COUNTED:
        lines.append([label, *[""] * 6])
        for program in LABELS:
            few, many = (read(program, key, starts) for starts in (1, 11))
            calls = {
                call: (many.get(call, 0) - few.get(call, 0)) * STARTS // 10
                for call in {*few, *many}
            }
            numbers = [
                calls.get("NtCreateUserProcess", 0),
                calls.get("NtCreateFile", 0) + calls.get("NtOpenFile", 0),
                calls.get("NtQueryDirectoryFile", 0),
                calls.get("NtClose", 0),
                sum(calls.values()),
            ]
            seen[program, key] = numbers
            lines.append(
                [
                    f"  {LABELS[program]}",
                    report.get(program, ""),
                    *(f"{number:,}" for number in numbers),
                ]
            )
    print(f"{STARTS} starts under Wine; PATHEXT has {extensions} extensions: {pathext}")
    table(["native calls", "report, ms", "process", "open", "directory", "close", "all"], lines)

    def expect(what, holds):
        if not holds:
            wrong.append(what)

    # The old program tries the unchanged name in the working directory, and the name with each
    # extension in the other directories.
    tried = STARTS * (1 + (HIT - 1) * extensions + 2)
    expect(f"old, far: {tried} attempts to start", seen[OLD, "far"][0] == tried)
    for program in (NEW, NEWEST_ZIG, CURT):
        far, near, missing, full = (
            seen[program, key] for key in ("far", "near", "missing", "full")
        )
        expect(
            f"{program}: one process for each start", (far[0], near[0], full[0]) == (STARTS,) * 3
        )
        expect(f"{program}: no process for a missing name", missing[0] == 0)
        # A directory without a match costs an open, a query and a close.
        more = [number - other for number, other in zip(far, near)]
        step = STARTS * (HIT - 1)
        expect(
            f"{program}: three calls for each entry more", more == [0, step, step, step, 3 * step]
        )
        step = STARTS * (ENTRIES + 1)
        expect(
            f"{program}: three calls for each entry if missing",
            missing == [0, step, step, step, 3 * step],
        )
    for key in ("far", "near", "missing", "full"):
        expect(
            f"curt, {key}: no more calls than Zig {NEWEST}",
            seen[CURT, key][4] <= seen[NEWEST_ZIG, key][4],
        )


def judge_answers():
    lines = []
    for number, (what, _, name, report) in enumerate(ANSWERS):
        answers = []
        for program in LABELS:
            with open(
                os.path.join(PLACE, f"answer-{number}", program + ".exe.answer"), encoding="utf-8"
            ) as text:
                said = text.read().split()
            answer = CODES.get(said[-1], said[-1]) if said else "nothing"
            # Any other output is Wine's debugger reporting a crash.
            answers.append(answer if answer in {EXE, BAT, CMD} or len(said) == 1 else "crash")
        if answers[-1] != report:
            wrong.append(f"{what}: curt says {answers[-1]}")
        lines.append([what, name.replace("HERE", "…"), report, *answers])
    table(["what is started", "name", "report", *LABELS.values()], lines)


def main():
    text = script()
    subprocess.run(["cargo", "xtask", "windows-session", "--", "sh", "-euc", text], check=True)
    judge_counts()
    judge_answers()
    if wrong:
        print("\n".join(["wrong:", *wrong]))
        raise SystemExit(1)
    shutil.rmtree(PLACE)


main()
