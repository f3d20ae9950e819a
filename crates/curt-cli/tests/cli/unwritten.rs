//! Standard output that is closed, full, or a pipe that nobody reads any more.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use curt_testkit::{Scratch, heed_signals, skip};

use crate::{closed_pipe, command_line};

/// Every command with something to say; the last number is the exit status where that fails.
const COMMANDS: &[(&str, i32)] = &[
    ("rm -v f", 1),
    ("rm --dry-run f", 1),
    ("rm -v --json f", 1),
    ("ls", 2),
    ("ls -l", 2),
    ("ls -C", 2),
    ("ls --json", 2),
    ("stat f", 1),
    ("stat --json f", 1),
    ("find", 1),
    ("find --json", 1),
    ("du", 1),
    ("du -a --json", 1),
    ("which sh", 1),
    ("which --json sh", 1),
    ("expand a", 1),
    ("expand --json a", 1),
    ("beneath --root . f", 1),
    ("beneath --root . --cat g", 1),
    ("beneath --check-only a", 1),
    ("completions bash", 1),
    ("man", 1),
    ("--help", 1),
    ("--version", 1),
    ("rm --help", 1),
    ("rm --version", 1),
    ("ls --help", 2),
    ("ls --version", 2),
    ("du --help", 1),
    ("stat --help", 1),
    ("find --help", 1),
    ("which --help", 1),
    ("run --help", 1),
    ("expand --help", 1),
    ("beneath --help", 1),
];

/// Runs a command line in a shell that redirects its output.
fn redirected(scratch: &Scratch, line: &str, redirection: &str) -> Output {
    scratch.file("f");
    std::fs::write(scratch.at("g"), "content").unwrap();
    let mut shell = Command::new("sh");
    let line = format!("exec '{}' {line} {redirection}", env!("CARGO_BIN_EXE_curt"));
    shell.args(["-c", &line]).current_dir(scratch.path()).stdin(Stdio::null());
    shell.output().unwrap()
}

fn fails(redirection: &str, reason: &str) {
    for &(line, code) in COMMANDS {
        let scratch = Scratch::new();
        let output = redirected(&scratch, line, redirection);
        let messages = String::from_utf8_lossy(&output.stderr);
        let (begin, end) = if line.contains("--json") {
            ("{\"error\":{\"operation\":\"write\",\"path\":null,", format!("\"{reason}\"}}}}\n"))
        } else {
            ("curt", format!("write error: {reason}\n"))
        };
        assert!(messages.ends_with(&end) && messages.starts_with(begin), "{line}: {messages}");
        assert_eq!(output.status.code(), Some(code), "{line}");
        assert_eq!(scratch.exists("f"), !line.starts_with("rm -v"), "{line}");
    }
}

#[test]
fn closed_output_is_an_error_of_every_command() {
    fails(">&-", "Bad file descriptor");
}

#[test]
fn full_output_is_an_error_of_every_command() {
    if !std::path::Path::new("/dev/full").exists() {
        return skip("there is no /dev/full");
    }
    fails(">/dev/full", "No space left on device");
}

/// As with the GNU tools: nothing was lost.
#[test]
fn closed_output_is_no_error_without_data() {
    for line in ["rm f", "rm -f missing", "ls empty", "run -- true"] {
        let scratch = Scratch::new();
        scratch.dir("empty");
        let output = redirected(&scratch, line, ">&-");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*messages), (Some(0), ""), "{line}");
    }
}

#[test]
fn a_closed_pipe_ends_a_command_as_it_ends_the_gnu_tools() {
    heed_signals();
    let scratch = Scratch::new();
    for number in 0..3_000 {
        scratch.file(format!("t/{}/a-name-{:0>150}-{number}", number % 30, 0));
    }
    for line in [
        "ls t/0",
        "ls -lR t",
        "du -a t",
        "find . t",
        "find --json . t",
        "ls -R --json t",
        "rm -rv t",
    ] {
        let output = command_line(&scratch, line).stdout(closed_pipe()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        assert_eq!(output.status.signal(), Some(13), "{line}: {:?}", output.status);
    }
    assert!(!scratch.list("t").is_empty(), "it went on for nobody");
}

#[test]
fn a_closed_pipe_is_a_write_error_if_sigpipe_is_ignored() {
    let scratch = Scratch::new();
    for number in 0..3_000 {
        scratch.file(format!("t/{}/a-name-{:0>150}-{number}", number % 30, 0));
    }
    for (line, code) in [("ls -lR t", 2), ("du -a t", 1), ("find . t", 1), ("rm -rv t", 1)] {
        let curt = env!("CARGO_BIN_EXE_curt");
        let line = format!("trap '' PIPE; ('{curt}' {line}; echo $? >code) | true");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line]).current_dir(scratch.path()).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(messages.ends_with(": write error: Broken pipe\n"), "{line}: {messages}");
        assert_eq!(messages.lines().count(), 1, "{line}: {messages}");
        let found = std::fs::read_to_string(scratch.at("code")).unwrap();
        assert_eq!(found, format!("{code}\n"), "{line}");
    }
}
