//! `curt walk`.
//!
//! The library walks; this file turns options into its choices. `filter` decides which entries are
//! wanted, `lines` what is printed of them, `exec` what is run for them.

mod exec;
mod filter;
mod lines;
mod when;

use std::ffi::OsString;
use std::path::Path;

use curt::{
    Error, Fields, Follow, Globs, IgnoreRules, InOrder, Next, Order, Summary, Threads, Visited,
    Visitor, Walk,
};

use crate::args::WalkOptions;
use crate::exit::Exit;
use crate::out::json::{self, Failure, Object};
use crate::out::{self, text};
use crate::quote::quote;
use crate::session::{Common, Ending, Session};
use crate::sys;
use exec::Exec;
use filter::Filter;
use lines::Lines;

/// Walks as the options say.
pub(crate) fn run(options: &WalkOptions) -> Exit {
    let common = Common { program: "curt walk", json: options.json, stats: options.stats };
    let session = Session::working(common, true, false);
    let filter = match Filter::new(options) {
        Ok(filter) => filter,
        Err(message) => return session.usage(&message),
    };
    let globs = match Globs::new(&options.exclude) {
        Ok(globs) => globs,
        Err(error) => return session.usage(&text::no_glob(&error)),
    };
    if options.buffer.is_some_and(|bytes| bytes < curt::Directory::LEAST_BUFFER) {
        return session.usage("the buffer does not hold the longest name");
    }
    let lines = match Lines::new(options) {
        Ok(lines) => lines,
        Err(message) => return session.usage(&message),
    };
    let exec = Exec::new(&options.exec, &options.exec_batch);
    let acts = options.delete || exec.is_some();
    let job = Job {
        options,
        wanted: filter.asks() | if acts { Fields::NONE } else { lines.asks() },
        filter,
        globs,
        lines,
        exec,
        is_terminal: session.is_terminal(),
        session,
    };
    job.run()
}

/// A walk that is about to begin.
struct Job<'a> {
    options: &'a WalkOptions,
    /// What has to be known of an entry beyond what costs nothing.
    wanted: Fields,
    filter: Filter,
    globs: Globs,
    lines: Lines,
    exec: Option<Exec>,
    session: Session,
    is_terminal: bool,
}

impl Job<'_> {
    fn run(&self) -> Exit {
        let here = [OsString::from(".")];
        let operands = &self.options.operands;
        let operands = if operands.is_empty() { &here[..] } else { operands };
        let walk = self.walk(operands);
        let summary = if self.options.sort_by().is_some() && !self.options.delete {
            walk.visit_in_order(self, |lines: Vec<u8>| self.session.data(&lines))
        } else {
            // Growing step by step copies, and leaves memory behind that was touched for nothing.
            let ready = || Vec::with_capacity(MANY + 4096);
            walk.visit_with(|| Teller { job: self, ready: ready() })
        };
        self.finish(&summary)
    }

    /// The options as the library has them.
    fn walk(&self, operands: &[OsString]) -> Walk<'static> {
        let options = self.options;
        let follow = match options.follow.as_deref() {
            Some("all") => Follow::Links,
            Some("command-line") => Follow::CommandLine,
            _ => Follow::Never,
        };
        // Where nothing can turn an entry away, all is asked at once; otherwise what passed is
        // asked.
        let fields = if self.is_plain() { self.wanted } else { Fields::NAME };
        let mut walk = Walk::new(operands)
            .fields(fields)
            .follow(follow)
            .min_depth(options.min_depth)
            .max_depth(options.max_depth.unwrap_or(usize::MAX))
            .one_file_system(options.one_file_system())
            .contents_first(options.delete)
            .threads(self.threads())
            .cancel(self.session.cancel());
        if let Some(by) = options.sort_by() {
            walk = walk.sort(Order { by, reverse: options.reverse });
        } else if options.delete {
            // What is removed while it is listed might hide what comes behind it.
            walk = walk.sort(Order::default());
        }
        if !self.globs.is_empty() {
            let globs = self.globs.clone();
            walk = walk.exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
        }
        if options.ignore {
            let rules = IgnoreRules::new().files(!options.no_ignore).dot_names(!options.hidden);
            walk = walk.ignore(rules);
        }
        if let Some(limit) = sys::raise_descriptor_limit() {
            walk = walk.descriptors(limit / 2);
        }
        if let Some(bytes) = options.buffer {
            walk = walk.buffer(bytes);
        }
        options.without().fold(walk, Walk::without)
    }

    /// Commands are run one after the other, unless threads were asked for.
    fn threads(&self) -> Threads {
        match self.options.threads {
            Some(most) => Threads::AtMost(most.get()),
            None if self.exec.is_some() => Threads::AtMost(1),
            None => Threads::Automatic,
        }
    }

    /// Whether every entry is printed.
    fn is_plain(&self) -> bool {
        let options = self.options;
        options.name.is_empty()
            && options.path_glob.is_empty()
            && options.regex.is_none()
            && options.kinds.is_empty()
            && self.filter.asks().is_empty()
    }

    /// Reports what went wrong with a command.
    fn judge(&self, ran: Result<(), exec::Failure>) {
        match ran {
            Ok(()) => {}
            Err(exec::Failure::NotRun(error)) => self.session.fail(&error),
            Err(exec::Failure::Ended(program, how)) => {
                self.session.count_errors(1);
                if self.session.is_json() {
                    let failure = Failure::new("run", "failed", how).path(Path::new(&program));
                    self.session.object(failure.alone());
                } else {
                    let words = format!("{}: {} {how}\n", self.session.program(), quote(&program));
                    self.session.message(&words);
                }
            }
        }
    }

    /// Reports a failure: to programs as an object in its place among the lines that are `ready`.
    fn fail(&self, error: &Error, ready: &mut Vec<u8>) {
        if self.session.is_json() {
            self.session.count_errors(1);
            ready.extend_from_slice(json::failure(error).as_bytes());
        } else {
            self.session.fail(error);
        }
    }

    /// Does what is to be done with an entry; what is to be printed is added to `ready`.
    fn tell(&self, mut entry: Visited<'_>, ready: &mut Vec<u8>) {
        if !self.filter.may_pass(&entry) {
            return;
        }
        if !self.wanted.is_empty() {
            entry.fetch(self.wanted);
            for (_, error) in entry.metadata().failures() {
                self.fail(error, ready);
            }
            if !self.filter.passes(entry.metadata()) {
                return;
            }
        }
        if self.options.delete {
            // No system removes the working directory by this name; find passes over it too.
            if entry.depth() == 0 && entry.name() == "." {
                return;
            }
            if let Err(error) = entry.remove() {
                self.session.fail(&error);
            }
        } else if let Some(exec) = &self.exec {
            self.judge(exec.add(&entry.path()));
        } else {
            self.lines.add(&entry, ready);
        }
    }

    fn finish(&self, summary: &Summary) -> Exit {
        if let Some(exec) = self.exec.as_ref().filter(|_| !summary.stopped) {
            self.judge(exec.finish());
        }
        let errors = self.session.errors();
        let words =
            if errors > 1 { text::failures(self.session.program(), errors) } else { String::new() };
        let entries = text::counted(summary.entries, "entry", "entries");
        let threads = text::counted(summary.threads as u64, "thread", "threads");
        self.session.end(Ending {
            summary: Object::new()
                .number("entries", summary.entries)
                .number("errors", errors)
                .boolean("interrupted", summary.stopped)
                .number("threads", summary.threads as u64),
            words,
            done: format!("{entries}, {threads}"),
            calls: summary.calls,
            is_stopped: summary.stopped,
        })
    }
}

/// How many bytes one thread gathers before it hands them over: enough to be written as they are.
const MANY: usize = 2 * out::ENOUGH;

/// What one thread tells of.
struct Teller<'a> {
    job: &'a Job<'a>,
    ready: Vec<u8>,
}

impl Teller<'_> {
    fn hand_over(&mut self) {
        if !self.ready.is_empty() {
            self.job.session.data(&self.ready);
            self.ready.clear();
        }
    }
}

impl Visitor for Teller<'_> {
    fn entry(&mut self, entry: Visited<'_>) -> Next {
        let is_operand = entry.depth() == 0;
        self.job.tell(entry, &mut self.ready);
        // An operand comes before what other threads tell of it.
        if self.ready.len() >= MANY || self.job.is_terminal || is_operand {
            self.hand_over();
        }
        Next::Continue
    }

    fn error(&mut self, error: Error) -> Next {
        // In its place between the lines.
        self.hand_over();
        self.job.session.fail(&error);
        Next::Continue
    }
}

impl Drop for Teller<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

/// Sorted walks: lines are gathered by several threads, and printed in order.
impl InOrder for Job<'_> {
    type Chunk = Vec<u8>;

    fn entry(&self, entry: Visited<'_>, chunk: &mut Vec<u8>) -> Next {
        self.tell(entry, chunk);
        Next::Continue
    }

    fn error(&self, error: Error, chunk: &mut Vec<u8>) -> Next {
        self.fail(&error, chunk);
        Next::Continue
    }
}
