//! The rules of the house that the compiler cannot check, as `FILE:LINE: rule: what is wrong`.
//!
//! Each rule is a small function over one file, or over the list of files; the rules are explained
//! in CONTRIBUTING.md. A problem fails the task; a note is shown and does not.

mod dependencies;
mod door;
mod layers;
mod lexer;
mod places;
mod platform;
mod size;
mod unfinished;
mod unsafety;
mod words;

use crate::host::{self, Failure, Outcome};
use crate::say;
use lexer::Source;
use std::fs;
use std::path::Path;

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    text: String,
    /// Shown, but no reason to fail.
    note: bool,
}

impl Finding {
    fn problem(path: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, text: text.into(), note: false }
    }

    fn note(path: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Self { note: true, ..Self::problem(path, line, rule, text) }
    }
}

/// A tracked text file, its path from the top of the checkout with `/` between the parts.
struct File {
    path: String,
    text: String,
    /// Empty for everything but Rust.
    source: Source,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let rust = Path::new(path).extension().is_some_and(|ending| ending == "rs");
        let source = if rust { Source::new(text) } else { Source::default() };
        Self { path: path.to_owned(), text: text.to_owned(), source }
    }

    fn is_rust(&self) -> bool {
        places::has_ending(&self.path, "rs")
    }
}

/// A rule over one file.
type FileRule = fn(&File) -> Vec<Finding>;

/// A rule over all files.
type TreeRule = fn(&[File]) -> Vec<Finding>;

const FILE_RULES: &[FileRule] = &[
    platform::cfgs,
    platform::std_fs,
    door::calls,
    unsafety::location,
    unsafety::comments,
    unfinished::code,
    unfinished::comments,
    size::files,
    size::functions,
    layers::headers,
    layers::operations,
    layers::below,
    layers::library,
    layers::path_text,
    dependencies::shared,
    words::machine_paths,
    words::hosts,
];

const TREE_RULES: &[TreeRule] = &[dependencies::decided, layers::modules];

/// The task `lint`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("lint takes no arguments"));
    }
    let files = files()?;
    let mut findings: Vec<_> =
        FILE_RULES.iter().flat_map(|rule| files.iter().flat_map(rule)).collect();
    findings.extend(TREE_RULES.iter().flat_map(|rule| rule(&files)));
    findings.sort();
    for Finding { path, line, rule, text, note } in &findings {
        let kind = if *note { "note: " } else { "" };
        say::out(format_args!("{path}:{line}: {rule}: {kind}{text}"));
    }
    let notes = findings.iter().filter(|finding| finding.note).count();
    let problems = findings.len() - notes;
    let count = files.len();
    say::out(format_args!("lint: {count} files, {problems} problems, {notes} notes"));
    if problems == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("{problems} problems; the rules are in CONTRIBUTING.md")))
}

/// Every file that is tracked or could be, so that a new file is seen before it is committed.
fn files() -> Result<Vec<File>, Failure> {
    let top = host::checkout();
    let folder = top.to_string_lossy();
    // The checkout may belong to somebody else than root, who runs this in CI.
    let trust = ["-c", "safe.directory=*", "-C", &folder];
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let arguments: Vec<&str> = trust.into_iter().chain(list).collect();
    let listing = host::output_of("git", &arguments)
        .ok_or_else(|| Failure::missing("lint asks git for the files: no git, or no checkout"))?;
    let mut paths: Vec<_> = listing.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    // Deleted files and files that are not text are no matter of these rules.
    let read = |path| Some(File::new(path, &fs::read_to_string(top.join(path)).ok()?));
    Ok(paths.into_iter().filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_ordered_by_place() {
        let mut findings = [
            Finding::note("b.rs", 1, "size", "x"),
            Finding::problem("a.rs", 9, "words", "x"),
            Finding::problem("a.rs", 2, "words", "x"),
        ];
        findings.sort();
        let places: Vec<_> = findings.iter().map(|found| (&*found.path, found.line)).collect();
        assert_eq!(places, [("a.rs", 2), ("a.rs", 9), ("b.rs", 1)]);
    }
}
