//! `curt rm --trash`: moves the operands to the trash, each whole.

use std::ffi::{OsStr, OsString};
use std::io;

use curt::remove::Report;

use super::Reporter;
use crate::args::RmOptions;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::quote::quote;
use crate::session::Session;
use crate::sys::{self, Refusal, Trash, TrashRules};

/// Moves the operands to the trash. The report counts each of them as one entry.
pub(super) fn put(reporter: &Reporter<'_>, operands: &[OsString]) -> Report {
    let Reporter { options, session, .. } = reporter;
    let mut report = Report::default();
    let trash = Trash::open();
    let rules = TrashRules {
        takes_directories: options.recursive,
        refuses_mounted: options.refuses_mounted_operands,
    };
    for operand in operands {
        if session.is_cancelled() {
            report.stopped = true;
            break;
        }
        match trash.put(operand, rules) {
            Ok(is_directory) => {
                report.files += u64::from(!is_directory);
                report.directories += u64::from(is_directory);
                moved(options, session, operand);
            }
            Err(Refusal::Os(error)) if options.ignores_missing && is_missing(&error) => {
                report.vanished += 1;
            }
            Err(refusal) => {
                report.error_count += 1;
                refused(session, operand, &refusal);
            }
        }
    }
    report
}

/// Whether `-f` forgives an error, as it does when the operand would be removed.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn moved(options: &RmOptions, session: &Session, operand: &OsStr) {
    if !options.verbose {
        return;
    }
    if session.is_json() {
        return session.object(Object::new().path("path", operand).boolean("trashed", true));
    }
    session.data(format!("moved {} to the trash\n", quote(operand)).as_bytes());
}

/// Reports an operand that could not be moved.
fn refused(session: &Session, operand: &OsStr, refusal: &Refusal) {
    let path = quote(operand);
    let (kind, reason) = match refusal {
        Refusal::Os(error) => {
            let message = format!("cannot move {path} to the trash: {}", sys::error_text(error));
            return session.fail_as(Failure::os("trash", error).path(operand), &message);
        }
        Refusal::Root => ("root-directory", "it is the root directory".to_owned()),
        Refusal::DotOrDotDot => {
            ("dot-or-dot-dot", "'.' and '..' are no names of entries".to_owned())
        }
        Refusal::LinkWithSlash => ("not-a-directory", "Not a directory".to_owned()),
        Refusal::OtherFileSystem => (
            "other-file-system",
            "it's on a different device\nand --preserve-root=all is in effect".to_owned(),
        ),
        Refusal::MountBelow => ("mount-point", "something is mounted below it".to_owned()),
        Refusal::InTrash => ("in-trash", "it is there already".to_owned()),
        Refusal::HoldsTrash => ("holds-trash", "it contains the trash".to_owned()),
        Refusal::NoTrash(error) => {
            let error = sys::error_text(error);
            ("no-trash", format!("its filesystem has none that you can use: {error}"))
        }
        Refusal::NotRecycled(reason) => ("no-trash", (*reason).to_owned()),
    };
    let failure = Failure::new("trash", kind, reason.clone()).path(operand);
    session.fail_as(failure, &format!("cannot move {path} to the trash: {reason}"));
}
