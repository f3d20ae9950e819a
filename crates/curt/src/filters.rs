//! Globs that choose entries by name or path, and the rules of ignore files, as git has them.
//!
//! The rules are those that rsync and fd share: a pattern without a slash is compared with the name
//! of every entry, at any depth; one with a slash is compared with the whole path below the
//! operand. On Unix bytes are compared, so names that are not Unicode match too, and `?` matches
//! one byte.
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
//!     .min_depth(1)
//!     .ignore(IgnoreRules::new())
//!     .exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
//! let entries: Vec<_> = walk.iter().collect::<Result<_, _>>()?;
//! assert_eq!(entries.len(), 1);
//! assert_eq!(entries[0].path, scratch.join("a.rs"));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod git_config;
#[cfg_attr(not(fuzzing), allow(unreachable_pub, reason = "the fuzz target reaches it"))]
mod ignore;
mod overrides;
mod wildmatch;

use std::error;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, is_separator};

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

#[cfg(fuzzing)]
#[doc(hidden)]
pub use self::ignore::IgnoreFile;
pub use self::ignore::IgnoreRules;
use crate::fields::Kind;

/// The most opening braces in a pattern: globset recurses for each, and a thread's stack can be
/// small.
const MOST_BRACES: usize = 100;

/// A set of globs, for [`Walk::exclude`](crate::Walk::exclude),
/// [`Remove::exclude`](crate::Remove::exclude) and [`Usage::exclude`](crate::Usage::exclude).
///
/// `*` and `?` never match a slash, `**` does; `[a-z]`, `[!a-z]` and `{one,two}` are as in a shell,
/// and a backslash escapes the next character. On Windows a backslash is a slash instead. A leading
/// slash or `./` anchors a pattern at the operand, a trailing slash lets it match directories only.
/// Case counts. A pattern can have 100 opening braces. One that could never match is refused: with
/// a part `..`, with a class such as `[:alpha:]`, with letters beyond ASCII in brackets, or with an
/// alternative in braces that begins or ends with a slash.
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
/// // Keeps these entries, and removes the others.
/// let removal = curt::Remove::new()
///     .exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
/// # let _ = removal;
/// # Ok::<(), curt::filters::GlobError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Globs {
    names: Set,
    paths: Set,
}

/// Patterns for entries of all kinds, and for directories only.
#[derive(Clone, Debug)]
struct Set {
    all: GlobSet,
    directories: GlobSet,
}

impl Set {
    fn matches(&self, candidate: &Candidate<'_>, may_be_directory: bool) -> bool {
        self.all.is_match_candidate(candidate)
            || may_be_directory && self.directories.is_match_candidate(candidate)
    }
}

impl Globs {
    /// Parses patterns. The error names the first one that is not a glob.
    pub fn new<P: AsRef<OsStr>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, GlobError> {
        let mut names = [GlobSet::builder(), GlobSet::builder()];
        let mut paths = [GlobSet::builder(), GlobSet::builder()];
        let mut last = String::new();
        for pattern in patterns {
            let pattern = Pattern::read(pattern.as_ref())?;
            let sets = if pattern.is_path { &mut paths } else { &mut names };
            sets[usize::from(pattern.directories_only)].add(pattern.glob);
            last = pattern.text;
        }
        // Each pattern is valid, but together they can be too large. The error names the last one.
        let built = build(names).and_then(|names| Ok(Globs { names, paths: build(paths)? }));
        built.map_err(|error| GlobError::new(last, error.kind().to_string()))
    }

    /// Returns whether a pattern matches the entry at `path`, which is relative to the operand.
    pub fn matches(&self, path: &Path, kind: Kind) -> bool {
        // An unknown entry is treated as a directory: in doubt it is left out.
        let may_be_directory = matches!(kind, Kind::Directory | Kind::Unknown);
        self.paths.matches(&Candidate::new(path), may_be_directory)
            || path
                .file_name()
                .is_some_and(|name| self.names.matches(&Candidate::new(name), may_be_directory))
    }

    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        [&self.names, &self.paths]
            .iter()
            .all(|set| set.all.is_empty() && set.directories.is_empty())
    }
}

fn build([all, directories]: [GlobSetBuilder; 2]) -> Result<Set, globset::Error> {
    Ok(Set { all: all.build()?, directories: directories.build()? })
}

/// One parsed pattern.
struct Pattern {
    text: String,
    glob: Glob,
    is_path: bool,
    directories_only: bool,
}

impl Pattern {
    fn read(pattern: &OsStr) -> Result<Self, GlobError> {
        let Some(text) = pattern.to_str() else {
            let text = pattern.to_string_lossy().into_owned();
            return Err(GlobError::new(text, "not Unicode".to_owned()));
        };
        let error = |reason: &str| GlobError::new(text.to_owned(), reason.to_owned());
        let trimmed = text.trim_end_matches(is_separator);
        let directories_only = trimmed.len() < text.len();
        let is_path = trimmed.contains(is_separator);
        let parts = trimmed.split(is_separator).filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<&str> = parts.collect();
        if parts.is_empty() {
            return Err(error("it names no entry"));
        }
        if parts.contains(&"..") {
            return Err(error("'..' matches nothing below an operand"));
        }
        let body = parts.join("/");
        if let Some(reason) = never_matching(&body) {
            return Err(error(reason));
        }
        if body.bytes().filter(|&byte| byte == b'{').count() > MOST_BRACES {
            return Err(error("too many braces"));
        }
        let glob = GlobBuilder::new(&body).literal_separator(true).empty_alternates(true).build();
        let glob = glob.map_err(|invalid| error(&invalid.kind().to_string()))?;
        Ok(Pattern { text: text.to_owned(), glob, is_path, directories_only })
    }
}

/// Returns what a pattern has that would let it match nothing, or another text than it says. What
/// the caller wants to keep must not be lost to that.
fn never_matching(body: &str) -> Option<&'static str> {
    let mut after_class = body.split("[:").skip(1);
    if after_class.any(|rest| rest.contains(":]")) {
        return Some("classes such as [:alpha:] are not known");
    }
    let mut sets = body.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    if sets.any(|(set, _)| !set.is_ascii()) {
        return Some("brackets hold bytes, so only ASCII characters");
    }
    let edges = ["{/", "/}", ",/", "/,", "{./", ",./", "{../", ",../", "/./", "/../"];
    if body.contains('{') && edges.iter().any(|edge| body.contains(edge)) {
        return Some(
            "an alternative in braces begins or ends with a slash or has a part '.' or '..'",
        );
    }
    None
}

/// A pattern that is not a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError {
    pattern: String,
    reason: String,
}

impl GlobError {
    fn new(pattern: String, reason: String) -> Self {
        GlobError { pattern, reason }
    }

    /// Returns the pattern; if it is not Unicode, with replacement characters.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Returns what is wrong with it.
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
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) with this error inside.
    fn from(error: GlobError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests;
