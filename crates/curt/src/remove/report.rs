//! The report of a removal.

use std::error;
use std::fmt;
use std::io;

use crate::calls::Calls;
use crate::error::Error;

/// What a removal did, and everything that failed.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Removed entries that were not directories; in a dry run, those found.
    pub files: u64,
    /// Removed directories; in a dry run, those found.
    pub directories: u64,
    /// In a dry run, the allocated bytes of the entries that have no other link.
    pub bytes: Option<u64>,
    /// Entries kept by the caller's choice: excluded or not confirmed. Entries below an excluded
    /// directory are not counted, nor is an entry at which the removal was stopped.
    pub skipped: u64,
    /// Entries that were added to a directory after it had been listed to its end.
    pub appeared: u64,
    /// Entries that had vanished, or had been moved, after they were listed.
    pub vanished: u64,
    /// The errors, in the order in which they happened on each thread; those of directories that
    /// other processes write to come last. With [`Remove::on_error`](super::Remove::on_error), the
    /// first alone.
    pub errors: Vec<Error>,
    /// The number of errors, kept or not.
    pub error_count: u64,
    /// Whether the removal was stopped, by its [`Cancel`](crate::Cancel) token or a callback, even
    /// if nothing was left to do by then.
    pub stopped: bool,
    /// How many threads worked, the caller's included.
    pub threads: usize,
    /// The calls that were made.
    pub calls: Calls,
}

/// What one worker did: see [`Report`].
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) files: u64,
    pub(super) directories: u64,
    pub(super) bytes: u64,
    pub(super) skipped: u64,
    pub(super) appeared: u64,
    pub(super) vanished: u64,
}

impl Report {
    /// Adds what one worker did.
    pub(super) fn add(&mut self, counts: &Counts) {
        self.files += counts.files;
        self.directories += counts.directories;
        self.skipped += counts.skipped;
        self.appeared += counts.appeared;
        self.vanished += counts.vanished;
        if let Some(bytes) = &mut self.bytes {
            *bytes += counts.bytes;
        }
    }

    /// Returns whether everything was done: no error, and not stopped. Entries kept by the caller's
    /// choice do not count against it.
    pub fn is_complete(&self) -> bool {
        self.error_count == 0 && !self.stopped
    }

    /// Returns the report if everything was done, and an error that carries it otherwise.
    pub fn into_result(self) -> Result<Report, Incomplete> {
        if self.is_complete() { Ok(self) } else { Err(Incomplete(Box::new(self))) }
    }
}

/// The error of a removal that left something behind. Carries the report.
///
/// `{:?}` shows the message, so that `fn main() -> Result<(), Incomplete>` ends with a sentence;
/// `{:#?}` shows the report.
pub struct Incomplete(Box<Report>);

impl Incomplete {
    /// Returns the report.
    pub fn report(&self) -> &Report {
        &self.0
    }

    /// Returns the operating system's number of the first error, if the system reported it.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.0.errors.first().and_then(Error::raw_os_error)
    }
}

impl fmt::Debug for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() { self.0.fmt(f) } else { fmt::Display::fmt(self, f) }
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.errors.first(), self.0.error_count) {
            (Some(first), 1) => first.fmt(f),
            (Some(first), 2) => write!(f, "{first} (and 1 more error)"),
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
    /// Keeps the number of the first error, if the system reported it. Otherwise the result has the
    /// first error's kind, and [`Incomplete`] inside, for [`io::Error::downcast`].
    fn from(incomplete: Incomplete) -> io::Error {
        if let Some(number) = incomplete.raw_os_error() {
            return io::Error::from_raw_os_error(number);
        }
        let kind = match incomplete.0.errors.first() {
            Some(first) => first.kind(),
            None if incomplete.0.stopped => io::ErrorKind::Interrupted,
            None => io::ErrorKind::Other,
        };
        io::Error::new(kind, incomplete)
    }
}
