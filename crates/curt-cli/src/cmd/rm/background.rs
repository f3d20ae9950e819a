//! `curt rm --background`: sets trees aside, so that their names are free at once, and lets another
//! process remove them.

use std::ffi::OsString;

use curt::Remove;
use curt::remove::Report;

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
    /// The number of directories that were set aside.
    pub(super) directories: u64,
    /// What could not be set aside, and what was removed at once without another process.
    pub(super) report: Report,
}

/// Sets the trees among the operands aside, and starts their removal.
pub(super) fn remove(options: &RmOptions, operands: &[OsString], session: &Session) -> Done {
    let mut done = Done::default();
    let journal = match Journal::open() {
        Ok(journal) => journal,
        Err(refusal) => {
            fail(session, &refusal);
            done.report.error_count = 1;
            return done;
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
                done.report.vanished += 1;
            }
            Err(refusal) => {
                done.report.error_count += 1;
                refused(session, operand, &refusal, SET_ASIDE);
            }
        }
    }
    if done.directories > 0 && !sys::finish_in_background() {
        add(&mut done.report, &finish_with(&journal, session));
    }
    done
}

/// Finishes all removals of the journal.
pub(super) fn finish(session: &Session) -> Report {
    match Journal::open() {
        Ok(journal) => finish_with(&journal, session),
        Err(refusal) => {
            fail(session, &refusal);
            let mut report = Report::default();
            report.error_count = 1;
            report
        }
    }
}

fn finish_with(journal: &Journal, session: &Session) -> Report {
    let mut sum = Report::default();
    let removal = Remove::new().cancel(session.cancel());
    let finished = journal.finish(&removal, |path, report| match report {
        Ok(report) => {
            add(&mut sum, report);
            for error in &report.errors {
                let path = path.join(error.path());
                let message =
                    format!("cannot remove {}: {}", quote(&path), text::reason(error.cause()));
                session.fail_as(Failure::from(error).path(&path), &message);
            }
        }
        Err(error) => {
            sum.error_count += 1;
            let message = format!("cannot remove {}: {}", quote(path), sys::error_text(&error));
            session.fail_as(Failure::os("remove_directory", &error).path(path), &message);
        }
    });
    if let Err(refusal) = finished {
        fail(session, &refusal);
        sum.error_count += 1;
    }
    sum
}

/// Adds what another removal did.
pub(super) fn add(sum: &mut Report, other: &Report) {
    sum.files += other.files;
    sum.directories += other.directories;
    sum.skipped += other.skipped;
    sum.appeared += other.appeared;
    sum.vanished += other.vanished;
    sum.error_count += other.error_count;
    sum.stopped |= other.stopped;
    sum.threads = sum.threads.max(other.threads);
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
