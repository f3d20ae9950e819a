//! What a line looks like: `SIZE`, a tab, `PATH`, as GNU du writes it; or an object.

use std::path::Path;

use curt::{Cause, Error, Operation, Sizes, UsageRecord, UsageReport};

use crate::args::{DuOptions, Unit};
use crate::out::blocks::Blocks;
use crate::out::json::Object;
use crate::out::{json, text};
use crate::quote::{masked, quote};

/// The shape of the lines.
pub(super) struct Lines {
    blocks: Blocks,
    is_apparent: bool,
    counts_entries: bool,
    is_json: bool,
    end: u8,
    /// Standard output is a terminal, which must not act upon a name.
    shields: bool,
}

impl Lines {
    pub(super) fn new(options: &DuOptions, is_terminal: bool) -> Lines {
        Lines {
            blocks: blocks(options),
            is_apparent: options.is_apparent(),
            counts_entries: options.inodes,
            is_json: options.json,
            end: if options.null { 0 } else { b'\n' },
            shields: is_terminal && !options.null,
        }
    }

    /// What a line shows of the sizes: bytes, or entries.
    pub(super) fn measure(&self, sizes: &Sizes) -> u64 {
        match (self.counts_entries, self.is_apparent) {
            (true, _) => sizes.entries,
            (false, true) => sizes.apparent,
            (false, false) => sizes.allocated,
        }
    }

    /// Adds the line of a record.
    pub(super) fn add(&self, record: &UsageRecord, to: &mut Vec<u8>) {
        if self.is_json {
            let object = json::Object::new()
                .path("path", &record.path)
                .number("depth", record.depth as u64)
                .number("apparent", record.sizes.apparent)
                .number("allocated", record.sizes.allocated)
                .number("entries", record.sizes.entries);
            to.extend_from_slice(object.line().as_bytes());
        } else {
            self.line(&record.sizes, &record.path, to);
        }
    }

    /// Adds the line of the sum of all operands.
    pub(super) fn total(&self, sizes: &Sizes, to: &mut Vec<u8>) {
        self.line(sizes, Path::new("total"), to);
    }

    fn line(&self, sizes: &Sizes, path: &Path, to: &mut Vec<u8>) {
        to.extend_from_slice(self.blocks.show(self.measure(sizes)).as_bytes());
        to.push(b'\t');
        let bytes = path.as_os_str().as_encoded_bytes();
        if self.shields {
            to.extend_from_slice(masked(bytes).as_bytes());
        } else {
            to.extend_from_slice(bytes);
        }
        to.push(self.end);
    }
}

/// What sizes are shown in. Entries are counted one by one.
fn blocks(options: &DuOptions) -> Blocks {
    match options.unit {
        Unit::Human => Blocks::HUMAN,
        _ if options.inodes => Blocks::BYTES,
        Unit::Usual => Blocks::from_environment(&["DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"]),
        Unit::Kilobytes => Blocks::KILOBYTES,
        Unit::Bytes => Blocks::BYTES,
    }
}

/// The line for one failure, in the words of GNU du.
pub(super) fn failure(program: &str, error: &Error) -> String {
    let (path, reason) = (quote(error.path()), text::reason(error.cause()));
    match (error.operation(), error.cause()) {
        (Operation::OpenDirectory | Operation::ReadDirectory, Cause::Os(_)) => {
            format!("{program}: cannot read directory {path}: {reason}\n")
        }
        _ => text::failed(program, error),
    }
}

/// The fields of the last object.
pub(super) fn summary(report: &UsageReport) -> Object {
    let total = report.total();
    Object::new()
        .number("apparent", total.apparent)
        .number("allocated", total.allocated)
        .number("entries", total.entries)
        .number("unknown", report.unknown)
        .number("errors", report.error_count)
        .boolean("interrupted", report.cancelled)
        .number("threads", report.threads as u64)
}

/// What was counted before the interrupt.
pub(super) fn interrupted(program: &str, report: &UsageReport) -> String {
    format!("{program}: interrupted: {} counted\n", entries(report))
}

/// What was counted, and by how many threads.
pub(super) fn done(report: &UsageReport) -> String {
    let threads = text::counted(report.threads as u64, "thread", "threads");
    format!("{}, {threads}", entries(report))
}

fn entries(report: &UsageReport) -> String {
    text::counted(report.total().entries, "entry", "entries")
}
