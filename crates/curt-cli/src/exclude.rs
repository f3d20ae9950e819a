//! `--exclude` of `rm` and `walk`: what a person means by a path, whether it is written below the
//! operand, as the operand is, or in full.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf, is_separator};

use curt::filters::Globs;
use curt::{Kind, Unvisited};

use crate::out::text;
use crate::sys;

/// Decides which entries and operands are excluded.
#[derive(Clone, Debug)]
pub(crate) struct Exclusions {
    /// All patterns, for names and for paths below an operand.
    below: Globs,
    /// The patterns without a slash, for the names of operands.
    names: Globs,
    /// The patterns with a slash, for paths below the working directory.
    relative: Globs,
    /// The patterns that are full paths.
    full: Globs,
    /// The working directory, as the system has it and as the shell does. Empty if there is no
    /// pattern with a slash.
    directories: Vec<PathBuf>,
}

impl Exclusions {
    /// The error says what is wrong with a pattern.
    pub(crate) fn new(patterns: &[OsString]) -> Result<Exclusions, String> {
        let globs = |wanted: &dyn Fn(&str) -> bool| {
            let wanted = patterns.iter().filter(|pattern| pattern.to_str().is_some_and(wanted));
            Globs::new(wanted).map_err(|error| text::invalid_glob(&error))
        };
        let below = Globs::new(patterns).map_err(|error| text::invalid_glob(&error))?;
        let is_path = |pattern: &str| pattern.trim_end_matches(is_separator).contains(is_separator);
        let is_full = |pattern: &str| is_path(pattern) && Path::new(pattern).has_root();
        let names = globs(&|pattern| !is_path(pattern))?;
        let relative = globs(&|pattern| is_path(pattern) && !is_full(pattern))?;
        let full = globs(&is_full)?;
        let mut directories = Vec::new();
        if !(relative.is_empty() && full.is_empty()) {
            let unknown = |error| {
                let cause = sys::error_text(&error);
                format!("cannot read the working directory, which --exclude needs: {cause}")
            };
            directories.push(sys::working_directory().map_err(unknown)?);
            let shell = env::var_os("PWD").map(PathBuf::from);
            directories.extend(shell.filter(|path| path.is_absolute() && *path != directories[0]));
        }
        Ok(Exclusions { below, names, relative, full, directories })
    }

    pub(crate) fn are_empty(&self) -> bool {
        self.below.is_empty()
    }

    /// Whether an entry below an operand is excluded.
    pub(crate) fn match_entry(&self, entry: &Unvisited<'_>) -> bool {
        self.below.matches(entry.relative_path(), entry.kind())
            || self.full_paths(entry.path()).any(|path| self.match_full(&path, entry.kind()))
    }

    /// Whether an operand is excluded, or is below what is.
    pub(crate) fn match_operand(&self, operand: &OsStr) -> bool {
        if self.are_empty() {
            return false;
        }
        let operand = Path::new(operand);
        let is_directory = curt::fs::symlink_metadata(operand).is_ok_and(|found| found.is_dir());
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        self.names.matches(operand, kind)
            || self.full_paths(operand).any(|path| {
                // Not below a full path: '/build' may mean a directory of each operand, not the
                // one where this runs.
                let mut above = path.ancestors().skip(1);
                self.match_full(&path, kind)
                    || above.any(|path| self.match_relative(path, Kind::Directory))
            })
    }

    /// Returns the full path in each of the working directories, without `.` and `..`.
    fn full_paths(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        self.directories.iter().map(move |directory| {
            let mut full = PathBuf::new();
            for part in directory.join(path).components() {
                match part {
                    Component::ParentDir => _ = full.pop(),
                    part => full.push(part),
                }
            }
            full
        })
    }

    fn match_full(&self, path: &Path, kind: Kind) -> bool {
        // A leading slash is not part of what a glob matches.
        self.full.matches(path.strip_prefix("/").unwrap_or(path), kind)
            || self.match_relative(path, kind)
    }

    fn match_relative(&self, path: &Path, kind: Kind) -> bool {
        self.directories.iter().any(|directory| {
            let below = path.strip_prefix(directory);
            below.is_ok_and(|below| self.relative.matches(below, kind))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Exclusions;

    /// Whether the pattern excludes this operand, which need not exist.
    fn excludes(pattern: &str, operand: &str) -> bool {
        Exclusions::new(&[pattern.into()]).unwrap().match_operand(operand.as_ref())
    }

    #[test]
    fn operands_match_by_name_by_path_and_below_a_match() {
        let here = std::env::current_dir().unwrap().into_os_string().into_string().unwrap();
        for (pattern, operand, expected) in [
            ("*.keep", "x/a.keep", true),
            ("*.keep", "x/a.keep/", true),
            ("*.keep", "x/a", false),
            ("x/a", "x/a", true),
            ("x/a", "./x//a/", true),
            ("./x/a", "y/../x/a", true),
            ("x/a", "x/a/b/c", true),
            ("x/a/", "x/a/b", true),
            ("x/a/", "x/a", false),
            ("x/a", "x", false),
            ("x/a", "y/x/a", false),
            ("x/*", "x/a/b", true),
            ("/x", "x", false),
            (&format!("{here}/x"), "x", true),
            (&format!("{here}/x"), "../x", false),
            (&here, "x", false),
            ("x/a", &format!("{here}/x/a"), true),
        ] {
            assert_eq!(excludes(pattern, operand), expected, "{pattern} {operand}");
        }
    }

    #[test]
    fn a_pattern_that_leaves_the_operand_is_refused() {
        let message = Exclusions::new(&["../x/a".into()]).unwrap_err();
        assert_eq!(message, "invalid pattern '../x/a': '..' matches nothing below an operand");
    }
}
