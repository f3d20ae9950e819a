//! The names that `--ignore`, `--hide` and `--ignore-backups` leave out.

use std::ffi::{OsStr, OsString};

use crate::args::{Hidden, LsOptions};
use crate::cmd::patterns::Patterns;

#[derive(Debug)]
pub(super) struct Ignored {
    patterns: Patterns,
    /// Only a dot in the pattern matches a dot at the beginning of a name.
    dotted: Patterns,
    has_backups: bool,
}

impl Ignored {
    /// The error says what is wrong with a pattern.
    pub(super) fn new(options: &LsOptions) -> Result<Ignored, String> {
        let hide = if options.hidden == Hidden::Dotted { &options.hide[..] } else { &[] };
        let patterns = options.ignore.iter().chain(hide);
        let may_match_dot = |pattern: &&OsString| {
            let pattern = pattern.as_encoded_bytes();
            pattern.starts_with(b".") || pattern.starts_with(b"\\.")
        };
        let dotted = Patterns::new(patterns.clone().filter(may_match_dot), "")?;
        let patterns = Patterns::new(patterns, "")?;
        Ok(Ignored { patterns, dotted, has_backups: options.ignore_backups })
    }

    pub(super) fn contains(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        let patterns = if name.starts_with(b".") { &self.dotted } else { &self.patterns };
        self.has_backups && name.ends_with(b"~") || patterns.match_bytes(name)
    }
}
