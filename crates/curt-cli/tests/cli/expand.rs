//! `curt expand`: its options and what it prints.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{objects, said};

fn command<I: AsRef<OsStr>>(args: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("expand").args(args).current_dir("/usr/").env("HOME", "/h");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    said(&command(args).output().unwrap())
}

/// What is printed where all goes well.
fn out(args: &[&str]) -> String {
    let (code, out, messages) = run(args);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{args:?}");
    out
}

#[test]
fn paths_are_made_full() {
    assert_eq!(out(&["a", "/b//c/../d/"]), "/usr/a\n/b/c/../d/\n");
    assert_eq!(out(&["--dotdot", "clamp", "/b//c/../d/"]), "/b/d\n");
    assert_eq!(out(&["--style", "ruby", "~/x", "///y/"]), "/h/x\n///y\n");
    assert_eq!(out(&["--style", "ruby", "--home", "/k", "~"]), "/k\n");
    assert_eq!(out(&["--base", "b", "--cwd", "/c", "a"]), "/c/b/a\n");
    assert_eq!(out(&["~/x", "~", "~x", "a~"]), "/h/x\n/h\n/usr/~x\n/usr/a~\n");
    assert_eq!(out(&["--no-tilde", "~/x"]), "/usr/~/x\n");
    assert_eq!(out(&["--tilde", "~/x", "a~"]), "/h/x\n/usr/a~\n");
    assert_eq!(out(&["--home", "/k", "~", "~/x"]), "/k\n/k/x\n");
    let windows = ["--flavor", "windows", "--cwd", r"C:\w", "--drive", r"D=D:\d"];
    let with = |more: &[&str]| out(&[&windows[..], more].concat());
    assert_eq!(with(&["a.", "D:x", r"\y"]), "C:\\w\\a\nD:\\d\\x\nC:\\y\n");
    assert_eq!(with(&["--release", "10", "con.x"]), "\\\\.\\con\n");
    assert_eq!(with(&["--release", "11", "con.x"]), "C:\\w\\con.x\n");
    assert_eq!(with(&[r"\\?\C:\a\.."]), "\\\\?\\C:\\a\\..\n");
    assert_eq!(with(&["--verbatim", "normalize", r"\\?\C:\a\.."]), "\\\\?\\C:\n");
    assert_eq!(with(&["--style", "ruby", "a"]), "C:/w/a\n");
    assert_eq!(with(&["--base", "D:b", "x"]), "D:\\d\\b\\x\n");
    assert_eq!(out(&["-0", "a", "b"]), "/usr/a\0/usr/b\0");
    let invalid = command([OsStr::from_bytes(b"\xff/../x")]).output().unwrap();
    assert_eq!(invalid.stdout, b"/usr/\xff/../x\n");
}

#[test]
fn paths_that_cannot_be_expanded_are_reported() {
    let (code, out, messages) = run(&["--dotdot", "refuse", "/a", "/..", "/b"]);
    assert_eq!((code, out.as_str()), (Some(1), "/a\n/b\n"));
    assert_eq!(messages, "curt expand: cannot expand '/..': '..' leads beyond the root\n");
    let (code, _, messages) = run(&["--flavor", "windows", "a/b"]);
    assert_eq!(code, Some(1));
    let expected = "curt expand: cannot expand 'a/b': the directory it starts from is not known, or \
                    is not a full path; give one with --cwd 'C:\\...'\n";
    assert_eq!(messages, expected);
    for wrong in [
        &["--flavor", "dos", "a"][..],
        &["--release", "12", "a"],
        &["--drive", "D", "a"],
        &["--drive", "=x", "a"],
        &["-0", "--json", "a"],
        &[],
    ] {
        let (code, out, messages) = run(wrong);
        assert_eq!(code, Some(2), "{wrong:?}");
        assert!(out.is_empty() && !messages.is_empty(), "{wrong:?}: {out} {messages}");
    }
}

#[test]
fn rules_are_explained() {
    let text = out(&["--explain", "--dotdot", "clamp", "a/./../b/"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "/usr/b");
    let rules: Vec<&str> =
        lines[1..].iter().map(|line| line.split(':').next().unwrap().trim()).collect();
    assert_eq!(rules, ["working-directory", "dot", "dot-dot", "trailing-dropped"]);
    assert_eq!(
        out(&["--explain", "/a"]).lines().last(),
        Some("  clean: Nothing had to be changed.")
    );
    let line: Value = serde_json::from_str(
        out(&["--explain", "--json", "--flavor", "windows", "nul"]).lines().next().unwrap(),
    )
    .unwrap();
    assert_eq!(line["rules"], serde_json::json!(["device"]));
}

#[test]
fn json_has_the_path_the_answer_and_a_summary() {
    let args = ["--json", "--stats", "--style", "ruby", "a", "~no-such-user-here"];
    let (code, out, messages) = run(&args);
    assert_eq!(code, Some(1));
    assert_eq!(objects(&out), [serde_json::json!({"path": "a", "full": "/usr/a"})]);
    let lines = objects(&messages);
    assert_eq!(lines[0]["error"]["kind"], "no-user");
    let summary = &lines[1]["summary"];
    assert_eq!((&summary["paths"], &summary["errors"]), (&2.into(), &1.into()));
    if cfg!(target_os = "linux") {
        assert_eq!(summary["calls"]["total"], 1);
    }
}
