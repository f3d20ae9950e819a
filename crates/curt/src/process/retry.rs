//! Starts a program, and tries again where the caller asked for that: while the program is open for
//! writing, and through a shell. By default neither.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::child::OsChild;
use super::stream::Pipe;
use crate::control::Cancel;
use crate::error::StartFailure;
use crate::pause::{Backoff, nap};
use crate::sys::process::{Launch, Spawn};
use crate::sys::{Host, Os};
use curt_paths::Flavor;

/// The shell that runs a program of unknown format, as for `execvp` (`_PATH_BSHELL`).
const SHELL: &str = "/bin/sh";

/// Why a program was not started, and the system's error.
pub(super) type Refusal = (StartFailure, io::Error);

/// What is tried again.
#[derive(Default)]
pub(super) struct Retry {
    /// How often, and for how long, a program that is open for writing is started again.
    pub(super) count: u32,
    pub(super) window: Duration,
    pub(super) cancel: Option<Box<dyn AsRef<Cancel> + Send + Sync>>,
    /// Whether a shell runs a program of unknown format.
    pub(super) shell: bool,
}

impl Retry {
    /// What ends the pauses. It is the caller's code that answers, so it is asked before a start
    /// has opened anything.
    pub(super) fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_deref().map(AsRef::as_ref)
    }

    /// Starts a program.
    pub(super) fn start(
        &self,
        sys: &Os,
        cancel: Option<&Cancel>,
        launch: &Launch<'_, Pipe>,
    ) -> Result<OsChild, Refusal> {
        let (why, error) = match self.start_when_free(sys, cancel, launch) {
            Ok(child) => return Ok(child),
            Err(refusal) => refusal,
        };
        if !self.shell || why != StartFailure::BadFormat || Flavor::NATIVE == Flavor::Windows {
            return Err((why, error));
        }
        let arguments = shell_arguments(launch);
        let shell = Launch {
            zeroth: OsStr::new(SHELL),
            arguments: &arguments,
            ..launch.of(Path::new(SHELL))
        };
        self.start_when_free(sys, cancel, &shell).map_err(|(why, error)| match why {
            // The error names the program, which is not missing.
            StartFailure::ProgramMissing => {
                let interpreter = SHELL.into();
                (StartFailure::InterpreterMissing { interpreter, carriage_return: false }, error)
            }
            why => (why, error),
        })
    }

    /// Starts a program, and waits while it is open for writing.
    fn start_when_free(
        &self,
        sys: &Os,
        cancel: Option<&Cancel>,
        launch: &Launch<'_, Pipe>,
    ) -> Result<OsChild, Refusal> {
        let is_over = || cancel.is_some_and(Cancel::is_cancelled);
        let (mut retries, mut backoff) = (self.count, Backoff::new(self.window));
        loop {
            let failure = match sys.spawn(launch) {
                Ok(child) => return Ok(child),
                Err(failure) => failure,
            };
            let why = sys.explain(launch, &failure);
            let may_help = why == StartFailure::TextBusy && retries > 0;
            let pause = if may_help { backoff.next() } else { None };
            if !pause.is_some_and(|pause| nap(|time| sys.sleep(time), is_over, pause)) {
                return Err((why, failure.error));
            }
            retries -= 1;
        }
    }
}

/// The path of the program, in a form that a shell does not take for an option, and its arguments.
fn shell_arguments<P>(launch: &Launch<'_, P>) -> Vec<OsString> {
    let is_like_option = launch.program.as_os_str().as_encoded_bytes().starts_with(b"-");
    let program = if is_like_option {
        Path::new(".").join(launch.program)
    } else {
        launch.program.to_owned()
    };
    std::iter::once(program.into_os_string()).chain(launch.arguments.iter().cloned()).collect()
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("count", &self.count)
            .field("window", &self.window)
            .field("shell", &self.shell)
            .finish_non_exhaustive()
    }
}
