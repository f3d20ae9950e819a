use crate::calls::Calls;
use crate::error::Error;
use crate::notifier::Sum;

/// The result of a copy, with all failures.
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "a copy may have failed; the report says so"]
pub struct Report {
    /// Non-directories copied (in a dry run, found). Those that are neither `hard_links` nor
    /// `reflinks` are copies of the content, symlinks and special files.
    pub files: u64,
    /// Directories created (in a dry run, found). Those that existed are not counted.
    pub directories: u64,
    /// The bytes of content copied or shared with the source.
    pub bytes: u64,
    /// How many of `files` are hard links to their source.
    pub hard_links: u64,
    /// How many of `files` share their content with the source until one of them is written.
    pub reflinks: u64,
    /// Entries not copied by the caller's choice: excluded, kept, or not confirmed.
    ///
    /// Does not count the contents of an excluded directory.
    pub skipped: u64,
    /// The errors, in order for each thread.
    ///
    /// With [`Copy::on_error`](super::Copy::on_error), only the first error is kept.
    pub errors: Vec<Error>,
    /// The number of all errors, including those not in `errors`.
    pub error_count: u64,
    /// Whether a [`Cancel`](crate::Cancel) token or a callback stopped the copy, even if after the
    /// last entry.
    pub stopped: bool,
    /// The number of threads that worked, including the caller's.
    pub threads: usize,
    /// The system calls made.
    pub calls: Calls,
}

/// Totals so far, for [`Copy::on_progress`](super::Copy::on_progress).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Non-directories copied.
    pub files: u64,
    /// Directories created.
    pub directories: u64,
    /// The bytes of content copied or shared.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) done: Totals,
    pub(super) hard_links: u64,
    pub(super) reflinks: u64,
    pub(super) skipped: u64,
}

impl Report {
    pub(super) fn add(&mut self, counts: &Counts) {
        self.files += counts.done.files;
        self.directories += counts.done.directories;
        self.bytes += counts.done.bytes;
        self.hard_links += counts.hard_links;
        self.reflinks += counts.reflinks;
        self.skipped += counts.skipped;
    }

    /// Returns whether there was neither an error nor a stop. Skipped entries do not matter.
    pub fn is_complete(&self) -> bool {
        self.error_count == 0 && !self.stopped
    }
}

impl Sum for Totals {
    fn add(&mut self, more: Totals) {
        self.files += more.files;
        self.directories += more.directories;
        self.bytes += more.bytes;
    }
}

impl Totals {
    pub(super) fn since(self, before: Totals) -> Totals {
        Totals {
            files: self.files - before.files,
            directories: self.directories - before.directories,
            // Bytes of a file that failed were reported, but are not counted.
            bytes: self.bytes.saturating_sub(before.bytes),
        }
    }
}
