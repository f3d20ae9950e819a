//! Selects entries by name or path, with globs and git's ignore rules.
//!
//! As in rsync and fd, a pattern without a slash is matched against the name of every entry at any
//! depth, and a pattern with a slash against the whole path relative to the operand.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-filters-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("build"))?;
//! # std::fs::write(scratch.join("build/a.rs"), "")?;
//! # std::fs::write(scratch.join("a.rs"), "")?;
//! # std::fs::write(scratch.join("a.o"), "")?;
//! # std::fs::write(scratch.join(".ignore"), "*.o\n")?;
//! use curt::Walk;
//! use curt::filters::{Globs, IgnoreRules};
//!
//! // `scratch` has .ignore, a.o, a.rs and build/a.rs; `.ignore` names *.o.
//! let globs = Globs::new(["build/"])?;
//! let walk = Walk::new(&scratch)
//!     .ignore(IgnoreRules::new())
//!     .exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
//! let entries: Vec<_> = walk.iter().collect::<Result<_, _>>()?;
//! // The operand itself and `a.rs`.
//! assert_eq!(entries.len(), 2);
//! assert_eq!(entries[1].path, scratch.join("a.rs"));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod braces;
pub(crate) mod git_settings;
mod glob;
#[cfg_attr(not(fuzzing), allow(unreachable_pub, reason = "the fuzz target reaches it"))]
mod ignore;
mod patterns;

use std::error;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, is_separator};

use self::glob::{Dialect, Fault};
#[cfg(not(fuzzing))]
pub(crate) use self::ignore::IgnoreFile;
#[cfg(fuzzing)]
#[doc(hidden)]
pub use self::ignore::IgnoreFile;
pub use self::ignore::IgnoreRules;
pub(crate) use self::ignore::{MAX_RULES, git_matches, too_many_rules};
use self::patterns::{Patterns, Scope, with_slashes};
use crate::fields::Kind;

/// A set of globs, for [`Walk::exclude`](crate::Walk::exclude),
/// [`Remove::exclude`](crate::Remove::exclude) and [`Usage::exclude`](crate::Usage::exclude).
///
/// The syntax is bash's, with `**` as in git: `*` and `?` never match a slash, but a component `**`
/// matches any number of directories. `[a-z]`, `[!a-z]`, `[[:digit:]]` and `[\]]` match one
/// character. `{one,two}` and `{1..10}` expand to several patterns. A backslash escapes the next
/// character, except on Windows, where it is a separator. Leading dots are not special. A character
/// is a Unicode character or a single invalid byte. A leading slash or `./` anchors a pattern at
/// the operand, and a trailing slash restricts it to directories.
///
/// A pattern is refused if it contains a component `..`, an unclosed bracket, an unknown class, a
/// reversed range, or more than 100 opening braces, or if it expands to more than 10,000 patterns.
///
/// ```
/// use std::path::Path;
///
/// use curt::Kind;
/// use curt::filters::Globs;
///
/// let globs = Globs::new(["*.o", "/build/"])?;
/// assert!(globs.matches(Path::new("src/a.o"), Kind::File));
/// assert!(globs.matches(Path::new("build"), Kind::Directory));
/// assert!(!globs.matches(Path::new("src/build"), Kind::Directory));
///
/// // Skips the matching entries and removes the others.
/// let removal = curt::Remove::new()
///     .exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
/// # let _ = removal;
/// # Ok::<(), curt::filters::GlobError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Globs(Patterns);

impl Globs {
    /// Parses patterns. The error names the first invalid one.
    pub fn new<P: AsRef<OsStr>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, GlobError> {
        let mut globs = Patterns::new(Dialect::Shell);
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let error = |reason: &str| {
                GlobError::new(pattern.to_string_lossy().into_owned(), reason.to_owned())
            };
            let text = pattern.to_str().ok_or_else(|| error("not Unicode"))?;
            let words = expand_braces(text)?;
            if words.is_empty() {
                return Err(error(NO_ENTRY));
            }
            words.iter().try_for_each(|word| add(&mut globs, word)).map_err(error)?;
        }
        Ok(Globs(globs))
    }

    /// Parses patterns as GNU `ls --ignore` and `du --exclude` do, under the rules of `fnmatch`.
    ///
    /// A pattern matches an entry if it matches the whole path or the part after any slash. `*`,
    /// `?` and brackets also match slashes, and braces are not special. An invalid pattern matches
    /// no entry.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use curt::Kind;
    /// use curt::filters::Globs;
    ///
    /// let globs = Globs::gnu(["sr*o"]);
    /// assert!(globs.matches(Path::new("a/src/a.o"), Kind::File));
    /// ```
    pub fn gnu<P: AsRef<OsStr>>(patterns: impl IntoIterator<Item = P>) -> Self {
        let mut globs = Patterns::new(Dialect::Gnu);
        let scope = Scope { is_name: false, directories_only: false, negates: false };
        for pattern in patterns {
            let _ = globs.add(pattern.as_ref().as_encoded_bytes(), scope);
        }
        Globs(globs)
    }

    /// Sets whether to ignore case; `false` by default.
    #[must_use]
    pub fn ignore_case(mut self, yes: bool) -> Self {
        self.0.matcher.ignores_case = yes;
        self
    }

    /// Returns whether a pattern matches the entry at `path`, which is relative to the operand.
    pub fn matches(&self, path: &Path, kind: Kind) -> bool {
        if self.is_empty() {
            return false;
        }
        let may_be_directory = matches!(kind, Kind::Directory | Kind::Unknown);
        let name = path.file_name().map(OsStr::as_encoded_bytes);
        let path = with_slashes(path);
        let decide = |path| self.0.decide(Some(path), name, may_be_directory).is_some();
        decide(&path)
            || self.0.matcher.dialect == Dialect::Gnu
                && (1..path.len()).any(|at| path[at - 1] == b'/' && decide(&path[at..]))
    }

    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }
}

const NO_ENTRY: &str = "it names no entry";

fn add(globs: &mut Patterns, pattern: &str) -> Result<(), &'static str> {
    let unescaped = if is_separator('\\') { None } else { Some(without_escaped_slashes(pattern)) };
    let pattern = unescaped.as_deref().unwrap_or(pattern);
    let trimmed = pattern.trim_end_matches(is_separator);
    let directories_only = trimmed.len() < pattern.len();
    let is_name = !trimmed.contains(is_separator);
    let parts = trimmed.split(is_separator).filter(|part| !matches!(*part, "" | "."));
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() || trimmed.contains('\0') {
        return Err(NO_ENTRY);
    }
    if parts.contains(&"..") {
        return Err("'..' never matches: only paths below an operand are compared");
    }
    // Check each component alone, because a bracket cannot span a slash.
    let check = |part: &&str| globs.matcher.ending(part.as_bytes());
    parts.iter().try_for_each(|part| check(part).map(|_| ())).map_err(Fault::reason)?;
    let scope = Scope { is_name, directories_only, negates: false };
    globs.add(parts.join("/").as_bytes(), scope).map_err(Fault::reason)
}

fn without_escaped_slashes(pattern: &str) -> String {
    let mut unescaped = String::new();
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match (character, rest.clone().next()) {
            ('\\', Some('/')) => {}
            ('\\', Some(escaped)) => {
                rest.next();
                unescaped.extend([character, escaped]);
            }
            _ => unescaped.push(character),
        }
    }
    unescaped
}

/// Expands braces as bash does, but drops empty patterns.
///
/// ```
/// let patterns = curt::filters::expand_braces("{a,b}.{01..2}{}")?;
/// assert_eq!(patterns, ["a.01{}", "a.02{}", "b.01{}", "b.02{}"]);
/// # Ok::<(), curt::filters::GlobError>(())
/// ```
pub fn expand_braces(pattern: &str) -> Result<Vec<String>, GlobError> {
    braces::expand(pattern).map_err(|reason| GlobError::new(pattern.to_owned(), reason.to_owned()))
}

/// An invalid pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError {
    pattern: String,
    reason: String,
}

impl GlobError {
    fn new(pattern: String, reason: String) -> Self {
        GlobError { pattern, reason }
    }

    /// Returns the pattern, with invalid Unicode replaced.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Returns why the pattern is invalid.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid pattern '{}': {}", self.pattern, self.reason)
    }
}

impl error::Error for GlobError {}

impl From<GlobError> for io::Error {
    fn from(error: GlobError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests;
