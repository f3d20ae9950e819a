//! What is said while a removal runs.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use curt::{Error, Kind, Observer, Question, Subject, Totals};

use crate::args::RmOptions;
use crate::out::{json, text};
use crate::prompt::Answers;
use crate::session::Session;

/// Says what happens, and asks where that was wished.
pub(super) struct Follower<'a> {
    options: &'a RmOptions,
    session: &'a Session,
    answers: &'a Mutex<Answers>,
    shows_progress: bool,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        options: &'a RmOptions,
        session: &'a Session,
        answers: &'a Mutex<Answers>,
    ) -> Self {
        let shows_progress = session.screen().shows_progress();
        Follower { options, session, answers, shows_progress }
    }

    /// The question of `-I`.
    pub(super) fn ask_once(&self, operands: usize) -> bool {
        self.ask(&text::question_once(self.session.program(), operands, self.options.recursive))
    }

    fn ask(&self, question: &str) -> bool {
        if self.session.is_over() {
            return false;
        }
        self.session.message(question);
        let yes =
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).yes(self.session.cancel());
        if self.session.is_over() {
            // Nobody ended the line.
            self.session.message("\n");
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
        self.ask(&text::question(self.session.program(), question, subject))
    }

    fn removed(&self, path: &Path, kind: Kind) {
        let line = if self.options.json { json::entry } else { text::entry };
        self.session.data(line(path, kind, self.options.dry_run).as_bytes());
    }

    fn failed(&self, error: &Error) {
        let program = self.session.program();
        let words = || text::failure(program, error, self.options.one_file_system);
        self.session.fail_as(error, words);
    }

    fn progress(&self, totals: &Totals) {
        if self.shows_progress {
            self.session.screen().progress(|| {
                let done = text::files_and_directories(totals.files, totals.directories);
                let verb = if self.options.dry_run { "found" } else { "removed" };
                format!("{}: {done} {verb}", self.session.program())
            });
        }
    }
}
