//! System calls that are missing, interrupted, or fail.

use std::os::unix::fs::MetadataExt;
use std::process::{Command, Output};

use curt_testkit::Scratch;

use crate::strace::tracing;

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for directory in 0..120 {
        for file in 0..3 {
            scratch.file(format!("tree/d{directory}/f{file}"));
        }
    }
    scratch.file("tree/a/b/c/file");
    scratch.link("tree/link", "a");
    scratch
}

fn run(scratch: &Scratch, args: &[&str], injections: &[String]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]);
    for injection in injections {
        command.args(["-e", injection]);
    }
    command.arg(env!("CARGO_BIN_EXE_curt")).args(args);
    command.current_dir(scratch.path()).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const READING: [&[&str]; 4] = [
    &["find", "-u", ".", "tree"],
    &["find", "-u", "--fields=name,kind,size", ".", "tree"],
    &["find", "-u", "--one-file-system=mount", ".", "tree"],
    &["du", "-a", "tree"],
];

fn usual() -> Vec<Vec<String>> {
    let scratch = tree();
    READING.iter().map(|args| lines(&run(&scratch, args, &[]))).collect()
}

#[test]
fn answers_are_the_same_without_newer_calls() {
    let Some(()) = tracing() else { return };
    let usual = usual();
    for lacking in [&["openat2"][..], &["statx"], &["openat2", "statx"]] {
        let lacking: Vec<String> =
            lacking.iter().map(|call| format!("inject={call}:error=ENOSYS")).collect();
        for threads in ["-j1", "-j2"] {
            let scratch = tree();
            for (args, usual) in READING.iter().zip(&usual) {
                let args = [args, &[threads][..]].concat();
                let other = run(&scratch, &args, &lacking);
                assert_eq!(other.status.code(), Some(0), "{args:?} {lacking:?} {other:?}");
                assert_eq!(&lines(&other), usual, "{args:?} {lacking:?}");
            }
            let removed = run(&scratch, &["rm", "-r", threads, "tree"], &lacking);
            assert_eq!(removed.status.code(), Some(0), "{lacking:?} {removed:?}");
            assert!(removed.stderr.is_empty() && !scratch.exists("tree"), "{lacking:?}");
        }
    }
}

#[test]
fn an_interrupted_call_is_made_again() {
    let Some(()) = tracing() else { return };
    let usual = usual();
    for call in ["openat", "openat2", "getdents64", "statx", "unlinkat"] {
        for threads in ["-j1", "-j2"] {
            // Skip the first calls of each name, made by the loader. strace counts per thread.
            for when in ["9", "20+40"] {
                let injection = [format!("inject={call}:error=EINTR:when={when}")];
                let scratch = tree();
                for (args, usual) in READING.iter().zip(&usual) {
                    let args = [args, &[threads][..]].concat();
                    let other = run(&scratch, &args, &injection);
                    assert_eq!(other.status.code(), Some(0), "{args:?} {injection:?} {other:?}");
                    assert_eq!(&lines(&other), usual, "{args:?} {injection:?}");
                }
                let removed = run(&scratch, &["rm", "-r", threads, "tree"], &injection);
                assert_eq!(removed.status.code(), Some(0), "{injection:?} {removed:?}");
                assert!(removed.stderr.is_empty() && !scratch.exists("tree"), "{injection:?}");
            }
        }
    }
}

#[test]
fn entries_with_unknown_metadata_are_not_removed() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let owner = std::fs::metadata(scratch.file("tree/a")).unwrap().uid();
    let owner = format!("--owner={owner}");
    // The file matches each test if its metadata can be read.
    let tests = ["--newer=2000-01-01", "-S-9k", &owner, "--perm=-0", "--empty"];
    for test in tests {
        let args = ["find", "-u", "-j1", "--delete", test, ".", "tree"];
        let mut reports = 0;
        // Earlier calls query the operand or the time zone.
        for first in 2..=6 {
            let output = run(&scratch, &args, &[format!("inject=statx:error=EIO:when={first}+")]);
            let messages = String::from_utf8_lossy(&output.stderr);
            if messages.contains("'tree/a': Input/output error") {
                reports += 1;
                assert!(scratch.exists("tree/a"), "{args:?} {first} {messages}");
            } else if !scratch.exists("tree/a") {
                scratch.file("tree/a");
            }
        }
        assert!(reports > 0, "{args:?}");
        let output = run(&scratch, &args, &[]);
        assert!(output.status.success() && !scratch.exists("tree/a"), "{args:?} {output:?}");
        scratch.file("tree/a");
    }
}
