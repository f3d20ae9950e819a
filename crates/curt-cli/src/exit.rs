//! Exit codes.

use std::process::ExitCode;

/// An exit code. Unlike `std`'s it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    /// Everything was done.
    pub(crate) const SUCCESS: Exit = Exit(0);
    /// Something failed and was reported.
    pub(crate) const FAILURE: Exit = Exit(1);
    /// The command line was wrong; nothing was done.
    pub(crate) const USAGE: Exit = Exit(2);

    /// `curt run`: the time limit was reached.
    pub(crate) const TIMED_OUT: Exit = Exit(124);
    /// `curt run`: the program was not started, for another reason than the two below.
    pub(crate) const NOT_STARTED: Exit = Exit(125);
    /// `curt run`: the program exists but cannot be executed.
    pub(crate) const NOT_EXECUTABLE: Exit = Exit(126);
    /// `curt run`: the program was not found.
    pub(crate) const NOT_FOUND: Exit = Exit(127);

    /// The code that a program ended with.
    pub(crate) fn of(code: u8) -> Exit {
        Exit(code)
    }

    /// The code that a shell gives to a program that a signal ended.
    pub(crate) fn signalled(signal: usize) -> Exit {
        Exit(u8::try_from(128 + signal).unwrap_or(u8::MAX))
    }

    /// The code of a command whose output cannot be written. GNU ls treats it like an operand that
    /// cannot be listed.
    pub(crate) fn unwritable(command: Option<&str>) -> Exit {
        if command == Some("ls") { Exit::USAGE } else { Exit::FAILURE }
    }

    /// The code of a command whose command line is wrong: 1 for those that are nothing but the GNU
    /// tool.
    pub(crate) fn usage(command: Option<&str>) -> Exit {
        let is_like_gnu = matches!(command, Some("realpath" | "readlink"));
        if is_like_gnu { Exit::FAILURE } else { Exit::USAGE }
    }

    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}
