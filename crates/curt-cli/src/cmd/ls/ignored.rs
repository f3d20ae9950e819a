use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::Kind;
use curt::filters::Globs;

use crate::args::{Hidden, LsOptions};

#[derive(Debug)]
pub(super) struct Ignored {
    patterns: Globs,
    /// Patterns that begin with a dot. Only these match hidden names.
    dotted: Globs,
    has_backups: bool,
}

impl Ignored {
    pub(super) fn new(options: &LsOptions) -> Ignored {
        let hide = if options.hidden == Hidden::Dotted { &options.hide[..] } else { &[] };
        let patterns = options.ignore.iter().chain(hide);
        let may_match_dot = |pattern: &&OsString| {
            let pattern = pattern.as_encoded_bytes();
            pattern.starts_with(b".") || pattern.starts_with(b"\\.")
        };
        let dotted = Globs::gnu(patterns.clone().filter(may_match_dot));
        Ignored { patterns: Globs::gnu(patterns), dotted, has_backups: options.ignore_backups }
    }

    pub(super) fn contains(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        let patterns = if bytes.starts_with(b".") { &self.dotted } else { &self.patterns };
        self.has_backups && bytes.ends_with(b"~")
            || patterns.matches(Path::new(name), Kind::Unknown)
    }
}
