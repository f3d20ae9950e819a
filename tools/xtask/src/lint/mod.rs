//! The rules of the house that neither the compiler nor clippy can check, as
//! `FILE:LINE: rule: what is wrong`.
//!
//! Each rule is a small function over one file, or over all of them; the rules are explained in
//! CONTRIBUTING.md.

mod code;
mod columns;
mod dependencies;
mod door;
mod impls;
mod layers;
mod links;
mod phrases;
mod places;
mod platform;
mod words;

use crate::host::{self, Failure, Outcome};
use crate::say;
use code::Code;
use std::fs;

/// A line, counted from one, and what is wrong there.
type Problem = (usize, String);

/// A tracked text file, its path from the top of the checkout with `/` between the parts.
struct File {
    path: String,
    text: String,
    /// Empty for everything but Rust, and for tests.
    code: Code,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let is_code = places::has_ending(path, "rs") && !places::is_test(path);
        let code = if is_code { Code::new(text) } else { Code::default() };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    /// The problems of single lines.
    fn lines(&self, check: impl Fn(&str) -> Option<String>) -> Vec<Problem> {
        let lines = (1..).zip(self.text.lines());
        lines.filter_map(|(line, text)| Some((line, check(text)?))).collect()
    }
}

/// A rule over one file.
type FileRule = fn(&File) -> Vec<Problem>;

/// A rule over all files: each problem comes with the path of its file.
type TreeRule = fn(&[File]) -> Vec<(String, Problem)>;

const FILE_RULES: &[(&str, FileRule)] = &[
    ("platform-cfg", platform::cfgs),
    ("unsafe", platform::unsafety),
    ("door", door::calls),
    ("file-size", file_size),
    ("columns", columns::width),
    ("phrases", phrases::dialect),
    ("operation-header", layers::headers),
    ("layers", layers::directions),
    ("layers", layers::path_text),
    ("unfinished", words::reminders),
    ("machine-path", words::machine_paths),
    ("host", words::hosts),
];

const TREE_RULES: &[(&str, TreeRule)] = &[
    ("dependencies", dependencies::decided),
    ("impl-files", impls::files),
    ("links", links::dead),
];

/// A file with more lines than this has more than one responsibility.
const FILE_LIMIT: usize = 600;

/// The task `lint`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("lint takes no arguments"));
    }
    let files = files()?;
    let mut found = Vec::new();
    for (rule, check) in FILE_RULES {
        for file in &files {
            found.extend(check(file).into_iter().map(|problem| (file.path.clone(), problem, rule)));
        }
    }
    for (rule, check) in TREE_RULES {
        found.extend(check(&files).into_iter().map(|(path, problem)| (path, problem, rule)));
    }
    found.sort();
    for (path, (line, text), rule) in &found {
        say::out(format_args!("{path}:{line}: {rule}: {text}"));
    }
    say::out(format_args!("lint: {} files, {} problems", files.len(), found.len()));
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{} problems; the rules are in CONTRIBUTING.md", found.len())))
}

/// Every file that is tracked or could be, so that a new file is seen before it is committed.
fn files() -> Result<Vec<File>, Failure> {
    let top = host::checkout();
    let folder = top.to_string_lossy();
    // The checkout may belong to somebody else than root, who runs this in CI.
    let trust = ["-c", "safe.directory=*", "-C", &folder];
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let listing = host::output_of("git", &[&trust[..], &list].concat())
        .ok_or_else(|| Failure::missing("lint asks git for the files: no git, or no checkout"))?;
    let paths = listing.split('\0').filter(|path| !path.is_empty());
    // Deleted files and files that are not text are no matter of these rules.
    let read = |path| Some(File::new(path, &fs::read_to_string(top.join(path)).ok()?));
    Ok(paths.filter_map(read).collect())
}

/// The length of Rust files, not counting tests.
fn file_size(file: &File) -> Vec<Problem> {
    let lines = file.text.lines().count() - file.code.test_lines;
    if file.code.tokens.is_empty() || lines <= FILE_LIMIT {
        return Vec::new();
    }
    let text = format!(
        "{lines} lines without tests, more than {FILE_LIMIT}: move what can stand by itself to another \
         type in another file; one `impl` stays together"
    );
    vec![(1, text)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found_and_their_tests_do_not_count() {
        let file = |path: &str, lines| file_size(&File::new(path, &"a;\n".repeat(lines))).len();
        assert_eq!(file("a.rs", 600), 0);
        assert_eq!(file("a.rs", 601), 1);
        assert_eq!(file("crates/curt/tests/a.rs", 900), 0);
        assert_eq!(file("a.md", 900), 0);
        let tests = format!("a;\n#[cfg(test)]\nmod tests {{\n{}}}\n", "a;\n".repeat(600));
        assert_eq!(file_size(&File::new("a.rs", &tests)), []);
    }
}
