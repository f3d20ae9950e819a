use curt::Cancel;

use crate::sys;

#[derive(Default)]
pub(crate) struct Answers {
    unread: Vec<u8>,
    is_ended: bool,
}

impl Answers {
    /// Reads a line and returns whether it begins with `y` or `Y`. The end of input or a signal
    /// means no.
    pub(crate) fn is_yes(&mut self, cancel: &Cancel) -> bool {
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
