//! A command under strace, and what it called.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use curt_testkit::Scratch;

/// Calls by name.
pub(crate) type Counts = BTreeMap<String, u64>;

/// What a traced command did.
pub(crate) struct Traced {
    /// What strace saw.
    pub(crate) seen: Counts,
    /// What the command counted itself (`--stats --json`).
    pub(crate) counted: Counts,
    /// How many entries it told of, where it says that.
    pub(crate) entries: u64,
    pub(crate) log: String,
}

/// Whether strace is there and may trace.
pub(crate) fn available() -> bool {
    let traced = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    traced.is_ok_and(|status| status.success())
}

/// Runs `curt rm ARGS --stats --json` in a scratch directory, traced.
pub(crate) fn curt_rm(scratch: &Scratch, args: &[&str]) -> Traced {
    curt(scratch, &[&["rm"], args].concat())
}

/// Runs `curt ARGS --stats --json` in a scratch directory, traced.
pub(crate) fn curt(scratch: &Scratch, args: &[&str]) -> Traced {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (text, log) = trace(scratch, program, &with_counts(args));
    summed_up(&text, log)
}

/// Runs `curt ARGS --stats --json` with so few descriptors, not traced.
pub(crate) fn limited(scratch: &Scratch, descriptors: u32, args: &[&str]) -> Traced {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -n {descriptors}; exec \"$0\" \"$@\"")]);
    shell.arg(env!("CARGO_BIN_EXE_curt")).args(with_counts(args));
    let output = shell.current_dir(scratch.path()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    summed_up(&String::from_utf8(output.stdout).unwrap(), String::new())
}

fn with_counts<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--stats", "--json"]].concat()
}

fn summed_up(text: &str, log: String) -> Traced {
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let summary = &summary["summary"];
    let calls = summary["calls"].as_object().unwrap();
    let mut counted: Counts =
        calls.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect();
    counted.remove("total");
    let entries = summary["entries"].as_u64().unwrap_or_default();
    Traced { seen: count(&log), counted, entries, log }
}

/// Runs a program in a scratch directory, traced; returns its output and the log.
///
/// Descriptors that the test inherited are closed before: a finished directory is closed together
/// with its neighbours, and a foreign descriptor in between would make one call into two. Cargo's
/// search path for libraries is taken away: it would be searched in vain, a call for each.
pub(crate) fn trace(scratch: &Scratch, program: &Path, args: &[&str]) -> (String, String) {
    const CLEAN: &str = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; \
        [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done; exec \"$@\"";
    let log = scratch.at("strace.log");
    let mut command = Command::new("bash");
    command.args(["-c", CLEAN, "bash", "strace", "-f", "-qq", "-s", "4096", "-o"]);
    command.arg(&log).arg(program).args(args).current_dir(scratch.path()).stdin(Stdio::null());
    command.env_remove("LD_LIBRARY_PATH");
    let output = command.output().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    scratch.remove("strace.log");
    (String::from_utf8(output.stdout).unwrap(), text)
}

/// How many calls starting the command may take: 12 more than an empty program of the same
/// compiler and linker, which makes 63 with most of them: 75. A library that only the command is
/// linked with comes on top; Rust 1.85 takes the rounding of numbers from one, later versions do not.
pub(crate) fn start_up(scratch: &Scratch) -> u64 {
    const MORE: u64 = 12;
    const USUAL: u64 = 63;
    const LIBRARY: u64 = 9;
    let curt = Path::new(env!("CARGO_BIN_EXE_curt"));
    let empty = curt.with_file_name("examples").join("empty");
    if !empty.exists() {
        return USUAL + MORE;
    }
    let (_, empty) = trace(scratch, &empty, &[]);
    let (_, curt) = trace(scratch, curt, &["rm", "-f"]);
    let libraries = |log: &str| log.lines().filter(|line| line.contains(".so.6\", O_R")).count();
    let more = libraries(&curt).saturating_sub(libraries(&empty)) as u64;
    count(&empty).values().sum::<u64>().max(USUAL) + MORE + LIBRARY * more
}

/// Counts the calls in a log: lines of `PID name(…`, each call once though it may be interrupted.
pub(crate) fn count(log: &str) -> Counts {
    let mut counts = Counts::new();
    for line in log.lines() {
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        if let Some((name, _)) = call.split_once('(') {
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

/// What would be counted if the file system said of each directory where it ends. Each is closed once.
pub(crate) fn without_last_looks(mut counted: Counts, scratch: &Scratch) -> Counts {
    let looks = scratch.last_looks() * counted.get("close").copied().unwrap_or(0);
    if let Some(listings) = counted.get_mut("getdents64") {
        *listings -= looks;
    }
    counted
}

/// What `more` has beyond `less`.
pub(crate) fn difference(more: &Counts, less: &Counts) -> Counts {
    let mut rest = Counts::new();
    for (name, count) in more {
        let known = less.get(name).copied().unwrap_or(0);
        rest.insert(name.clone(), count.saturating_sub(known));
    }
    rest
}

/// All calls but those with these names.
pub(crate) fn total_without(counts: &Counts, names: &[&str]) -> u64 {
    counts.iter().filter(|(name, _)| !names.contains(&name.as_str())).map(|(_, count)| count).sum()
}
