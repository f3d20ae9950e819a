use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::glob::{Dialect, Matcher};
use super::patterns::{Patterns, Scope, with_slashes};

pub(crate) const MAX_RULES: usize = 100_000;

pub(crate) fn too_many_rules(most: usize, what: &str) -> io::Error {
    let words = format!("more than {most} {what} are in force");
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}

/// Skips entries listed in ignore files, for [`Walk::ignore`](crate::Walk::ignore).
///
/// Rules come from `.ignore`, from `.gitignore` (in or below a directory that contains `.git`), and
/// from git's `info/exclude`. They apply to their directory and its subtree. The last matching rule
/// of a file decides, and a file takes precedence over a file of the same name in an ancestor. The
/// kinds of files take precedence in the order of the crate `ignore`: custom files, `.ignore`,
/// `.gitignore`, `exclude`, the user's rules, extra files. A rule with `!` includes an entry again,
/// unless its directory is skipped.
///
/// Lines are parsed and matched exactly as in git. Rules from git's own files ignore case if
/// `core.ignoreCase` is set. A line that can never match, such as `[a`, has no effect.
///
/// Ignore files in the ancestors of an operand are read, too, up to the filesystem's root
/// (`.gitignore` up to the top of the work tree). Operands are never skipped.
///
/// `.git` is skipped only because its name begins with a dot. With
/// [`skip_hidden(false)`](IgnoreRules::skip_hidden) a walk enters it, unless
/// [`Walk::exclude`](crate::Walk::exclude) skips it.
///
/// If an ignore file cannot be read, the walk reports an error and yields no entries of that
/// directory's subtree. The same happens if more than 1,000 directories with rules, 100,000 rules
/// or 4 MiB of text apply.
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
    pub(crate) files: bool,
    pub(crate) skip_hidden: bool,
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
    /// Creates rules that read all ignore files of directories and skip names that begin with a
    /// dot.
    pub fn new() -> Self {
        IgnoreRules {
            files: true,
            skip_hidden: true,
            custom_names: Vec::new(),
            extra_files: Vec::new(),
            git: true,
            global: false,
            require_git: true,
        }
    }

    /// Sets whether to read the ignore files of directories and of the user; `true` by default.
    ///
    /// [Extra files](IgnoreRules::extra_file) are always read.
    pub fn files(self, yes: bool) -> Self {
        IgnoreRules { files: yes, ..self }
    }

    /// Sets whether to skip names that begin with a dot, unless an ignore rule with `!` includes
    /// them; `true` by default.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-dots-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join(".git"))?;
    /// # std::fs::write(scratch.join(".gitignore"), "*.o\n")?;
    /// # std::fs::write(scratch.join("a.o"), "")?;
    /// # std::fs::write(scratch.join(".github"), "")?;
    /// use curt::filters::IgnoreRules;
    /// // `scratch` has the entries .git, .gitignore, .github, and a.o, which is ignored.
    /// let rules = IgnoreRules::new().skip_hidden(false);
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
    pub fn skip_hidden(self, yes: bool) -> Self {
        IgnoreRules { skip_hidden: yes, ..self }
    }

    /// Also reads ignore files with this name, such as `.npmignore`.
    ///
    /// Their rules take precedence over `.ignore` and over custom files added before. Costs 1 call
    /// for each ancestor of an operand, and 1 for each directory that contains such a file.
    pub fn custom_file(mut self, name: impl Into<String>) -> Self {
        self.custom_names.push(name.into());
        self
    }

    /// Also reads rules from this file, with the lowest precedence.
    ///
    /// Patterns in it are relative to the working directory. An entry outside the working directory
    /// is matched only by patterns without a slash. If the file cannot be read, the walk reports an
    /// error and yields no entries of the operand's subtree.
    pub fn extra_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.extra_files.push(path.into());
        self
    }

    /// Sets whether to read git's files; `true` by default.
    ///
    /// Git's files are `.gitignore`, `info/exclude` and the user's files (see
    /// [`global`](IgnoreRules::global)).
    pub fn git(self, yes: bool) -> Self {
        IgnoreRules { git: yes, ..self }
    }

    /// Sets whether to read the user's rules for all work trees; `false` by default.
    ///
    /// These rules are in the file named by `core.excludesFile`, by default
    /// `$XDG_CONFIG_HOME/git/ignore` (or `~/.config/git/ignore`). For each work tree, git's
    /// configuration is read as git reads it: system, user and repository files, their includes,
    /// and variables. Patterns are relative to the work tree or, outside a work tree, to the
    /// working directory. As in git, unreadable files of the user are ignored, but text that git
    /// cannot parse is an error.
    ///
    /// Reads one more file for each work tree.
    pub fn global(self, yes: bool) -> Self {
        IgnoreRules { global: yes, ..self }
    }

    /// Sets whether git's files apply only in work trees; `true` by default, as in git.
    ///
    /// If `false`, the rules of directories above a work tree also apply inside the work tree, as
    /// in the crate `ignore`.
    pub fn require_git(self, yes: bool) -> Self {
        IgnoreRules { require_git: yes, ..self }
    }

    pub(crate) fn is_any(&self) -> bool {
        self.reads_rules() || self.skip_hidden
    }

    pub(crate) fn reads_rules(&self) -> bool {
        self.files || !self.extra_files.is_empty()
    }

    pub(crate) fn reads_global(&self) -> bool {
        self.files && self.git && self.global
    }
}

/// The rules of one ignore file.
#[derive(Clone, Debug)]
pub struct IgnoreFile(Patterns);

impl IgnoreFile {
    /// Parses an ignore file, using at most 5 MB in addition to a copy of the text.
    ///
    /// Fails with `FileTooLarge` if there are more than 100,000 rules.
    pub fn parse(text: &[u8], ignores_case: bool) -> io::Result<IgnoreFile> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let mut rules = Patterns::new(Dialect::Git);
        rules.matcher.ignores_case = ignores_case;
        for (pattern, scope) in text.split(|&byte| byte == b'\n').filter_map(read_rule) {
            if rules.add(pattern, scope).is_ok() && rules.len() > MAX_RULES {
                return Err(too_many_rules(MAX_RULES, "ignore rules"));
            }
        }
        Ok(IgnoreFile(rules))
    }

    /// Returns whether an entry is ignored, by the last matching rule, or `None` if no rule
    /// matches.
    ///
    /// `path` is relative to the directory of the file. Only the entry itself is matched, not its
    /// parent directories.
    pub fn ignores(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let path = with_slashes(path);
        let name = path.rsplit(|&byte| byte == b'/').next();
        self.0.decide(Some(&path), name, is_directory)
    }

    /// Matches an entry outside the directory of the file, where only rules without a slash apply.
    pub(crate) fn ignores_name(&self, name: &OsStr, is_directory: bool) -> Option<bool> {
        self.0.decide(None, Some(name.as_encoded_bytes()), is_directory)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

pub(crate) fn git_matches(pattern: &[u8], text: &[u8], ignores_case: bool) -> bool {
    Matcher { dialect: Dialect::Git, ignores_case, reads_bytes: true }.matches(pattern, 0, text)
}

fn read_rule(line: &[u8]) -> Option<(&[u8], Scope)> {
    if line.first() == Some(&b'#') {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Git treats NUL as the end of a line.
    let line = line.split(|&byte| byte == 0).next().unwrap_or(line);
    let line = &line[..length_without_spaces(line)];
    let negates = line.first() == Some(&b'!');
    let line = line.strip_prefix(b"!").unwrap_or(line);
    let directories_only = line.last() == Some(&b'/');
    let line = line.strip_suffix(b"/").unwrap_or(line);
    let is_name = !line.contains(&b'/');
    let pattern = line.strip_prefix(b"/").unwrap_or(line);
    (!pattern.is_empty()).then_some((pattern, Scope { is_name, directories_only, negates }))
}

/// Returns the length of the line without trailing spaces. A backslash protects the space after it.
/// A backslash at the very end of the line protects all spaces.
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
