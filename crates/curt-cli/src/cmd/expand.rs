//! `curt expand`: absolute paths, by text alone. The filesystem is not called.

use std::ffi::OsStr;
use std::path::Path;

use curt::paths::{Env, ExpandError, Expander, Flavor, PathText, Rule, ThisProcess};

use crate::args::ExpandOptions;
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
        Ok(drives) => print(options, &drives, &session),
    }
}

/// Refuses a working directory that is not absolute.
fn check_cwd(options: &ExpandOptions) -> Result<(), String> {
    let Some(cwd) = options.cwd.as_deref() else { return Ok(()) };
    let nowhere = Expander::new(Env::none()).flavor(options.flavor.unwrap_or(Flavor::NATIVE));
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

/// Returns the expander that the options ask for. Without `--flavor` the paths are of this system.
fn expander(options: &ExpandOptions, drives: &Drives<'_>, process: &ThisProcess) -> Expander {
    let text = |path: &OsStr| PathText::from(Path::new(path));
    let mut env = Env::of(process.clone());
    if let Some(cwd) = &options.cwd {
        env = env.cwd(text(cwd));
    }
    if let Some(home) = &options.home {
        env = env.home(text(home));
    }
    for &(letter, path) in drives {
        env = env.drive(letter, path);
    }
    let mut expander = Expander::new(env);
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
    // A home directory is given in order to be used.
    if options.tilde || options.home.is_some() {
        expander = expander.tilde(true);
    }
    if let Some(base) = &options.base {
        expander = expander.base(text(base));
    }
    expander
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
            Ok(full) => object.raw("full", &path_text::to_json(full, flavor)),
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
    let flavor = options.flavor.unwrap_or(Flavor::NATIVE);
    let at_home = ExpandOptions { tilde: options.tilde || !options.no_tilde, ..options.clone() };
    let at_home = expander(&at_home, drives, &process);
    let expander = expander(options, drives, &process);
    for operand in &options.operands {
        if session.is_cancelled() {
            break;
        }
        let path = PathText::from(Path::new(operand));
        let expander = if is_at_home(operand, flavor) { &at_home } else { &expander };
        let expansion = Expansion::new(expander, &path, options.explain);
        if session.is_json() {
            let object = Object::new().raw("path", &path_text::to_json(&path, flavor));
            let object = expansion.add_to(object, &path, flavor);
            if expansion.result.is_ok() {
                session.object(object);
            } else {
                session.count_failure();
                session.report(object);
            }
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
