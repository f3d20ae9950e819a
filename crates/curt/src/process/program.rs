//! Which file is started: the only place that deals with names.
//!
//! **What runs is what the policy allowed.** A look-up ends with an absolute path, and that very
//! path is started, without another search, neither here nor in the system. So no directory that
//! was refused can be reached: the working directory may change, a directory of `PATH` may get
//! another file, and nothing but that path runs. What kind of file it is, the system judges again
//! when it starts it; on Windows the last name of the same path decides again. A user that may
//! write to a directory that the policy allows decides what it contains, before the look-up or
//! after it. A handle on the file would not change that, and could not start scripts.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use super::retry::Refusal;
use crate::calls::Calls;
use crate::error::{FindError, StartFailure};
use crate::name::Unit;
use crate::sys::process::Launch;
use crate::sys::{OsUnit, SystemUnit};
use crate::which::{FindAll, FoundIn, LaunchFailure, Program, Rules, Search};
use curt_paths::Flavor;

/// Where names are looked up.
#[derive(Clone, Copy)]
pub(super) enum Names<'a> {
    /// For one start, with the variables and the directory of the child.
    Search(&'a Search),
}

/// Why no program was started.
pub(super) enum NotStarted {
    /// The path is that of the file, if a look-up led to it.
    Refused(Option<PathBuf>, Refusal),
    NotFound(FindError),
}

impl Names<'_> {
    /// Starts the first program of this name that can be started: calls `start` for one after the
    /// other, as long as the policy goes on. Also returns the calls that the look-up took.
    pub(super) fn start<P, T>(
        self,
        name: &OsStr,
        launch: &Launch<'_, P>,
        mut start: impl FnMut(&Launch<'_, P>) -> Result<T, Refusal>,
    ) -> (Result<T, NotStarted>, Calls) {
        // The system judges a path, but by Windows' rules extensions are appended to it.
        let is_path = OsUnit::units(name.as_ref()).iter().any(|unit| unit.is_separator());
        if is_path && Flavor::NATIVE == Flavor::Posix {
            let started = start(launch).map_err(|refusal| NotStarted::Refused(None, refusal));
            return (started, Calls::default());
        }
        match self {
            Names::Search(search) => {
                let search = search.for_child(launch.environment, launch.directory);
                let rules = search.current_rules();
                let started = start_first(search.find_all(name), &rules, launch, start);
                (started, search.calls())
            }
        }
    }
}

/// Starts the first candidate that can be started. If none can, the first refusal counts.
fn start_first<P, T>(
    candidates: FindAll<'_>,
    rules: &Rules,
    launch: &Launch<'_, P>,
    mut start: impl FnMut(&Launch<'_, P>) -> Result<T, Refusal>,
) -> Result<T, NotStarted> {
    let mut first = None;
    for candidate in candidates {
        let found = match candidate {
            Ok(found) => found,
            Err(error) if first.is_none() => return Err(NotStarted::NotFound(error)),
            Err(_) => break,
        };
        let (path, program) = (found.path(), found.program());
        let (refusal, is_last) = if program == Program::Association {
            // Another program would open it, so it cannot be started itself.
            ((StartFailure::BadFormat, io::ErrorKind::Unsupported.into()), false)
        } else {
            let refusal = match start(&launch.of(&path)) {
                Ok(started) => return Ok(started),
                Err(refusal) => refusal,
            };
            let goes_on = rules.continues_after(launch_failure(&refusal.0, rules), program);
            (refusal, !goes_on)
        };
        let counts_as_missing =
            rules.reports_cwd_only && matches!(found.origin(), FoundIn::Path(_));
        if first.is_none() && (is_last || !counts_as_missing) {
            first = Some((Some(path.into_owned()), refusal));
        }
        if is_last {
            break;
        }
    }
    // Otherwise the policy counts all that was found as missing.
    let missing = || (None, (StartFailure::ProgramMissing, io::ErrorKind::NotFound.into()));
    let (path, refusal) = first.unwrap_or_else(missing);
    Err(NotStarted::Refused(path, refusal))
}

/// What a failure means to the rules.
fn launch_failure(why: &StartFailure, rules: &Rules) -> LaunchFailure {
    match why {
        StartFailure::ProgramMissing | StartFailure::InterpreterMissing { .. } => {
            LaunchFailure::NotFound
        }
        StartFailure::NotExecutable => LaunchFailure::Denied,
        StartFailure::BadFormat if rules.flavor == Flavor::Windows => LaunchFailure::BadImage,
        StartFailure::BadFormat => LaunchFailure::BadFormat,
        StartFailure::TextBusy => LaunchFailure::Busy,
        _ => LaunchFailure::Other,
    }
}
