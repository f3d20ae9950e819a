//! Where the words go, and what happens when nobody reads them.

use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use curt_testkit::{Scratch, skip};

use crate::{curt, run, said, tree};

#[test]
fn failures_are_counted_if_there_is_more_than_one() {
    let scratch = Scratch::new();
    let (code, out, messages) = run(&scratch, "-j1 one");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(messages, "curt rm: cannot remove 'one': No such file or directory\n");
    let (_, _, messages) = run(&scratch, "-j1 one two three");
    assert!(
        messages.ends_with("'three': No such file or directory\ncurt rm: 3 errors\n"),
        "{messages}"
    );
    assert_eq!(messages.lines().count(), 4);
}

#[test]
fn a_closed_pipe_ends_the_removal_quietly() {
    let scratch = Scratch::in_memory();
    for number in 0..20_000 {
        scratch.file(format!("t/a-name-that-fills-the-pipe-{number}"));
    }
    let mut child = curt(&scratch, ["-rv", "-j1", "t"]).spawn().unwrap();
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert!(line.starts_with("removed 't/a-name"), "{line}");
    drop(reader);
    let (code, _, messages) = said(&child.wait_with_output().unwrap());
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(!scratch.list("t").is_empty(), "it went on for nobody");
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        skip("there is no /dev/full");
        return;
    };
    let scratch = Scratch::new();
    scratch.file("f");
    let output = curt(&scratch, ["-v", "f"]).stdout(Stdio::from(OwnedFd::from(full))).output();
    let (code, _, messages) = said(&output.unwrap());
    assert_eq!(code, Some(1));
    assert_eq!(messages, "curt rm: write error: No space left on device\n");
    assert!(!scratch.exists("f"));
}

#[test]
fn data_comes_before_the_messages_that_follow_it() {
    let scratch = Scratch::new();
    scratch.file("a");
    scratch.file("b");
    let log = scratch.at("log");
    let file = std::fs::File::create(&log).unwrap();
    let mut command = curt(&scratch, ["-v", "-j1", "a", "missing", "b"]);
    command.stdout(file.try_clone().unwrap()).stderr(file).status().unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    let words =
        "removed 'a'\ncurt rm: cannot remove 'missing': No such file or directory\nremoved 'b'\n";
    assert_eq!(text, words);
}

#[test]
fn names_never_reach_the_output_raw() {
    let scratch = Scratch::new();
    scratch.file("\u{1b}[31mred\r\u{202e}");
    let output = curt(&scratch, ["-v", "\u{1b}[31mred\r\u{202e}"]).output().unwrap();
    let (code, out, _) = said(&output);
    assert_eq!(code, Some(0));
    assert!(out.chars().all(|character| character == '\n' || !character.is_control()), "{out:?}");
    assert!(!out.contains('\u{202e}'), "{out:?}");
}

#[test]
fn standard_descriptors_may_be_missing() {
    let scratch = Scratch::new();
    tree(&scratch, "tree");
    let line =
        format!("exec 0<&- 1>&- 2>&-; exec '{}' rm -rv tree missing", env!("CARGO_BIN_EXE_curt"));
    let mut shell = std::process::Command::new("sh");
    let status = shell.args(["-c", &line]).current_dir(scratch.path()).status().unwrap();
    assert_eq!(status.code(), Some(1), "missing is an error");
    assert!(scratch.list(".").is_empty());
}
