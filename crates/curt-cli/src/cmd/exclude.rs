//! `--exclude` of `rm` and `find`: patterns may be paths below the operand, as the operand is
//! written, or in full.

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
    /// All patterns, for names and for paths below an operand.
    below: Globs,
    /// The patterns without a slash, for the names of operands.
    names: Globs,
    /// The patterns with a slash that are no full paths: for paths below the working directory, and
    /// for the ends of paths that begin with a part of the operand.
    relative: Globs,
    /// The patterns that are full paths.
    full: Globs,
    /// The patterns with a slash that match at any depth.
    deep: Globs,
    /// The working directory, as the system has it and as the shell does. Empty if there is no
    /// pattern with a slash.
    directories: Vec<PathBuf>,
}

impl Exclusions {
    /// The error is a message about a pattern.
    pub(in crate::cmd) fn new(patterns: &[OsString]) -> Result<Exclusions, String> {
        let below = Globs::new(patterns).map_err(|error| text::invalid_glob(&error))?;
        let is_path = |pattern: &str| pattern.trim_end_matches(is_separator).contains(is_separator);
        let mut directories = Vec::new();
        if patterns.iter().any(|pattern| pattern.to_str().is_some_and(is_path)) {
            directories = working_directories().map_err(|error| {
                let cause = sys::error_text(&error);
                format!("cannot read the working directory, which --exclude needs: {cause}")
            })?;
        }
        let invalid = |error| text::invalid_glob(&error);
        let (mut names, mut relative) = (Vec::new(), Vec::new());
        let (mut full, mut deep) = (Vec::new(), Vec::new());
        for pattern in patterns.iter().filter_map(|pattern| pattern.to_str()) {
            if pattern.starts_with("~/") {
                let message = "the shell did not expand the tilde; an entry of that name is './~'";
                return Err(format!("invalid pattern {}: {message}", quote(pattern)));
            }
            if let Some(name) = pattern.strip_prefix('!') {
                let name =
                    quote(format!("{}{name}", if MAIN_SEPARATOR == '/' { "\\!" } else { "?" }));
                return Err(format!(
                    "invalid pattern {}: matches are excluded without '!'; an entry of that name \
                     is {name}",
                    quote(pattern)
                ));
            }
            if pattern.contains(',') && pattern.split(',').all(|part| part.starts_with("*.")) {
                let instead = quote(format!("{{{pattern}}}"));
                return Err(format!("invalid pattern {}: write {instead}", quote(pattern)));
            }
            // The name of the working directory may have characters that mean something.
            full.extend(directories.iter().filter_map(|directory| {
                let rest = pattern.strip_prefix(directory.to_str()?)?;
                let is_below = rest.is_empty() || rest.starts_with(is_separator);
                let directory = escaped(without_root(directory).to_str()?);
                is_below.then(|| OsString::from(directory + rest))
            }));
            for word in expand_braces(pattern).map_err(invalid)? {
                if !is_path(&word) {
                    names.push(word);
                } else if !Path::new(&word).has_root() {
                    deep.extend(word.starts_with("**/").then(|| word.clone()));
                    relative.push(word);
                } else if is_path(word.trim_start_matches(is_separator)) {
                    full.push(without_root(Path::new(&word)).into_owned());
                    // On Windows it may lack the drive.
                    let on_drive = directories.iter().map(|directory| directory.join(&word));
                    full.extend(on_drive.map(|path| without_root(&path).into_owned()));
                }
            }
            // A single name after a slash, such as '/build', is that of an entry of the operand.
        }
        let names = Globs::new(names).map_err(invalid)?;
        let relative = Globs::new(relative).map_err(invalid)?;
        let full = Globs::new(full).map_err(invalid)?;
        let deep = Globs::new(deep).map_err(invalid)?;
        Ok(Exclusions { below, names, relative, full, deep, directories })
    }

    pub(in crate::cmd) fn are_empty(&self) -> bool {
        self.below.is_empty()
    }

    /// Whether an entry below an operand is excluded.
    pub(in crate::cmd) fn match_entry(&self, entry: &Unvisited<'_>) -> bool {
        let (path, below, kind) = (entry.path(), entry.relative_path(), entry.kind());
        if self.below.matches(below, kind) {
            return true;
        }
        if self.directories.is_empty() {
            return false;
        }
        let operand = path.components().count() - below.components().count();
        self.match_end(path, operand, kind)
            || self.full_paths(path).any(|path| self.match_full(&path, kind))
    }

    /// Whether a directory, or one above it, is excluded by its full path.
    pub(in crate::cmd) fn match_whole(&self, directory: &Path) -> bool {
        self.full_paths(directory).any(|path| {
            let is_excluded =
                |path| self.full.matches(Path::new(&without_root(path)), Kind::Directory);
            path.ancestors().any(is_excluded)
        })
    }

    /// Whether an operand, or a directory above it, is excluded.
    pub(in crate::cmd) fn match_operand(&self, operand: &OsStr) -> bool {
        if self.are_empty() {
            return false;
        }
        let operand = Path::new(operand);
        let is_directory = match curt::stat(operand, Fields::KIND) {
            Ok(found) => found.kind().is_dir(),
            // Without an answer it is kept.
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        let kinds = || std::iter::once(kind).chain(std::iter::repeat(Kind::Directory));
        let is_kept = |(path, kind): (&Path, Kind)| {
            self.names.matches(path, kind) || self.match_end(path, path.components().count(), kind)
        };
        operand.ancestors().zip(kinds()).any(is_kept)
            || self.full_paths(operand).any(|path| {
                path.ancestors().zip(kinds()).any(|(path, kind)| self.match_full(path, kind))
            })
    }

    /// Whether a pattern matches a path as it is shown, or the end of it after any of the parts of
    /// the operand, which has this many.
    fn match_end(&self, path: &Path, operand: usize, kind: Kind) -> bool {
        // '*' matches '.', but does not mean it.
        if path.file_name().is_none() {
            return false;
        }
        let mut parts = path.components();
        (0..operand).rev().any(|left| {
            let end = parts.as_path();
            parts.next();
            // '/nm/a' is what rsync means by the entry 'a' of the operand 'nm'.
            self.relative.matches(end, kind) || left == 0 && self.full.matches(end, kind)
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
        let below = |directory| path.strip_prefix(directory).ok();
        let text = without_root(path);
        self.full.matches(Path::new(&text), kind)
            || self.deep.matches(Path::new(&text), kind)
            || self.directories.iter().filter_map(below).any(|path| {
                // '*' matches an empty name, but does not mean the working directory.
                !path.as_os_str().is_empty() && self.relative.matches(path, kind)
            })
    }
}

/// Returns the pattern that a text is matched by, and nothing else.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        // Where a backslash separates names, no name has the other characters, but braces.
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

/// Returns a full path without the beginning that no glob matches: the slash, on Windows two, or
/// `\\?\`.
pub(in crate::cmd) fn without_root(path: &Path) -> Cow<'_, OsStr> {
    if MAIN_SEPARATOR == '/' {
        return Cow::Borrowed(path.strip_prefix("/").unwrap_or(path).as_os_str());
    }
    let text = path.to_string_lossy();
    let text = text.strip_prefix(r"\\?\").unwrap_or(&text);
    Cow::Owned(text.trim_start_matches(is_separator).into())
}

/// Returns the working directory as the system has it, and as the shell does if that is another
/// path of it.
fn working_directories() -> io::Result<Vec<PathBuf>> {
    let mut directories = vec![sys::working_directory()?];
    let is_here = |path: &Path| match (identity(path), identity(".".as_ref())) {
        (Ok(path), Ok(here)) => path == here,
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => false,
        // Without an answer more is kept.
        _ => true,
    };
    // A program that changes its directory leaves the variable behind.
    let shell = env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    directories.extend(shell.filter(|path| *path != directories[0] && is_here(path)));
    Ok(directories)
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

    #[test]
    fn patterns_that_nobody_means_are_refused() {
        for (pattern, reason) in [
            ("../x/a", "'..' matches nothing below an operand"),
            ("!x", "matches are excluded without '!'; an entry of that name is"),
            ("*.md,*.rs", "write '{*.md,*.rs}'"),
        ] {
            let message = Exclusions::new(&[pattern.into()]).unwrap_err();
            let expected = format!("invalid pattern '{pattern}': {reason}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}
