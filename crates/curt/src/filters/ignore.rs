//! Ignore rules, as git reads them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::glob::{Dialect, Matcher};
use super::patterns::{Patterns, Scope, with_slashes};

/// The most rules that may hold in one place.
pub(crate) const MOST_RULES: usize = 100_000;

/// Returns the error that more rules hold in one place than may.
pub(crate) fn too_many_rules(most: usize, what: &str) -> io::Error {
    let words = format!("more than {most} {what} are in force");
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}

/// Which entries a walk leaves out by the ignore files of directories, for
/// [`Walk::ignore`](crate::Walk::ignore).
///
/// Rules are in `.ignore`, in `.gitignore` (which counts in a git work tree only: at or below a
/// directory that contains `.git`), and in git's `info/exclude`, which is also found if `.git` is a
/// file that names the directory of a linked work tree. They apply in their directory and below it.
/// The last rule of a file that matches decides; a file in a deeper directory comes before one
/// above. Of different files, in any directory, these come first: custom files,
/// `.ignore`, `.gitignore`, `exclude`, the user's rules, and extra files last, as in the crate
/// `ignore`. `!` includes an entry again, unless it is in a directory that is left out.
///
/// Lines are parsed and matched exactly as git does, those of git's files in any case where
/// `core.ignoreCase` is set in git's configuration. Patterns and paths are bytes. `*`, `?` and
/// `[a-z]` do not match a slash, `**` as a whole name does; a backslash escapes the next byte;
/// braces have no meaning. A line that can never match, such as `[a`, is skipped.
///
/// Ignore files above an operand are read too, in all directories up to the root (`.gitignore` up
/// to the top of the work tree): a walk of `repository/src` keeps the rules of
/// `repository/.gitignore`. Operands themselves are never left out.
///
/// `.git` has no rule that names it. It is left out because its name begins with a dot. A walk that
/// yields such names ([`leave_out_dot_names(false)`](IgnoreRules::leave_out_dot_names)) enters it
/// too; [`Walk::exclude`](crate::Walk::exclude) leaves it out.
///
/// If an ignore file cannot be read, what it leaves out is not known: the walk reports an error and
/// yields nothing below that directory. The same happens if the rules of more than 1,000
/// directories, more than 100,000 rules or more than 4 MiB of text would apply to one directory.
///
/// ```
/// use curt::Walk;
/// use curt::filters::IgnoreRules;
///
/// let rules = IgnoreRules::new().custom_file(".npmignore");
/// for entry in Walk::new(".").ignore(rules).max_depth(1) {
///     println!("{}", entry?.path.display());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "rules do nothing until a walk uses them"]
pub struct IgnoreRules {
    /// Whether files with rules are read, other than extra files.
    pub(crate) files: bool,
    pub(crate) leave_out_dot_names: bool,
    pub(crate) custom_names: Vec<String>,
    pub(crate) extra_files: Vec<PathBuf>,
    pub(crate) git: bool,
    global: bool,
    pub(crate) require_git: bool,
}

impl Default for IgnoreRules {
    fn default() -> Self {
        IgnoreRules::new()
    }
}

impl IgnoreRules {
    /// Creates rules that read all ignore files of directories, and leave out names that begin with
    /// a dot.
    pub fn new() -> Self {
        IgnoreRules {
            files: true,
            leave_out_dot_names: true,
            custom_names: Vec::new(),
            extra_files: Vec::new(),
            git: true,
            global: false,
            require_git: true,
        }
    }

    /// Sets whether the ignore files of directories and of the user are read; `true` by default.
    /// [Extra files](IgnoreRules::extra_file) always are.
    pub fn files(self, yes: bool) -> Self {
        IgnoreRules { files: yes, ..self }
    }

    /// Sets whether names that begin with a dot are left out, unless a rule includes them; `true`
    /// by default.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-dots-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join(".git"))?;
    /// # std::fs::write(scratch.join(".gitignore"), "*.o\n")?;
    /// # std::fs::write(scratch.join("a.o"), "")?;
    /// # std::fs::write(scratch.join(".github"), "")?;
    /// use curt::filters::IgnoreRules;
    /// // `scratch` has the entries .git, .gitignore, .github, and a.o, which is ignored.
    /// let rules = IgnoreRules::new().leave_out_dot_names(false);
    /// let walk = curt::Walk::new(&scratch).ignore(rules);
    /// let walk = walk.exclude(|entry| entry.name() == ".git");
    /// let mut names = Vec::new();
    /// for entry in walk.sort_by_name(true) {
    ///     names.push(entry?.name().to_owned());
    /// }
    /// assert_eq!(names[1..], [".github", ".gitignore"]);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leave_out_dot_names(self, yes: bool) -> Self {
        IgnoreRules { leave_out_dot_names: yes, ..self }
    }

    /// Reads the files of this name in directories too, such as `.npmignore`. Their rules come
    /// before those of `.ignore`; of several names, the one added last comes first.
    ///
    /// Costs 1 call for each directory above an operand, and in a directory that contains any.
    pub fn custom_file(mut self, name: impl Into<String>) -> Self {
        self.custom_names.push(name.into());
        self
    }

    /// Reads the rules of this file too. They come after all others; of several files, the one
    /// added last comes first. Paths in them are relative to the working directory; an entry that
    /// is not below it, by the text of its path, is matched only by rules without a slash. A file
    /// that cannot be read is an error, and nothing below the operand is yielded. A link is
    /// followed.
    ///
    /// The file is read once for each operand.
    pub fn extra_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.extra_files.push(path.into());
        self
    }

    /// Sets whether the files of git are read: `.gitignore`, `info/exclude`, and those of
    /// [`global`](IgnoreRules::global); `true` by default.
    pub fn git(self, yes: bool) -> Self {
        IgnoreRules { git: yes, ..self }
    }

    /// Sets whether the rules that the user has for all work trees are read; `false` by default.
    /// They are in the file that `core.excludesFile` names in git's configuration, which is read
    /// for each work tree as git reads it: files of the system, the user and the repository, what
    /// they include, and variables. By default it is `$XDG_CONFIG_HOME/git/ignore`, where
    /// `~/.config` stands for a variable that is not set. Paths in it are relative to the work tree
    /// or, if there is none, to the working directory, as those in an
    /// [extra file](IgnoreRules::extra_file). Links to these files are followed. Files of the user
    /// that may not be read are passed over, as by git. Text that git cannot parse and invalid
    /// values of `core.excludesFile` and `core.ignoreCase` are errors; other variables are not
    /// checked.
    ///
    /// Costs one file for each work tree.
    pub fn global(self, yes: bool) -> Self {
        IgnoreRules { global: yes, ..self }
    }

    /// Sets whether the files of git count in work trees only; `true` by default, as in git. If
    /// not, a work tree does not end the rules of the directories above it either, as in the crate
    /// `ignore`.
    pub fn require_git(self, yes: bool) -> Self {
        IgnoreRules { require_git: yes, ..self }
    }

    pub(crate) fn is_any(&self) -> bool {
        self.reads_rules() || self.leave_out_dot_names
    }

    /// Whether any files with rules are read.
    pub(crate) fn reads_rules(&self) -> bool {
        self.files || !self.extra_files.is_empty()
    }

    /// Whether the rules that the user has for all work trees are read.
    pub(crate) fn reads_global(&self) -> bool {
        self.files && self.git && self.global
    }
}

/// The rules of one ignore file.
#[derive(Clone, Debug)]
pub struct IgnoreFile(Patterns);

impl IgnoreFile {
    /// Parses the text of an ignore file. More than 100,000 rules are an error of the kind
    /// `FileTooLarge`. Takes at most 5 MB of memory besides a copy of the text.
    pub fn parse(text: &[u8], ignores_case: bool) -> io::Result<IgnoreFile> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let mut rules = Patterns::new(Dialect::Git);
        rules.matcher.ignores_case = ignores_case;
        for (pattern, scope) in text.split(|&byte| byte == b'\n').filter_map(read_rule) {
            // One that matches nothing is none.
            if rules.add(pattern, scope).is_ok() && rules.len() > MOST_RULES {
                return Err(too_many_rules(MOST_RULES, "ignore rules"));
            }
        }
        Ok(IgnoreFile(rules))
    }

    /// Returns whether the last rule that matches ignores the entry at `path`, which is relative to
    /// the directory of the file; `None` if no rule matches. Rules for the directories on the way
    /// are not considered.
    pub fn ignores(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let path = with_slashes(path);
        let name = path.rsplit(|&byte| byte == b'/').next();
        self.0.decide(Some(&path), name, is_directory)
    }

    /// The same for an entry that is not below that directory: only rules without a slash match.
    pub(crate) fn ignores_name(&self, name: &OsStr, is_directory: bool) -> Option<bool> {
        self.0.decide(None, Some(name.as_encoded_bytes()), is_directory)
    }

    /// Returns the number of rules.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Returns whether a pattern of git's matches the whole text.
pub(crate) fn git_matches(pattern: &[u8], text: &[u8], ignores_case: bool) -> bool {
    Matcher { dialect: Dialect::Git, ignores_case, reads_bytes: true }.matches(pattern, 0, text)
}

/// Returns the pattern in a line, and what it is compared with; `None` if there is none.
fn read_rule(line: &[u8]) -> Option<(&[u8], Scope)> {
    if line.first() == Some(&b'#') {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // For git a NUL ends a line.
    let line = line.split(|&byte| byte == 0).next().unwrap_or(line);
    let line = &line[..length_without_spaces(line)];
    let takes_back = line.first() == Some(&b'!');
    let line = line.strip_prefix(b"!").unwrap_or(line);
    let directories_only = line.last() == Some(&b'/');
    let line = line.strip_suffix(b"/").unwrap_or(line);
    let is_name = !line.contains(&b'/');
    let pattern = line.strip_prefix(b"/").unwrap_or(line);
    (!pattern.is_empty()).then_some((pattern, Scope { is_name, directories_only, takes_back }))
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
