//! `curt rm`.
//!
//! The library removes; this file turns options into its choices, and its report into words and an
//! exit code. `operands` finds out what to remove, `observer` says what happens meanwhile.

mod observer;
mod operands;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Duration;

use curt::{Cancel, Confirm, Directories, Globs, Remove, Report, Threads};

use crate::args::{RmOptions, When};
use crate::exit::Exit;
use crate::interrupt;
use crate::out::{self, json, text};
use crate::prompt::Answers;
use crate::session::{Common, Ending, Session};
use crate::sys;
use observer::Follower;

/// What messages begin with.
const PROGRAM: &str = "curt rm";

/// Removes what the options say.
pub(crate) fn run(options: &RmOptions) -> Exit {
    match prepare(options) {
        Ok(job) => job.run(),
        Err(code) => code,
    }
}

/// A removal that is about to begin.
struct Job<'a> {
    options: &'a RmOptions,
    operands: Vec<OsString>,
    /// Operands that were refused before the removal began.
    refused: u64,
    globs: Globs,
    confirm: Confirm,
}

/// Checks everything that can be checked before something is touched.
fn prepare(options: &RmOptions) -> Result<Job<'_>, Exit> {
    let usage = |message: &str| out::usage(PROGRAM, message, options.json);
    let globs = Globs::new(&options.exclude).map_err(|error| usage(&text::no_glob(&error)))?;
    let names_from_input = operands::are_from_input(options);
    if names_from_input && matches!(options.asking.when, When::Once | When::Always) {
        return Err(usage("cannot prompt while standard input holds the names of files"));
    }
    if options.operands.is_empty()
        && options.files0_from.is_none()
        && !options.asking.missing_is_fine
    {
        return Err(usage("missing operand"));
    }
    let gathered = operands::gather(options).map_err(|unread| unread.report(options))?;
    let confirm = match options.asking.when {
        When::Never => Confirm::Never,
        _ if options.dry_run || names_from_input => Confirm::Never,
        When::Always => Confirm::Always,
        When::Protected | When::Once if options.presume_input_tty || io::stdin().is_terminal() => {
            Confirm::WriteProtected
        }
        When::Protected | When::Once => Confirm::Never,
    };
    Ok(Job { options, operands: gathered.names, refused: gathered.refused, globs, confirm })
}

impl Job<'_> {
    fn run(&self) -> Exit {
        let options = self.options;
        let common = Common { program: PROGRAM, json: options.json, stats: options.stats };
        if self.operands.is_empty() {
            return self.finish(&Report::default(), &Session::idle(common));
        }
        let has_data = options.verbose || options.json || options.dry_run;
        let session = Session::working(common, has_data, options.progress);
        let answers = Mutex::new(Answers::default());
        let follower = Follower::new(options, &session, &answers);
        let report = if self.asks_once() && !follower.ask_once(self.operands.len()) {
            let mut report = Report::default();
            report.cancelled = session.is_over();
            report
        } else {
            let mut removal = self.removal(&follower, session.cancel());
            if let Some(limit) = sys::raise_descriptor_limit() {
                // Half of them, as the library has it by itself; it need not ask again.
                removal = removal.descriptors(limit / 2);
            }
            removal.run(&self.operands)
        };
        self.finish(&report, &session)
    }

    /// Whether `-I` asks before this removal.
    fn asks_once(&self) -> bool {
        let is_large = self.options.recursive || self.operands.len() > 3;
        self.options.asking.when == When::Once && is_large && !self.options.dry_run
    }

    /// The options as the library has them.
    fn removal<'b>(&'b self, follower: &'b Follower<'_>, cancel: &'b Cancel) -> Remove<'b> {
        let options = self.options;
        let directories = match (options.recursive, options.dir) {
            (true, _) => Directories::Recursive,
            (false, true) => Directories::OnlyEmpty,
            (false, false) => Directories::Refuse,
        };
        let removal = Remove::new()
            .threads(options.threads.map_or(Threads::Automatic, |most| Threads::AtMost(most.get())))
            .directories(directories)
            .cross_mounts(options.cross_mounts)
            .refuse_mounted_operands(options.root.refuse_mounted_operands)
            .preserve_root(options.root.preserve)
            .missing_is_fine(options.asking.missing_is_fine)
            .contents_only(options.contents)
            .dry_run(options.dry_run)
            .count_bytes(options.dry_run)
            .confirm(self.confirm)
            .retries(options.retries, Duration::from_millis(options.retry_ms))
            .keep_errors(0)
            .observer(follower)
            .cancel(cancel);
        let removal = if self.globs.is_empty() {
            removal
        } else {
            removal.exclude(|entry| self.globs.matches(entry.relative_path(), entry.kind()))
        };
        options.without().fold(removal, Remove::without)
    }

    /// Says what was done, and turns it into an exit code.
    fn finish(&self, report: &Report, session: &Session) -> Exit {
        let dry_run = self.options.dry_run;
        if dry_run && !report.cancelled && !self.options.json {
            session.data(text::dry_run(report).as_bytes());
        }
        let is_interrupted = report.cancelled && interrupt::signal().is_some();
        let words = if is_interrupted { text::interrupted(PROGRAM, report) } else { String::new() };
        let threads = text::counted(report.threads as u64, "thread", "threads");
        let ending = Ending {
            summary: json::summary(report, dry_run),
            words,
            done: format!("{}, {threads}", text::totals(report)),
            calls: report.calls,
            is_stopped: report.cancelled,
        };
        // What reads the output may have gone away, and with it the removal ended.
        let is_done = report.error_count + self.refused == 0 && !report.cancelled;
        let exit = if is_done { Exit::SUCCESS } else { Exit::FAILURE };
        session.end_as(ending, exit, Exit::FAILURE)
    }
}
