//! Verdicts on the paths that standard input asks about.

use std::ffi::OsString;
use std::path::Path;

use curt::Root;
use serde_json::Value;

use super::{aliases, scope, verdict};
use crate::args::{BeneathOptions, Mode};
use crate::batch;
use crate::exit::Exit;
use crate::out::json::{Failure, Object};
use crate::session::Session;
use crate::sys;

/// Answers all questions.
pub(super) fn run(options: &BeneathOptions, root: &Root, session: &Session) -> Exit {
    // One for each way of asking, so that calls are counted together at the end.
    let ways =
        [(Mode::Open, false), (Mode::Strict, false), (Mode::Open, true), (Mode::Strict, true)];
    let roots =
        ways.map(|(mode, in_root)| root.share().scope(scope(in_root)).aliases(aliases(mode)));
    let exit = batch::answer(session, |line| match question(line, options) {
        Ok(Question { path, way }) => {
            let at = ways.iter().position(|&known| known == way).unwrap_or_default();
            match verdict::name(&roots[at], Path::new(&path), options.name) {
                Ok(name) => Object::new().path("allow", &name),
                Err(refused) => refused.answer(Path::new(&path)),
            }
        }
        Err(message) => Failure::no_question(message).alone(),
    });
    let mut calls = root.calls();
    for root in &roots {
        calls.add(&root.calls());
    }
    session.stats("", &calls);
    session.close(false, exit, Exit::FAILURE)
}

/// A question that was understood.
#[derive(Debug, PartialEq)]
struct Question {
    path: OsString,
    way: (Mode, bool),
}

/// Reads a question.
fn question(line: &[u8], options: &BeneathOptions) -> Result<Question, String> {
    let value = batch::read(line, &["path", "mode", "in_root"])?;
    let path = value.get("path").and_then(sys::name_from_json);
    let path = path.ok_or("'path' is missing, or is no path")?;
    let way = (mode(&value, options)?, in_root(&value, options)?);
    Ok(Question { path, way })
}

/// What a question says of aliases.
pub(super) fn mode(value: &Value, options: &BeneathOptions) -> Result<Mode, String> {
    match value.get("mode") {
        None | Some(Value::Null) => Ok(options.mode),
        Some(mode) => {
            let named = mode.as_str().and_then(Mode::named);
            named.ok_or_else(|| "'mode' is neither \"open\" nor \"strict\"".to_owned())
        }
    }
}

/// What a question says of paths that would leave.
pub(super) fn in_root(value: &Value, options: &BeneathOptions) -> Result<bool, String> {
    match value.get("in_root") {
        None | Some(Value::Null) => Ok(options.in_root),
        Some(in_root) => {
            in_root.as_bool().ok_or_else(|| "'in_root' is neither true nor false".to_owned())
        }
    }
}
