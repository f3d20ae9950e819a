//! Questions to the person at the terminal, with answers from standard input.

use std::time::Duration;

use curt::Cancel;

use crate::sys;

/// How long one wait for an answer lasts. A signal ends the wait at once, unless it arrives between
/// the look at the token and the wait; then the wait's end finds it.
const PATIENCE: Duration = Duration::from_millis(100);

/// What was read from standard input and not yet used.
#[derive(Default)]
pub(crate) struct Answers {
    unread: Vec<u8>,
    ended: bool,
}

impl Answers {
    /// Waits for a line. `true` if it begins with `y` or `Y`; the end of the input means no, and so
    /// does being interrupted.
    pub(crate) fn yes(&mut self, cancel: &Cancel) -> bool {
        let line = self.line(cancel);
        matches!(line.first(), Some(b'y' | b'Y'))
    }

    fn line(&mut self, cancel: &Cancel) -> Vec<u8> {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let rest = self.unread.split_off(end + 1);
                return std::mem::replace(&mut self.unread, rest);
            }
            if self.ended {
                return std::mem::take(&mut self.unread);
            }
            if cancel.is_cancelled() {
                return Vec::new();
            }
            match sys::read_input(PATIENCE) {
                Some(bytes) if bytes.is_empty() => self.ended = true,
                Some(bytes) => self.unread.extend(bytes),
                None => {}
            }
        }
    }
}
