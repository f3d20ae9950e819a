//! `curt du`: disk usage. Lines are printed as soon as their sizes are known; a tree or a table of
//! file types comes at the end.

mod chart;
mod largest;
mod lines;
mod operands;
mod tree;
mod types;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::filters::Globs;
use curt::usage::{Sizes, UsageRecord, UsageReport};
use curt::{Cause, Error, Kind, Operation, Usage};

use crate::args::DuOptions;
use crate::exit::Exit;
use crate::out::blocks::Blocks;
use crate::out::json::Object;
use crate::out::text;
use crate::quote::{Style as QuotingStyle, quote};
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use chart::{Row, Style};
use largest::{Largest, Ties};
use lines::{LineFormat, OptionError};
use tree::Tree;
use types::Types;

pub(crate) fn run(options: &DuOptions) -> Exit {
    let session = options.output.session("curt du");
    match Run::new(options, &session) {
        Ok(run) => run.run(),
        Err(OptionError::Value(message)) => session.refuse(&message),
        Err(OptionError::Usage(message)) => session.usage(&message),
    }
}

struct Run<'a> {
    options: &'a DuOptions,
    session: &'a Session,
    patterns: Globs,
    lines: LineFormat<'a>,
    is_chart: bool,
}

impl<'a> Run<'a> {
    fn new(options: &'a DuOptions, session: &'a Session) -> Result<Run<'a>, OptionError> {
        if let (Some(_), Some(operand)) = (&options.files0_from, options.operands.first()) {
            return Err(OptionError::Usage(format!(
                "extra operand {}\nfile operands cannot be combined with --files0-from",
                quote(operand)
            )));
        }
        let patterns = operands::patterns(options)?;
        let mut lines = LineFormat::new(options, session)?;
        let is_chart = options.is_tree(session.is_terminal());
        if is_chart && !options.inodes && !lines::chooses_unit(options) {
            lines.blocks = Blocks::HUMAN;
        }
        Ok(Run { options, session, patterns, lines, is_chart })
    }

    fn run(&self) -> Exit {
        let Run { options, session, .. } = self;
        if options.inodes && options.is_apparent() {
            session.note("warning: options --apparent-size and -b are ineffective with --inodes");
        }
        if options.summarize && options.max_depth == Some(0) {
            session.note("warning: summarizing is the same as using --max-depth=0");
        }
        let Some(mut operands) = operands::gather(options, session) else {
            return session.close(false);
        };
        // Handle signals only now: while curt reads operands from a pipe or terminal, a signal must
        // end it at once.
        interrupt::listen();
        operands.retain(|operand| !self.patterns.matches(Path::new(operand), Kind::Unknown));
        if self.is_chart {
            session.screen().allow_progress(false);
        }
        let fail = |error: &Error| session.fail_as(error, &message(error));
        let usage = self.usage(&fail);
        let report = if options.by_type {
            self.types(&usage.files(true), operands)
        } else if self.is_chart {
            self.tree(&usage.files(true), operands)
        } else {
            self.lines(&usage, operands)
        };
        if options.total && !self.is_chart && !session.is_json() {
            self.lines.line(&report.total(), report.newest(), OsStr::new("total"));
        }
        finish(&report, &self.lines, session)
    }

    fn lines(&self, usage: &Usage<'_>, operands: Vec<OsString>) -> UsageReport {
        let Run { options, lines, .. } = self;
        let mut largest = options.top.map(|most| Largest::new(most, Ties::First));
        let report = usage.measure_each(operands, |record: &UsageRecord| {
            if !lines.shows(record) {
                return;
            }
            match &mut largest {
                Some(largest) => largest.add(lines.number(lines.sizes(record)), || record.clone()),
                None => lines.record(record),
            }
        });
        for (_, record) in largest.into_iter().flat_map(Largest::into_sorted) {
            lines.record(&record);
        }
        report
    }

    fn tree(&self, usage: &Usage<'_>, operands: Vec<OsString>) -> UsageReport {
        let Run { options, session, lines, .. } = self;
        let most = options.top.unwrap_or_else(|| self.rows());
        let mut largest = Largest::new(most.saturating_mul(tree::RECORDS), Ties::Last);
        let mut contents = tree::Contents::default();
        let report = usage.measure_each(operands, |record: &UsageRecord| {
            let number = lines.number(&record.sizes);
            let contents = contents.of(record.depth, number);
            largest.add(number, || (record.clone(), contents));
        });
        let style = Style::new(session);
        let tree = Tree::new(largest.into_sorted());
        // Show fewer entries until all rows fit, including the rows that sum up the other entries.
        let rows = |entries| tree.rows(entries, &style);
        let is_fit = |rows: &Vec<Row>| options.top.is_some() || rows.len() <= most;
        let rows = (1..=most).rev().map(rows).find(is_fit).unwrap_or_default();
        self.draw(rows, &report.total(), &style);
        report
    }

    fn types(&self, usage: &Usage<'_>, operands: Vec<OsString>) -> UsageReport {
        let Run { options, session, lines, .. } = self;
        let mut types = Types::default();
        let report = usage.measure_each(operands, |record: &UsageRecord| {
            types.add(record);
        });
        let total = report.total();
        let sorted = types.into_sorted(&total, |sizes| lines.number(sizes));
        let is_short = self.is_chart && session.is_terminal();
        let most = options.top.unwrap_or_else(|| if is_short { self.rows() } else { usize::MAX });
        let sorted = sorted.into_iter().take(most);
        if session.is_json() {
            for (name, sizes) in sorted {
                session.object(lines::add_sizes(Object::new().path("type", name), &sizes));
            }
        } else if self.is_chart {
            let style = Style::new(session);
            let quoting = tree::quoting(QuotingStyle::Escape, &style);
            let row = |(name, sizes): (OsString, Sizes)| Row {
                lead: String::new(),
                name: tree::shown(&name, quoting),
                is_directory: types::are_directories(&name),
                number: lines.number(&sizes),
            };
            self.draw(sorted.map(row).collect(), &total, &style);
        } else {
            for (name, sizes) in sorted {
                lines.line(&sizes, None, &name);
            }
        }
        report
    }

    /// Returns how many rows fit the terminal, apart from the row of the total.
    fn rows(&self) -> usize {
        chart::lines(self.session).saturating_sub(self.options.total.into())
    }

    fn draw(&self, mut rows: Vec<Row>, total: &Sizes, style: &Style) {
        let whole = self.lines.number(total);
        if self.options.total {
            let (lead, name) = (String::new(), "total".to_owned());
            rows.push(Row { lead, name, is_directory: false, number: whole });
        }
        self.session.data(style.draw(&rows, whole, &self.lines.blocks).as_bytes());
    }

    fn usage<'u>(&'u self, fail: &'u (dyn Fn(&Error) + Sync)) -> Usage<'u> {
        let Run { options, session, patterns, .. } = self;
        let depth = if options.summarize { Some(0) } else { options.max_depth };
        let mut usage = Usage::new()
            .max_depth(depth.unwrap_or(usize::MAX))
            .files(options.all)
            .same_file_system(options.one_file_system)
            .follow(options.follow)
            .count_links(options.count_links)
            .threads(options.threads.unwrap_or_default())
            .on_error(fail)
            .cancel(session.cancel());
        if let Some(time) = options.time {
            usage = usage.newest(time);
        }
        if self.is_chart {
            usage =
                usage.on_progress(|entries| session.screen().progress(|| self.progress(entries)));
        }
        if !patterns.is_empty() {
            usage = usage.exclude(|entry| patterns.matches(entry.path(), entry.kind()));
        }
        if let Some(budget) = sys::raise_descriptor_limit() {
            usage = usage.descriptors(budget);
        }
        options.without.features.iter().copied().fold(usage, Usage::without)
    }

    fn progress(&self, entries: u64) -> String {
        let entries = text::counted(entries, "entry", "entries");
        format!("{}: {entries} counted", self.session.program())
    }
}

fn message(error: &Error) -> String {
    match (error.operation(), error.cause()) {
        (Operation::OpenDirectory | Operation::ReadDirectory, cause @ Cause::Os(_)) => {
            format!("cannot read directory {}: {}", quote(error.path()), text::reason(cause))
        }
        _ => text::failure(error),
    }
}

fn finish(report: &UsageReport, lines: &LineFormat<'_>, session: &Session) -> Exit {
    let total = report.total();
    let entries = || text::counted(total.entries, "entry", "entries");
    if report.error_count > 1 {
        session.note(&format!("{} errors", report.error_count));
    }
    let stopped = report.stopped || session.screen().is_cut();
    if stopped && interrupt::signal().is_some() {
        session.note(&format!("interrupted: {} counted", entries()));
    }
    let summary = || {
        lines
            .add_sizes(Object::new(), &total, report.newest())
            .number("unknown", report.unknown)
            .number("errors", report.error_count)
            .boolean("interrupted", stopped)
            .number("threads", report.threads as u64)
    };
    session.finish(&Outcome {
        summary: Some(&summary),
        done: Some(&|| text::with_threads(&entries(), report.threads)),
        calls: report.calls,
        is_cancelled: stopped,
    })
}
