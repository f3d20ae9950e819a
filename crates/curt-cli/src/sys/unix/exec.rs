//! Replaces this process with a program, and sets the signal dispositions that programs inherit.

use std::ffi::{CString, OsStr, c_char};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process;
use std::ptr;
use std::sync::Once;

use curt::{Command, Error};

use super::{ignores_broken_pipes, signals};

/// Returns only on failure.
#[allow(clippy::unnecessary_wraps, reason = "Windows has no such call")]
pub(crate) fn replace_by(command: &Command) -> Option<Error> {
    if !ignores_broken_pipes() {
        signals::set(libc::SIGPIPE, libc::SIG_DFL);
    }
    let error = curt::os::unix::exec(command, |command, zeroth, inherits| {
        execute(command, zeroth, inherits)
            .map_or_else(|error| error, |()| io::Error::last_os_error())
    });
    signals::set(libc::SIGPIPE, libc::SIG_IGN);
    Some(error)
}

/// Calls `execv` or `execve`, which return only on failure. Then returns `Ok`, with the cause in
/// `errno`. `std` would call `execvp`, which runs a shell for a file in an unknown format.
fn execute(command: &process::Command, zeroth: &OsStr, inherits: bool) -> io::Result<()> {
    let text = |text: &OsStr| Ok(CString::new(text.as_bytes())?);
    let program = text(command.get_program())?;
    let arguments = [zeroth].into_iter().chain(command.get_args());
    let arguments = arguments.map(text).collect::<io::Result<Vec<_>>>()?;
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables =
        variables.map(|(name, value)| text(&[name, OsStr::new("="), value].join(OsStr::new(""))));
    let variables = variables.collect::<io::Result<Vec<_>>>()?;
    let (arguments, all) = (pointers(&arguments), pointers(&variables));
    if inherits {
        // SAFETY: the strings end with NUL and the array with null. The environment does not
        // change.
        unsafe { libc::execv(program.as_ptr(), arguments.as_ptr()) };
    } else {
        // SAFETY: the strings end with NUL and both arrays with null.
        unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), all.as_ptr()) };
    }
    Ok(())
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Creates a command. Resets an ignored SIGCHLD, as GNU find does, because otherwise the kernel
/// discards the exit status of children. Keeps SIGPIPE ignored, which `std` would reset.
pub(crate) fn program(name: &OsStr) -> Command {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| signals::set(libc::SIGCHLD, libc::SIG_DFL));
    let mut command = Command::new(name);
    if ignores_broken_pipes() {
        command.prepare(|command| {
            let ignore = || -> io::Result<()> {
                signals::set(libc::SIGPIPE, libc::SIG_IGN);
                Ok(())
            };
            // SAFETY: the closure makes one call, which is allowed between `fork` and `exec`.
            unsafe { command.pre_exec(ignore) };
        });
    }
    command
}
