//! Questions from standard input, one in a line, and their answers in the same order. What was
//! answered is written as soon as no further question is waiting, so that a program can ask one by
//! one.

mod question;

use std::io::{self, BufRead, BufReader, Read};

use crate::exit::Exit;
use crate::out::json::{Failure, Object};
use crate::session::Session;
use crate::sys;
pub(crate) use question::read;

/// How much is read at a time.
const READ: usize = 64 * 1024;
/// The longest question: far more than the longest path.
const LONGEST: u64 = 1024 * 1024;

/// Answers all questions, until the reader of the answers goes away. One that is too long is not
/// asked.
pub(crate) fn answer(session: &Session, mut to: impl FnMut(&[u8]) -> Object) -> Exit {
    let mut input = BufReader::with_capacity(READ, io::stdin().lock());
    let mut line = Vec::new();
    loop {
        if input.buffer().is_empty() {
            session.screen().flush();
        }
        if session.is_over() {
            return Exit::SUCCESS;
        }
        match next_line(&mut input, &mut line) {
            Ok(Line::Read) => session.object(to(&line)),
            Ok(Line::TooLong) => {
                let message = format!("the line is longer than {} MiB", LONGEST >> 20);
                session.object(Failure::no_question(message).alone());
            }
            Ok(Line::End) => return Exit::SUCCESS,
            Err(error) => {
                let text = sys::error_text(&error);
                let program = session.program();
                session.message(&format!("{program}: cannot read standard input: {text}\n"));
                return Exit::FAILURE;
            }
        }
    }
}

/// What reading a line came to.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Read,
    /// It was read to its end, and is not kept.
    TooLong,
    /// There was no further one.
    End,
}

/// Reads a line, without its end.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut read = input.by_ref().take(LONGEST).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(Line::End);
    }
    let is_too_long = read as u64 == LONGEST && line.last() != Some(&b'\n');
    while is_too_long && read > 0 && line.last() != Some(&b'\n') {
        line.clear();
        read = input.by_ref().take(LONGEST).read_until(b'\n', line)?;
    }
    if is_too_long {
        line.clear();
        return Ok(Line::TooLong);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(Line::Read)
}

#[cfg(test)]
mod tests {
    use super::{Line, next_line};

    #[test]
    fn lines_that_are_too_long_are_passed_over() {
        let long = [vec![b'x'; 2_500_000], b"\nnext\n".to_vec(), vec![b'y'; 1_500_000]].concat();
        let mut input = &long[..];
        let mut line = Vec::new();
        for (expected, text) in
            [(Line::TooLong, &b""[..]), (Line::Read, b"next"), (Line::TooLong, b"")]
        {
            assert_eq!(next_line(&mut input, &mut line).unwrap(), expected);
            assert_eq!(line, text);
        }
        assert_eq!(next_line(&mut input, &mut line).unwrap(), Line::End);
    }
}
