//! Ignore rules, as git reads them.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, Path};

use super::wildmatch;
use crate::control::{MOST_RULES, Rulebook, Rules, too_many_rules};

/// Which entries a walk leaves out by the ignore files of directories, for
/// [`Walk::ignore`](crate::Walk::ignore).
///
/// Rules are in `.ignore`, in `.gitignore` (which counts in a git work tree only: at or below a
/// directory that contains `.git`), and in git's `info/exclude`, which is also found if `.git` is a
/// file that names the directory of a linked work tree. They apply in their directory and below it.
/// The last rule of a file that matches decides; a file in a deeper directory comes before one
/// above, `.ignore` before `.gitignore`, and that before `exclude`. `!` includes an entry again,
/// unless it is in a directory that is left out. The directories above an operand count too. A
/// user's git configuration is not read. [`IgnoreFile`] says how lines are read.
///
/// If an ignore file cannot be read, what it leaves out is not known: the walk reports an error and
/// yields nothing below that directory. The same happens if the rules of more than 1,000
/// directories, more than 100,000 rules or more than 4 MiB of text would apply to one directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "rules do nothing until a walk uses them"]
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
    /// Creates rules that read all ignore files, and leave out names that begin with a dot.
    pub fn new() -> Self {
        IgnoreRules { files: true, dot_names: true }
    }

    /// Sets whether ignore files are read.
    pub fn files(self, yes: bool) -> Self {
        IgnoreRules { files: yes, ..self }
    }

    /// Sets whether names that begin with a dot are left out, unless a rule includes them.
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

    fn read(&self, text: &[u8]) -> io::Result<Box<dyn Rules>> {
        Ok(Box::new(IgnoreFile::parse(text)?))
    }
}

/// The rules of one ignore file, parsed and matched exactly as git does.
///
/// Patterns and paths are bytes. `*`, `?` and `[a-z]` do not match a slash, `**` as a whole name
/// does; a backslash escapes the next byte; braces have no meaning. A line that can never match,
/// such as `[a`, is skipped.
///
/// ```
/// use std::path::Path;
/// let rules = curt::filters::IgnoreFile::parse(b"*.o\n!keep.o\n/build/\n")?;
/// assert_eq!(rules.ignores(Path::new("src/a.o"), false), Some(true));
/// assert_eq!(rules.ignores(Path::new("src/keep.o"), false), Some(false));
/// assert_eq!(rules.ignores(Path::new("build"), true), Some(true));
/// assert_eq!(rules.ignores(Path::new("src"), true), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IgnoreFile {
    text: Vec<u8>,
    rules: Vec<Rule>,
}

/// One line of an ignore file.
#[derive(Clone, Debug)]
struct Rule {
    /// The pattern's position in the text, and the length of its literal prefix.
    pattern: Range<usize>,
    literal: usize,
    /// The length of what follows its last star, and how many bytes that matches.
    ending: (u16, u16),
    takes_back: bool,
    directories_only: bool,
    /// It is compared with names instead of paths.
    is_name: bool,
    /// It is a star and a literal: the end of a name is compared.
    is_ending: bool,
}

impl IgnoreFile {
    /// Parses the text of an ignore file. More than 100,000 rules are an error of the kind
    /// `FileTooLarge`. Takes at most 4.2 MB of memory besides a copy of the text.
    pub fn parse(text: &[u8]) -> io::Result<IgnoreFile> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let text = text.strip_prefix(MARK).unwrap_or(text).to_vec();
        let mut rules = Vec::new();
        let mut begin = 0;
        for line in text.split(|&byte| byte == b'\n') {
            if let Some(rule) = Rule::read(line, begin) {
                if rules.len() == MOST_RULES {
                    return Err(too_many_rules(MOST_RULES, "ignore rules"));
                }
                rules.push(rule);
            }
            begin += line.len() + 1;
        }
        Ok(IgnoreFile { text, rules })
    }

    /// Returns whether the last rule that matches ignores the entry at `path`, which is relative to
    /// the directory of the file; `None` if no rule matches. Rules for the directories on the way
    /// are not considered.
    pub fn ignores(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let path = path.as_os_str().as_encoded_bytes();
        let path = if MAIN_SEPARATOR == '/' {
            Cow::Borrowed(path)
        } else {
            let slash = |&byte: &u8| if byte == MAIN_SEPARATOR as u8 { b'/' } else { byte };
            Cow::Owned(path.iter().map(slash).collect())
        };
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(&path);
        let matches = |rule: &&Rule| {
            let pattern = &self.text[rule.pattern.clone()];
            (is_directory || !rule.directories_only) && rule.matches(pattern, &path, name)
        };
        self.rules.iter().rev().find(matches).map(|rule| !rule.takes_back)
    }
}

impl Rules for IgnoreFile {
    fn decide(&self, path: &Path, is_directory: bool) -> Option<bool> {
        self.ignores(path, is_directory)
    }

    fn count(&self) -> usize {
        self.rules.len()
    }
}

impl Rule {
    /// Parses a line, which begins at `begin` in the text; `None` if it can match nothing.
    fn read(line: &[u8], begin: usize) -> Option<Rule> {
        if line.first() == Some(&b'#') {
            return None;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // For git a NUL ends a line.
        let line = line.split(|&byte| byte == 0).next().unwrap_or(line);
        let line = &line[..length_without_spaces(line)];
        let takes_back = line.first() == Some(&b'!');
        let from = usize::from(takes_back);
        let (line, begin) = (&line[from..], begin + from);
        let directories_only = line.last() == Some(&b'/');
        let line = line.strip_suffix(b"/").unwrap_or(line);
        let is_name = !line.contains(&b'/');
        let from = usize::from(line.first() == Some(&b'/'));
        let (pattern, begin) = (&line[from..], begin + from);
        let literal = pattern.iter().take_while(|&&byte| !wildmatch::is_special(byte)).count();
        if pattern.is_empty() {
            return None;
        }
        let (length, width) = wildmatch::ending(&pattern[literal..])?;
        // One that is too long is not compared first.
        let ending = length.try_into().map_or((0, 0), |length| (length, width as u16));
        let is_literal = |ending: &[u8]| !ending.iter().any(|&byte| wildmatch::is_special(byte));
        let is_ending = is_name && pattern.strip_prefix(b"*").is_some_and(is_literal);
        let pattern = begin..begin + pattern.len();
        Some(Rule { pattern, literal, ending, takes_back, directories_only, is_name, is_ending })
    }

    fn matches(&self, pattern: &[u8], path: &[u8], name: &[u8]) -> bool {
        let text = if self.is_name { name } else { path };
        if self.literal == pattern.len() {
            return text == pattern;
        }
        if self.is_ending {
            return text.ends_with(&pattern[1..]);
        }
        let (length, width) = (usize::from(self.ending.0), usize::from(self.ending.1));
        // As in git, a `**` after the literal prefix counts as if it began a name.
        wildmatch::has_ending(text, &pattern[pattern.len() - length..], width)
            && text
                .strip_prefix(&pattern[..self.literal])
                .is_some_and(|rest| wildmatch::matches(&pattern[self.literal..], rest))
    }
}

/// Returns the length of a line without trailing spaces. A backslash keeps the space after it, and
/// one at the very end keeps all.
fn length_without_spaces(line: &[u8]) -> usize {
    let mut kept = 0;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        at += 1 + usize::from(byte == b'\\');
        if at > line.len() {
            return line.len();
        }
        if byte != b' ' {
            kept = at;
        }
    }
    kept
}
