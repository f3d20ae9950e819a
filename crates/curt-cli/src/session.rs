//! One run of a command: its output, cancellation, errors and exit code.

use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use curt::{Calls, Cancel, Error};

use crate::called;
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::out::{Screen, entry, text};
use crate::sys::{self, interrupt};

pub(crate) struct Session {
    program: String,
    is_json: bool,
    has_stats: bool,
    screen: Screen,
    cancel: &'static Cancel,
    errors: AtomicU64,
    exit: AtomicU8,
}

#[derive(Default)]
pub(crate) struct Outcome<'a> {
    /// The totals for JSON. These closures are called only when their result is printed, because
    /// starting a command is most of the work on a small tree.
    pub(crate) summary: Option<&'a dyn Fn() -> Object>,
    /// The totals in words, for `--stats`.
    pub(crate) done: Option<&'a dyn Fn() -> String>,
    pub(crate) calls: Calls,
    pub(crate) is_cancelled: bool,
}

pub(crate) fn end(null: bool) -> &'static [u8] {
    if null { b"\0" } else { b"\n" }
}

impl Session {
    /// Begins a run, which is cancelled if the reader of its output goes away. Until
    /// [`interrupt::listen`] is called, signals kill the process.
    pub(crate) fn new(program: impl Into<String>, is_json: bool, has_stats: bool) -> Session {
        let cancel = interrupt::token();
        Session {
            program: called::shown(program.into()),
            is_json,
            has_stats,
            screen: Screen::new(cancel),
            cancel,
            errors: AtomicU64::new(0),
            exit: AtomicU8::new(Exit::SUCCESS.code()),
        }
    }

    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    pub(crate) fn cancel(&self) -> &'static Cancel {
        self.cancel
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(crate) fn until_cancelled<'a, T>(&self, items: &'a [T]) -> impl Iterator<Item = &'a T> {
        items.iter().take_while(|_| !self.is_cancelled())
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.screen.is_terminal()
    }

    pub(crate) fn data(&self, data: &[u8]) {
        self.screen.data(data);
    }

    /// Writes a name. Quotes it for a terminal, unless NUL follows it.
    pub(crate) fn name(&self, name: &OsStr, null: bool) {
        let name = entry::name(name, !null && self.is_terminal());
        self.data(&[&name, end(null)].concat());
    }

    pub(crate) fn object(&self, object: Object) {
        self.screen.data(object.line().as_bytes());
    }

    pub(crate) fn report(&self, object: Object) {
        self.message(&object.line());
    }

    pub(crate) fn message(&self, text: &str) {
        self.screen.message(text);
    }

    pub(crate) fn warn(&self, message: &str) {
        let lines: Vec<String> =
            message.lines().map(|line| format!("{}: {line}\n", self.program)).collect();
        self.message(&lines.concat());
    }

    /// Like [`Session::warn`], but prints nothing with `--json`, because the summary has the same
    /// information.
    pub(crate) fn note(&self, message: &str) {
        if !self.is_json {
            self.warn(message);
        }
    }

    pub(crate) fn fail(&self, error: &Error) {
        self.fail_as(error, &text::failure(error));
    }

    pub(crate) fn fail_as(&self, failure: impl Into<Failure>, message: &str) {
        self.count_failure();
        if self.is_json {
            self.report(failure.into().object());
        } else {
            self.warn(message);
        }
    }

    /// Counts a failure that was already reported.
    pub(crate) fn count_failure(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        self.worsen(Exit::FAILURE);
    }

    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    pub(crate) fn worsen(&self, exit: Exit) {
        self.exit.fetch_max(exit.code(), Ordering::Relaxed);
    }

    pub(crate) fn usage(&self, message: &str) -> Exit {
        let program = &self.program;
        self.refuse_with(message, &format!("Try '{program} --help' for more information.\n"))
    }

    /// Ends the command because of an invalid value, without a hint about `--help`.
    pub(crate) fn refuse(&self, message: &str) -> Exit {
        self.refuse_with(message, "")
    }

    fn refuse_with(&self, message: &str, hint: &str) -> Exit {
        self.worsen(Exit::usage(&self.program));
        if self.is_json {
            let failure = Failure::new("read_arguments", "usage", message.to_owned());
            self.report(failure.object());
        } else {
            self.message(&format!("{}: {message}\n{hint}", self.program));
        }
        self.close(false)
    }

    /// Ends a command whose only total is a number of operands, in JSON named `key`.
    pub(crate) fn finish_counted(
        &self,
        key: &str,
        (count, one, many): (u64, &str, &str),
        calls: &Calls,
    ) -> Exit {
        self.finish(&Outcome {
            summary: Some(&|| Object::new().number(key, count).number("errors", self.errors())),
            done: Some(&|| text::counted(count, one, many)),
            calls: *calls,
            ..Outcome::default()
        })
    }

    /// Ends the command and prints statistics if requested. With `--json`, also prints the totals
    /// after an interrupt, which commands print only as text.
    pub(crate) fn finish(&self, outcome: &Outcome<'_>) -> Exit {
        let Outcome { summary, done, ref calls, is_cancelled } = *outcome;
        if self.is_json {
            let is_interrupted = is_cancelled && interrupt::signal().is_some();
            if let Some(summary) = summary.filter(|_| self.has_stats || is_interrupted) {
                let mut summary = summary();
                if self.has_stats {
                    summary = summary.object("calls", json::calls(calls));
                }
                self.report(Object::new().object("summary", summary));
            }
        } else if self.has_stats {
            let total = text::counted(calls.total(), "call", "calls");
            let done = done.map_or_else(String::new, |done| done() + ", ");
            let first = format!("{}: {done}{total}\n", self.program);
            self.message(&(first + &text::calls(calls)));
        }
        self.close(is_cancelled)
    }

    /// Writes the remaining output and returns the exit code. If a signal cancelled the command,
    /// ends by that signal, so that the shell notices.
    pub(crate) fn close(&self, is_cancelled: bool) -> Exit {
        let is_cut = self.screen.is_cut();
        let is_cancelled = is_cancelled || is_cut;
        if is_cancelled {
            self.worsen(Exit::FAILURE);
        }
        if let Some(error) = self.screen.finish().err().filter(|_| !is_cut) {
            if error.kind() == io::ErrorKind::BrokenPipe && !sys::ignores_broken_pipes() {
                return sys::end_by_broken_pipe();
            }
            let message = format!("write error: {}", sys::error_text(&error));
            self.fail_as(Failure::os("write", &error), &message);
            self.worsen(Exit::unwritable(&self.program));
        }
        let exit = Exit::of(self.exit.load(Ordering::Relaxed));
        interrupt::signal().filter(|_| is_cancelled).map_or(exit, interrupt::end)
    }
}
