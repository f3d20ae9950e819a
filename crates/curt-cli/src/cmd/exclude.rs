//! The option `--exclude` of `rm` and `find`, with the patterns of [`Globs`].
//!
//! A missed exclusion deletes files. So a pattern has several interpretations, and a path that
//! matches any of them is excluded:
//!
//! - A pattern without a slash matches names, including those within an operand of `rm`.
//! - A pattern with a slash matches the path below the operand, and the path as printed. The match
//!   can also begin at another component of the operand or in the working directory, or anywhere if
//!   the pattern begins with `**/`.
//! - A pattern with a leading slash matches absolute paths, and paths below the operand.
//!
//! The system and the shell can have different absolute paths of the working directory. A pattern
//! can match either path.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf, is_separator};

use curt::filters::{Globs, expand_braces};
use curt::{Fields, Kind, Unvisited};

use super::identity;
use crate::out::text;
use crate::quote::quote;
use crate::sys;

#[derive(Clone, Debug)]
pub(in crate::cmd) struct Exclusions {
    all: Globs,
    /// Patterns without a slash.
    names: Globs,
    /// Patterns with a slash, but not a leading one.
    paths: Globs,
    /// The patterns in `paths` that begin with `**/`.
    deep: Globs,
    /// Patterns with a leading slash.
    full: Globs,
    /// The absolute paths of the working directory; empty if no pattern has a slash.
    directories: Vec<PathBuf>,
}

impl Exclusions {
    pub(in crate::cmd) fn new(patterns: &[OsString]) -> Result<Exclusions, String> {
        let globs = |patterns: &[OsString]| {
            Globs::new(patterns).map_err(|error| text::invalid_glob(&error))
        };
        let all = globs(patterns)?;
        let is_path = |pattern: &str| pattern.trim_end_matches(is_separator).contains(is_separator);
        // `Globs::new` has refused patterns that are not UTF-8.
        let patterns: Vec<&str> = patterns.iter().filter_map(|pattern| pattern.to_str()).collect();
        let mut directories = Vec::new();
        if patterns.iter().any(|pattern| is_path(pattern)) {
            directories = working_directories().map_err(|error| {
                let cause = sys::error_text(&error);
                format!("cannot read the working directory, which --exclude needs: {cause}")
            })?;
        }
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        let (mut deep, mut full) = (Vec::new(), Vec::new());
        for pattern in patterns {
            refuse_misread(pattern)?;
            // If a pattern begins with the path of the working directory, add a copy in which the
            // glob characters of that path are escaped.
            full.extend(directories.iter().filter_map(|directory| {
                let rest = pattern.strip_prefix(directory.to_str()?)?;
                let is_below = rest.is_empty() || rest.starts_with(is_separator);
                let directory = escaped(without_root(directory).to_str()?);
                is_below.then(|| OsString::from(format!("/{directory}{rest}")))
            }));
            for word in expand_braces(pattern).map_err(|error| text::invalid_glob(&error))? {
                if Path::new(&word).has_root() {
                    // On Windows, add the drive, which the pattern might lack.
                    full.extend(directories.iter().map(|directory| {
                        let path = directory.join(&word);
                        [OsStr::new("/"), &without_root(&path)].into_iter().collect::<OsString>()
                    }));
                } else if !is_path(&word) {
                    names.push(word.into());
                } else {
                    deep.extend(word.starts_with("**/").then(|| word.clone().into()));
                    paths.push(word.into());
                }
            }
        }
        let (names, paths) = (globs(&names)?, globs(&paths)?);
        Ok(Exclusions { all, names, paths, deep: globs(&deep)?, full: globs(&full)?, directories })
    }

    pub(in crate::cmd) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(in crate::cmd) fn match_entry(&self, entry: &Unvisited<'_>) -> bool {
        let (path, below, kind) = (entry.path(), entry.relative_path(), entry.kind());
        let depth = below.components().count();
        let typed = last_names(path).saturating_sub(depth);
        self.all.matches(below, kind)
            || self.all.matches(path, kind)
            || self.full_paths(path).any(|path| {
                let begins = path.ancestors().skip(depth + 1).take(typed);
                // On Unix, the patterns in `full` have lost trailing slashes. So the pattern
                // `/x/link/`, as completed by a shell, also excludes a symlink.
                self.match_path(&path, kind, &[&self.all, &self.full], begins)
            })
    }

    pub(in crate::cmd) fn match_operand(&self, operand: &OsStr) -> bool {
        if self.is_empty() {
            return false;
        }
        let operand = Path::new(operand);
        let is_directory = match curt::stat(operand, Fields::KIND) {
            Ok(found) => found.kind().is_dir(),
            // If the kind is unknown, assume a directory, because more patterns match it.
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        let kinds = || std::iter::once(kind).chain(std::iter::repeat(Kind::Directory));
        let is_kept = |(path, kind): (&Path, Kind)| {
            self.names.matches(path, kind) || matches_below(&self.paths, path, kind)
        };
        operand.ancestors().zip(kinds()).any(is_kept)
            || self.full_paths(operand).any(|operand_in_full| {
                let begins = operand_in_full.ancestors().skip(1).take(last_names(operand));
                let mut paths = operand_in_full.ancestors().zip(kinds());
                paths
                    .any(|(path, kind)| self.match_path(path, kind, &[&self.paths], begins.clone()))
            })
    }

    /// Returns whether the absolute path of a directory or one of its parents is excluded. A
    /// pattern such as `/src` counts only for an absolute operand, because in the working directory
    /// `/src` it might mean an entry of that name.
    pub(in crate::cmd) fn match_whole(&self, directory: &Path) -> bool {
        let has_two_names = |path: &Path| path.parent().is_some_and(|it| it.parent().is_some());
        let is_excluded = |path: &Path| {
            (directory.has_root() || has_two_names(path))
                && self.full.matches(Path::new(&without_root(path)), Kind::Directory)
        };
        self.full_paths(directory).any(|path| path.ancestors().any(is_excluded))
    }

    /// Returns whether a pattern matches an absolute path, or its part below the working directory
    /// or one of `directories`.
    fn match_path<'p>(
        &'p self,
        path: &Path,
        kind: Kind,
        globs: &[&Globs],
        directories: impl Iterator<Item = &'p Path>,
    ) -> bool {
        let directories = directories.chain(self.directories.iter().map(PathBuf::as_path));
        let mut parts = directories.filter_map(|directory| path.strip_prefix(directory).ok());
        let full = without_root(path);
        self.full.matches(Path::new(&full), kind)
            || self.deep.matches(Path::new(&full), kind)
            || parts.any(|part| globs.iter().any(|globs| matches_below(globs, part, kind)))
    }

    /// Returns the absolute path, without `.` and `..`, for each path of the working directory.
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
}

/// Returns whether a path below a directory matches. `*` also matches `.` and the empty path, but
/// must not exclude the directory itself.
fn matches_below(globs: &Globs, path: &Path, kind: Kind) -> bool {
    path.file_name().is_some() && globs.matches(path, kind)
}

fn last_names(path: &Path) -> usize {
    path.components().rev().take_while(|part| matches!(part, Component::Normal(_))).count()
}

fn refuse_misread(pattern: &str) -> Result<(), String> {
    let reason = if pattern.starts_with("~/") {
        "the shell did not expand the tilde; remove the quotes, or write './~' for a name"
            .to_owned()
    } else if let Some(name) = pattern.strip_prefix('!') {
        let name = quote(format!("{}{name}", if MAIN_SEPARATOR == '/' { "\\!" } else { "?" }));
        format!("there is no negation; write {name} for a name that begins with '!'")
    } else if pattern.contains(',') && pattern.split(',').all(|part| part.starts_with("*.")) {
        format!("write {}", quote(format!("{{{pattern}}}")))
    } else {
        return Ok(());
    };
    Err(format!("invalid pattern {}: {reason}", quote(pattern)))
}

/// Returns a pattern that matches only `text`.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        // On Windows, names cannot contain these characters, except brackets and braces.
        if MAIN_SEPARATOR == '/' && "*?[]{},\\".contains(character) {
            pattern.push('\\');
        }
        match character {
            '[' if MAIN_SEPARATOR != '/' => pattern.push_str("[[]"),
            _ => pattern.push(character),
        }
    }
    pattern
}

/// Strips the root, which no glob matches: the leading slash, and on Windows also two slashes or
/// `\\?\`.
pub(in crate::cmd) fn without_root(path: &Path) -> Cow<'_, OsStr> {
    if MAIN_SEPARATOR == '/' {
        return Cow::Borrowed(path.strip_prefix("/").unwrap_or(path).as_os_str());
    }
    let text = path.to_string_lossy();
    let text = text.strip_prefix(r"\\?\").unwrap_or(&text);
    Cow::Owned(text.trim_start_matches(is_separator).into())
}

/// Returns the working directory as the system reports it, and `$PWD` if that is a different path
/// to the same directory.
fn working_directories() -> io::Result<Vec<PathBuf>> {
    let mut directories = vec![sys::working_directory()?];
    let is_here = |path: &Path| match (identity(path), identity(".".as_ref())) {
        (Ok(path), Ok(here)) => path == here,
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => false,
        // If the query failed, accept `$PWD`, because excluding too much is safer.
        _ => true,
    };
    // `$PWD` is stale if a program has changed its directory.
    let shell = env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    directories.extend(shell.filter(|path| *path != directories[0] && is_here(path)));
    Ok(directories)
}

#[cfg(test)]
mod tests {
    use super::Exclusions;

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
            ("x/a", "y/x/a", true),
            ("x/a", "../x/a/b", true),
            ("y/a", "y/x/a", false),
            ("x/*", "x/a/b", true),
            ("/x", "x", false),
            (&format!("{here}/x"), "x", true),
            (&format!("{here}/x"), "../x", false),
            (&here, "x", true),
            ("x", "x/a/b", true),
            ("x/", "x/a", true),
            ("**/x", "../x", true),
            ("**/x/**", "../x/a", true),
            ("./*", ".", false),
            ("./*/", "x", false),
            ("x/a", &format!("{here}/x/a"), true),
        ] {
            assert_eq!(excludes(pattern, operand), expected, "{pattern} {operand}");
        }
    }

    /// In the directory `/src`, the pattern `/src` might mean an entry `src` in it. So `find` still
    /// searches there, but `rm` excludes operands inside `/src`.
    #[cfg(unix)]
    #[test]
    fn top_directory_excludes_only_typed_paths() {
        let here = std::env::current_dir().unwrap();
        let mut ancestors = here.ancestors().collect::<Vec<_>>().into_iter().rev().skip(1);
        let top = ancestors.next().unwrap();
        let exclusions = Exclusions::new(&[top.into()]).unwrap();
        assert!(!exclusions.match_whole("x".as_ref()) && exclusions.match_whole(&top.join("x")));
        assert!(exclusions.match_operand("x".as_ref()));
        let second = Exclusions::new(&[ancestors.next().unwrap().into()]).unwrap();
        assert!(second.match_whole("x".as_ref()));
    }
}
