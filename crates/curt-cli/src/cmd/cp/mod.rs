mod messages;
mod operands;
mod progress;

use std::path::Path;
use std::sync::{Mutex, Once};
use std::thread;

use curt::copy::{Report, Totals};
use curt::{Cancel, Copy, Error, Fields, Plan};

use super::exclude::Exclusions;
use crate::args::CpOptions;
use crate::exit::Exit;
use crate::out::entry;
use crate::out::json::Object;
use crate::out::text;
use crate::prompt::{self, Answers};
use crate::quote::quote;
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use operands::Destination;
use progress::Progress;

pub(crate) fn run(options: &CpOptions) -> Exit {
    let session = options.output.session("curt cp");
    let exclusions = match Exclusions::new(&options.exclude) {
        Ok(exclusions) => exclusions,
        Err(message) => return session.refuse(&message),
    };
    let (mut sources, destination) = match operands::sort(options, &session) {
        Ok(sorted) => sorted,
        Err(exit) => return exit,
    };
    let all = sources.len();
    sources.retain(|source| !exclusions.match_operand(source.as_os_str()));
    let excluded = all - sources.len();
    interrupt::listen();
    sys::ignore_size_limit();
    options.progress.allow(options.verbose, &session);
    let run = Run { options, session: &session, sources, destination, answers: Mutex::default() };
    let mut report = run.copy(&exclusions);
    report.skipped += excluded as u64;
    report.stopped |= session.screen().is_cut();
    finish(options, &report, &session)
}

struct Run<'a> {
    options: &'a CpOptions,
    session: &'a Session,
    sources: Vec<&'a Path>,
    destination: Destination<'a>,
    answers: Mutex<Answers>,
}

impl Run<'_> {
    fn copy(&self, exclusions: &Exclusions) -> Report {
        let progress = Progress::default();
        let (measured, measuring) = (Once::new(), Cancel::new());
        let measure = || progress.measure(self, exclusions, &measuring);
        thread::scope(|scope| {
            let start = || _ = thread::Builder::new().spawn_scoped(scope, measure);
            let show = |totals: &Totals| {
                self.session.screen().progress(|| {
                    measured.call_once(start);
                    format!("{}: {}", self.session.program(), progress.line(totals))
                });
            };
            let copy = self.configure(exclusions).on_progress(show);
            let report = match (self.destination, &self.sources[..]) {
                (_, []) => Report::default(),
                (Destination::Path(path), [source, ..]) => copy.run(source, path),
                (Destination::Into(directory), sources) => copy.run_into(sources, directory),
            };
            measuring.cancel();
            report
        })
    }

    fn configure<'r>(&'r self, exclusions: &'r Exclusions) -> Copy<'r> {
        let Run { options, session, .. } = self;
        let mut copy = Copy::new()
            .threads(options.threads.unwrap_or_default())
            .methods(options.methods())
            .existing(options.existing)
            .replace_read_only(options.force)
            .preserve(options.preserved)
            .follow(options.follow)
            .recursive(options.recursive)
            .same_file_system(options.one_file_system)
            .dry_run(options.dry_run)
            .on_error(|error| self.failed(error))
            .cancel(session.cancel());
        if !exclusions.is_empty() {
            copy = copy.exclude(|entry| exclusions.match_entry(entry));
        }
        if options.asks && !options.dry_run {
            copy = copy.confirm(|_, to| self.confirm(to));
        }
        if options.verbose || options.output.json && options.dry_run {
            copy = copy.on_copied(|from, to| self.copied(from, to));
        }
        if let Some(budget) = sys::raise_descriptor_limit() {
            copy = copy.descriptors(budget);
        }
        options.without.features.iter().copied().fold(copy, Copy::without)
    }

    fn confirm(&self, to: &Path) -> bool {
        let is_yes = prompt::ask(self.session, &self.answers, &self.question(to));
        if !is_yes {
            // POSIX, and GNU cp since 9.2.
            self.session.worsen(Exit::FAILURE);
        }
        is_yes
    }

    fn question(&self, to: &Path) -> String {
        let path = quote(to);
        let found = curt::stat(to, Plan::new(Fields::KIND | Fields::MODE | Fields::WRITABLE));
        let protected = found
            .ok()
            .filter(|found| !found.kind().is_link() && found.writable().known() == Some(false));
        let Some(found) = protected else { return format!("overwrite {path}") };
        let mode = found.mode().known().unwrap_or_default();
        let mut letters = Vec::new();
        entry::add_mode(mode, found.kind(), &mut letters);
        let (mode, letters) = (mode & 0o7777, String::from_utf8_lossy(&letters[1..]));
        if self.options.force {
            format!("replace {path}, overriding mode {mode:04o} ({letters})")
        } else {
            format!("unwritable {path} (mode {mode:04o}, {letters}); try anyway")
        }
    }

    fn copied(&self, from: &Path, to: &Path) {
        let is_dry = self.options.dry_run;
        if self.options.output.json {
            let object = Object::new().path("from", from).path("to", to);
            return self.session.object(object.boolean("copied", !is_dry));
        }
        let would = if is_dry { "would copy " } else { "" };
        self.session.data(format!("{would}{} -> {}\n", quote(from), quote(to)).as_bytes());
    }

    fn failed(&self, error: &Error) {
        self.session.fail_as(error, &messages::message(error, self));
    }
}

fn finish(options: &CpOptions, report: &Report, session: &Session) -> Exit {
    let done = || text::files_and_directories(report.files, report.directories);
    if options.dry_run && !report.stopped && !options.output.json {
        let skipped = match report.skipped {
            0 if options.exclude.is_empty() => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        let would = format!("would copy {}, {}{skipped}\n", done(), text::size(report.bytes));
        session.data(would.as_bytes());
    }
    if report.stopped && interrupt::signal().is_some() {
        let so_far = if options.dry_run { "would be copied so far" } else { "copied" };
        session.note(&format!("interrupted: {} {so_far}", done()));
    }
    session.finish(&Outcome {
        summary: Some(&|| summary(report, options.dry_run)),
        done: Some(&|| text::with_threads(&done(), report.threads)),
        calls: report.calls,
        is_cancelled: report.stopped,
    })
}

fn summary(report: &Report, dry_run: bool) -> Object {
    Object::new()
        .number("files", report.files)
        .number("directories", report.directories)
        .number("bytes", report.bytes)
        .number("hard_links", report.hard_links)
        .number("reflinks", report.reflinks)
        .number("skipped", report.skipped)
        .number("errors", report.error_count)
        .boolean("interrupted", report.stopped)
        .number("threads", report.threads as u64)
        .boolean("dry_run", dry_run)
}
