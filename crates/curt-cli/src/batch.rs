//! `--batch`: questions on standard input, one JSON object per line, with an answer to each, in
//! order. Answers are written as soon as no further question is waiting, so that a program can ask
//! one question at a time.

mod question;

use std::io::{self, BufRead, BufReader, Read};

use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::session::Session;
use crate::sys;
pub(crate) use question::{Member, Question};

/// How much is read at a time.
const READ: usize = 64 * 1024;
/// The longest question: far more than the longest path.
const LONGEST: u64 = 1024 * 1024;

/// Answers all questions, which may have these keys, until the reader of the answers goes away.
/// The error of an answer says why the line is not a question.
pub(crate) fn run(
    session: &Session,
    keys: &[&str],
    mut answer: impl FnMut(&Question) -> Result<Object, String>,
) {
    let mut input = BufReader::with_capacity(READ, io::stdin().lock());
    let mut line = Vec::new();
    loop {
        if input.buffer().is_empty() {
            session.screen().flush();
        }
        if session.is_cancelled() {
            return;
        }
        let answer = match next_line(&mut input, &mut line) {
            Ok(Line::End) => return,
            Ok(Line::TooLong) => Err(format!("the line is longer than {} MiB", LONGEST >> 20)),
            Ok(Line::Read) => Question::read(&line, keys).and_then(|question| answer(&question)),
            Err(error) => {
                session.count_failure();
                let reason = sys::error_text(&error);
                return session.warn(&format!("cannot read standard input: {reason}"));
            }
        };
        session.object(answer.unwrap_or_else(|error| Failure::invalid_question(error).object()));
    }
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Read,
    /// The line was read to its end, but not kept.
    TooLong,
    /// There are no more lines.
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
    fn lines_that_are_too_long_are_skipped() {
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
