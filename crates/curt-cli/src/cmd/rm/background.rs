//! `curt rm --background`: sets trees aside, so that their names are free at once, and lets another
//! process remove them.

use std::ffi::OsString;

use curt::Remove;

use super::trash::{Verb, is_missing, refused};
use crate::args::RmOptions;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::quote;
use crate::session::Session;
use crate::sys::{self, Journal, Refusal, SetAside, TrashRules};

const SET_ASIDE: Verb = Verb { operation: "set_aside", before: "set aside", after: "" };

/// What became of the operands.
#[derive(Default)]
pub(super) struct Done {
    /// Operands that are no directories, and are removed as usual.
    pub(super) rest: Vec<OsString>,
    pub(super) directories: u64,
    pub(super) vanished: u64,
    pub(super) errors: u64,
}

/// Sets the trees among the operands aside, and starts their removal.
pub(super) fn remove(options: &RmOptions, operands: &[OsString], session: &Session) -> Done {
    let mut done = Done::default();
    let journal = match Journal::open() {
        Ok(journal) => journal,
        Err(refusal) => {
            fail(session, &refusal);
            return Done { errors: 1, ..done };
        }
    };
    let rules = TrashRules {
        takes_directories: options.recursive,
        refuses_mounted: options.refuses_mounted_operands,
    };
    for operand in operands {
        if session.is_cancelled() {
            break;
        }
        match journal.set_aside(operand, rules) {
            Ok(SetAside::Directory) => done.directories += 1,
            Ok(SetAside::NoDirectory) => done.rest.push(operand.clone()),
            Err(Refusal::Os(error)) if options.ignores_missing && is_missing(&error) => {
                done.vanished += 1;
            }
            Err(refusal) => {
                done.errors += 1;
                refused(session, operand, &refusal, SET_ASIDE);
            }
        }
    }
    if done.directories > 0 && !sys::finish_in_background() {
        done.errors += finish_with(&journal, session);
    }
    done
}

/// Finishes all removals of the journal, and returns how many failures there were.
pub(super) fn finish(session: &Session) -> u64 {
    match Journal::open() {
        Ok(journal) => finish_with(&journal, session),
        Err(refusal) => {
            fail(session, &refusal);
            1
        }
    }
}

fn finish_with(journal: &Journal, session: &Session) -> u64 {
    let mut errors = 0;
    let removal = Remove::new().cancel(session.cancel());
    let finished = journal.finish(&removal, |parent, report| {
        errors += report.error_count;
        for error in &report.errors {
            let path = parent.join(error.path());
            let message =
                format!("cannot remove {}: {}", quote(&path), text::reason(error.cause()));
            session.fail_as(Failure::from(error).path(&path), &message);
        }
    });
    if let Err(refusal) = finished {
        fail(session, &refusal);
        errors += 1;
    }
    errors
}

/// Reports that the journal cannot be used.
fn fail(session: &Session, refusal: &Refusal) {
    let reason = match refusal {
        Refusal::Os(error) => sys::error_text(error),
        other => format!("{other:?}"),
    };
    let message = format!("cannot open the journal of removals: {reason}");
    session.fail_as(Failure::new("open_journal", "other", reason), &message);
}
