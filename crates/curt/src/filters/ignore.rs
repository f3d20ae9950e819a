//! Ignore rules, as git has them.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, Path};

use super::wildmatch;
use crate::control::{MOST_RULES, Rulebook, Rules, too_many_rules};

/// Which entries a walk leaves out because of what directories say themselves, for
/// [`Walk::ignore`](crate::Walk::ignore).
///
/// Rules stand in `.ignore`, in `.gitignore` (which counts in a work tree of git only: at or below
/// a directory that holds a `.git`), and in git's `info/exclude`, which is also found where `.git`
/// is a file that names the directory of a linked work tree. They hold in their directory and below
/// it; of several the last in a file decides, a file in a deeper directory before one above,
/// `.ignore` before `.gitignore`, and that before `exclude`. `!` takes back; what lies in a
/// directory that is left out cannot be taken back. The directories above an operand count too. The
/// rules of a user's own configuration of git are not read. [`IgnoreFile`] says how lines are read.
///
/// Where a file with rules cannot be read, it is not known what they leave out: the walk reports an
/// error and yields nothing below that directory. The same holds where the rules of more than 1,000
/// directories, 100,000 rules or 4 MiB of text would hold in one place.
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

    fn read(&self, text: &[u8]) -> io::Result<Box<dyn Rules>> {
        Ok(Box::new(IgnoreFile::parse(text)?))
    }
}

/// The rules of one ignore file, read and matched exactly as git does.
///
/// Patterns and paths are bytes. `*`, `?` and `[a-z]` do not match a slash, `**` as a whole name
/// does; a backslash takes the next byte for itself; braces are nothing special. A line that git
/// could never match, such as `[a`, is passed over, and no other with it.
///
/// ```
/// use std::path::Path;
/// let rules = curt::IgnoreFile::parse(b"*.o\n!keep.o\n/build/\n")?;
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

/// One line.
#[derive(Clone, Debug)]
struct Rule {
    /// Where its pattern lies in the text, and how much of that stands for itself.
    pattern: Range<usize>,
    literal: usize,
    takes_back: bool,
    directories_only: bool,
    /// It is compared with names, not with paths.
    is_name: bool,
    /// A star, and then nothing special: the end of a name is compared.
    is_ending: bool,
}

impl IgnoreFile {
    /// Reads the text of a file. More than 100,000 rules are an error, of the kind `FileTooLarge`;
    /// the memory taken is at most 4.2 MB and the text.
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

    /// Whether the last rule that matches says to ignore the entry at `path`, which is relative to
    /// the directory that the file is for; `None` where no rule matches. What was decided about the
    /// directories on the way is for the caller to mind.
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
    /// Reads a line, which begins at `begin` in the text; `None` where there is nothing that could
    /// match.
    fn read(line: &[u8], begin: usize) -> Option<Rule> {
        if line.first() == Some(&b'#') {
            return None;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // To git a line ends where text in C does.
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
        if pattern.is_empty() || !wildmatch::is_pattern(&pattern[literal..]) {
            return None;
        }
        let is_literal = |ending: &[u8]| !ending.iter().any(|&byte| wildmatch::is_special(byte));
        let is_ending = is_name && pattern.strip_prefix(b"*").is_some_and(is_literal);
        let pattern = begin..begin + pattern.len();
        Some(Rule { pattern, literal, takes_back, directories_only, is_name, is_ending })
    }

    fn matches(&self, pattern: &[u8], path: &[u8], name: &[u8]) -> bool {
        let text = if self.is_name { name } else { path };
        if self.literal == pattern.len() {
            return text == pattern;
        }
        if self.is_ending {
            return text.ends_with(&pattern[1..]);
        }
        // As in git, a `**` behind the literal part counts as if a name began with it.
        text.strip_prefix(&pattern[..self.literal])
            .is_some_and(|rest| wildmatch::matches(&pattern[self.literal..], rest))
    }
}

/// How long a line is without the spaces at its end. A backslash keeps the one behind it, and one
/// at the very end keeps all.
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
