//! Rules of this repository that compilers cannot check. CONTRIBUTING.md explains them.

mod bindings;
pub(crate) mod code;
mod layers;
mod platform;
mod syscalls;

use crate::host::{self, Failure, Outcome};
use crate::say;
use code::Code;
use std::fs;

type Problem = (usize, String);

type Rule = fn(&str, &Code<'_>) -> Vec<Problem>;

const RULES: &[(&str, Rule)] = &[
    ("platform-cfg", platform::conditions),
    ("unsafe", platform::unsafety),
    ("syscalls", syscalls::calls),
    ("layers", layers::directions),
    ("layers", layers::path_text),
    ("time-zone", layers::time_zone),
];

const BINDINGS: &[&str] =
    &["bindings/*.rs", "bindings/*.[ch]", "bindings/*.js", "bindings/*.py", "bindings/*.rb"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("lint takes no arguments"));
    }
    let mut problems = 0;
    let mut tell = |path: &str, rule: &str, found: Vec<Problem>| {
        problems += found.len();
        for (line, what) in found {
            say::out(format_args!("{path}:{line}: {rule}: {what}"));
        }
    };
    let bindings = files(BINDINGS)?;
    let files = files(&["*.rs"])?;
    for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
        let code = Code::new(text);
        for (rule, check) in RULES {
            tell(path, rule, check(path, &code));
        }
    }
    for (path, text) in &bindings {
        tell(path, "bindings", bindings::decisions(path, text));
    }
    say::out(format_args!("lint: {} files, {problems} problems", files.len()));
    if problems == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("{problems} problems; the rules are in CONTRIBUTING.md")))
}

/// Returns tracked and untracked text files with their contents. Paths begin at the root of the
/// checkout, with `/` on every platform.
pub(crate) fn files(patterns: &[&str]) -> Result<Vec<(String, String)>, Failure> {
    let top = host::checkout();
    let folder = top.to_string_lossy();
    let trust = ["-c", "safe.directory=*", "-C", &folder];
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let listing = host::output_of("git", &[&trust[..], &list, patterns].concat())
        .ok_or_else(|| Failure::missing("the files are asked of git: no git, or no checkout"))?;
    let read = |path: &str| Some((path.to_owned(), fs::read_to_string(top.join(path)).ok()?));
    Ok(listing.split('\0').filter(|path| !path.is_empty()).filter_map(read).collect())
}

pub(crate) fn is_in(path: &str, folder: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|part| part == folder)
}

pub(crate) fn is_test(path: &str) -> bool {
    is_in(path, "tests") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}
