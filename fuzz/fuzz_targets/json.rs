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

#[path = "../../crates/curt-cli/src/base64.rs"]
#[allow(dead_code, reason = "the command's own module")]
mod base64;

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

/// A path as the command writes it.
fn written(path: &[u8]) -> Value {
    match std::str::from_utf8(path) {
        Ok(text) => json!(text),
        Err(_) => json!({ "bytes": base64::encode(path) }),
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
        let mut inputs = vec![json!({ "bytes": base64::encode(&path) })];
        inputs.extend(std::str::from_utf8(&path).map(|text| json!(text)));
        for input in inputs {
            let answer = command.ask(json!({ "input": input }).to_string().as_bytes());
            assert_eq!(answer.get("ok").cloned(), expected, "{input}");
        }
        assert_eq!(base64::decode(&base64::encode(data)).as_deref(), Some(data));
    });
});
