//! Globs that come before all ignore rules.

use std::ffi::OsStr;
use std::path::Path;

use globset::GlobMatcher;

use super::{GlobError, Pattern};

/// Globs in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides {
    globs: Vec<Override>,
    /// Whether any of them includes entries: then what none matches is left out.
    is_selection: bool,
}

#[derive(Clone, Debug)]
struct Override {
    glob: GlobMatcher,
    is_path: bool,
    directories_only: bool,
    leaves_out: bool,
}

impl Overrides {
    /// Adds a glob; after `!`, one that leaves out.
    pub(super) fn add(&mut self, pattern: &OsStr) -> Result<(), GlobError> {
        let rest = pattern.to_str().and_then(|text| text.strip_prefix('!'));
        let Pattern { glob, is_path, directories_only, .. } =
            Pattern::read(rest.map_or(pattern, OsStr::new))?;
        let leaves_out = rest.is_some();
        let glob = glob.compile_matcher();
        self.globs.push(Override { glob, is_path, directories_only, leaves_out });
        self.is_selection |= !leaves_out;
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether the entry at `path` is left out; `None` if nothing is said about it.
    pub(super) fn decide(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let name = path.file_name().map_or(path, Path::new);
        let matches = |glob: &&Override| {
            (is_directory || !glob.directories_only)
                && glob.glob.is_match(if glob.is_path { path } else { name })
        };
        match self.globs.iter().rev().find(matches) {
            Some(glob) => Some(glob.leaves_out),
            None => (self.is_selection && !is_directory).then_some(true),
        }
    }
}
