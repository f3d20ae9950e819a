//! Compares expansion with its authorities: one process each, with the same random paths.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[global_allocator]
static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;

mod allocations;
mod cpython;
mod go;
mod node;
mod oracle;
#[cfg(unix)]
mod ruby;
mod ruby_recorded;
mod standard;
#[cfg(windows)]
mod win32;

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use curt::paths::{DotDot, Env, Expander, Flavor, Fold};
use curt_testkit::{Choices, Scratch};

fn count() -> usize {
    std::env::var("CURT_PATHS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000)
}

fn path(choices: &mut Choices, pieces: &[&str], most: usize) -> String {
    (0..choices.below(most + 1)).map(|_| choices.one_of(pieces)).collect()
}

fn paths(seed: u64, pieces: &[&str], most: usize) -> Vec<String> {
    let mut choices = Choices::new(seed);
    (0..count()).map(|_| path(&mut choices, pieces, most)).collect()
}

const POSIX: [&str; 18] = [
    "/", "/", "/", "//", "///", ".", "..", "/.", "/..", "a", "bc", ".h", "..x", "...", "é", " ",
    "~", "-",
];

/// Excludes pieces that only Windows itself treats specially: trailing dots and spaces, device
/// names.
const PLAIN_WINDOWS: [&str; 16] = [
    r"\", r"\", "/", r"\\", ".", "..", r"\.", r"\..", "a", "bc", ".h", "é", r"x\", r"C:\", r"D:\",
    "ab",
];

/// Compares with an authority that treats two leading slashes as one.
fn compare_posix(seed: u64, authority: impl FnOnce(&[String]) -> Option<Vec<Vec<u8>>>) {
    let questions = paths(seed, &POSIX, 9);
    let Some(answers) = authority(&questions) else { return };
    let env = Env::none().cwd("/w/o/r/k");
    let expander = Expander::new(env).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
    compare(&questions, answers, |text| {
        let full = expander.expand(text.as_bytes()).unwrap().into_owned();
        if full.starts_with(b"//") { full[1..].to_vec() } else { full }
    });
}

/// Compares how relative paths with drive names are folded. All results that begin with `..` count
/// as equal.
fn compare_folded(
    authority: impl FnOnce(&[String]) -> Option<Vec<Vec<u8>>>,
    seen: impl Fn(Vec<u8>) -> Vec<u8>,
) {
    const STARTS: [&str; 5] = ["./", r".\", "a/../", r"a\b\..\..\", "a//./..//"];
    const PIECES: [&str; 14] =
        ["c:", "d:x", "é:", "s:t", ":", "/", r"\", r"\\", "..", r"\..\", "/./", "a", "?", "??/"];
    let mut choices = Choices::new(6);
    let path = |_| choices.one_of(&STARTS).to_owned() + &path(&mut choices, &PIECES, 6);
    let questions: Vec<String> = (0..count()).map(path).collect();
    let Some(answers) = authority(&questions) else { return };
    let leaves = |answer: &[u8]| {
        let mut names = answer.split(|&byte| byte == b'\\').filter(|name| *name != b".");
        names.next() == Some(b"..")
    };
    let answers = answers
        .into_iter()
        .map(|answer| if leaves(&answer) { b"..".to_vec() } else { seen(answer) });
    let fold = Fold::new(Flavor::Windows).dot_dot(DotDot::Refuse);
    compare(&questions, answers, |text| fold.fold(text.as_bytes()).map_or(b"..".to_vec(), &seen));
}

/// Returns the program's answers to NUL-terminated questions, or `None` if it is not installed.
fn query(program: &str, arguments: &[&OsStr], questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let mut command = Command::new(program);
    command.args(arguments).env_remove("HOME");
    query_with(command, program, questions)
}

fn query_with(mut command: Command, program: &str, questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let folder = Scratch::new();
    let text: String = questions.iter().flat_map(|question| [question, "\0"]).collect();
    let input = folder.file_with("questions", text.as_bytes());
    command.stdin(std::fs::File::open(input).unwrap()).stderr(Stdio::inherit());
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            curt_testkit::skip(&format!("{program} is not installed"));
            return None;
        }
        output => output.unwrap(),
    };
    let is_silent = !output.status.success() && output.stdout.is_empty();
    assert!(!is_silent, "{program} cannot answer: {}", output.status);
    let mut answers: Vec<Vec<u8>> =
        output.stdout.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    assert_eq!(answers.pop(), Some(Vec::new()), "an answer without an end");
    assert_eq!(answers.len(), questions.len(), "as many answers as questions");
    Some(answers)
}

fn compare<'t>(
    questions: impl IntoIterator<Item = &'t String>,
    answers: impl IntoIterator<Item = Vec<u8>>,
    ours: impl Fn(&str) -> Vec<u8>,
) {
    let mut differing = Vec::new();
    for (question, theirs) in questions.into_iter().zip(answers) {
        let ours = ours(question);
        if ours != theirs {
            let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            differing.push(format!("{question:?}: {:?}, not {:?}", show(&theirs), show(&ours)));
        }
    }
    let count = differing.len();
    differing.truncate(20);
    assert!(count == 0, "{count} differ:\n{}", differing.join("\n"));
}
