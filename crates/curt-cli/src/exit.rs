//! How the command ends: the code that a shell sees.

use std::process::ExitCode;

/// An exit code. Unlike `std`'s it can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    /// Everything asked for was done.
    pub(crate) const SUCCESS: Exit = Exit(0);
    /// Something could not be done, and was reported.
    pub(crate) const FAILURE: Exit = Exit(1);
    /// The command line was wrong; nothing was touched.
    pub(crate) const USAGE: Exit = Exit(2);

    /// What was to be run took longer than it may.
    pub(crate) const LATE: Exit = Exit(124);
    /// What was to be run was not started, for another reason than those below.
    pub(crate) const OTHER: Exit = Exit(125);
    /// What was to be run is there, and cannot be.
    pub(crate) const NOT_EXECUTABLE: Exit = Exit(126);
    /// What was to be run is not there.
    pub(crate) const NOT_FOUND: Exit = Exit(127);

    /// The code that a program ended with.
    pub(crate) fn of(code: u8) -> Exit {
        Exit(code)
    }

    /// The code a shell gives to a program that a signal ended.
    pub(crate) fn signalled(signal: usize) -> Exit {
        Exit(u8::try_from(128 + signal).unwrap_or(u8::MAX))
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
