//! `curt rm --trash`: moves each operand to the trash as a whole.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;

use curt::remove::{Preserve, Report};

use super::Reporter;
use crate::args::RmOptions;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::quote::quote;
use crate::session::Session;
use crate::sys::{self, Refusal, Trash, TrashRules, Trashed};

/// Moves the operands to the trash. The report counts each as one entry.
pub(super) fn put(reporter: &Reporter<'_>, operands: &[OsString]) -> Report {
    let Reporter { options, session, .. } = reporter;
    let mut report = Report::default();
    let trash = Trash::open(options.dry_run);
    let rules = TrashRules {
        takes_directories: options.recursive,
        refuses_mounted: options.preserve == Preserve::Mounted,
    };
    for operand in operands {
        if session.is_cancelled() {
            report.stopped = true;
            break;
        }
        match trash.put(operand, rules) {
            Ok(trashed) => {
                report.files += u64::from(!trashed.is_directory);
                report.directories += u64::from(trashed.is_directory);
                moved(options, session, operand, &trashed);
            }
            Err(Refusal::Missing(_)) if options.ignores_missing => report.vanished += 1,
            Err(refusal) => {
                report.error_count += 1;
                refused(session, operand, refusal);
            }
        }
    }
    report
}

fn moved(options: &RmOptions, session: &Session, operand: &OsStr, Trashed { to, .. }: &Trashed) {
    if session.is_json() {
        let object = Object::new().path("path", operand).boolean("trashed", !options.dry_run);
        return session.object(match to {
            Some(to) => object.path("to", to),
            None => object,
        });
    }
    if options.verbose || options.dry_run {
        let verb = if options.dry_run { "would move" } else { "moved" };
        let to = to.as_ref().map(|to| format!(" as {}", quote(to))).unwrap_or_default();
        session.data(format!("{verb} {} to the trash{to}\n", quote(operand)).as_bytes());
    }
}

fn refused(session: &Session, operand: &OsStr, refusal: Refusal) {
    let mut hint = String::new();
    let failure = match refusal {
        Refusal::Os(error) | Refusal::Missing(error) => {
            hint = match error.kind() {
                ErrorKind::IsADirectory => "; -r moves directories".to_owned(),
                kind => super::hint(operand.as_ref(), kind, "move"),
            };
            Failure::os("trash", &error)
        }
        Refusal::Because(kind, reason) => Failure::new("trash", kind, reason.to_owned()),
        Refusal::Failed(kind, reason, error) => {
            let error = sys::error_text(&error);
            Failure::new("trash", kind, format!("{reason}: {error}"))
        }
    };
    let reason = failure.message();
    let message = format!("cannot move {} to the trash: {reason}{hint}", quote(operand));
    session.fail_as(failure.path(operand), &message);
}
