//! The names that standard input asks about. Each question may be of another world.

use std::ffi::OsString;

use curt::{Calls, Search};
use serde_json::Value;

use super::answer;
use crate::args::{LookUpOptions, WhichOptions};
use crate::batch;
use crate::exit::Exit;
use crate::out::json::{Failure, Object};
use crate::session::Session;
use crate::sys;

/// What a question may say.
const KEYS: [&str; 12] = [
    "name",
    "path",
    "pathext",
    "base",
    "policy",
    "rules",
    "cwd",
    "bare",
    "extensions",
    "set",
    "strict_extension",
    "all",
];

/// Answers all questions.
pub(super) fn run(options: &WhichOptions, session: &Session) -> Exit {
    let mut calls = Calls::default();
    let exit = batch::answer(session, |line| {
        let value = batch::read(line, &KEYS);
        match value.and_then(|value| Question::read(&value, options)) {
            Ok(mut question) => {
                let answer = question.answer();
                calls.add(&question.search.calls());
                answer
            }
            Err(message) => Failure::no_question(message).alone(),
        }
    });
    session.stats("", &calls);
    session.close(false, exit, Exit::FAILURE)
}

/// A question that was understood.
struct Question {
    name: OsString,
    search: Search,
    all: bool,
}

impl Question {
    fn read(value: &Value, usual: &WhichOptions) -> Result<Question, String> {
        let name = value.get("name").and_then(sys::name_from_json);
        let name = name.ok_or("'name' is missing, or is no name")?;
        let look_up = &usual.look_up;
        let (path, pathext) = (Said::of(value, "path")?, Said::of(value, "pathext")?);
        let (is_without_path, is_without_pathext) = (path.is_null(), pathext.is_null());
        let options = LookUpOptions {
            path: path.or(look_up.path.as_ref()),
            pathext: pathext.or(look_up.pathext.as_ref()),
            base: Said::of(value, "base")?.or(look_up.base.as_ref()),
            policy: word(value, "policy", look_up.policy.as_ref())?,
            rules: word(value, "rules", look_up.rules.as_ref())?,
            cwd: word(value, "cwd", look_up.cwd.as_ref())?,
            bare: word(value, "bare", look_up.bare.as_ref())?,
            extensions: Said::of(value, "extensions")?.or(look_up.extensions.as_ref()),
            changes: changes(value, &look_up.changes)?,
            strict_extension: flag(value, "strict_extension", look_up.strict_extension)?,
        };
        let mut search = options.search()?;
        if is_without_path {
            search = search.without_path();
        }
        if is_without_pathext {
            search = search.without_pathext();
        }
        Ok(Question { name, search, all: flag(value, "all", usual.all)? })
    }

    fn answer(&mut self) -> Object {
        if !self.all {
            return match self.search.find(&self.name) {
                Ok(found) => self.found(found),
                Err(error) => answer::failure(Object::new(), &error),
            };
        }
        let mut all = Vec::new();
        let answers: Vec<_> = self.search.find_all(&self.name).collect();
        for one in answers {
            match one {
                Ok(found) => all.push(self.found(found)),
                Err(error) => return answer::failure(Object::new(), &error),
            }
        }
        Object::new().objects("all", all)
    }

    fn found(&mut self, mut found: curt::Found) -> Object {
        self.search.look_into(&mut found);
        answer::found(Object::new(), &found)
    }
}

/// What a question says of a text.
enum Said {
    Nothing,
    Null,
    Text(OsString),
}

impl Said {
    fn of(value: &Value, key: &str) -> Result<Said, String> {
        match value.get(key) {
            None => Ok(Said::Nothing),
            Some(Value::Null) => Ok(Said::Null),
            Some(value) => match sys::name_from_json(value) {
                Some(text) => Ok(Said::Text(text)),
                None => Err(format!("'{key}' is no text")),
            },
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Said::Null)
    }

    fn or(self, usual: Option<&OsString>) -> Option<OsString> {
        match self {
            Said::Nothing => usual.cloned(),
            Said::Null => None,
            Said::Text(text) => Some(text),
        }
    }
}

fn word(value: &Value, key: &str, usual: Option<&String>) -> Result<Option<String>, String> {
    match value.get(key) {
        None => Ok(usual.cloned()),
        Some(Value::Null) => Ok(None),
        Some(Value::String(word)) => Ok(Some(word.clone())),
        Some(_) => Err(format!("'{key}' is no word")),
    }
}

/// The rules that a question changes, behind those of the command line.
fn changes(value: &Value, usual: &[String]) -> Result<Vec<String>, String> {
    let mut all = usual.to_vec();
    match value.get("set") {
        None | Some(Value::Null) => return Ok(all),
        Some(Value::Array(texts)) => {
            for text in texts {
                let text = text.as_str().ok_or("'set' is no list of strings")?;
                all.push(text.to_owned());
            }
        }
        Some(_) => return Err("'set' is no list of strings".to_owned()),
    }
    Ok(all)
}

fn flag(value: &Value, key: &str, usual: bool) -> Result<bool, String> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(usual),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("'{key}' is neither true nor false")),
    }
}
