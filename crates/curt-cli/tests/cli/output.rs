//! Where the words go, and what happens when nobody reads them.

use curt_testkit::Scratch;

#[cfg(windows)]
use crate::said;
use crate::{curt, missing, run};

#[test]
fn each_failure_is_one_line() {
    let scratch = Scratch::new();
    let (code, out, messages) = run(&scratch, "-j1 one");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(messages, format!("curt rm: cannot remove 'one': {}\n", missing()));
    let (_, _, messages) = run(&scratch, "-j1 one two three");
    let last = format!("'three': {}\n", missing());
    assert!(messages.ends_with(&last), "{messages}");
    assert_eq!(messages.lines().count(), 3);
}

/// On Unix it ends by a signal: see `unwritten`.
#[cfg(windows)]
#[test]
fn a_closed_pipe_ends_the_removal_quietly() {
    use std::io::{BufRead, BufReader};
    let scratch = Scratch::new();
    let filling = "n".repeat(180);
    for number in 0..3_000 {
        scratch.file(format!("t/{}/a-name-{filling}-{number}", number % 30));
    }
    let mut child = curt(&scratch, ["-rv", "-j1", "t"]).spawn().unwrap();
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert!(line.starts_with("removed 't") && line.contains("a-name"), "{line}");
    drop(reader);
    let (code, _, messages) = said(&child.wait_with_output().unwrap());
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(!scratch.list("t").is_empty(), "it went on for nobody");
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
    let failure = format!("curt rm: cannot remove 'missing': {}\n", missing());
    let words = format!("removed 'a'\n{failure}removed 'b'\n");
    assert_eq!(text, words);
}

/// On Unix see `shielded`.
#[cfg(windows)]
#[test]
fn names_never_reach_the_output_raw() {
    let scratch = Scratch::new();
    // No name here has an ASCII control character in it.
    let name = "red\u{202e}\u{85}";
    scratch.file(name);
    let output = curt(&scratch, ["-v", name]).output().unwrap();
    let (code, out, _) = said(&output);
    assert_eq!(code, Some(0));
    assert!(out.chars().all(|character| character == '\n' || !character.is_control()), "{out:?}");
    assert!(!out.contains('\u{202e}'), "{out:?}");
}

#[cfg(unix)]
#[test]
fn standard_descriptors_may_be_missing() {
    let scratch = Scratch::new();
    crate::tree(&scratch, "tree");
    let line =
        format!("exec 0<&- 1>&- 2>&-; exec '{}' rm -rv tree missing", env!("CARGO_BIN_EXE_curt"));
    let mut shell = std::process::Command::new("sh");
    let status = shell.args(["-c", &line]).current_dir(scratch.path()).status().unwrap();
    assert_eq!(status.code(), Some(1), "missing is an error");
    assert!(scratch.list(".").is_empty());
}
