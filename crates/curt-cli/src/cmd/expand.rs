//! `curt expand`: absolute paths, by text alone. The filesystem is not called.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::paths::{
    Env, Environment, ExpandError, Expander, Flavor, PathText, Release, Rule, ThisProcess,
};
use serde_json::Value;

use crate::args::ExpandOptions;
use crate::args::expand::{DOT_DOTS, FLAVORS, RELEASES, STYLES, VERBATIMS};
use crate::batch::{self, Member, Question};
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::out::{entry, path_text, text};
use crate::quote::quote;
use crate::session::{Outcome, Session};

/// Runs the command.
pub(crate) fn run(options: &ExpandOptions) -> Exit {
    let session = options.output.session("curt expand");
    let drives = check_cwd(options).and_then(|()| drives(&options.drive));
    match drives {
        Err(message) => session.usage(&message),
        Ok(drives) if options.batch => answer_questions(options, &drives, &session),
        Ok(drives) => print(options, &drives, &session),
    }
}

/// Refuses a working directory that is not absolute, unless each question may have another flavor.
fn check_cwd(options: &ExpandOptions) -> Result<(), String> {
    let Some(cwd) = options.cwd.as_deref().filter(|_| !options.batch) else { return Ok(()) };
    let nowhere = Expander::new(Env::of(OnlyUsers(ThisProcess::new())).no_cwd());
    let nowhere = nowhere.flavor(options.flavor.unwrap_or(Flavor::NATIVE));
    match nowhere.expand_text(&PathText::from(Path::new(cwd))) {
        Err(ExpandError::Drive) => {
            Err(format!("invalid directory {} for --cwd: it must be absolute", quote(cwd)))
        }
        _ => Ok(()),
    }
}

/// The working directories of drives.
type Drives<'a> = [(&'a str, &'a str)];

fn drives(given: &[String]) -> Result<Vec<(&str, &str)>, String> {
    let drives = given.iter().map(|text| {
        let drive = text.split_once('=').filter(|(letter, _)| !letter.is_empty());
        drive.ok_or_else(|| format!("invalid drive {}: expected X=PATH", quote(text)))
    });
    drives.collect()
}

/// Returns the expander that a question asks for, and the kind of paths. The options hold for the
/// keys that it lacks.
fn expander(
    question: &Question,
    default: &ExpandOptions,
    drives: &Drives<'_>,
    process: &ThisProcess,
) -> Result<(Expander, Flavor), String> {
    let directory = |key: &str, default: &Option<OsString>| {
        let default = default.as_deref().map(|path| PathText::from(Path::new(path)));
        Ok::<_, String>(match (question.text(key)?, default) {
            (Member::Absent, Some(default)) => Member::Value(default),
            (given, _) => given,
        })
    };
    let base = directory("base", &default.base)?.value();
    let cwd = directory("cwd", &default.cwd)?;
    let mut env = if cwd.is_null() && base.is_some() {
        Env::of(OnlyUsers(process.clone()))
    } else {
        Env::of(process.clone())
    };
    env = match cwd {
        Member::Value(cwd) => env.cwd(cwd),
        Member::Null => env.no_cwd(),
        Member::Absent => env,
    };
    let home = directory("home", &default.home)?;
    // A home directory is given in order to be used.
    let wants_tilde = default.tilde || matches!(home, Member::Value(_));
    let has_tilde = question.flag("tilde", wants_tilde)?;
    env = match home {
        Member::Value(home) => env.home(home),
        Member::Null => env.no_home(),
        Member::Absent => env,
    };
    let mut expander = Expander::new(with_drives(env, question, drives)?);
    let flavor = question.choice("flavor", &FLAVORS)?.value().or(default.flavor);
    if let Some(flavor) = flavor {
        expander = expander.flavor(flavor);
    }
    if let Some(release) = question.choice("release", &RELEASES)?.value().or(default.release) {
        expander = expander.release(release);
    }
    if let Some(style) = question.choice("style", &STYLES)?.value().or(default.style) {
        expander = expander.style(style);
    }
    if let Some(dot_dot) = question.choice("dotdot", &DOT_DOTS)?.value().or(default.dotdot) {
        expander = expander.dot_dot(dot_dot);
    }
    if let Some(verbatim) = question.choice("verbatim", &VERBATIMS)?.value().or(default.verbatim) {
        expander = expander.verbatim(verbatim);
    }
    if wants_tilde || matches!(question.value("tilde"), Member::Value(_)) {
        expander = expander.tilde(has_tilde);
    }
    if let Some(base) = base {
        expander = expander.base(base);
    }
    Ok((expander, flavor.unwrap_or(Flavor::NATIVE)))
}

/// The full path, and the rules that were applied if they are wanted.
struct Expansion {
    result: Result<PathText, ExpandError>,
    rules: Option<Vec<Rule>>,
}

impl Expansion {
    fn new(expander: &Expander, path: &PathText, is_explained: bool) -> Expansion {
        if is_explained {
            let explanation = expander.explain_text(path);
            Expansion { result: explanation.result, rules: Some(explanation.rules) }
        } else {
            Expansion { result: expander.expand_text(path), rules: None }
        }
    }

    /// Adds the expansion to an object.
    fn add_to(&self, object: Object, input: &PathText, flavor: Flavor) -> Object {
        let object = match &self.result {
            Ok(full) => object.raw("ok", &path_text::to_json(full, flavor)),
            Err(error) => Failure::new("expand", error.word(), error.to_string())
                .json_path(path_text::to_json(input, flavor))
                .add_to(object),
        };
        match &self.rules {
            Some(rules) => object.list("rules", rules.iter().map(|rule| json::string(rule.word()))),
            None => object,
        }
    }
}

/// Whether a path is `~` or begins with `~` and a separator, which people type for their home in
/// every style. Anything else that begins with `~` may be a name, such as that of a lock file.
fn is_at_home(operand: &OsStr, flavor: Flavor) -> bool {
    match operand.as_encoded_bytes() {
        [b'~'] | [b'~', b'/', ..] => true,
        [b'~', b'\\', ..] => flavor == Flavor::Windows,
        _ => false,
    }
}

/// Prints the full paths of the operands.
fn print(options: &ExpandOptions, drives: &Drives<'_>, session: &Session) -> Exit {
    let process = ThisProcess::new();
    let make = |options: &ExpandOptions| expander(&Question::default(), options, drives, &process);
    // The options are the same but for one that cannot be wrong.
    let at_home = ExpandOptions { tilde: options.tilde || !options.no_tilde, ..options.clone() };
    let (expander, at_home, flavor) = match (make(options), make(&at_home)) {
        (Ok((expander, flavor)), Ok((at_home, _))) => (expander, at_home, flavor),
        (Err(message), _) | (_, Err(message)) => return session.usage(&message),
    };
    for operand in &options.operands {
        if session.is_cancelled() {
            break;
        }
        let path = PathText::from(Path::new(operand));
        let expander = if is_at_home(operand, flavor) { &at_home } else { &expander };
        let expansion = Expansion::new(expander, &path, options.explain);
        if session.is_json() {
            if expansion.result.is_err() {
                session.count_failure();
            }
            let object = Object::new().raw("input", &path_text::to_json(&path, flavor));
            session.object(expansion.add_to(object, &path, flavor));
            continue;
        }
        match expansion.result.and_then(|full| full.to_path()) {
            Ok(full) => {
                let is_quoted = !options.null && session.is_terminal();
                let mut lines = entry::name(full.as_os_str(), is_quoted);
                lines.push(if options.null { 0 } else { b'\n' });
                for rule in expansion.rules.unwrap_or_default() {
                    lines.extend(format!("  {}: {}\n", rule.word(), rule.meaning()).bytes());
                }
                session.data(&lines);
            }
            Err(error) => {
                session.count_failure();
                let lacks_cwd = error == ExpandError::Drive && flavor != Flavor::NATIVE;
                let is_asked = lacks_cwd && options.cwd.is_none() && options.base.is_none();
                let hint = match flavor {
                    Flavor::Windows if is_asked => "; give one with --cwd 'C:\\...'",
                    Flavor::Posix if is_asked => "; give one with --cwd /...",
                    _ => "",
                };
                session.warn(&format!("cannot expand {}: {error}{hint}", quote(operand)));
            }
        }
    }
    let count = options.operands.len() as u64;
    session.finish(Outcome {
        summary: Some(Object::new().number("paths", count).number("errors", session.errors())),
        done: text::counted(count, "path", "paths"),
        calls: process.calls(),
        ..Outcome::default()
    })
}

/// The keys of a question.
const KEYS: [&str; 11] = [
    "input", "flavor", "release", "style", "dotdot", "verbatim", "base", "cwd", "home", "tilde",
    "drives",
];

/// Answers the questions on standard input, each of which may be about another process.
fn answer_questions(options: &ExpandOptions, drives: &Drives<'_>, session: &Session) -> Exit {
    let process = ThisProcess::new();
    batch::run(session, &KEYS, |question| {
        let input = question.text("input")?.required("input")?;
        let (expander, flavor) = expander(question, options, drives, &process)?;
        let expansion = Expansion::new(&expander, &input, options.explain);
        Ok(expansion.add_to(Object::new(), &input, flavor))
    });
    session.finish(Outcome { calls: process.calls(), ..Outcome::default() })
}

/// The environment of a question that says where paths start: nothing of this process but the
/// homes of users.
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

fn with_drives(mut env: Env, question: &Question, default: &Drives<'_>) -> Result<Env, String> {
    match question.value("drives") {
        Member::Absent => {
            for &(letter, path) in default {
                env = env.drive(letter, path);
            }
        }
        Member::Null => env = env.no_drives(),
        Member::Value(Value::Object(drives)) => {
            env = env.no_drives();
            for (letter, path) in drives {
                let path = path_text::from_json(path);
                let path = path.ok_or_else(|| format!("'{letter}' of 'drives' is not a path"))?;
                env = env.drive(letter.as_str(), path);
            }
        }
        Member::Value(_) => return Err("'drives' is not an object".to_owned()),
    }
    Ok(env)
}

#[cfg(test)]
mod tests {
    use super::expander;
    use crate::args::ExpandOptions;
    use crate::batch::Question;
    use curt::paths::ThisProcess;

    fn ask(line: &str) -> Result<String, String> {
        let question = Question::read(line.as_bytes(), &super::KEYS)?;
        let input = question.text("input")?.required("input")?;
        let (process, options) = (ThisProcess::new(), ExpandOptions::default());
        let (expander, flavor) = expander(&question, &options, &[], &process)?;
        Ok(match expander.expand_text(&input) {
            Ok(full) => super::path_text::to_json(&full, flavor),
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
            (r#"{"input":"~/x","flavor":"posix","cwd":"/w","home":"/h"}"#, r#""/h/x""#),
            (r#"{"input":"~","flavor":"posix","cwd":"/w","home":"/h","tilde":false}"#, r#""/w/~""#),
            (
                r#"{"input":"~","flavor":"posix","cwd":"/w","style":"ruby","tilde":false}"#,
                r#""/w/~""#,
            ),
            (r#"{"input":"~","flavor":"posix","home":null,"cwd":"/w"}"#, r#""/w/~""#),
            (
                r#"{"input":"~","flavor":"posix","cwd":null,"base":"/b","home":null,"tilde":true}"#,
                "no-home",
            ),
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
    fn invalid_questions_are_refused() {
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
