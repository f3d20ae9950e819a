//! `curt du`.
//!
//! The library measures; this file turns options into its choices, what it tells into lines, each
//! as soon as its sum is known, and its report into an exit code. `lines` says what a line looks
//! like.

mod exclude;
mod lines;

use std::ffi::OsString;
use std::sync::Arc;

use curt::{Error, Threads, Usage, UsageRecord, UsageReport};

use crate::args::DuOptions;
use crate::exit::Exit;
use crate::interrupt;
use crate::out::text;
use crate::session::{Common, Ending, Session};
use crate::sys;
use exclude::Patterns;
use lines::Lines;

/// Measures what the options say.
pub(crate) fn run(options: &DuOptions) -> Exit {
    let common = Common { program: "curt du", json: options.json, stats: options.stats };
    let session = Session::working(common, true, false);
    let patterns = match Patterns::new(&options.exclude) {
        Ok(patterns) => Arc::new(patterns),
        Err(message) => return session.usage(&message),
    };
    let lines = Lines::new(options, session.is_terminal());
    Job { options, patterns, session, lines }.run()
}

/// A measurement that is about to begin.
struct Job<'a> {
    options: &'a DuOptions,
    patterns: Arc<Patterns>,
    session: Session,
    lines: Lines,
}

impl Job<'_> {
    fn run(&self) -> Exit {
        let here = [OsString::from(".")];
        let operands = &self.options.operands;
        let operands = if operands.is_empty() { &here[..] } else { operands };
        let is_counted = |operand: &&OsString| !self.patterns.match_path(operand);
        let operands: Vec<&OsString> = operands.iter().filter(is_counted).collect();
        let tell = |error: &Error| self.failed(error);
        let usage = self.usage(&tell);
        let report = match self.options.top {
            Some(most) => {
                let report = usage.measure(operands);
                self.print_largest(&report, most);
                report
            }
            None => usage.measure_each(operands, self.printer()),
        };
        self.print_total(&report);
        self.finish(&report)
    }

    /// The options as the library has them.
    fn usage<'b>(&self, tell: &'b (dyn Fn(&Error) + Sync)) -> Usage<'b> {
        let options = self.options;
        let depth = if options.summarize { Some(0) } else { options.max_depth };
        let mut usage = Usage::new()
            .max_depth(depth.unwrap_or(usize::MAX))
            .files(options.all)
            .one_file_system(options.one_file_system)
            .follow_operands(options.dereference_args)
            .count_links(options.count_links)
            .threads(options.threads.map_or(Threads::Automatic, |most| Threads::AtMost(most.get())))
            .on_error(tell)
            .cancel(self.session.cancel());
        if !self.patterns.are_empty() {
            let patterns = self.patterns.clone();
            usage = usage.exclude(move |entry| patterns.match_path(entry.path().as_os_str()));
        }
        // Half of them, as the library has it by itself; it need not ask again.
        if let Some(limit) = sys::raise_descriptor_limit() {
            usage = usage.descriptors(limit / 2);
        }
        options.without().fold(usage, Usage::without)
    }

    /// Reports a failure when it happens.
    fn failed(&self, error: &Error) {
        let session = &self.session;
        session.fail_as(error, || lines::failure(session.program(), error));
    }

    /// Prints each record when it is told of.
    fn printer(&self) -> impl FnMut(&UsageRecord) + Send {
        let mut ready = Vec::new();
        move |record| {
            self.lines.add(record, &mut ready);
            self.session.data(&ready);
            ready.clear();
        }
    }

    fn print_largest(&self, report: &UsageReport, most: usize) {
        let mut ready = Vec::new();
        let mut largest: Vec<_> = report.records.iter().collect();
        // Where sizes are equal, in the order of the records.
        largest.sort_by_key(|record| std::cmp::Reverse(self.lines.measure(&record.sizes)));
        for record in largest.into_iter().take(most) {
            self.lines.add(record, &mut ready);
        }
        self.session.data(&ready);
    }

    fn print_total(&self, report: &UsageReport) {
        if self.options.total && !self.options.json {
            let mut ready = Vec::new();
            self.lines.total(&report.total(), &mut ready);
            self.session.data(&ready);
        }
    }

    /// Says what is left to say, and turns it into an exit code.
    fn finish(&self, report: &UsageReport) -> Exit {
        let mut words = String::new();
        if report.error_count > 1 {
            words += &text::failures(self.session.program(), report.error_count);
        }
        if report.cancelled && interrupt::signal().is_some() {
            words += &lines::interrupted(self.session.program(), report);
        }
        self.session.end(Ending {
            summary: lines::summary(report),
            words,
            done: lines::done(report),
            calls: report.calls,
            is_stopped: report.cancelled,
        })
    }
}
