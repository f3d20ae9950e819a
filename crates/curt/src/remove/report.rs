//! What a removal did.

use std::error;
use std::fmt;
use std::io;

use crate::calls::Calls;
use crate::error::Error;

/// What a removal did, and everything that went wrong.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Entries removed that were not directories; in a dry run, those found.
    pub files: u64,
    /// Directories removed; in a dry run, those found.
    pub directories: u64,
    /// Bytes given back, where they were asked for. 512-byte blocks of the entries whose last link
    /// went, in bytes.
    pub bytes: Option<u64>,
    /// Entries kept because the caller said so: excluded, or not confirmed. What lies below a kept
    /// directory is not looked at and not counted.
    pub skipped: u64,
    /// Entries that somebody added to a directory after it had been listed to its end, found when
    /// it could not be removed.
    pub appeared: u64,
    /// Entries that were listed and had vanished, or had been moved, when their turn came.
    pub vanished: u64,
    /// The errors that were kept, in the order in which they happened on each thread.
    pub errors: Vec<Error>,
    /// The number of all errors, kept or not.
    pub error_count: u64,
    /// Whether the removal was stopped by its [`Cancel`](crate::Cancel) token.
    pub cancelled: bool,
    /// The most threads that worked at a time, the caller's included.
    pub threads: usize,
    /// The calls made.
    pub calls: Calls,
}

impl Report {
    /// Whether everything asked for was done: no error, not stopped. Entries kept by the caller's
    /// own choice do not count against it.
    pub fn is_complete(&self) -> bool {
        self.error_count == 0 && !self.cancelled
    }

    /// The report itself if everything was done, and as an error otherwise.
    pub fn into_result(self) -> Result<Report, Incomplete> {
        if self.is_complete() { Ok(self) } else { Err(Incomplete(Box::new(self))) }
    }
}

/// A removal that left something behind. Carries the whole report.
#[derive(Debug)]
pub struct Incomplete(Box<Report>);

impl Incomplete {
    /// What was done, and every error.
    pub fn report(&self) -> &Report {
        &self.0
    }

    /// The operating system's number of the first error, if that came from the system.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.0.errors.first().and_then(Error::raw_os_error)
    }

    /// Takes the report out.
    pub fn into_report(self) -> Report {
        *self.0
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.errors.first(), self.0.error_count) {
            (Some(first), 1) => first.fmt(f),
            (Some(first), count) => write!(f, "{first} (and {} more errors)", count - 1),
            (None, 0) => f.write_str("the removal was stopped"),
            (None, count) => write!(f, "{count} entries could not be removed"),
        }
    }
}

impl error::Error for Incomplete {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.0.errors.first().and_then(error::Error::source)
    }
}

impl From<Incomplete> for io::Error {
    /// Keeps the first error's kind, operation and path, and with [`Incomplete`] inside, for
    /// [`io::Error::downcast`], its number: an `io::Error` that carries more than a number has none.
    fn from(incomplete: Incomplete) -> io::Error {
        let kind = match incomplete.0.errors.first() {
            Some(first) => first.kind(),
            None if incomplete.0.cancelled => io::ErrorKind::Interrupted,
            None => io::ErrorKind::Other,
        };
        io::Error::new(kind, incomplete)
    }
}
