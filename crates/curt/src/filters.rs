//! Globs that decide what a removal keeps.
//!
//! The rules are those that GNU tar, rsync and fd share: a pattern without a slash is compared with
//! the name of every entry, at any depth; one with a slash is compared with the whole path below
//! the operand. The comparison is by bytes on Unix, so names that are not Unicode match too, and
//! `?` stands for one byte.

use std::error;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::fields::Kind;
use crate::remove::Exclude;

/// A set of globs, for [`Remove::exclude`](crate::Remove::exclude).
///
/// `*` and `?` never match a slash, `**` does; `[a-z]`, `[!a-z]` and `{one,two}` are as in a shell,
/// and a backslash takes the next character for itself (not on Windows). A slash at the front ties
/// a pattern to the operand, one at the end lets it match directories only. Capitals count.
#[derive(Clone, Debug)]
pub struct Globs {
    names: Set,
    paths: Set,
}

/// Patterns for entries of all kinds, and for directories alone.
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
    /// Reads the patterns. The error names the first that is not a glob.
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
        // Each pattern is good by itself; together they can be too large, and the last is as much
        // to blame as any.
        let built = build(names).and_then(|names| Ok(Globs { names, paths: build(paths)? }));
        built.map_err(|error| GlobError::new(last, error.kind().to_string()))
    }

    /// Whether there is no pattern at all.
    pub fn is_empty(&self) -> bool {
        [&self.names, &self.paths].iter().all(|set| set.all.is_empty() && set.directories.is_empty())
    }
}

fn build([all, directories]: [GlobSetBuilder; 2]) -> Result<Set, globset::Error> {
    Ok(Set { all: all.build()?, directories: directories.build()? })
}

impl Exclude for Globs {
    fn excludes(&self, path: &Path, kind: Kind) -> bool {
        // What may be a directory is treated as one: in doubt an entry is kept.
        let may_be_directory = matches!(kind, Kind::Directory | Kind::Unknown);
        self.paths.matches(&Candidate::new(path), may_be_directory)
            || path
                .file_name()
                .is_some_and(|name| self.names.matches(&Candidate::new(name), may_be_directory))
    }
}

/// One pattern, taken apart.
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
        let body = text.trim_end_matches('/');
        let directories_only = body.len() < text.len();
        let is_path = body.contains('/');
        let body = body.strip_prefix('/').unwrap_or(body);
        if body.is_empty() {
            return Err(GlobError::new(text.to_owned(), "empty".to_owned()));
        }
        let glob = GlobBuilder::new(body)
            .literal_separator(true)
            .build()
            .map_err(|error| GlobError::new(text.to_owned(), error.kind().to_string()))?;
        Ok(Pattern { text: text.to_owned(), glob, is_path, directories_only })
    }
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

    /// The pattern as it was given; where that is not Unicode, as nearly as text can show it.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// What is wrong with it.
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

#[cfg(test)]
mod tests {
    use super::Globs;
    use crate::fields::Kind;
    use crate::remove::Exclude;
    use std::path::Path;

    fn keeps(pattern: &str, path: &str, kind: Kind) -> bool {
        Globs::new([pattern]).unwrap().excludes(Path::new(path), kind)
    }

    #[test]
    fn a_pattern_without_a_slash_is_for_names_at_any_depth() {
        for (pattern, path, kept) in [
            ("*.keep", "a.keep", true),
            ("*.keep", "deep/er/a.keep", true),
            ("*.keep", "a.keep/child", false),
            ("*", "deep/er/a", true),
            ("[ab]?", "x/a1", true),
            ("[!ab]?", "x/a1", false),
            ("{one,two}", "x/two", true),
            (".*", "x/.git", true),
            ("A", "a", false),
        ] {
            assert_eq!(keeps(pattern, path, Kind::File), kept, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_with_a_slash_is_for_the_path_below_the_operand() {
        for (pattern, path, kept) in [
            ("a/*.o", "a/x.o", true),
            ("a/*.o", "b/a/x.o", false),
            ("a/*.o", "a/b/x.o", false),
            ("a/**/x.o", "a/b/c/x.o", true),
            ("a/**/x.o", "a/x.o", true),
            ("**/a/x", "b/a/x", true),
            ("/target", "target", true),
            ("/target", "a/target", false),
        ] {
            assert_eq!(keeps(pattern, path, Kind::File), kept, "{pattern} {path}");
        }
    }

    #[test]
    fn a_slash_at_the_end_is_for_directories() {
        assert!(keeps("build/", "x/build", Kind::Directory));
        assert!(keeps("build/", "x/build", Kind::Unknown));
        assert!(!keeps("build/", "x/build", Kind::File));
        assert!(keeps("/x/build/", "x/build", Kind::Directory));
        assert!(!keeps("/build/", "x/build", Kind::Directory));
    }

    #[test]
    fn errors_name_the_pattern() {
        let error = Globs::new(["fine", "x[", "y["]).unwrap_err();
        assert_eq!(error.pattern(), "x[");
        assert!(error.to_string().starts_with("invalid pattern 'x[': "), "{error}");
        for nothing in ["", "/", "//"] {
            assert_eq!(Globs::new([nothing]).unwrap_err().reason(), "empty");
        }
        assert!(Globs::new([""; 0]).unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_unicode_match_by_their_bytes() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(OsStr::from_bytes(b"dir/a\xff.keep"));
        assert!(Globs::new(["*.keep"]).unwrap().excludes(path, Kind::File));
        assert!(Globs::new(["a?.keep"]).unwrap().excludes(path, Kind::File));
        assert!(Globs::new(["dir/a*"]).unwrap().excludes(path, Kind::File));
    }
}
