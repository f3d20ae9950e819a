//! Standard streams of a program, and the ends of pipes to it.

use std::io::{self, Read, Write};

use crate::sys::Os;
use crate::sys::process::Spawn;

pub(super) type Pipe = <Os as Spawn>::Pipe;

/// A standard stream of a program. `Stdio::inherit()`, `null()` and `piped()` of the standard
/// library are [`Stream::inherit`], [`Stream::null`] and [`Stream::pipe`] here.
///
/// Everything that converts into a descriptor (`OwnedFd`) or on Windows into a handle
/// (`OwnedHandle`) is one: a file, an end of a pipe, on Unix a socket.
///
/// ```
/// # if cfg!(unix) {
/// use curt::Command;
/// use curt::process::Stream;
/// let echo = Command::new("/bin/echo").arg("hello").stdout(Stream::pipe()).spawn()?;
/// let output = Command::new("/bin/cat").stdin(echo.stdout.unwrap()).output()?;
/// assert_eq!(output.stdout, b"hello\n");
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream(pub(super) Kind);

#[derive(Debug)]
pub(super) enum Kind {
    Inherit,
    Null,
    Pipe,
    Open(Pipe),
}

impl Stream {
    /// The stream of this process.
    pub fn inherit() -> Stream {
        Stream(Kind::Inherit)
    }

    /// The null device: reading ends at once, and what is written is discarded.
    pub fn null() -> Stream {
        Stream(Kind::Null)
    }

    /// A new pipe; its other end is in the [`Child`](super::Child).
    pub fn pipe() -> Stream {
        Stream(Kind::Pipe)
    }

    pub(crate) fn open(pipe: Pipe) -> Stream {
        Stream(Kind::Open(pipe))
    }
}

/// The streams that were not set.
#[derive(Clone, Copy)]
pub(super) enum Defaults {
    Inherit,
    Collect,
    /// The outputs are collected, and the input is a pipe.
    Feed,
}

impl Defaults {
    pub(super) fn of(self, stream: usize) -> &'static Kind {
        match self {
            Defaults::Inherit => &Kind::Inherit,
            Defaults::Collect if stream == 0 => &Kind::Null,
            Defaults::Collect | Defaults::Feed => &Kind::Pipe,
        }
    }
}

/// The writing end of a pipe that a program reads from.
#[derive(Debug)]
pub struct ChildInput(pub(crate) Pipe);

/// The reading end of a pipe that a program writes to.
#[derive(Debug)]
pub struct ChildOutput(pub(crate) Pipe);

impl Write for ChildInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for ChildOutput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}
