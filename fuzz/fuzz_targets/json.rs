//! The command's JSON: any line to `curt expand --batch` is answered by one line of JSON, and a
//! path in it, whatever its bytes, is answered as the library answers.
//!
//! The command is the one that `CURT` names; `cargo xtask fuzz` builds it.
#![no_main]

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use curt::paths::{Env, Expander, Flavor};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

struct Asked {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Asked {
    fn start() -> Asked {
        let curt = std::env::var_os("CURT").expect("CURT names the command");
        let mut command = Command::new(curt);
        command.args(["expand", "--batch", "--flavor", "posix"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let questions = child.stdin.take().expect("a pipe");
        Asked { questions, answers: BufReader::new(child.stdout.take().expect("a pipe")) }
    }

    fn ask(&mut self, line: &[u8]) -> Value {
        self.questions.write_all(&[line, b"\n"].concat()).expect("the command reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the command answers in Unicode");
        assert!(answer.ends_with('\n'), "the command ended at {line:?}");
        serde_json::from_str(&answer).expect("an answer is JSON")
    }
}

thread_local! {
    static COMMAND: RefCell<Asked> = RefCell::new(Asked::start());
}

/// Base64, written without a look at the command's: both must agree.
fn base64(bytes: &[u8]) -> String {
    let digits: Vec<char> =
        ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    let value = |six: &[u8]| (0..6).fold(0, |sum, at| sum << 1 | six.get(at).unwrap_or(&0));
    let mut text: String = bits.chunks(6).map(|six| digits[usize::from(value(six))]).collect();
    while text.len() % 4 != 0 {
        text.push('=');
    }
    text
}

/// A path as the command writes it.
fn written(path: &[u8]) -> Value {
    match std::str::from_utf8(path) {
        Ok(text) => json!(text),
        Err(_) => json!({ "bytes": base64(path) }),
    }
}

fuzz_target!(|data: &[u8]| {
    COMMAND.with_borrow_mut(|command| {
        // As a question: valid or not, it has one answer.
        let line: Vec<u8> = data.iter().copied().filter(|&byte| byte != b'\n').collect();
        let answer = command.ask(&line);
        assert!(answer.get("ok").is_some() != answer.get("error").is_some(), "{answer}");
        // As a path, in both ways of writing one.
        let path = [b"/", data].concat();
        let expander = Expander::new(Env::none()).flavor(Flavor::Posix).tilde(false);
        let expected = expander.expand(&path).ok().map(|full| written(&full));
        let mut inputs = vec![json!({ "bytes": base64(&path) })];
        inputs.extend(std::str::from_utf8(&path).map(|text| json!(text)));
        for input in inputs {
            let answer = command.ask(json!({ "input": input }).to_string().as_bytes());
            assert_eq!(answer.get("ok").cloned(), expected, "{input}");
        }
    });
});
