//! Ignore rules, as git has them.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::control::{Rulebook, Rules};

/// Which entries a walk leaves out because of what directories say themselves, for
/// [`Walk::ignore`](crate::Walk::ignore).
///
/// Rules stand in `.ignore`, in `.gitignore` (which counts in a work tree of git only: at or below a
/// directory that holds a `.git`), and in `.git/info/exclude`. They hold in their directory and below it;
/// of several the last in a file decides, a file in a deeper directory before one above, `.ignore` before
/// `.gitignore`, and that before `exclude`. `!` takes back; what lies in a directory that is left out
/// cannot be taken back. The directories above an operand count too. Lines that are no pattern are passed
/// over; comparisons mind capitals; the rules of a user's own configuration of git are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IgnoreRules {
    files: bool,
    dot_names: bool,
}

impl Default for IgnoreRules {
    fn default() -> Self {
        IgnoreRules::new()
    }
}

impl IgnoreRules {
    /// All of them: rules of files, and no names that begin with a dot.
    pub fn new() -> Self {
        IgnoreRules { files: true, dot_names: true }
    }

    /// Whether files with rules are read.
    #[must_use]
    pub fn files(self, yes: bool) -> Self {
        IgnoreRules { files: yes, ..self }
    }

    /// Whether names that begin with a dot are left out, unless a rule takes them back.
    #[must_use]
    pub fn dot_names(self, yes: bool) -> Self {
        IgnoreRules { dot_names: yes, ..self }
    }

    pub(crate) fn is_any(self) -> bool {
        self.files || self.dot_names
    }
}

impl Rulebook for IgnoreRules {
    fn reads_files(&self) -> bool {
        self.files
    }

    fn hides_dots(&self) -> bool {
        self.dot_names
    }

    fn read(&self, text: &[u8]) -> Box<dyn Rules> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let mut builder = GitignoreBuilder::new("");
        for line in text.strip_prefix(MARK).unwrap_or(text).split(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
            // git passes over what is no pattern, too.
            let _ = builder.add_line(None, &line);
        }
        Box::new(File(builder.build().unwrap_or_else(|_| Gitignore::empty())))
    }
}

/// The rules of one file.
struct File(Gitignore);

impl Rules for File {
    fn decide(&self, path: &Path, is_directory: bool) -> Option<bool> {
        match self.0.matched(path, is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}
