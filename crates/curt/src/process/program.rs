//! Which file a program is: the only place that knows names.
//!
//! **What runs is what the policy allowed.** A look-up ends with an absolute path, and that very
//! path is started, without another search, neither here nor in the system. So no place that was
//! refused can be reached: the working directory may change, a directory of `PATH` may be filled,
//! and nothing else than that path runs. What kind of file lies there is judged again by the system
//! when it starts it, and on Windows by the same path's last name that was judged before. Who may
//! write to a directory that the policy allows decides what lies in it, before the look-up or after
//! it; a handle on the file would not change that, and scripts could not be started by it.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use crate::calls::Calls;
use crate::error::FindError;
use crate::error::StartFailure;
use crate::name::Unit;
use crate::sys::process::Launch;
use crate::sys::{OsUnit, SystemUnit};
use crate::which::{FindAll, FoundIn, LaunchFailure, Policy, Program, Search, Session};
use curt_paths::Flavor;

/// Where names are looked up.
pub(super) enum Names<'a> {
    /// For this start, by the child's variables and directory.
    Search(&'a Search),
    Session(&'a mut Session),
}

/// Why there is no child.
pub(super) enum NotStarted {
    /// The file that it was, where a look-up led to it.
    Failed(Option<PathBuf>, StartFailure, io::Error),
    NotFound(FindError),
}

type Refusal = (StartFailure, io::Error);

impl Names<'_> {
    /// Starts the first program of that name that can be: `start` is called for one after the
    /// other, as far as the policy goes on. Also the calls that the look-up took.
    pub(super) fn start<P, T>(
        &mut self,
        name: &OsStr,
        launch: &Launch<'_, P>,
        mut start: impl FnMut(&Launch<'_, P>) -> Result<T, Refusal>,
    ) -> (Result<T, NotStarted>, Calls) {
        // A path is the system's to judge, but by Windows' rules extensions are tried for it.
        let is_path = OsUnit::units(name.as_ref()).iter().any(|unit| unit.is_separator());
        if is_path && Flavor::NATIVE == Flavor::Posix {
            let started =
                start(launch).map_err(|(why, error)| NotStarted::Failed(None, why, error));
            return (started, Calls::default());
        }
        match self {
            Names::Search(search) => {
                let mut search = search.for_child(launch.environment, launch.directory);
                let policy = search.policy_in_force().clone();
                let started = first(search.find_all(name), &policy, launch, start);
                (started, search.calls())
            }
            Names::Session(session) => {
                let policy = session.policy_in_force().clone();
                let started = first(session.find_all(name), &policy, launch, start);
                // They are the session's to tell.
                (started, Calls::default())
            }
        }
    }
}

/// Starts the first that can be. The first failure is the one that is told.
fn first<P, T>(
    candidates: FindAll<'_>,
    policy: &Policy,
    launch: &Launch<'_, P>,
    mut start: impl FnMut(&Launch<'_, P>) -> Result<T, Refusal>,
) -> Result<T, NotStarted> {
    let mut refusal: Option<(PathBuf, StartFailure, io::Error)> = None;
    for candidate in candidates {
        let found = match candidate {
            Ok(found) => found,
            Err(error) if refusal.is_none() => return Err(NotStarted::NotFound(error)),
            Err(_) => break,
        };
        let path = found.path();
        let (why, error) = if found.program() == Program::Association {
            // Something else opens it; it is nothing to be started.
            (StartFailure::BadFormat, io::ErrorKind::Unsupported.into())
        } else {
            let launch = launch.of(&path);
            match start(&launch) {
                Ok(started) => return Ok(started),
                Err(refusal) => refusal,
            }
        };
        let is_last = found.program() != Program::Association
            && !policy.continues_after(kind(&why, policy), found.program());
        let is_passed_over = policy.reports_cwd_only && matches!(found.origin(), FoundIn::Path(_));
        if refusal.is_none() && (is_last || !is_passed_over) {
            refusal = Some((path.into_owned(), why, error));
        }
        if is_last {
            break;
        }
    }
    let Some((path, why, error)) = refusal else {
        // Something was there, and the policy takes it for nothing.
        let error = io::ErrorKind::NotFound.into();
        return Err(NotStarted::Failed(None, StartFailure::ProgramMissing, error));
    };
    Err(NotStarted::Failed(Some(path), why, error))
}

/// What a failure is to a policy.
fn kind(why: &StartFailure, policy: &Policy) -> LaunchFailure {
    match why {
        StartFailure::ProgramMissing | StartFailure::InterpreterMissing { .. } => {
            LaunchFailure::NotFound
        }
        StartFailure::NotExecutable => LaunchFailure::Denied,
        StartFailure::BadFormat if policy.rules == Flavor::Windows => LaunchFailure::BadImage,
        StartFailure::BadFormat => LaunchFailure::BadFormat,
        StartFailure::TextBusy => LaunchFailure::Busy,
        _ => LaunchFailure::Other,
    }
}
