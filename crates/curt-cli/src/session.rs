//! One run of a command: what it says, whether it is to end early, and how it ends.

use std::sync::atomic::{AtomicU64, Ordering};

use curt::{Calls, Cancel, Error};

use crate::exit::Exit;
use crate::interrupt;
use crate::out::json::Object;
use crate::out::{self, Screen, json, text};

/// What the options that all commands have say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    /// What messages begin with.
    pub(crate) program: &'static str,
    pub(crate) json: bool,
    pub(crate) stats: bool,
}

/// A run of a command, shared by its threads.
pub(crate) struct Session {
    common: Common,
    screen: Screen,
    cancel: &'static Cancel,
    errors: AtomicU64,
}

/// What a command has to say when its work is done.
#[derive(Default)]
pub(crate) struct Ending {
    /// The fields of the last object, for programs.
    pub(crate) summary: Object,
    /// Lines for people.
    pub(crate) words: String,
    /// What was done, for people who want to see the calls.
    pub(crate) done: String,
    pub(crate) calls: Calls,
    /// Whether the work was ended before it was done.
    pub(crate) is_stopped: bool,
}

impl Session {
    /// A run that answers questions. It ends early where the reader of its output goes away;
    /// signals end the process.
    pub(crate) fn new(common: Common) -> Session {
        let cancel = interrupt::token();
        Session::with(common, Screen::new(true, false, cancel), cancel)
    }

    /// A run that has nothing to do: nobody need know where its output goes.
    pub(crate) fn idle(common: Common) -> Session {
        let cancel = interrupt::token();
        Session::with(common, Screen::new(false, false, cancel), cancel)
    }

    /// A run that does long work, which signals end, too. Whether there will be lines of data, and
    /// whether progress is wanted, is for the caller to say.
    pub(crate) fn working(common: Common, data: bool, progress: bool) -> Session {
        let cancel = interrupt::listen();
        Session::with(common, Screen::new(data, progress, cancel), cancel)
    }

    fn with(common: Common, screen: Screen, cancel: &'static Cancel) -> Session {
        Session { common, screen, cancel, errors: AtomicU64::new(0) }
    }

    /// What messages begin with.
    pub(crate) fn program(&self) -> &'static str {
        self.common.program
    }

    pub(crate) fn is_json(&self) -> bool {
        self.common.json
    }

    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Set where the work is to end early.
    pub(crate) fn cancel(&self) -> &'static Cancel {
        self.cancel
    }

    /// Whether the work is to end early.
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the data goes to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.screen.is_terminal()
    }

    /// Adds to the data.
    pub(crate) fn data(&self, data: &[u8]) {
        self.screen.data(data);
    }

    /// Adds an object to the data.
    pub(crate) fn object(&self, object: Object) {
        self.screen.data(object.line().as_bytes());
    }

    /// Says something on standard error, behind the data so far.
    pub(crate) fn message(&self, lines: &str) {
        self.screen.message(lines);
    }

    /// Reports a failure: to programs as an object in its place, to people in the words of GNU.
    pub(crate) fn fail(&self, error: &Error) {
        self.fail_as(error, || text::failed(self.program(), error));
    }

    /// The same, with words of its own for people.
    pub(crate) fn fail_as(&self, error: &Error, words: impl FnOnce() -> String) {
        self.count_errors(1);
        if self.common.json {
            self.screen.data(json::failure(error).as_bytes());
        } else {
            self.screen.message(&words());
        }
    }

    /// Counts failures that were reported otherwise.
    pub(crate) fn count_errors(&self, errors: u64) {
        self.errors.fetch_add(errors, Ordering::Relaxed);
    }

    /// How many failures there were.
    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Says what is wrong with the command line.
    pub(crate) fn usage(&self, message: &str) -> Exit {
        out::usage(self.program(), message, self.common.json)
    }

    /// Says the calls, where they are wanted, in a line that begins with what was done.
    pub(crate) fn stats(&self, done: &str, calls: &Calls) {
        if self.common.stats {
            self.screen.message(&self.stats_lines(done, calls));
        }
    }

    fn stats_lines(&self, done: &str, calls: &Calls) -> String {
        let total = text::counted(calls.total(), "call", "calls");
        let comma = if done.is_empty() { "" } else { ", " };
        format!("{}: {done}{comma}{total}\n{}", self.program(), text::calls(calls))
    }

    /// Says how the work ended. The exit code says whether there were failures.
    pub(crate) fn end(&self, ending: Ending) -> Exit {
        let is_done = self.errors() == 0;
        let exit = if is_done { Exit::SUCCESS } else { Exit::FAILURE };
        self.end_as(ending, exit, Exit::FAILURE)
    }

    /// The same with this exit code, and with another where the output cannot be written.
    pub(crate) fn end_as(&self, ending: Ending, exit: Exit, unwritten: Exit) -> Exit {
        let Ending { mut summary, mut words, done, calls, is_stopped } = ending;
        if self.common.json {
            if self.common.stats {
                summary = summary.object("calls", json::calls(&calls));
            }
            self.object(Object::new().object("summary", summary));
        } else {
            if self.common.stats {
                words += &self.stats_lines(&done, &calls);
            }
            if !words.is_empty() {
                self.screen.message(&words);
            }
        }
        self.close(is_stopped, exit, unwritten)
    }

    /// Writes what is left. After a signal the process ends as the signal would have ended it, so
    /// that a shell knows.
    pub(crate) fn close(&self, is_stopped: bool, exit: Exit, unwritten: Exit) -> Exit {
        let exit = self.screen.end(self.program(), exit, unwritten);
        interrupt::signal().filter(|_| is_stopped).map_or(exit, interrupt::end)
    }
}
