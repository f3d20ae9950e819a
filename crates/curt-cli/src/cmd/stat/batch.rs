//! What is known of the paths that standard input asks about.

use std::ffi::OsString;
use std::path::Path;

use curt::{Calls, Fields, Stat};
use serde_json::Value;

use super::{name, plan};
use crate::args::StatOptions;
use crate::batch;
use crate::exit::Exit;
use crate::out::entry::{self, Shown};
use crate::out::json::{Failure, Object};
use crate::session::Session;
use crate::sys;

/// How many sets of fields are remembered.
const SETS: usize = 32;

/// Answers all questions.
pub(super) fn run(options: &StatOptions, usual: Fields, session: &Session) -> Exit {
    let mut answers = Answers { options, usual, stats: Vec::new(), calls: Calls::default() };
    let exit = batch::answer(session, |line| answers.to(line));
    answers.forget();
    session.stats("", &answers.calls);
    session.close(false, exit, Exit::FAILURE)
}

/// A question that was understood.
struct Question {
    path: OsString,
    fields: Fields,
}

struct Answers<'a> {
    options: &'a StatOptions,
    usual: Fields,
    /// One for each set of fields, so that owners are looked up once.
    stats: Vec<(Fields, Stat)>,
    calls: Calls,
}

impl Answers<'_> {
    /// The answer to one question.
    fn to(&mut self, line: &[u8]) -> Object {
        let question = match question(line, self.usual) {
            Ok(question) => question,
            Err(message) => return Failure::no_question(message).alone(),
        };
        let path = Path::new(&question.path);
        match self.stat(question.fields).path(path) {
            Ok(metadata) => {
                let shown = Shown { name: name(path), path, metadata: &metadata };
                entry::object(&shown, question.fields)
            }
            Err(error) => Failure::from(&error).path(path).alone(),
        }
    }

    fn stat(&mut self, fields: Fields) -> &mut Stat {
        let known = self.stats.iter().position(|&(set, _)| set == fields);
        let at = known.unwrap_or_else(|| {
            if self.stats.len() >= SETS {
                self.forget();
            }
            self.stats.push((fields, Stat::new(plan(self.options, fields))));
            self.stats.len() - 1
        });
        &mut self.stats[at].1
    }

    fn forget(&mut self) {
        for (_, stat) in self.stats.drain(..) {
            self.calls.add(&stat.calls());
        }
    }
}

/// Reads a question.
fn question(line: &[u8], usual: Fields) -> Result<Question, String> {
    let value = batch::read(line, &["path", "fields"])?;
    let path = value.get("path").and_then(sys::name_from_json);
    let path = path.ok_or("'path' is missing, or is no path")?;
    let fields = match value.get("fields") {
        None | Some(Value::Null) => usual | Fields::NAME,
        Some(Value::Array(names)) => names.iter().try_fold(Fields::NONE, |all, name| {
            let name = name.as_str().ok_or("'fields' holds something that is no name")?;
            let field = Fields::named(name).ok_or_else(|| format!("there is no field '{name}'"))?;
            Ok::<Fields, String>(all | field)
        })?,
        Some(_) => return Err("'fields' is no list".to_owned()),
    };
    Ok(Question { path, fields })
}

#[cfg(test)]
mod tests {
    use super::question;
    use curt::Fields;

    #[test]
    fn questions_are_understood_or_refused() {
        let ask = |line: &str| question(line.as_bytes(), Fields::SIZE);
        let asked = ask(r#"{"path":"a b","fields":["kind","links"]}"#).unwrap();
        assert_eq!(asked.path, "a b");
        assert_eq!(asked.fields, Fields::KIND | Fields::LINKS);
        assert_eq!(ask(r#"{"path":""}"#).unwrap().fields, Fields::SIZE | Fields::NAME);
        for line in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"path":1}"#,
            r#"{"path":{"bytes":"!"}}"#,
            r#"{"path":"a","fields":["colour"]}"#,
            r#"{"path":"a","fields":[1]}"#,
            r#"{"path":"a","fields":"size"}"#,
        ] {
            assert!(ask(line).is_err(), "{line}");
        }
    }
}
