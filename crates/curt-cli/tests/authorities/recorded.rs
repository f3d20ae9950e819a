//! What authorities answer on Windows, as their own tests have it, asked of their policies over
//! directories of this system. Each row is a fact of the test that it names; how these programs are
//! started is in the library's suite for Windows.

use std::path::PathBuf;
use std::process::Command;

use curt_testkit::Scratch;

/// The usual `PATHEXT` of Go's tests, which take that of the machine.
const USUAL: &str = ".COM;.EXE;.BAT;.CMD";

/// A search: the files, `PATH` by names below the folder of the test (an entry that begins with a
/// dot is relative), `PATHEXT`, the name and the answer. A name that ends in a slash is a
/// directory.
struct Row {
    says: &'static str,
    files: &'static [&'static str],
    path: &'static [&'static str],
    pathext: &'static str,
    name: &'static str,
    answer: Result<&'static str, &'static str>,
}

const fn row(
    says: &'static str,
    files: &'static [&'static str],
    path: &'static [&'static str],
    name: &'static str,
    answer: Result<&'static str, &'static str>,
) -> Row {
    Row { says, files, path, pathext: USUAL, name, answer }
}

/// Asks every row of a policy; the base directory is the folder of the test.
fn check(policy: &str, rows: &[Row]) {
    for Row { says, files, path, pathext, name, answer } in rows {
        let scratch = Scratch::new();
        for file in *files {
            match file.strip_suffix('/') {
                Some(directory) => drop(scratch.dir(directory)),
                None => drop(scratch.file(file)),
            }
        }
        let entry = |entry: &&str| match entry {
            entry if entry.is_empty() || entry.starts_with('.') => PathBuf::from(entry),
            entry => scratch.at(entry),
        };
        let entries: Vec<String> =
            path.iter().map(|one| entry(one).display().to_string()).collect();
        let mut curt = Command::new(env!("CARGO_BIN_EXE_curt"));
        curt.args(["which", "--json", "--rules", "windows", "--policy", policy]);
        curt.args(["--pathext", pathext, "--path", &entries.join(";"), "--", name]);
        let output = curt.current_dir(scratch.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let printed: serde_json::Value =
            serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap();
        let below = |path: &str| {
            let root = format!("{}/", scratch.path().display());
            path.strip_prefix(&root).unwrap_or(path).replace("./", "").to_lowercase()
        };
        let ours = match printed["found"].as_str() {
            Some(found) => Ok(below(found)),
            None => Err(printed["error"]["kind"].as_str().unwrap_or_default().to_owned()),
        };
        let expected = answer.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(ours, expected, "{policy}, {says}: {text}");
    }
}

/// Nothing is found.
const NOT: Result<&str, &str> = Err("not-found");

/// `lookPathTests` of Go, `src/os/exec/lp_windows_test.go`, and `ErrDot` of `dot_test.go`.
const GO: &[Row] = &[
    row("first match", &["p1/a.exe", "p2/a.exe", "p2/a"], &["p1", "p2"], "a", Ok("p1/a.exe")),
    row(
        "dirs with extensions",
        &["p1.dir/a", "p2.dir/a.exe"],
        &["p1.dir", "p2.dir"],
        "a",
        Ok("p2.dir/a.exe"),
    ),
    row("first with extension", &["p1/a.exe", "p2/a.exe"], &["p1", "p2"], "a.exe", Ok("p1/a.exe")),
    row("specific name", &["p1/a.exe", "p2/b.exe"], &["p1", "p2"], "b", Ok("p2/b.exe")),
    row("no extension", &["p1/b", "p2/a"], &["p1", "p2"], "a", NOT),
    row(
        "directory, no extension",
        &["p1/a.exe", "p2/a.exe"],
        &["p1", "p2"],
        "p2/a",
        Ok("p2/a.exe"),
    ),
    row("no match", &["p1/a.exe", "p2/a.exe"], &["p1", "p2"], "b", NOT),
    row("no match with dir", &["p1/b.exe", "p2/a.exe"], &["p1", "p2"], "p2/b", NOT),
    row(
        "extensionless file in CWD ignored",
        &["a", "p1/a.exe", "p2/a.exe"],
        &["p1", "p2"],
        "a",
        Ok("p1/a.exe"),
    ),
    row(
        "extensionless file in PATH ignored",
        &["p1/a", "p2/a.exe"],
        &["p1", "p2"],
        "a",
        Ok("p2/a.exe"),
    ),
    row("specific extension", &["p1/a.exe", "p2/a.bat"], &["p1", "p2"], "a.bat", Ok("p2/a.bat")),
    row("mismatched extension", &["p1/a.exe", "p2/a.exe"], &["p1", "p2"], "a.com", NOT),
    row("doubled extension", &["p1/a.exe.exe"], &["p1"], "a.exe", Ok("p1/a.exe.exe")),
    Row {
        pathext: ".COM;.BAT",
        ..row(
            "extension not in PATHEXT",
            &["p1/a.exe", "p2/a.exe"],
            &["p1", "p2"],
            "a.exe",
            Ok("p1/a.exe"),
        )
    },
    Row {
        pathext: ".COM;.EXE",
        ..row(
            "first allowed by PATHEXT",
            &["p1/a.bat", "p2/a.exe"],
            &["p1", "p2"],
            "a",
            Ok("p2/a.exe"),
        )
    },
    row(
        "first directory with a match",
        &["p1/a.bat", "p2/a.exe"],
        &["p1", "p2"],
        "a",
        Ok("p1/a.bat"),
    ),
    row(
        "first PATHEXT entry",
        &["p1/a.bat", "p1/a.exe", "p2/a.exe"],
        &["p1", "p2"],
        "a",
        Ok("p1/a.exe"),
    ),
    row("ignore dir with PATHEXT extension", &["a.exe/", "p/"], &["p"], "a", NOT),
    row("ErrDot", &["p1/a.bat", "p2/a.bat"], &["./p1", "p2"], "a", Err("relative-result")),
    row("ErrDot suppressed", &["p1/a.bat", "p2/a.bat"], &["./p1", "p1", "p2"], "a", Ok("p1/a.bat")),
    row("current directory", &["a.exe", "p/"], &["p"], "a", Err("relative-result")),
    Row { pathext: "BAT;EXE", ..row("items get a dot", &["p/a.bat"], &["p"], "a", Ok("p/a.bat")) },
];

#[test]
fn go_finds_on_windows_what_curt_finds() {
    check("go", GO);
}

/// The ground truth of the same tests: what `ErrDot` reports, it runs, and it adds no dots.
#[test]
fn cmd_finds_what_curt_finds() {
    for &Row { says, files, path, pathext, name, answer } in GO {
        let answer = match says {
            "ErrDot" => Ok("p1/a.bat"),
            "current directory" => Ok("a.exe"),
            "items get a dot" => NOT,
            _ => answer,
        };
        check("cmd", &[Row { says, files, path, pathext, name, answer }]);
    }
}

/// The rules of libuv's `search_path` (`src/win/process.c`), and `spawn_no_path`, `spawn_no_ext`
/// and `spawn_path_no_ext` of its `test/test-spawn.c`.
#[test]
fn libuv_finds_what_curt_finds() {
    let both = [
        row("spawn_no_path", &["a.exe", "p/"], &[""], "a", Ok("a.exe")),
        row("the working directory first", &["a.com", "p/a.exe"], &["p"], "a", Ok("a.com")),
        row(".com before .exe", &["p/a.com", "p/a.exe"], &["p"], "a", Ok("p/a.com")),
        row("PATHEXT is not asked", &["p/a.bat", "p/"], &["p"], "a", NOT),
        row("an extension is tried first", &["p/a.b", "p/a.b.exe"], &["p"], "a.b", Ok("p/a.b")),
        row("and then appended to", &["p/a.b.exe"], &["p"], "a.b", Ok("p/a.b.exe")),
        row("spawn_path_no_ext, bare", &["p/a"], &["p"], "a", NOT),
        row("bare, in the working directory", &["a", "p/"], &["p"], "a", NOT),
    ];
    for policy in ["libuv", "libuv-exact", "node"] {
        check(policy, &both);
    }
    let with_directory = ["p/a", "./p/a"];
    for name in with_directory {
        let files: &[&str] = &["p/a", "p/a.exe"];
        for (policy, answer) in [("libuv", "p/a.exe"), ("node", "p/a.exe"), ("libuv-exact", "p/a")]
        {
            check(policy, &[row("exact names with a directory", files, &["p"], name, Ok(answer))]);
        }
        check("libuv-exact", &[row("spawn_no_ext", &["p/a"], &["p"], name, Ok("p/a"))]);
        check("libuv", &[row("spawn_no_ext", &["p/a"], &["p"], name, NOT)]);
    }
}

/// libuv's patch for batch files appends their extensions, too, after its own.
#[test]
fn libuv_with_batch_files_finds_what_curt_finds() {
    check(
        "libuv-batch",
        &[
            row("a batch file", &["p/a.bat"], &["p"], "a", Ok("p/a.bat")),
            row("the other kind", &["p/a.cmd"], &["p"], "a", Ok("p/a.cmd")),
            row(".bat before .cmd", &["p/a.cmd", "p/a.bat"], &["p"], "a", Ok("p/a.bat")),
            row(".exe before both", &["p/a.bat", "p/a.exe"], &["p"], "a", Ok("p/a.exe")),
            row("PATHEXT is not asked", &["p/a.vbs"], &["p"], "a", NOT),
            row("exact names are not tried", &["p/a"], &["p"], "p/a", NOT),
        ],
    );
}

/// `TestWhich` of `CPython`, `Lib/test/test_shutil.py`, where it runs on Windows, after issues
/// 109590 and 127001.
#[test]
fn cpython_finds_on_windows_what_curt_finds() {
    let listed = |pathext, row| Row { pathext, ..row };
    check(
        "cpython",
        &[
            row("test_cwd_win32", &["a.exe", "p/"], &["p"], "a.exe", Ok("a.exe")),
            row(
                "test_cwd_win32_added_before_all_other_path",
                &["a.exe", "p/a.exe"],
                &["p"],
                "a",
                Ok("a.exe"),
            ),
            row("test_pathext_checking", &["p/a.exe"], &["p"], "a", Ok("p/a.exe")),
            listed(
                ".xyz",
                row("test_pathext_with_empty_str", &["p/a.xyz"], &["p"], "a", Ok("p/a.xyz")),
            ),
            listed(
                ".test;",
                row(
                    "test_pathext_applied_on_files_in_path",
                    &["p/a.test"],
                    &["p"],
                    "a",
                    Ok("p/a.test"),
                ),
            ),
            listed(
                ".XYZ",
                row("in any case of letters", &["p/a.xyz"], &["p"], "a.XYZ", Ok("p/a.xyz")),
            ),
            listed(
                ".COM",
                row("an extension that is not listed", &["p/a.exe"], &["p"], "a.exe", NOT),
            ),
            row(
                "test_pathext_preferred_for_execute",
                &["p/a", "p/a.exe"],
                &["p"],
                "a",
                Ok("p/a.exe"),
            ),
            row(
                "test_pathext_given_extension_preferred",
                &["p/a.exe", "p/a.exe.exe"],
                &["p"],
                "a.exe",
                Ok("p/a.exe"),
            ),
            row("test_pathext_extension_ends_with_dot, none here", &["p/a"], &["p"], "a", NOT),
            listed(
                ".foo.bar",
                row(
                    "test_pathext_multidot_extension",
                    &["p/a.foo.bar"],
                    &["p"],
                    "a",
                    Ok("p/a.foo.bar"),
                ),
            ),
            listed(
                ".foo.bar",
                row("the same with it", &["p/a.foo.bar"], &["p"], "a.foo.bar", Ok("p/a.foo.bar")),
            ),
            row(
                "an empty entry is the working directory",
                &["a.exe", "p/"],
                &["p", ""],
                "a",
                Ok("a.exe"),
            ),
            row(
                "a directory is no program",
                &["p/a.exe/", "q/a.bat"],
                &["p", "q"],
                "a",
                Ok("q/a.bat"),
            ),
        ],
    );
}

/// `test/standalone/windows_spawn/main.zig` of Zig, as far as it is about what is found.
#[test]
fn zig_finds_what_curt_finds() {
    let listed = |pathext, row| Row { pathext, ..row };
    check(
        "zig",
        &[
            row("nothing is there", &["p/"], &[""], "something_missing", NOT),
            row("out of the working directory", &["p/"], &[""], "../././../more_missing", NOT),
            row("with the extension", &["p/hello.exe"], &["p"], "HeLLo.exe", Ok("p/hello.exe")),
            row("without it", &["p/hello.exe"], &["p"], "heLLo", Ok("p/hello.exe")),
            row(
                "the first of PATHEXT",
                &["p/hello.exe", "p/hello.bat"],
                &["p"],
                "heLLo",
                Ok("p/hello.exe"),
            ),
            row(
                "a batch file by its name",
                &["p/hello.exe", "p/hello.bat"],
                &["p"],
                "heLLo.bat",
                Ok("p/hello.bat"),
            ),
            row(
                "the bare name before all",
                &["p/hello", "p/hello.bat"],
                &["p"],
                "heLLo",
                Ok("p/hello"),
            ),
            row("no extension is taken away", &["p/hello"], &["p"], "hello.exe", NOT),
            row(
                "a path is not searched in PATH",
                &["p/something/hello.exe"],
                &["p"],
                "something/hello",
                NOT,
            ),
            row(
                "a path has extensions",
                &["something/hello.exe"],
                &["p"],
                "something/hello",
                Ok("something/hello.exe"),
            ),
            row(
                "the working directory first",
                &["hello.bat", "p/hello.exe"],
                &["p"],
                "hello",
                Ok("hello.bat"),
            ),
            listed(
                ".JS;.EXE",
                row("what it cannot launch is left out", &["p/x.js"], &["p"], "x", NOT),
            ),
        ],
    );
}

/// `execvpeZ_expandArg0` of Zig's `lib/std/posix.zig`: `PATH` is taken apart by `tokenizeScalar`,
/// so that an empty entry is none; what may not be executed is passed over.
#[test]
fn zig_finds_elsewhere_what_curt_finds() {
    let scratch = Scratch::new();
    for program in ["tool", "p/tool", "here", "q/plain"] {
        super::chmod(&scratch.file_with(program, b"#!/bin/sh\n"), 0o755);
    }
    super::chmod(&scratch.file("p/plain"), 0o644);
    for (path, name, answer) in [
        (":{}/p", "tool", Ok("p/tool")),
        ("{}/q::{}/p", "tool", Ok("p/tool")),
        ("{}/q:{}/p:", "tool", Ok("p/tool")),
        (":{}/p", "here", NOT),
        (".:{}/p", "tool", Ok("tool")),
        ("{}/p:{}/q", "plain", Ok("q/plain")),
        ("{}/p", "plain", Err("not-executable")),
        (":{}/p", "./here", Ok("here")),
    ] {
        let path = path.replace("{}", &scratch.path().display().to_string());
        let mut curt = Command::new(env!("CARGO_BIN_EXE_curt"));
        curt.args(["which", "--json", "--rules", "posix", "--policy", "zig"]);
        curt.args(["--path", &path, "--", name]);
        let output = curt.current_dir(scratch.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let printed: serde_json::Value =
            serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap();
        let root = format!("{}/", scratch.path().display());
        let found = printed["found"].as_str().map(|found| found.replace(&root, ""));
        let ours = found.as_deref().map(|found| found.trim_start_matches("./"));
        let ours = ours.ok_or_else(|| printed["error"]["kind"].as_str().unwrap_or_default());
        assert_eq!(ours, answer, "{path} {name}: {text}");
    }
}
