//! Checks the Windows search policies, on Unix, against answers from the authorities' own tests.
//! The library's tests on Windows cover how programs start.

use std::process::Command;

use curt_testkit::Scratch;

/// The default `PATHEXT`. Go's own tests use the machine's.
const USUAL: &str = ".COM;.EXE;.BAT;.CMD";

fn query(scratch: &Scratch, rules: &[&str], path: &str, name: &str) -> serde_json::Value {
    let mut curt = Command::new(env!("CARGO_BIN_EXE_curt"));
    curt.args(["which", "--json"]).args(rules).args(["--path", path, "--", name]);
    let output = curt.current_dir(scratch.path()).output().unwrap();
    serde_json::from_slice(&[output.stdout, output.stderr].concat()).unwrap()
}

/// Checks rows. Each has a title, the files to create, `PATH`, a name, the answer, and optionally
/// an unusual `PATHEXT`. A file that ends in a slash is a directory. `PATH` entries without a
/// leading dot are made absolute, in the test's directory; `''` is an empty entry. The answer is a
/// path, `-` for not found, or `!` and the kind of another error.
fn check(policy: &str, rows: &str) {
    check_each(policy, rows, |_, answer| answer);
}

fn check_each(policy: &str, rows: &str, answer: impl for<'a> Fn(&str, &'a str) -> &'a str) {
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (&[title, files, path, name, expected], more) = cells.split_first_chunk().unwrap();
        let pathext = more.first().copied().unwrap_or(USUAL);
        let scratch = Scratch::new();
        for file in files.split(' ') {
            match file.strip_suffix('/') {
                Some(directory) => drop(scratch.dir(directory)),
                None => drop(scratch.file(file)),
            }
        }
        let entry = |entry: &str| match entry {
            "''" => String::new(),
            entry if entry.starts_with('.') => entry.to_owned(),
            entry => scratch.at(entry).display().to_string(),
        };
        let entries: Vec<String> = path.split(' ').map(entry).collect();
        let rules = ["--rules", "windows", "--policy", policy, "--pathext", pathext];
        let printed = query(&scratch, &rules, &entries.join(";"), name);
        let below = |path: &str| {
            let root = format!("{}/", scratch.path().display());
            path.strip_prefix(&root).unwrap_or(path).replace("./", "").to_lowercase()
        };
        let ours = match printed["path"].as_str() {
            Some(found) => below(found),
            None if printed["error"]["kind"] == "not-found" => "-".to_owned(),
            None => format!("! {}", printed["error"]["kind"].as_str().unwrap_or_default()),
        };
        assert_eq!(ours, answer(title, expected), "{policy}, {title}: {printed}");
    }
}

/// From Go's `lookPathTests`, `src/os/exec/lp_windows_test.go`, and `ErrDot` of `dot_test.go`.
const GO: &str = "
    first match | p1/a.exe p2/a.exe p2/a | p1 p2 | a | p1/a.exe
    dirs with extensions | p1.dir/a p2.dir/a.exe | p1.dir p2.dir | a | p2.dir/a.exe
    first with extension | p1/a.exe p2/a.exe | p1 p2 | a.exe | p1/a.exe
    specific name | p1/a.exe p2/b.exe | p1 p2 | b | p2/b.exe
    no extension | p1/b p2/a | p1 p2 | a | -
    directory, no extension | p1/a.exe p2/a.exe | p1 p2 | p2/a | p2/a.exe
    no match | p1/a.exe p2/a.exe | p1 p2 | b | -
    no match with dir | p1/b.exe p2/a.exe | p1 p2 | p2/b | -
    extensionless file in CWD ignored | a p1/a.exe p2/a.exe | p1 p2 | a | p1/a.exe
    extensionless file in PATH ignored | p1/a p2/a.exe | p1 p2 | a | p2/a.exe
    specific extension | p1/a.exe p2/a.bat | p1 p2 | a.bat | p2/a.bat
    mismatched extension | p1/a.exe p2/a.exe | p1 p2 | a.com | -
    doubled extension | p1/a.exe.exe | p1 | a.exe | p1/a.exe.exe
    extension not in PATHEXT | p1/a.exe p2/a.exe | p1 p2 | a.exe | p1/a.exe | .COM;.BAT
    first allowed by PATHEXT | p1/a.bat p2/a.exe | p1 p2 | a | p2/a.exe | .COM;.EXE
    first directory with a match | p1/a.bat p2/a.exe | p1 p2 | a | p1/a.bat
    first PATHEXT entry | p1/a.bat p1/a.exe p2/a.exe | p1 p2 | a | p1/a.exe
    ignore dir with PATHEXT extension | a.exe/ p/ | p | a | -
    ErrDot | p1/a.bat p2/a.bat | ./p1 p2 | a | ! relative-result
    ErrDot suppressed | p1/a.bat p2/a.bat | ./p1 p1 p2 | a | p1/a.bat
    current directory | a.exe p/ | p | a | ! relative-result
    items get a dot | p/a.bat | p | a | p/a.bat | BAT;EXE
";

#[test]
fn go_finds_on_windows_what_curt_finds() {
    check("go", GO);
}

/// cmd runs programs for which Go reports `ErrDot`, and does not prepend `.\`.
#[test]
fn cmd_finds_what_curt_finds() {
    check_each("cmd", GO, |title, answer| match title {
        "ErrDot" => "p1/a.bat",
        "current directory" => "a.exe",
        "items get a dot" => "-",
        _ => answer,
    });
}

/// From libuv's `search_path` (`src/win/process.c`) and `test/test-spawn.c`.
#[test]
fn libuv_finds_what_curt_finds() {
    let rows = "
        spawn_no_path | a.exe p/ | '' | a | a.exe
        the working directory first | a.com p/a.exe | p | a | a.com
        .com before .exe | p/a.com p/a.exe | p | a | p/a.com
        PATHEXT is not asked | p/a.bat p/ | p | a | -
        an extension is tried first | p/a.b p/a.b.exe | p | a.b | p/a.b
        and then appended to | p/a.b.exe | p | a.b | p/a.b.exe
        spawn_path_no_ext, bare | p/a | p | a | -
        bare, in the working directory | a p/ | p | a | -
        with a directory | p/a p/a.exe | p | p/a | p/a.exe
        with a relative one | p/a p/a.exe | p | ./p/a | p/a.exe
        spawn_no_ext | p/a | p | p/a | -
    ";
    for policy in ["libuv", "node"] {
        check(policy, rows);
    }
}

/// From `TestWhich` in `Lib/test/test_shutil.py` of `CPython`, after issues 109590 and 127001.
#[test]
fn cpython_finds_on_windows_what_curt_finds() {
    check(
        "cpython",
        "
            test_cwd_win32 | a.exe p/ | p | a.exe | a.exe
            test_cwd_win32_added_before_all_other_path | a.exe p/a.exe | p | a | a.exe
            test_pathext_checking | p/a.exe | p | a | p/a.exe
            test_pathext_with_empty_str | p/a.xyz | p | a | p/a.xyz | .xyz
            test_pathext_applied_on_files_in_path | p/a.test | p | a | p/a.test | .test;
            in any case of letters | p/a.xyz | p | a.XYZ | p/a.xyz | .XYZ
            an extension that is not listed | p/a.exe | p | a.exe | - | .COM
            test_pathext_preferred_for_execute | p/a p/a.exe | p | a | p/a.exe
            test_pathext_given_extension_preferred | p/a.exe p/a.exe.exe | p | a.exe | p/a.exe
            test_pathext_extension_ends_with_dot, none here | p/a | p | a | -
            test_pathext_multidot_extension | p/a.foo.bar | p | a | p/a.foo.bar | .foo.bar
            the same with it | p/a.foo.bar | p | a.foo.bar | p/a.foo.bar | .foo.bar
            an empty entry is the working directory | a.exe p/ | p '' | a | a.exe
            a directory is no program | p/a.exe/ q/a.bat | p q | a | q/a.bat
        ",
    );
}

/// From Zig's `test/standalone/windows_spawn/main.zig`, and libuv's `spawn_no_ext`, whose flag for
/// exact names has the same effect on a name that contains a directory.
#[test]
fn zig_finds_what_curt_finds() {
    check(
        "zig",
        "
            nothing is there | p/ | '' | something_missing | -
            out of the working directory | p/ | '' | ../././../more_missing | -
            with the extension | p/hello.exe | p | HeLLo.exe | p/hello.exe
            without it | p/hello.exe | p | heLLo | p/hello.exe
            the first of PATHEXT | p/hello.exe p/hello.bat | p | heLLo | p/hello.exe
            a batch file by its name | p/hello.exe p/hello.bat | p | heLLo.bat | p/hello.bat
            the bare name before all | p/hello p/hello.bat | p | heLLo | p/hello
            no extension is taken away | p/hello | p | hello.exe | -
            a path is not searched in PATH | p/something/hello.exe | p | something/hello | -
            a path has extensions | something/hello.exe | p | something/hello | something/hello.exe
            the working directory first | hello.bat p/hello.exe | p | hello | hello.bat
            what it cannot launch is left out | p/x.js | p | x | - | .JS;.EXE
            spawn_no_ext | p/a | p | p/a | p/a | .com;.exe
            exact names come first | p/a p/a.exe | p | ./p/a | p/a | .com;.exe
            and have extensions | p/a.com p/a.bat | p | p/a | p/a.com | .com;.exe
        ",
    );
}

/// In Zig's `lib/std/posix.zig`, `execvpeZ_expandArg0` drops empty `PATH` entries, and continues
/// after files that are not executable.
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
        (":{}/p", "here", Err("not-found")),
        (".:{}/p", "tool", Ok("tool")),
        ("{}/p:{}/q", "plain", Ok("q/plain")),
        ("{}/p", "plain", Err("not-executable")),
        (":{}/p", "./here", Ok("here")),
    ] {
        let path = path.replace("{}", &scratch.path().display().to_string());
        let printed = query(&scratch, &["--rules", "posix", "--policy", "zig"], &path, name);
        let root = format!("{}/", scratch.path().display());
        let found = printed["path"].as_str().map(|found| found.replace(&root, ""));
        let ours = found.as_deref().map(|found| found.trim_start_matches("./"));
        let ours = ours.ok_or_else(|| printed["error"]["kind"].as_str().unwrap_or_default());
        assert_eq!(ours, answer, "{path} {name}: {printed}");
    }
}
