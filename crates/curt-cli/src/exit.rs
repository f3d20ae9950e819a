use std::process::ExitCode;

/// An exit code. Unlike `ExitCode`, it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    pub(crate) const SUCCESS: Exit = Exit(0);
    pub(crate) const FAILURE: Exit = Exit(1);
    /// The command line is invalid, and the command did nothing.
    pub(crate) const USAGE: Exit = Exit(2);

    /// `curt run`: the time limit expired.
    pub(crate) const TIMED_OUT: Exit = Exit(124);
    /// `curt run`: the program was not started, for a reason that the next two codes do not cover.
    pub(crate) const NOT_STARTED: Exit = Exit(125);
    /// `curt run`: the program exists but cannot be executed.
    pub(crate) const NOT_EXECUTABLE: Exit = Exit(126);
    pub(crate) const NOT_FOUND: Exit = Exit(127);

    pub(crate) fn of(code: u8) -> Exit {
        Exit(code)
    }

    /// Returns the code a shell reports for a program killed by a signal.
    pub(crate) fn signalled(signal: i32) -> Exit {
        Exit(u8::try_from(128 + signal).unwrap_or(u8::MAX))
    }

    /// Returns the code for a failed write, which is 2 for GNU ls.
    pub(crate) fn unwritable(program: &str) -> Exit {
        if matches!(program, "curt ls" | "ls") { Exit::USAGE } else { Exit::FAILURE }
    }

    /// Returns the code for an invalid command line: 2, but GNU's code if curt was called by a GNU
    /// tool's name, and always for `realpath` and `readlink`.
    pub(crate) fn usage(program: &str) -> Exit {
        match program {
            "rm" | "cp" | "du" | "stat" | "realpath" | "readlink" | "curt realpath"
            | "curt readlink" => Exit::FAILURE,
            _ => Exit::USAGE,
        }
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
