//! `curt expand`: makes paths absolute by their text, without touching the filesystem.

use std::ffi::OsStr;
use std::path::Path;

use curt::paths::{Env, ExpandError, ExpandExplanation, Expander, Flavor, PathText, ThisProcess};

use crate::args::{ExpandOptions, set};
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::quote::quote;
use crate::session::Session;

pub(crate) fn run(options: &ExpandOptions) -> Exit {
    let session = options.output.session("curt expand");
    let drives = check_cwd(options).and_then(|()| drives(&options.drive));
    match drives {
        Err(message) => session.usage(&message),
        Ok(drives) => print(options, &drives, &session),
    }
}

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

type Drives<'a> = [(&'a str, &'a str)];

fn drives(definitions: &[String]) -> Result<Vec<(&str, &str)>, String> {
    let drives = definitions.iter().map(|text| {
        let drive = text.split_once('=').filter(|(letter, _)| !letter.is_empty());
        drive.ok_or_else(|| format!("invalid drive {}: expected X=PATH", quote(text)))
    });
    drives.collect()
}

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
    let expander = Expander::new(env);
    let expander = set(expander, options.flavor, Expander::flavor);
    let expander = set(expander, options.release, Expander::release);
    let expander = set(expander, options.style, Expander::style);
    let expander = set(expander, options.dotdot, Expander::dot_dot);
    let expander = set(expander, options.verbatim, Expander::verbatim);
    let tilde = (options.tilde || options.home.is_some()).then_some(true);
    let expander = set(expander, tilde, Expander::tilde);
    set(expander, options.base.as_deref().map(text), Expander::base)
}

fn object(
    path: &PathText,
    expansion: &ExpandExplanation,
    flavor: Flavor,
    is_explained: bool,
) -> Object {
    let input = json::path(path, flavor);
    let object = Object::new().raw("path", &input);
    let object = match &expansion.result {
        Ok(full) => object.raw("full", &json::path(full, flavor)),
        Err(error) => {
            Failure::new("expand", error.word(), error.to_string()).json_path(input).add_to(object)
        }
    };
    let rules = || expansion.rules.iter().map(|rule| json::string(rule.word()));
    if is_explained { object.list("rules", rules()) } else { object }
}

/// Returns whether a path is `~` or begins with `~` and a separator. Other names that begin with
/// `~` are ordinary files, such as editor locks.
fn begins_with_tilde(operand: &OsStr, flavor: Flavor) -> bool {
    match operand.as_encoded_bytes() {
        [b'~'] | [b'~', b'/', ..] => true,
        [b'~', b'\\', ..] => flavor == Flavor::Windows,
        _ => false,
    }
}

fn print(options: &ExpandOptions, drives: &Drives<'_>, session: &Session) -> Exit {
    let process = ThisProcess::new();
    let flavor = options.flavor.unwrap_or(Flavor::NATIVE);
    let tilde_options =
        ExpandOptions { tilde: options.tilde || !options.no_tilde, ..options.clone() };
    let tilde_expander = expander(&tilde_options, drives, &process);
    let expander = expander(options, drives, &process);
    for operand in session.until_cancelled(&options.operands) {
        let path = PathText::from(Path::new(operand));
        let expander = if begins_with_tilde(operand, flavor) { &tilde_expander } else { &expander };
        let expansion = expander.explain_text(&path);
        if session.is_json() {
            let object = object(&path, &expansion, flavor, options.explain);
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
                session.name(full.as_os_str(), options.null);
                for rule in expansion.rules.iter().filter(|_| options.explain) {
                    session.data(format!("  {}: {}\n", rule.word(), rule.meaning()).as_bytes());
                }
            }
            Err(error) => {
                session.count_failure();
                let lacks_cwd = error == ExpandError::Drive && flavor != Flavor::NATIVE;
                let needs_cwd = lacks_cwd && options.cwd.is_none() && options.base.is_none();
                let hint = match flavor {
                    Flavor::Windows if needs_cwd => "; use --cwd 'C:\\...'",
                    Flavor::Posix if needs_cwd => "; use --cwd /...",
                    _ => "",
                };
                session.warn(&format!("cannot expand {}: {error}{hint}", quote(operand)));
            }
        }
    }
    let count = options.operands.len() as u64;
    session.finish_counted("paths", (count, "path", "paths"), &process.calls())
}
