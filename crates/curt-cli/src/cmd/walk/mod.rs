//! `curt walk`: walks directory trees. `filter` decides which entries match, `lines` formats them,
//! and `exec` runs commands for them. `curt find` shares some of these.

pub(super) mod filter;
mod lines;

use std::sync::atomic::{AtomicU64, Ordering};

use curt::filters::IgnoreRules;
use curt::walk::{OneFileSystem, Order, Summary, Visited, Visitor};
use curt::{Error, Fields, Next, Threads, Walk};

use super::find::exec::{CommandFailure, Exec};
use super::find::template::Template;
use super::operands_or_here;
use crate::args::WalkOptions;
use crate::exclude::Exclusions;
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::out::{self, text};
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use filter::Filter;
use lines::Lines;

/// Runs the command.
pub(crate) fn run(options: &WalkOptions) -> Exit {
    let session = options.output.session("curt walk");
    interrupt::listen();
    match Job::new(options, &session) {
        Ok(job) => job.run(),
        Err(message) => session.usage(&message),
    }
}

/// A walk.
struct Job<'a> {
    options: &'a WalkOptions,
    session: &'a Session,
    /// The metadata that is read of an entry beyond its name and kind.
    fields: Fields,
    filter: Filter,
    exclusions: Exclusions,
    lines: Lines,
    exec: Option<Exec>,
    is_terminal: bool,
    /// Whether what matches is removed.
    removes: bool,
    /// How many entries `--delete` removed.
    removed: AtomicU64,
}

/// What one thread has done and not yet handed over.
#[derive(Default)]
struct Done {
    /// The lines to print.
    lines: Vec<u8>,
    /// How many entries were removed.
    removed: u64,
}

impl<'a> Job<'a> {
    /// The error says what is wrong with the options.
    fn new(options: &'a WalkOptions, session: &'a Session) -> Result<Job<'a>, String> {
        let filter = Filter::new(options)?;
        let exclusions = Exclusions::new(&options.exclude)?;
        if options.buffer.is_some_and(|bytes| bytes < curt::list::Directory::LEAST_BUFFER) {
            return Err("the buffer is too small for the longest name".to_owned());
        }
        let is_terminal = session.is_terminal();
        let lines = Lines::new(options, is_terminal)?;
        let is_batch = options.exec.is_empty();
        let command = if is_batch { &options.exec_batch } else { &options.exec };
        let exec = (!command.is_empty()).then(|| Exec::new(Template::new(command), is_batch));
        let removes = options.delete && !options.dry_run;
        let prints = !removes && exec.is_none();
        let fields = filter.fields() | if prints { lines.fields() } else { Fields::NONE };
        let removed = AtomicU64::new(0);
        Ok(Job {
            options,
            session,
            fields,
            filter,
            exclusions,
            lines,
            exec,
            is_terminal,
            removes,
            removed,
        })
    }

    fn run(&self) -> Exit {
        let walk = self.walk();
        let is_sorted = self.options.sort.is_some() || self.options.dry_run;
        let summary = if is_sorted && !self.removes {
            // Several threads collect lines, which are printed in order.
            let visit = |entry: Result<Visited<'_>, Error>, done: &mut Done| match entry {
                Ok(entry) => self.handle(entry, done),
                Err(error) => self.fail(&error, done),
            };
            walk.visit_in_order(visit, |done| self.session.data(&done.lines))
        } else {
            // Growing step by step would copy, and touch memory that is not used later.
            let done = || Done { lines: Vec::with_capacity(CHUNK + 4096), removed: 0 };
            walk.visit_with(|| Printer { job: self, done: done() })
        };
        self.finish(&summary)
    }

    /// Builds the library's `Walk`.
    fn walk(&self) -> Walk<'static> {
        let options = self.options;
        // Without tests every entry is printed, so read all fields now; otherwise fetch them for
        // entries that pass.
        let fields = if self.filter.is_empty() { self.fields } else { Fields::NAME };
        let mut operands = operands_or_here(&options.operands);
        operands.retain(|operand| !self.exclusions.match_operand(operand));
        let mut walk = Walk::new(operands)
            .fields(fields)
            .follow(options.follow.unwrap_or_default())
            .min_depth(options.min_depth)
            .max_depth(options.max_depth.unwrap_or(usize::MAX))
            .one_file_system(options.one_file_system.unwrap_or(OneFileSystem::No))
            .contents_first(options.delete)
            .threads(self.threads())
            .cancel(self.session.cancel());
        if let Some(by) = options.sort {
            walk = walk.sort(Order { by, reverse: options.reverse });
        } else if options.delete {
            // Removing entries while they are listed might hide later ones.
            walk = walk.sort(Order::default());
        }
        if !self.exclusions.are_empty() {
            let exclusions = self.exclusions.clone();
            walk = walk.exclude(move |entry| exclusions.match_entry(entry));
        }
        if options.ignore {
            let rules = IgnoreRules::new().files(!options.no_ignore);
            walk = walk.ignore(rules.leave_out_dot_names(!options.hidden));
        }
        if let Some(budget) = sys::raise_descriptor_limit() {
            walk = walk.descriptors(budget);
        }
        if let Some(bytes) = options.buffer {
            walk = walk.buffer(bytes);
        }
        options.without.features().fold(walk, Walk::without)
    }

    /// Commands run one after the other unless threads were asked for.
    fn threads(&self) -> Threads {
        let default = if self.exec.is_some() { Threads::AtMost(1) } else { Threads::Automatic };
        self.options.threads.unwrap_or(default)
    }

    /// Handles an entry.
    fn handle(&self, mut entry: Visited<'_>, done: &mut Done) {
        if !self.filter.may_match(&entry) {
            return;
        }
        if !self.fields.is_empty() {
            entry.fetch(self.fields);
            for (_, error) in entry.metadata().failures() {
                self.fail(error, done);
            }
        }
        if self.filter.needs_more() {
            match self.filter.matches(&entry) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.fail(&error, done),
            }
        }
        // No system removes the working directory by this name; find skips it too.
        if self.options.delete && entry.depth() == 0 && entry.name() == "." {
            return;
        }
        if self.removes {
            match entry.remove() {
                Ok(removed) => done.removed += u64::from(removed),
                Err(error) => self.session.fail(&error),
            }
        } else if let Some(exec) = &self.exec {
            self.check(exec.add(&entry.path(), &mut Vec::new()));
            if exec.has_given_up() {
                self.session.cancel().cancel();
            }
        } else {
            self.lines.add(&entry, &mut done.lines);
        }
    }

    /// Reports a failure; as JSON, in its place among the lines.
    fn fail(&self, error: &Error, done: &mut Done) {
        if self.session.is_json() {
            self.session.count_failure();
            done.lines.extend_from_slice(Failure::from(error).object().line().as_bytes());
        } else {
            self.session.fail(error);
        }
    }

    /// Reports what went wrong with a command.
    fn check(&self, result: Result<(), CommandFailure>) {
        if let Err(failure) = result {
            failure.report(self.session);
        }
    }

    fn finish(&self, summary: &Summary) -> Exit {
        if let Some(exec) = self.exec.as_ref().filter(|_| !summary.stopped) {
            self.check(exec.finish());
        }
        let errors = self.session.errors();
        if errors > 1 {
            self.session.note(&format!("{errors} errors"));
        }
        let mut done = text::counted(summary.entries, "entry", "entries");
        let mut fields = Object::new().number("entries", summary.entries);
        if self.removes {
            let removed = self.removed.load(Ordering::Relaxed);
            done = format!("{done}, {removed} removed");
            fields = fields.number("removed", removed);
        }
        // A walk whose command cannot be started stops too, but failed.
        let has_given_up = self.exec.as_ref().is_some_and(Exec::has_given_up);
        let is_cancelled = interrupt::signal().is_some() || summary.stopped && !has_given_up;
        let fields = fields
            .number("errors", errors)
            .boolean("interrupted", is_cancelled)
            .number("threads", summary.threads as u64);
        self.session.finish(Outcome {
            summary: Some(fields),
            done: text::with_threads(&done, summary.threads),
            calls: summary.calls,
            is_cancelled,
        })
    }
}

/// How many bytes a thread collects before it hands them over: enough to be written as they are.
const CHUNK: usize = 2 * out::BUFFER;

/// A thread that prints.
struct Printer<'a> {
    job: &'a Job<'a>,
    done: Done,
}

impl Printer<'_> {
    fn hand_over(&mut self) {
        if !self.done.lines.is_empty() {
            self.job.session.data(&self.done.lines);
            self.done.lines.clear();
        }
    }
}

impl Visitor for Printer<'_> {
    fn entry(&mut self, entry: Visited<'_>) -> Next {
        let is_operand = entry.depth() == 0;
        self.job.handle(entry, &mut self.done);
        // An operand must come before what other threads print of its contents.
        if self.done.lines.len() >= CHUNK || self.job.is_terminal || is_operand {
            self.hand_over();
        }
        Next::Continue
    }

    fn error(&mut self, error: Error) -> Next {
        // Keep the failure in its place between the lines.
        self.hand_over();
        self.job.session.fail(&error);
        Next::Continue
    }
}

impl Drop for Printer<'_> {
    fn drop(&mut self) {
        self.hand_over();
        self.job.removed.fetch_add(self.done.removed, Ordering::Relaxed);
    }
}
