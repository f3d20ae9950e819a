pub(super) mod operands;
mod trash;

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal};
use std::path::{MAIN_SEPARATOR, Path, is_separator};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use curt::remove::{Confirm, DirectoryOperands, Question, RemainReason, Report, Subject, Totals};
use curt::{Cause, Error, Fields, Kind, Operation, Remove, SameFileSystem};

use super::exclude::Exclusions;
use super::speed::Speed;
use crate::args::{Prompt, RmOptions};
use crate::called;
use crate::exit::Exit;
use crate::out::entry;
use crate::out::json::Object;
use crate::out::text::{self, counted};
use crate::prompt::{self, Answers};
use crate::quote::quote;
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};

pub(crate) fn run(options: &RmOptions) -> Exit {
    let session = options.output.session("curt rm");
    let exclusions = match Exclusions::new(&options.exclude) {
        Ok(exclusions) => exclusions,
        Err(message) => return session.refuse(&message),
    };
    if options.reads_names() && matches!(options.prompt, Prompt::Once | Prompt::Always) {
        return session.usage("cannot prompt: --files0-from=- reads standard input");
    }
    let has_operands = !options.operands.is_empty() || options.files0_from.is_some();
    if !has_operands && !options.ignores_missing {
        return session.usage("missing operand");
    }
    let Some(mut operands) = operands::gather(options, &session) else {
        return session.close(false);
    };
    let all = operands.len();
    operands.retain(|operand| !exclusions.match_operand(operand));
    let excluded = all - operands.len();
    let mut report = remove(options, &operands, &exclusions, &session);
    report.skipped += excluded as u64;
    report.stopped |= session.screen().is_cut();
    finish(options, &report, &session)
}

fn remove(
    options: &RmOptions,
    operands: &[OsString],
    exclusions: &Exclusions,
    session: &Session,
) -> Report {
    let mut report = Report::default();
    if operands.is_empty() {
        return report;
    }
    interrupt::listen();
    options.progress.allow(options.verbose, session);
    let reporter = Reporter { options, session, answers: Mutex::default() };
    let asks_once = options.prompt == Prompt::Once
        && (options.recursive || operands.len() > 3)
        && !options.dry_run;
    if asks_once && !reporter.ask_once(operands.len()) {
        report.stopped = session.is_cancelled();
        return report;
    }
    if options.trash {
        return trash::put(&reporter, operands);
    }
    remove_operands(&reporter, operands, exclusions)
}

fn remove_operands(
    reporter: &Reporter<'_>,
    operands: &[OsString],
    exclusions: &Exclusions,
) -> Report {
    let options = reporter.options;
    let speed = Mutex::<Speed>::default();
    let mut removal = Remove::new()
        .threads(options.threads.unwrap_or_default())
        .directories(match (options.recursive, options.dir) {
            (true, _) if options.contents => DirectoryOperands::Contents,
            (true, _) => DirectoryOperands::Recursive,
            (false, true) => DirectoryOperands::OnlyEmpty,
            (false, false) => DirectoryOperands::Refuse,
        })
        .same_file_system(match (options.cross_mounts, options.one_file_system) {
            (true, _) => SameFileSystem::No,
            (false, true) => SameFileSystem::Device,
            (false, false) => SameFileSystem::Mount,
        })
        .preserve(options.preserve)
        .missing_is_fine(options.ignores_missing)
        .make_writable(options.make_writable)
        .dry_run(options.dry_run)
        .confirm(confirm(options), |question, subject| reporter.confirm(question, subject))
        .retries(options.retries, Duration::from_millis(options.retry_ms))
        .on_error(|error| reporter.failed(error))
        .on_progress(|totals| reporter.progress(totals, &speed))
        .cancel(reporter.session.cancel());
    if !exclusions.is_empty() {
        removal = removal.exclude(|entry| exclusions.match_entry(entry));
    }
    if options.verbose || options.output.json && options.dry_run {
        removal = removal.on_removed(|path, kind| reporter.removed(path, kind));
    }
    if let Some(budget) = sys::raise_descriptor_limit() {
        removal = removal.descriptors(budget);
    }
    let removal = options.without.features.iter().copied().fold(removal, Remove::without);
    removal.run(operands)
}

fn confirm(options: &RmOptions) -> Confirm {
    let asks = || options.presume_input_tty || io::stdin().is_terminal();
    match options.prompt {
        Prompt::Never => Confirm::Never,
        _ if options.dry_run || options.reads_names() => Confirm::Never,
        Prompt::Always => Confirm::Always,
        Prompt::Protected | Prompt::Once if asks() => Confirm::WriteProtected,
        Prompt::Protected | Prompt::Once => Confirm::Never,
    }
}

fn finish(options: &RmOptions, report: &Report, session: &Session) -> Exit {
    let done = || text::files_and_directories(report.files, report.directories);
    if options.dry_run && !report.stopped && !options.output.json && !options.trash {
        let would = text::would_remove(&done(), report.bytes.unwrap_or(0));
        let skipped = match report.skipped {
            0 if options.exclude.is_empty() => String::new(),
            0 => ", 0 skipped".to_owned(),
            1 => ", 1 skipped (and its parent directories)".to_owned(),
            skipped => format!(", {skipped} skipped (and their parent directories)"),
        };
        session.data(format!("{would}{skipped}\n").as_bytes());
    }
    if report.stopped && interrupt::signal().is_some() {
        let so_far = match (options.dry_run, options.trash) {
            (true, false) => "would be removed so far",
            (true, true) => "would be moved to the trash so far",
            (false, true) => "moved to the trash",
            (false, false) => "removed",
        };
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
    let mut summary =
        Object::new().number("files", report.files).number("directories", report.directories);
    if let Some(bytes) = report.bytes {
        summary = summary.number("bytes", bytes);
    }
    summary
        .number("skipped", report.skipped)
        .number("appeared", report.appeared)
        .number("vanished", report.vanished)
        .number("made_writable", report.made_writable)
        .number("errors", report.error_count)
        .boolean("interrupted", report.stopped)
        .number("threads", report.threads as u64)
        .boolean("dry_run", dry_run)
}

struct Reporter<'a> {
    options: &'a RmOptions,
    session: &'a Session,
    answers: Mutex<Answers>,
}

impl Reporter<'_> {
    fn ask_once(&self, operands: usize) -> bool {
        let operands = counted(operands as u64, "argument", "arguments");
        let recursively = if self.options.recursive { " recursively" } else { "" };
        let question = if self.options.trash {
            format!("move {operands} to the trash")
        } else {
            format!("remove {operands}{recursively}")
        };
        self.ask(&question)
    }

    fn ask(&self, question: &str) -> bool {
        prompt::ask(self.session, &self.answers, question)
    }

    fn confirm(&self, question: Question, subject: &Subject<'_>) -> bool {
        let path = quote(subject.path);
        let protected = if subject.write_protected { "write-protected " } else { "" };
        self.ask(&match question {
            Question::Descend => format!("descend into {protected}directory {path}"),
            Question::RemoveUnreadableDirectory => {
                format!("attempt removal of inaccessible directory {path}")
            }
            _ => {
                let kind = entry::kind_name(subject.kind, subject.empty_file);
                format!("remove {protected}{kind} {path}")
            }
        })
    }

    fn removed(&self, path: &Path, kind: Kind) {
        let is_dry = self.options.dry_run;
        if self.options.output.json {
            let object = Object::new().path("path", path).text("kind", kind.name());
            return self.session.object(object.boolean("removed", !is_dry));
        }
        let verb = if is_dry { "would remove" } else { "removed" };
        let directory = if kind == Kind::Directory { "directory " } else { "" };
        self.session.data(format!("{verb} {directory}{}\n", quote(path)).as_bytes());
    }

    fn failed(&self, error: &Error) {
        self.session.fail_as(error, &message(error));
    }

    fn progress(&self, totals: &Totals, speed: &Mutex<Speed>) {
        self.session.screen().progress(|| {
            let removed = totals.files + totals.directories;
            let entries = if removed == 1 { "entry" } else { "entries" };
            let verb = if self.options.dry_run { "found" } else { "removed" };
            let mut speed = speed.lock().unwrap_or_else(PoisonError::into_inner);
            let speed = speed.update(removed, Instant::now());
            let speed = speed.map(|speed| format!(", {speed} per second")).unwrap_or_default();
            format!("{}: {removed} {entries} {verb}{speed}", self.session.program())
        });
    }
}

fn message(error: &Error) -> String {
    let path = quote(error.path());
    match error.cause() {
        Cause::Remains(RemainReason::DotOrDotDot) => {
            format!("refusing to remove '.' or '..' directory: skipping {path}")
        }
        Cause::Remains(RemainReason::RootDirectory) => {
            // On Windows, each drive has its own root, so "same as '/'" would be wrong.
            let is_named = path == "'/'" || MAIN_SEPARATOR != '/';
            let same = if is_named { "" } else { " (same as '/')" };
            format!(
                "it is dangerous to operate recursively on {path}{same}\n\
                 use --no-preserve-root to override this failsafe"
            )
        }
        Cause::Remains(RemainReason::OtherFileSystem) => {
            // An operand could not be removed; a directory within a tree could not be opened.
            let is_operand = error.operation() == Operation::Remove;
            let why = if is_operand { "\nand --preserve-root=all is in effect" } else { "" };
            format!("skipping {path}, since it's on a different device{why}")
        }
        // If curt was called as `rm`, it prints GNU's message instead.
        Cause::Remains(RemainReason::IsADirectory) if called::name().is_none() => {
            format!("cannot remove {path}: Is a directory; -r removes directories")
        }
        Cause::Os(_) => {
            let hint = hint(error.path(), error.kind(), "remove");
            format!("cannot remove {path}: {}{hint}", text::reason(error.cause()))
        }
        cause => format!("cannot remove {path}: {}", text::reason(cause)),
    }
}

/// Returns a hint about a system error. If curt was called as `rm`, there is none, because GNU rm
/// has none.
fn hint(path: &Path, error: ErrorKind, verb: &str) -> String {
    if called::name().is_some() {
        return String::new();
    }
    match error {
        ErrorKind::ResourceBusy => "; it may be a mount point".to_owned(),
        ErrorKind::NotADirectory => link_hint(path, verb).unwrap_or_default(),
        _ => String::new(),
    }
}

fn link_hint(path: &Path, verb: &str) -> Option<String> {
    let text = path.to_str()?;
    let link = text.trim_end_matches(is_separator);
    let is_link = || curt::stat(link, Fields::KIND).is_ok_and(|found| found.kind().is_link());
    let has_slash = link.len() < text.len();
    (has_slash && is_link())
        .then(|| format!("; write {} to {verb} the symlink itself", quote(link)))
}
