//! Chooses the file to start.
//!
//! The program is started by the absolute path that was found. Neither curt nor the system searches
//! again, so a refused directory cannot be reached, whatever changes meanwhile. Starting an open
//! file (`fexecve`) would not protect from users who may write to an allowed directory, and fails
//! for scripts.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, StartFailure};
use crate::name::Unit;
use crate::sys::{OsUnit, SystemUnit};
use crate::which::{FoundIn, Policy, Program, Rules, Search};
use curt_paths::Flavor;

pub(super) type Refusal = (StartFailure, io::Error);

pub(super) enum NotStarted {
    /// A program could not be started. The path is the candidate's, or `None` for the program as
    /// given.
    Refused(Option<PathBuf>, Refusal),
    NotFound(Error),
}

/// Under Windows rules, paths need a look-up too, because extensions are appended.
pub(super) fn is_path(name: &OsStr) -> bool {
    let has_separator = OsUnit::units(name.as_ref()).iter().any(|unit| unit.is_separator());
    has_separator && Flavor::NATIVE == Flavor::Posix
}

/// Starts the first candidate that can be started, unless the policy ends the search before it.
/// Otherwise returns the first refusal.
pub(super) fn start_first<T>(
    search: &Search,
    name: &OsStr,
    mut start: impl FnMut(&Path) -> Result<T, Refusal>,
) -> Result<T, NotStarted> {
    let rules = search.current_rules();
    let mut first = None;
    for candidate in search.find_all(name) {
        let found = match candidate {
            Ok(found) => found,
            Err(error) if first.is_none() => return Err(NotStarted::NotFound(error)),
            Err(_) => break,
        };
        let (path, program) = (found.path(), found.program());
        let (refusal, is_last) = if program == Program::Association {
            // The system can only open such a file with another program.
            ((StartFailure::BadFormat, io::ErrorKind::Unsupported.into()), false)
        } else {
            let refusal = match start(path) {
                Ok(started) => return Ok(started),
                Err(refusal) => refusal,
            };
            let is_last = is_last(&refusal.0, program, &rules);
            (refusal, is_last)
        };
        // Zig treats a refused candidate from `PATH` as missing.
        let counts_as_missing =
            rules.are_of(Policy::Zig) && matches!(found.origin(), FoundIn::Path(_));
        if first.is_none() && (is_last || !counts_as_missing) {
            first = Some((Some(path.to_owned()), refusal));
        }
        if is_last {
            break;
        }
    }
    // `first` is empty only if the policy treats all candidates as missing.
    let missing = || (None, (StartFailure::ProgramMissing, io::ErrorKind::NotFound.into()));
    let (path, refusal) = first.unwrap_or_else(missing);
    Err(NotStarted::Refused(path, refusal))
}

/// Returns whether a failed candidate ends the search. On Windows a corrupt image ends it, as in
/// cmd.exe, but a file in a different format does not. On POSIX the search continues only if
/// `execvp` would continue.
fn is_last(why: &StartFailure, program: Program, rules: &Rules) -> bool {
    match why {
        _ if rules.starts_first_only => true,
        StartFailure::ProgramMissing
        | StartFailure::InterpreterMissing { .. }
        | StartFailure::NotExecutable => false,
        StartFailure::BadFormat => rules.flavor == Flavor::Posix || program == Program::Image,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Flavor, Policy, Program, StartFailure, is_last};

    #[test]
    fn the_policy_decides_whether_the_next_candidate_is_started() {
        use StartFailure::{BadFormat, NotExecutable, ProgramMissing, TextBusy};
        let is_last = |policy: Policy, why, program| {
            [Flavor::Windows, Flavor::Posix]
                .map(|flavor| is_last(&why, program, &policy.rules(flavor)))
        };
        for (why, program, windows, posix) in [
            (BadFormat, Program::Image, true, true),
            (BadFormat, Program::Executable, false, true),
            (BadFormat, Program::Batch, false, true),
            (ProgramMissing, Program::Image, false, false),
            (NotExecutable, Program::Image, false, false),
            (TextBusy, Program::Image, true, true),
        ] {
            assert_eq!(is_last(Policy::Native, why, program), [windows, posix], "{program:?}");
        }
        for policy in [Policy::CPython, Policy::Go, Policy::Libuv] {
            assert_eq!(is_last(policy, ProgramMissing, Program::Image), [true; 2]);
        }
    }
}
