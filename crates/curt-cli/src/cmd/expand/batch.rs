//! The paths that standard input asks about. Each question may be of another world.

use std::path::Path;

use curt::ThisProcess;
use curt::paths::{Env, Environment, Expander, Flavor, PathText, Release};
use serde_json::Value;

use super::{Answer, choose};
use crate::args::ExpandOptions;
use crate::args::expand::{DOT_DOTS, FLAVORS, RELEASES, STYLES, VERBATIMS, meaning};
use crate::batch;
use crate::exit::Exit;
use crate::out::json::{Failure, Object};
use crate::out::path_text;
use crate::session::Session;

/// What a question may say.
const KEYS: [&str; 10] =
    ["input", "flavor", "release", "style", "dotdot", "verbatim", "base", "cwd", "home", "drives"];

/// Answers all questions.
pub(super) fn run(options: &ExpandOptions, drives: &[(&str, &str)], session: &Session) -> Exit {
    let process = ThisProcess::new();
    let exit = batch::answer(session, |line| {
        let value = batch::read(line, &KEYS);
        match value.and_then(|value| Question::read(&value, options, drives, &process)) {
            Ok(question) => {
                let answer = Answer::of(&question.expander, &question.input, options.explain);
                answer.fields(Object::new(), &question.input, question.flavor)
            }
            Err(message) => Failure::no_question(message).alone(),
        }
    });
    session.stats("", &process.calls());
    session.close(false, exit, Exit::FAILURE)
}

/// A question that was understood.
struct Question {
    input: PathText,
    flavor: Flavor,
    expander: Expander,
}

/// A question that says where it starts is not about this process, but for where its users live.
struct OnlyUsers(ThisProcess);

impl Environment for OnlyUsers {
    fn working_directory(&self) -> Option<PathText> {
        None
    }

    fn home_of(&self, user: &[u8]) -> Option<PathText> {
        if user.is_empty() { None } else { self.0.home_of(user) }
    }

    fn release(&self) -> Release {
        self.0.release()
    }
}

/// What a question says of a directory.
enum Said {
    Nothing,
    Null,
    Path(PathText),
}

impl Question {
    fn read(
        value: &Value,
        usual: &ExpandOptions,
        drives: &[(&str, &str)],
        process: &ThisProcess,
    ) -> Result<Question, String> {
        let input = value.get("input").and_then(path_text::from_json);
        let input = input.ok_or("'input' is missing, or is no path")?;
        let options = options(value, usual)?;
        let base = match said(value, "base", usual.base.as_deref().map(Path::new))? {
            Said::Path(base) => Some(base),
            _ => None,
        };
        let cwd = said(value, "cwd", usual.cwd.as_deref().map(Path::new))?;
        let is_pure = matches!(cwd, Said::Null) && base.is_some();
        let mut env =
            if is_pure { Env::of(OnlyUsers(process.clone())) } else { Env::of(process.clone()) };
        env = match cwd {
            Said::Path(cwd) => env.cwd(cwd),
            Said::Null => env.no_cwd(),
            Said::Nothing => env,
        };
        env = match said(value, "home", usual.home.as_deref().map(Path::new))? {
            Said::Path(home) => env.home(home),
            Said::Null => env.no_home(),
            Said::Nothing => env,
        };
        env = with_drives(env, value.get("drives"), drives)?;
        let mut expander = choose(Expander::new(env), &options);
        if let Some(base) = base {
            expander = expander.base(base);
        }
        Ok(Question { input, flavor: options.flavor.unwrap_or(Flavor::NATIVE), expander })
    }
}

/// The choices of a question, with the usual ones for what it leaves out.
fn options(value: &Value, usual: &ExpandOptions) -> Result<ExpandOptions, String> {
    Ok(ExpandOptions {
        flavor: choice(value, "flavor", &FLAVORS, usual.flavor)?,
        release: choice(value, "release", &RELEASES, usual.release)?,
        style: choice(value, "style", &STYLES, usual.style)?,
        dotdot: choice(value, "dotdot", &DOT_DOTS, usual.dotdot)?,
        verbatim: choice(value, "verbatim", &VERBATIMS, usual.verbatim)?,
        ..ExpandOptions::default()
    })
}

/// What a question chooses by a word, or what is usual.
pub(crate) fn choice<T: Copy>(
    value: &Value,
    key: &str,
    words: &[(&str, T)],
    usual: Option<T>,
) -> Result<Option<T>, String> {
    let word = match value.get(key) {
        None | Some(Value::Null) => return Ok(usual),
        Some(Value::String(word)) => word.clone(),
        Some(other) => other.to_string(),
    };
    let chosen = meaning(words, &word);
    chosen.map(Some).ok_or_else(|| format!("'{key}' is not '{word}'"))
}

/// A directory of a question; the usual one where it says nothing.
fn said(value: &Value, key: &str, usual: Option<&Path>) -> Result<Said, String> {
    match value.get(key) {
        None => Ok(usual.map_or(Said::Nothing, |path| Said::Path(path.into()))),
        Some(Value::Null) => Ok(Said::Null),
        Some(path) => {
            path_text::from_json(path).map(Said::Path).ok_or_else(|| format!("'{key}' is no path"))
        }
    }
}

fn with_drives(mut env: Env, value: Option<&Value>, usual: &[(&str, &str)]) -> Result<Env, String> {
    match value {
        None => {
            for &(letter, path) in usual {
                env = env.drive(letter, path);
            }
        }
        Some(Value::Null) => env = env.no_drives(),
        Some(Value::Object(drives)) => {
            env = env.no_drives();
            for (letter, path) in drives {
                let path = path_text::from_json(path);
                let path = path.ok_or_else(|| format!("the drive '{letter}' has no path"))?;
                env = env.drive(letter.as_str(), path);
            }
        }
        Some(_) => return Err("'drives' is no object".to_owned()),
    }
    Ok(env)
}

#[cfg(test)]
mod tests {
    use super::Question;
    use crate::args::ExpandOptions;
    use curt::ThisProcess;

    fn ask(line: &str) -> Result<String, String> {
        let value = super::batch::read(line.as_bytes(), &super::KEYS);
        let process = ThisProcess::new();
        let question = Question::read(&value?, &ExpandOptions::default(), &[], &process)?;
        let result = question.expander.expand_text(&question.input);
        Ok(match result {
            Ok(full) => super::path_text::to_json(&full, question.flavor),
            Err(error) => error.word().to_owned(),
        })
    }

    #[test]
    fn questions_are_understood() {
        for (line, answer) in [
            (r#"{"input":"a","flavor":"posix","cwd":"/w"}"#, r#""/w/a""#),
            (r#"{"input":"a","flavor":"posix","cwd":null}"#, "drive"),
            (r#"{"input":"a","flavor":"posix","cwd":null,"base":"/b"}"#, r#""/b/a""#),
            (r#"{"input":"~","flavor":"posix","style":"ruby","home":"/h"}"#, r#""/h""#),
            (r#"{"input":"~","style":"ruby","cwd":null,"base":"/b","home":null}"#, "no-home"),
            (r#"{"input":"~","flavor":"posix","style":"ruby","home":"h"}"#, "nonabs-home"),
            (r#"{"input":"~no-such-user","flavor":"posix","style":"ruby"}"#, "no-user"),
            (r#"{"input":"/..","flavor":"posix","dotdot":"refuse"}"#, "escape"),
            (r#"{"input":"","flavor":"windows"}"#, "empty"),
            (r#"{"input":"~","flavor":"posix","style":"ruby","home":""}"#, "nonabs-home"),
            (
                r#"{"input":"~","flavor":"windows","style":"ruby","cwd":"C:/","home":"/h"}"#,
                "nonabs-home",
            ),
            (r#"{"input":"~u","flavor":"windows","style":"ruby","cwd":"C:/"}"#, "no-user"),
            (r#"{"input":"~","style":"ruby","flavor":"posix","cwd":null,"base":"/b"}"#, "no-home"),
            (r#"{"input":"a","flavor":"posix","cwd":null,"base":"b"}"#, "drive"),
            (r#"{"input":"D:x","flavor":"windows","cwd":"C:\\","drives":{"D":"d"}}"#, "drive"),
            (
                r#"{"input":"D:x","flavor":"windows","cwd":"C:\\","drives":{"d":"D:\\q"}}"#,
                r#""D:\\q\\x""#,
            ),
            (
                r#"{"input":"x","flavor":"windows","cwd":null,"base":"D:b","drives":{"D":"D:\\z"}}"#,
                r#""D:\\z\\b\\x""#,
            ),
            (
                r#"{"input":"\\??\\C:\\a\\..","flavor":"windows","verbatim":"normalize","cwd":"C:\\"}"#,
                r#""C:\\??\\C:""#,
            ),
            (r#"{"input":"/x","flavor":"posix","style":"ruby","base":"\u0000"}"#, "nul"),
            (r#"{"input":"a\u0000","flavor":"windows"}"#, "nul"),
            (
                r#"{"input":"D:y","flavor":"windows","release":11,"style":"native","dotdot":"clamp","verbatim":"keep","cwd":"C:\\","drives":{"D":"D:\\x"},"base":null,"home":"C:\\h"}"#,
                r#""D:\\x\\y""#,
            ),
            (
                r#"{"input":"con.x","flavor":"windows","release":10,"cwd":"C:\\"}"#,
                r#""\\\\.\\con""#,
            ),
            (
                r#"{"input":"con.x","flavor":"windows","release":"11","cwd":"C:\\"}"#,
                r#""C:\\con.x""#,
            ),
            (
                r#"{"input":{"bytes":"/w=="},"flavor":"posix","cwd":"/w"}"#,
                r#"{"bytes":"L3cv/w=="}"#,
            ),
            (
                r#"{"input":{"utf16":[55296]},"flavor":"windows","cwd":"C:\\"}"#,
                r#"{"utf16":[67,58,92,55296]}"#,
            ),
            (r#"{"input":{"utf16":[55296]},"flavor":"posix","cwd":{"bytes":"L/8="}}"#, "encoding"),
            (
                r#"{"input":{"bytes":"6Q==","encoding":"ISO-8859-1"},"flavor":"posix","cwd":"/é"}"#,
                "encoding",
            ),
            (
                r#"{"input":{"bytes":"6Q==","encoding":"ISO-8859-1"},"flavor":"posix","cwd":"/w"}"#,
                r#"{"bytes":"L3cv6Q==","encoding":"ISO-8859-1"}"#,
            ),
        ] {
            assert_eq!(ask(line).as_deref(), Ok(answer), "{line}");
        }
    }

    #[test]
    fn windows_has_a_longest_path() {
        let question = |length: usize| {
            let name = "é".repeat(length);
            ask(&format!(r#"{{"input":"{name}","flavor":"windows","cwd":"C:\\"}}"#)).unwrap()
        };
        assert!(question(32_763).starts_with(r#""C:\\é"#));
        assert_eq!(question(32_764), "too-long");
        assert_eq!(question(40_000), "too-long");
    }

    #[test]
    fn what_is_no_question_is_refused() {
        for line in [
            "",
            "[]",
            "{}",
            r#"{"input":1}"#,
            r#"{"input":"a","flavor":"dos"}"#,
            r#"{"input":"a","release":12}"#,
            r#"{"input":"a","cwd":1}"#,
            r#"{"input":"a","drives":[]}"#,
            r#"{"input":"a","drives":{"D":1}}"#,
        ] {
            assert!(ask(line).is_err(), "{line}");
        }
    }
}
