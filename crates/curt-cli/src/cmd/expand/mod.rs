//! `curt expand`: full paths by text alone. No call to the file system.

mod batch;

use std::path::Path;

use curt::ThisProcess;
use curt::paths::{Env, ExpandError, Expander, Flavor, PathText, Rule};

pub(crate) use self::batch::choice;
use crate::args::ExpandOptions;
use crate::exit::Exit;
use crate::out::json::{self, Failure, Object};
use crate::out::{self, entry, path_text, text};
use crate::quote::quote;
use crate::session::{Common, Ending, Session};

/// Answers what the options ask.
pub(crate) fn run(options: &ExpandOptions) -> Exit {
    let common = Common { program: "curt expand", json: options.json, stats: options.stats };
    let session = Session::new(common);
    match drives(&options.drive) {
        None => session.usage("a drive is said as X=PATH"),
        Some(drives) if options.batch => batch::run(options, &drives, &session),
        Some(drives) => paths(options, &drives, &session),
    }
}

/// The drives that were named, each with its working directory.
fn drives(given: &[String]) -> Option<Vec<(&str, &str)>> {
    let named = given.iter().map(|drive| drive.split_once('='));
    named.map(|drive| drive.filter(|(letter, _)| !letter.is_empty())).collect()
}

/// What the options say of the world and of the expansion.
fn expander(options: &ExpandOptions, drives: &[(&str, &str)], process: &ThisProcess) -> Expander {
    let mut env = Env::of(process.clone());
    if let Some(cwd) = &options.cwd {
        env = env.cwd(Path::new(cwd));
    }
    if let Some(home) = &options.home {
        env = env.home(Path::new(home));
    }
    for &(letter, path) in drives {
        env = env.drive(letter, path);
    }
    let expander = choose(Expander::new(env), options);
    match &options.base {
        Some(base) => expander.base(Path::new(base)),
        None => expander,
    }
}

/// Makes the choices that were made.
fn choose(mut expander: Expander, options: &ExpandOptions) -> Expander {
    if let Some(flavor) = options.flavor {
        expander = expander.flavor(flavor);
    }
    if let Some(release) = options.release {
        expander = expander.release(release);
    }
    if let Some(style) = options.style {
        expander = expander.style(style);
    }
    if let Some(dot_dot) = options.dotdot {
        expander = expander.dot_dot(dot_dot);
    }
    if let Some(verbatim) = options.verbatim {
        expander = expander.verbatim(verbatim);
    }
    expander
}

/// What came of one path: the full path, and, where they are wanted, the rules.
struct Answer {
    result: Result<PathText, ExpandError>,
    rules: Option<Vec<Rule>>,
}

impl Answer {
    fn of(expander: &Expander, path: &PathText, explained: bool) -> Answer {
        if explained {
            let explanation = expander.explain_text(path);
            Answer { result: explanation.result, rules: Some(explanation.rules) }
        } else {
            Answer { result: expander.expand_text(path), rules: None }
        }
    }

    /// Adds the fields of the answer.
    fn fields(&self, object: Object, input: &PathText, flavor: Flavor) -> Object {
        let object = match &self.result {
            Ok(full) => object.raw("ok", &path_text::to_json(full, flavor)),
            Err(error) => Failure::new("expand", error.word(), error.to_string())
                .path_in_json(path_text::to_json(input, flavor))
                .add_to(object),
        };
        match &self.rules {
            Some(rules) => {
                let words: Vec<String> =
                    rules.iter().map(|rule| json::string(rule.word())).collect();
                object.raw("rules", &format!("[{}]", words.join(",")))
            }
            None => object,
        }
    }
}

/// Answers for the operands.
fn paths(options: &ExpandOptions, drives: &[(&str, &str)], session: &Session) -> Exit {
    let process = ThisProcess::new();
    let expander = expander(options, drives, &process);
    let flavor = options.flavor.unwrap_or(Flavor::NATIVE);
    let quoted = !options.json && !options.null && out::is_terminal();
    for operand in &options.operands {
        if session.is_over() {
            break;
        }
        let path = PathText::from(Path::new(operand));
        let answer = Answer::of(&expander, &path, options.explain);
        session.count_errors(u64::from(answer.result.is_err()));
        if options.json {
            let object = Object::new().raw("input", &path_text::to_json(&path, flavor));
            session.object(answer.fields(object, &path, flavor));
            continue;
        }
        match answer.result.and_then(|full| full.to_path()) {
            Ok(full) => session.data(&lines(&full, answer.rules.as_deref(), quoted, options.null)),
            Err(error) => {
                let (program, path) = (session.program(), quote(Path::new(operand)));
                session.message(&format!("{program}: cannot expand {path}: {error}\n"));
            }
        }
    }
    let count = options.operands.len() as u64;
    session.end(Ending {
        summary: Object::new().number("paths", count).number("errors", session.errors()),
        done: text::counted(count, "path", "paths"),
        calls: process.calls(),
        ..Ending::default()
    })
}

/// A full path, and the rules below it.
fn lines(full: &Path, rules: Option<&[Rule]>, quoted: bool, null: bool) -> Vec<u8> {
    let mut lines = entry::name(full.as_os_str(), quoted);
    lines.push(if null { 0 } else { b'\n' });
    for rule in rules.unwrap_or_default() {
        lines.extend(format!("  {}: {}\n", rule.word(), rule.meaning()).bytes());
    }
    lines
}
