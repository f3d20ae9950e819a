//! `curt du`: disk usage. Each line is printed as soon as its size is known.

mod exclude;

use std::path::Path;
use std::sync::Arc;

use curt::usage::{Sizes, UsageRecord, UsageReport};
use curt::{Cause, Error, Operation, Usage};

use super::operands_or_here;
use crate::args::{DuOptions, Unit};
use crate::exit::Exit;
use crate::out::blocks::Blocks;
use crate::out::json::Object;
use crate::out::text;
use crate::quote::{masked, quote};
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use exclude::Patterns;

/// Runs the command.
pub(crate) fn run(options: &DuOptions) -> Exit {
    let session = options.output.session("curt du");
    interrupt::listen();
    let patterns = match Patterns::new(&options.exclude) {
        Ok(patterns) => Arc::new(patterns),
        Err(message) => return session.usage(&message),
    };
    let lines = LineFormat::new(options, session.is_terminal());
    let mut operands = operands_or_here(&options.operands);
    operands.retain(|operand| !patterns.match_path(operand));
    let fail = |error: &Error| session.fail_as(error, &message(error));
    let usage = usage(options, &patterns, &session, &fail);
    let report = match options.top {
        Some(most) => {
            let report = usage.measure(operands);
            let mut largest: Vec<_> = report.records.iter().collect();
            // Records of equal size stay in their order.
            largest.sort_by_key(|record| std::cmp::Reverse(lines.number(&record.sizes)));
            largest.into_iter().take(most).for_each(|record| session.data(&lines.record(record)));
            report
        }
        None => usage.measure_each(operands, |record| session.data(&lines.record(record))),
    };
    if options.total && !session.is_json() {
        session.data(&lines.line(&report.total(), Path::new("total")));
    }
    finish(&report, &session)
}

/// Returns the options as the library takes them.
fn usage<'a>(
    options: &DuOptions,
    patterns: &Arc<Patterns>,
    session: &Session,
    fail: &'a (dyn Fn(&Error) + Sync),
) -> Usage<'a> {
    let depth = if options.summarize { Some(0) } else { options.max_depth };
    let mut usage = Usage::new()
        .max_depth(depth.unwrap_or(usize::MAX))
        .files(options.all)
        .one_file_system(options.one_file_system)
        .follow_operands(options.dereference_args)
        .count_links(options.count_links)
        .threads(options.threads.unwrap_or_default())
        .on_error(fail)
        .cancel(session.cancel());
    if !patterns.are_empty() {
        let patterns = patterns.clone();
        usage = usage.exclude(move |entry| patterns.match_path(entry.path().as_os_str()));
    }
    if let Some(budget) = sys::raise_descriptor_limit() {
        usage = usage.descriptors(budget);
    }
    options.without.features().fold(usage, Usage::without)
}

/// Returns the message for a failure, in GNU's words.
fn message(error: &Error) -> String {
    match (error.operation(), error.cause()) {
        (Operation::OpenDirectory | Operation::ReadDirectory, cause @ Cause::Os(_)) => {
            format!("cannot read directory {}: {}", quote(error.path()), text::reason(cause))
        }
        _ => text::failure(error),
    }
}

fn finish(report: &UsageReport, session: &Session) -> Exit {
    let total = report.total();
    let entries = text::counted(total.entries, "entry", "entries");
    if report.error_count > 1 {
        session.note(&format!("{} errors", report.error_count));
    }
    if report.stopped && interrupt::signal().is_some() {
        session.note(&format!("interrupted: {entries} counted"));
    }
    let summary = add_sizes(Object::new(), &total)
        .number("unknown", report.unknown)
        .number("errors", report.error_count)
        .boolean("interrupted", report.stopped)
        .number("threads", report.threads as u64);
    session.finish(Outcome {
        summary: Some(summary),
        done: text::with_threads(&entries, report.threads),
        calls: report.calls,
        is_cancelled: report.stopped,
    })
}

fn add_sizes(object: Object, sizes: &Sizes) -> Object {
    object
        .number("apparent", sizes.apparent)
        .number("allocated", sizes.allocated)
        .number("entries", sizes.entries)
}

/// The shape of lines: a size, a tab and a path, as GNU du prints them, or an object.
struct LineFormat {
    blocks: Blocks,
    is_apparent: bool,
    counts_entries: bool,
    is_json: bool,
    end: u8,
    /// Names go to a terminal, which must not act upon them.
    is_masked: bool,
}

impl LineFormat {
    fn new(options: &DuOptions, is_terminal: bool) -> LineFormat {
        LineFormat {
            blocks: blocks(options),
            is_apparent: options.is_apparent(),
            counts_entries: options.inodes,
            is_json: options.output.json,
            end: if options.null { 0 } else { b'\n' },
            is_masked: is_terminal && !options.null,
        }
    }

    /// Returns the number that a line shows: bytes or entries.
    fn number(&self, sizes: &Sizes) -> u64 {
        match (self.counts_entries, self.is_apparent) {
            (true, _) => sizes.entries,
            (false, true) => sizes.apparent,
            (false, false) => sizes.allocated,
        }
    }

    fn record(&self, record: &UsageRecord) -> Vec<u8> {
        if self.is_json {
            let object =
                Object::new().path("path", &record.path).number("depth", record.depth as u64);
            return add_sizes(object, &record.sizes).line().into_bytes();
        }
        self.line(&record.sizes, &record.path)
    }

    fn line(&self, sizes: &Sizes, path: &Path) -> Vec<u8> {
        let mut line = self.blocks.show(self.number(sizes)).into_bytes();
        line.push(b'\t');
        let bytes = path.as_os_str().as_encoded_bytes();
        if self.is_masked {
            line.extend(masked(bytes).bytes());
        } else {
            line.extend_from_slice(bytes);
        }
        line.push(self.end);
        line
    }
}

/// Returns the unit of sizes. Entries are counted one by one.
fn blocks(options: &DuOptions) -> Blocks {
    match options.unit {
        Unit::Human => Blocks::HUMAN,
        _ if options.inodes => Blocks::BYTES,
        Unit::Environment => {
            Blocks::from_environment(&["DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"])
        }
        Unit::Kilobytes => Blocks::KILOBYTES,
        Unit::Bytes => Blocks::BYTES,
    }
}
