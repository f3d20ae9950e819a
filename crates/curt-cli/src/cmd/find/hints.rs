//! Hints about `--delete`, and about patterns that were probably meant as directories.

use std::sync::atomic::{AtomicBool, Ordering};

use curt::fields::Follow;
use curt::{Fields, Plan};

use crate::args::FindOptions;
use crate::out::json::Object;
use crate::quote::quote;
use crate::session::Session;

/// The hints to print after a deletion.
#[derive(Default)]
pub(super) struct Hints {
    has_nonempty: AtomicBool,
    has_mounts: AtomicBool,
}

impl Hints {
    pub(super) fn note_nonempty(&self) {
        self.has_nonempty.store(true, Ordering::Relaxed);
    }

    pub(super) fn note_mount(&self) {
        self.has_mounts.store(true, Ordering::Relaxed);
    }

    pub(super) fn show(&self, session: &Session) {
        let note = |note: &str| {
            if session.is_json() {
                session.report(Object::new().text("note", note));
            } else {
                session.warn(note);
            }
        };
        if self.has_nonempty.load(Ordering::Relaxed) {
            note(
                "--delete removes a directory only after everything in it was deleted; \
                 '--prune -X curt rm -r' removes directories with their contents",
            );
        }
        if self.has_mounts.load(Ordering::Relaxed) {
            note(
                "--delete does not enter mount points; with --one-file-system=mount, only those \
                 that match are reported",
            );
        }
    }
}

/// Refuses a pattern that was probably meant as a directory, if it would find or delete something
/// else.
pub(super) fn check_pattern(options: &FindOptions) -> Result<(), String> {
    let Some(pattern) = options.pattern.as_deref().filter(|_| options.operands.is_empty()) else {
        return Ok(());
    };
    if pattern == ".." && !options.glob && !options.fixed_strings {
        let instead = "use curt find . .. to search the parent directory";
        return Err(format!("'..' is a PATTERN that matches any two characters; {instead}"));
    }
    let plan = Plan::new(Fields::KIND).follow(Follow::Links);
    let is_directory = || curt::stat(pattern, plan).is_ok_and(|found| found.kind().is_dir());
    if options.delete && pattern != "." && is_directory() {
        return Err(format!(
            "{shown} is the PATTERN here, not a directory; to delete the contents of the \
             directory, write the PATTERN '.' before it",
            shown = quote(pattern),
        ));
    }
    Ok(())
}
