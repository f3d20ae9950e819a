use std::error;
use std::fmt;
use std::io;

use crate::calls::Calls;
use crate::error::Error;

/// The result of a removal, with all failures.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Non-directories removed (in a dry run, found).
    pub files: u64,
    /// Directories removed (in a dry run, found).
    pub directories: u64,
    /// In a dry run, the allocated bytes of entries without other links.
    pub bytes: Option<u64>,
    /// Entries skipped by the caller's choice.
    ///
    /// Does not count the contents of an excluded directory, or an entry at which the removal was
    /// stopped.
    pub skipped: u64,
    /// Entries added to a directory after it was listed to its end.
    pub appeared: u64,
    /// Entries that vanished or were moved after they were listed.
    pub vanished: u64,
    /// How often a directory got permissions, by [`Remove::make_writable`](super::Remove::make_writable).
    pub made_writable: u64,
    /// The errors, in order for each thread.
    ///
    /// Directories that other processes write to come last. With
    /// [`Remove::on_error`](super::Remove::on_error), only the first error is kept.
    pub errors: Vec<Error>,
    /// The number of all errors, including those not in `errors`.
    pub error_count: u64,
    /// Whether a [`Cancel`](crate::Cancel) token or a callback stopped the removal, even if after
    /// the last entry.
    pub stopped: bool,
    /// The number of threads that worked, including the caller's.
    pub threads: usize,
    /// The system calls made.
    pub calls: Calls,
}

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

    /// Returns whether there was neither an error nor a stop. Skipped entries do not matter.
    pub fn is_complete(&self) -> bool {
        self.error_count == 0 && !self.stopped
    }

    /// Returns the report if it [is complete](Report::is_complete), otherwise an error that
    /// contains the report.
    pub fn into_result(self) -> Result<Report, Incomplete> {
        if self.is_complete() { Ok(self) } else { Err(Incomplete(Box::new(self))) }
    }
}

/// The error of an incomplete removal, with its report.
///
/// Its `Debug` output is the message, so that `fn main() -> Result<(), Incomplete>` prints a
/// sentence.
pub struct Incomplete(Box<Report>);

impl Incomplete {
    /// Returns the report.
    pub fn report(&self) -> &Report {
        &self.0
    }

    /// Returns the system's error number, if the first error has one.
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
    /// Keeps the system's number of the first error. If it has no number, the result contains
    /// [`Incomplete`], for [`io::Error::downcast`].
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
