//! Help, and what is wrong with a command line, in the form of all other messages: clap's words
//! after the name of the command, with nothing in them that a terminal would act upon.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::out;
use crate::quote::{on_one_line, quote, shield};
use crate::session::Session;

/// A command line that asks for help or is wrong.
pub(crate) struct Refused {
    session: Session,
    error: clap::Error,
    /// The options that an abbreviation could mean.
    candidates: Vec<String>,
}

impl Refused {
    /// `command` is what read the command line, and `name` that of the command, if there is one.
    pub(super) fn new(name: Option<&str>, mut error: clap::Error, command: &Command) -> Refused {
        let program = name.map_or_else(|| "curt".to_owned(), |name| format!("curt {name}"));
        let candidates = candidates(&error, command);
        let kinds: Vec<ContextKind> = error.context().map(|(kind, _)| kind).collect();
        for kind in kinds {
            let shielded = match error.get(kind) {
                Some(ContextValue::String(text)) => ContextValue::String(on_one_line(text)),
                Some(ContextValue::Strings(texts)) => {
                    ContextValue::Strings(texts.iter().map(|text| on_one_line(text)).collect())
                }
                // A suggestion is one line; with what was typed in it, it may be more.
                Some(ContextValue::StyledStrs(texts)) => {
                    let texts = texts.iter().filter(|text| !text.to_string().contains('\n'));
                    ContextValue::StyledStrs(texts.cloned().collect())
                }
                _ => continue,
            };
            error.insert(kind, shielded);
        }
        let json = asks_for_json(command, std::env::args_os().skip(1));
        let session = Session::new(program, json, false);
        Refused { session, error, candidates }
    }

    /// Prints the help, or what is wrong.
    pub(crate) fn report(&self) -> Exit {
        let session = &self.session;
        if !self.error.use_stderr() {
            let text = self.error.render();
            let is_colored = out::is_colored();
            let text = if is_colored { text.ansi().to_string() } else { text.to_string() };
            session.data(text.as_bytes());
            return session.close(false);
        }
        if self.error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            session.message(&self.error.render().to_string());
            session.worsen(Exit::USAGE);
            return session.close(false);
        }
        let hints = if session.is_json() { String::new() } else { self.hints() };
        session.usage(&format!("{}{hints}", self.message()))
    }

    fn message(&self) -> String {
        let given = match self.error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(given)) => given.as_str(),
            _ => "",
        };
        let is_unknown = self.error.kind() == ErrorKind::UnknownArgument;
        if is_unknown && !self.candidates.is_empty() {
            let names: Vec<String> =
                self.candidates.iter().map(|name| format!("'--{name}'")).collect();
            let names = names.join(" ");
            return format!("option '{given}' is ambiguous; possibilities: {names}");
        }
        // GNU's words for an unknown option.
        let first = match given.strip_prefix('-').filter(|_| is_unknown) {
            Some(name) if name.starts_with('-') => Some(format!("unrecognized option '{given}'")),
            Some(letter) => Some(format!("invalid option -- '{letter}'")),
            None => None,
        };
        let rendered = self.error.render().to_string();
        let lines = rendered.lines().map(|line| line.strip_prefix("error: ").unwrap_or(line));
        let lines = lines.take_while(|line| {
            !line.starts_with("Usage:") && !line.starts_with("For more information")
        });
        // clap does not know what the operands are, so its tip about them is of no use.
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("  tip: to pass '"));
        let mut lines = joined(lines.map(shield));
        if let (Some(first), Some(line)) = (first, lines.first_mut()) {
            *line = first;
        }
        lines.join("\n")
    }

    /// Returns what GNU rm says if a file has the name that was taken for options.
    fn hints(&self) -> String {
        let program = self.session.program();
        if program != "curt rm" {
            return String::new();
        }
        let words = std::env::args_os().skip(2).filter(|word| {
            let bytes = word.as_encoded_bytes();
            bytes.len() > 1 && bytes.starts_with(b"-") && exists(Path::new(word))
        });
        let hint = |word: OsString| {
            let mut typed = OsString::from("./");
            typed.push(&word);
            let typed = quote(&typed);
            let plain = typed.strip_prefix('\'').and_then(|typed| typed.strip_suffix('\''));
            let is_safe = |text: &&str| !text.contains([' ', '$', '\'']);
            let typed = plain.filter(is_safe).unwrap_or(&typed);
            format!("\nTry '{program} {typed}' to remove the file {}.", quote(&word))
        };
        words.map(hint).collect()
    }
}

/// Joins the lines of a message. clap indents all but the first, so a line that is not indented
/// continues what was typed, and stays with the line before.
fn joined(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for line in lines {
        match whole.last_mut() {
            Some(last) if !line.starts_with("  ") => last.extend(["\\012", &line]),
            _ => whole.push(line),
        }
    }
    whole
}

fn exists(path: &Path) -> bool {
    curt::stat(path, curt::Plan::new(curt::Fields::KIND)).is_ok()
}

/// Whether `--json` is among the words, up to those of another program. The words could not be
/// parsed, so this looks for it by itself.
fn asks_for_json(command: &Command, words: impl Iterator<Item = OsString>) -> bool {
    let names: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    let is_json = |word: &str| {
        let start = word.strip_prefix("--").filter(|name| !name.is_empty());
        start.is_some_and(|start| {
            let mut meant = names.iter().filter(|name| name.starts_with(start));
            start == "json" || meant.next() == Some(&"json") && meant.next().is_none()
        })
    };
    let mut words =
        words.take_while(|word| word != "--" && word != "--exec" && word != "--exec-batch");
    names.contains(&"json") && words.any(|word| word.to_str().is_some_and(is_json))
}

/// Returns the options that start with what was typed, if that is not an option itself.
fn candidates(error: &clap::Error, command: &Command) -> Vec<String> {
    let given = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(given)) if error.kind() == ErrorKind::UnknownArgument => given,
        _ => return Vec::new(),
    };
    let Some(start) = given.strip_prefix("--").filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let names = command.get_arguments().filter_map(clap::Arg::get_long);
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(start)).map(str::to_owned).collect();
    names.sort();
    names
}
