//! What a start tries again, where that was asked for: a program that somebody is still writing,
//! and one that only a shell can read. By default neither.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::control::Cancel;
use crate::error::StartFailure;
use crate::pause::{Pause, nap};
use crate::sys::process::{Launch, Process};
use curt_paths::Flavor;

/// What runs a program in no format that the system knows, as `execvp` has it (`_PATH_BSHELL`).
const SHELL: &str = "/bin/sh";

/// What is tried again.
#[derive(Default)]
pub(super) struct Again {
    /// How often a program is started again that somebody has open for writing, and for how long.
    pub(super) retries: u32,
    pub(super) window: Duration,
    pub(super) cancel: Option<Box<dyn AsRef<Cancel> + Send + Sync>>,
    pub(super) shell: bool,
}

impl Again {
    /// What ends the pauses. Asked for before a start begins, as it is the caller's code that
    /// answers.
    pub(super) fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_deref().map(AsRef::as_ref)
    }

    /// Starts a program, and again as long as it was asked for and may help. Also why it was not
    /// started.
    pub(super) fn start<S: Process>(
        &self,
        sys: &S,
        cancel: Option<&Cancel>,
        launch: &Launch<'_, S::Pipe>,
    ) -> Result<S::Child, (StartFailure, io::Error)> {
        let (why, error) = match self.start_free(sys, cancel, launch) {
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
        self.start_free(sys, cancel, &shell).map_err(|(why, error)| match why {
            // It is the program that is told of.
            StartFailure::ProgramMissing => {
                let interpreter = SHELL.into();
                (StartFailure::InterpreterMissing { interpreter, carriage_return: false }, error)
            }
            why => (why, error),
        })
    }

    /// Starts a program, waiting as long as somebody writes it.
    fn start_free<S: Process>(
        &self,
        sys: &S,
        cancel: Option<&Cancel>,
        launch: &Launch<'_, S::Pipe>,
    ) -> Result<S::Child, (StartFailure, io::Error)> {
        let (mut retries, mut left, mut pause) = (self.retries, self.window, Pause::default());
        loop {
            let failure = match sys.start_program(launch) {
                Ok(child) => return Ok(child),
                Err(failure) => failure,
            };
            let why = sys.explain(launch, &failure);
            let may_help = why == StartFailure::TextBusy && retries > 0 && !left.is_zero();
            let time = pause.next(left);
            if !may_help || !nap(|time| sys.sleep(time), cancel, time) {
                return Err((why, failure.error));
            }
            retries -= 1;
            left -= time;
        }
    }
}

/// The program, which a shell must not take for an option, and its arguments.
fn shell_arguments<P>(launch: &Launch<'_, P>) -> Vec<OsString> {
    let is_like_option = launch.program.as_os_str().as_encoded_bytes().starts_with(b"-");
    let program = if is_like_option {
        Path::new(".").join(launch.program)
    } else {
        launch.program.to_owned()
    };
    std::iter::once(program.into_os_string()).chain(launch.arguments.iter().cloned()).collect()
}

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Again")
            .field("retries", &self.retries)
            .field("window", &self.window)
            .field("shell", &self.shell)
            .finish_non_exhaustive()
    }
}
