//! The budget of a start: one call in the parent, two in the child, and what each option adds.

use std::fmt::Write;
use std::path::Path;

use curt_testkit::Scratch;

use crate::check_snapshot;
use crate::strace::{trace, tracing};

/// Returns the name of the call that a line begins, and the process that makes it.
fn call(line: &str) -> Option<(&str, &str)> {
    let (pid, rest) = line.split_once(' ')?;
    let (name, _) = rest.trim_start().split_once('(')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !name.is_empty()).then_some((pid, name))
}

/// What the parent calls from the first question about the program to the end of its waiting, and
/// the child before it is the program.
fn calls(log: &str) -> (Vec<&str>, Vec<&str>) {
    let parent = log.split(' ').next().unwrap();
    let begins = |line: &&str| line.contains(" faccessat2(") || line.contains(" clone3(");
    let lines: Vec<&str> = log.lines().skip_while(|line| !begins(line)).collect();
    let own = lines.iter().filter_map(|line| call(line)).filter(|(pid, _)| *pid == parent);
    let mut own: Vec<&str> = own.map(|(_, name)| name).collect();
    let last = own.iter().rposition(|name| *name == "waitid").unwrap();
    own.truncate(last + 1);
    // The command leaves Ctrl-C to the program.
    own.retain(|name| *name != "rt_sigaction");
    // On a busy machine it is asked more than once whether the time is over.
    own.dedup_by(|next, before| next == before && *next == "ppoll");
    let theirs = lines.iter().filter_map(|line| call(line)).filter(|(pid, _)| *pid != parent);
    let mut theirs: Vec<&str> = theirs.map(|(_, name)| name).collect();
    let last = theirs.iter().position(|name| *name == "execve").unwrap();
    theirs.truncate(last + 1);
    (own, theirs)
}

fn measured(text: &mut String, args: &[&str]) {
    let scratch = Scratch::new();
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (_, log) = trace(&scratch, program, &[&["run"], args].concat());
    let (parent, child) = calls(&log);
    writeln!(text, "curt run {}", args.join(" ")).unwrap();
    writeln!(text, "    parent: {}", parent.join(" ")).unwrap();
    writeln!(text, "    child:  {}", child.join(" ")).unwrap();
}

#[test]
fn each_option_of_a_start_has_its_calls() {
    let Some(()) = tracing() else { return };
    let mut text = String::new();
    for args in [
        &["--", "/bin/true"][..],
        &["--env", "A=1", "--", "/bin/true"],
        &["--clear-env", "--", "/bin/true"],
        &["--chdir", "/", "--", "/bin/true"],
        &["--timeout", "100", "--", "/bin/true"],
        &["--path", "/bin", "--", "true"],
        &["--path", "/curt-no-such:/bin", "--", "true"],
        &["--env", "PATH=/curt-no-such:/bin", "--", "true"],
        &["--shell-fallback", "--retries", "9", "--", "/bin/true"],
    ] {
        measured(&mut text, args);
    }
    check_snapshot("run", &text);
}

/// What the command counts of the parent and the child together is what strace saw.
#[test]
fn counted_calls_are_those_that_strace_sees() {
    let Some(()) = tracing() else { return };
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_curt"))
        .args(["run", "--stats", "--chdir", "/", "--", "/bin/true"])
        .output()
        .unwrap();
    let counted = String::from_utf8(output.stderr).unwrap();
    let mut counted: Vec<&str> =
        counted.lines().skip(1).map(|line| line.split_whitespace().last().unwrap()).collect();
    counted.sort_unstable();
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (_, log) = trace(&Scratch::new(), program, &["run", "--chdir", "/", "--", "/bin/true"]);
    let (parent, child) = calls(&log);
    let mut seen = [parent, child].concat();
    seen.sort_unstable();
    assert_eq!(counted, seen);
}
