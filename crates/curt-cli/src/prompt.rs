use std::sync::{Mutex, PoisonError};

use curt::Cancel;

use crate::session::Session;
use crate::sys;

/// Asks a question. The end of input or a signal means no.
pub(crate) fn ask(session: &Session, answers: &Mutex<Answers>, question: &str) -> bool {
    if session.is_cancelled() {
        return false;
    }
    session.message(&format!("{}: {question}? ", session.program()));
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    let is_yes = answers.is_yes(session.cancel());
    if session.is_cancelled() {
        // End the line of the question.
        session.message("\n");
        return false;
    }
    is_yes
}

#[derive(Default)]
pub(crate) struct Answers {
    unread: Vec<u8>,
    is_ended: bool,
}

impl Answers {
    /// Reads a line and returns whether it begins with `y` or `Y`.
    fn is_yes(&mut self, cancel: &Cancel) -> bool {
        matches!(self.line(cancel).first(), Some(b'y' | b'Y'))
    }

    fn line(&mut self, cancel: &Cancel) -> Vec<u8> {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let rest = self.unread.split_off(end + 1);
                return std::mem::replace(&mut self.unread, rest);
            }
            if self.is_ended {
                return std::mem::take(&mut self.unread);
            }
            if cancel.is_cancelled() {
                return Vec::new();
            }
            match sys::read_input() {
                Some(bytes) if bytes.is_empty() => self.is_ended = true,
                Some(bytes) => self.unread.extend(bytes),
                None => {}
            }
        }
    }
}
