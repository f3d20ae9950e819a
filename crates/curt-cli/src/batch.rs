//! Questions from standard input, one in a line, and their answers in the same order. What was answered
//! is written as soon as no further question is waiting, so that a program can ask one by one.

use std::io::{self, BufRead, BufReader, Read};

use curt::Cancel;

use crate::exit::Exit;
use crate::out::json::Object;
use crate::out::{self, Screen};
use crate::sys;

/// How much is read at a time.
const READ: usize = 64 * 1024;
/// The longest question: far more than the longest path.
const LONGEST: u64 = 1024 * 1024;
/// Answers all questions, until the reader of the answers goes away. One that is too long is asked as an
/// empty one.
pub(crate) fn answer(
    program: &str,
    gone: &Cancel,
    screen: &Screen,
    mut to: impl FnMut(&[u8]) -> Object,
) -> Exit {
    let mut input = BufReader::with_capacity(READ, io::stdin().lock());
    let mut line = Vec::new();
    loop {
        if input.buffer().is_empty() {
            screen.flush();
        }
        if gone.is_cancelled() {
            return Exit::SUCCESS;
        }
        match next_line(&mut input, &mut line) {
            Ok(true) => screen.data(to(&line).line().as_bytes()),
            Ok(false) => return Exit::SUCCESS,
            Err(error) => {
                let text = sys::error_text(&error);
                out::complain(&format!("{program}: cannot read standard input: {text}\n"));
                return Exit::FAILURE;
            }
        }
    }
}

/// Reads a line, without its end; `false` at the end of the input. One that is too long is read to its
/// end and left empty.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut read = input.by_ref().take(LONGEST).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(false);
    }
    let is_too_long = read as u64 == LONGEST && line.last() != Some(&b'\n');
    while is_too_long && read > 0 && line.last() != Some(&b'\n') {
        line.clear();
        read = input.by_ref().take(LONGEST).read_until(b'\n', line)?;
    }
    if is_too_long {
        line.clear();
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::next_line;

    #[test]
    fn lines_that_are_too_long_are_passed_over() {
        let long = [vec![b'x'; 2_500_000], b"\nnext\n".to_vec(), vec![b'y'; 1_500_000]].concat();
        let mut input = &long[..];
        let mut line = Vec::new();
        for expected in [&b""[..], b"next", b""] {
            assert!(next_line(&mut input, &mut line).unwrap());
            assert_eq!(line, expected);
        }
        assert!(!next_line(&mut input, &mut line).unwrap());
    }
}
