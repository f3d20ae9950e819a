//! What is said while a removal runs.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use curt::{Cancel, Error, Kind, Observer, Question, Subject, Totals};

use crate::args::RmOptions;
use crate::out::{Screen, json, text};
use crate::prompt::Answers;

/// Says what happens, and asks where that was wished.
pub(super) struct Follower<'a> {
    program: &'static str,
    options: &'a RmOptions,
    screen: &'a Screen,
    answers: &'a Mutex<Answers>,
    cancel: &'a Cancel,
    shows_progress: bool,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        program: &'static str,
        options: &'a RmOptions,
        screen: &'a Screen,
        answers: &'a Mutex<Answers>,
        cancel: &'a Cancel,
    ) -> Self {
        let shows_progress = screen.shows_progress();
        Follower { program, options, screen, answers, cancel, shows_progress }
    }

    /// The question of `-I`.
    pub(super) fn ask_once(&self, operands: usize) -> bool {
        self.ask(&text::question_once(self.program, operands, self.options.recursive))
    }

    fn ask(&self, question: &str) -> bool {
        if self.cancel.is_cancelled() {
            return false;
        }
        self.screen.message(question);
        let yes = self.answers.lock().unwrap_or_else(PoisonError::into_inner).yes(self.cancel);
        if self.cancel.is_cancelled() {
            // Nobody ended the line.
            self.screen.message("\n");
            return false;
        }
        yes
    }
}

impl Observer for Follower<'_> {
    fn wants_removed(&self) -> bool {
        self.options.verbose || self.options.json && self.options.dry_run
    }

    fn confirm(&self, question: Question, subject: &Subject<'_>) -> bool {
        self.ask(&text::question(self.program, question, subject))
    }

    fn removed(&self, path: &Path, kind: Kind) {
        let line = if self.options.json { json::entry } else { text::entry };
        self.screen.data(line(path, kind, self.options.dry_run).as_bytes());
    }

    fn failed(&self, error: &Error) {
        if self.options.json {
            self.screen.data(json::failure(error).as_bytes());
        } else {
            self.screen.message(&text::failure(self.program, error, self.options.one_file_system));
        }
    }

    fn progress(&self, totals: &Totals) {
        if self.shows_progress {
            self.screen.progress(|| {
                let done = text::files_and_directories(totals.files, totals.directories);
                let verb = if self.options.dry_run { "found" } else { "removed" };
                format!("{}: {done} {verb}", self.program)
            });
        }
    }
}
