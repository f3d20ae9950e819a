//! What is wrong with a command line, in the form of every other message: clap's words behind the
//! name of the command, and nothing in them that a terminal would act upon.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::out;
use crate::quote::{on_one_line, quote, shield};

/// A command line that asks for help, or is wrong.
pub(crate) struct Refused {
    /// What messages begin with.
    program: String,
    error: clap::Error,
    /// The options that an abbreviation could mean.
    meanings: Vec<String>,
    /// Answers are to be JSON.
    is_json: bool,
}

impl Refused {
    /// `command` is what read the command line, and `name` that of the command, if there is one.
    pub(super) fn new(name: Option<&str>, mut error: clap::Error, command: &Command) -> Refused {
        let program = name.map_or_else(|| "curt".to_owned(), |name| format!("curt {name}"));
        let meanings = meanings(&error, command);
        let kinds: Vec<ContextKind> = error.context().map(|(kind, _)| kind).collect();
        for kind in kinds {
            let shielded = match error.get(kind) {
                Some(ContextValue::String(text)) => ContextValue::String(on_one_line(text)),
                Some(ContextValue::Strings(texts)) => {
                    ContextValue::Strings(texts.iter().map(|text| on_one_line(text)).collect())
                }
                // A suggestion is one line; one with what was typed in it may be more.
                Some(ContextValue::StyledStrs(texts)) => {
                    let texts = texts.iter().filter(|text| !text.to_string().contains('\n'));
                    ContextValue::StyledStrs(texts.cloned().collect())
                }
                _ => continue,
            };
            error.insert(kind, shielded);
        }
        let is_json = asks_for_json(command, std::env::args_os().skip(1));
        Refused { program, error, meanings, is_json }
    }

    /// Prints help, or says what is wrong.
    pub(crate) fn report(&self) -> Exit {
        if !self.error.use_stderr() {
            return self.help();
        }
        if self.error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            out::complain(&self.error.render().to_string());
            return Exit::USAGE;
        }
        let program = &self.program;
        if self.is_json {
            return out::usage(program, &self.words(), true);
        }
        out::complain(&format!("{program}: {}\n{}", self.words(), self.hints()));
        out::try_help(program)
    }

    fn help(&self) -> Exit {
        let text = self.error.render();
        let text = if out::is_colored() { text.ansi().to_string() } else { text.to_string() };
        // As GNU ls has it: what cannot be written counts as much as what cannot be listed.
        let failure = if self.program == "curt ls" { Exit::USAGE } else { Exit::FAILURE };
        out::print(&self.program, text.as_bytes(), failure)
    }

    fn words(&self) -> String {
        let given = match self.error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(given)) => given.as_str(),
            _ => "",
        };
        if self.error.kind() == ErrorKind::UnknownArgument && !self.meanings.is_empty() {
            let meanings: Vec<String> =
                self.meanings.iter().map(|name| format!("'--{name}'")).collect();
            let meanings = meanings.join(" ");
            return format!("option '{given}' is ambiguous; possibilities: {meanings}");
        }
        let first = match (self.error.kind(), given.strip_prefix('-')) {
            (ErrorKind::UnknownArgument, Some(name)) if name.starts_with('-') => {
                Some(format!("unrecognized option '{given}'"))
            }
            (ErrorKind::UnknownArgument, Some(letter)) => {
                Some(format!("invalid option -- '{letter}'"))
            }
            _ => None,
        };
        let rendered = self.error.render().to_string();
        let lines = rendered.lines().map(|line| line.strip_prefix("error: ").unwrap_or(line));
        let lines = lines.take_while(|line| {
            !line.starts_with("Usage:") && !line.starts_with("For more information")
        });
        // clap does not know what the operands are for.
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("  tip: to pass '"));
        let mut lines = one_by_one(lines.map(shield));
        if let (Some(first), Some(place)) = (first, lines.first_mut()) {
            *place = first;
        }
        lines.join("\n")
    }

    /// What GNU rm says where a file has the name that was taken for options.
    fn hints(&self) -> String {
        if self.program != "curt rm" {
            return String::new();
        }
        let words = std::env::args_os().skip(2).filter(|word| {
            let bytes = word.as_encoded_bytes();
            bytes.len() > 1 && bytes.starts_with(b"-") && is_there(Path::new(word))
        });
        let hint = |word: std::ffi::OsString| {
            let mut typed = std::ffi::OsString::from("./");
            typed.push(&word);
            let typed = quote(&typed);
            let plain = typed.strip_prefix('\'').and_then(|typed| typed.strip_suffix('\''));
            let safe = |text: &&str| !text.contains([' ', '$', '\'']);
            let typed = plain.filter(safe).unwrap_or(&typed);
            format!("Try '{} {typed}' to remove the file {}.\n", self.program, quote(&word))
        };
        words.map(hint).collect()
    }
}

/// The lines of a message. clap sets off all but the first: one that is not is the rest of what was
/// typed, and stays with the line before.
fn one_by_one(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for line in lines {
        match whole.last_mut() {
            Some(last) if !line.starts_with("  ") => last.extend(["\\012", &line]),
            _ => whole.push(line),
        }
    }
    whole
}

fn is_there(path: &Path) -> bool {
    curt::stat(path, curt::Plan::new(curt::Fields::KIND)).is_ok()
}

/// Whether `--json` is among the words, as far as those of another program do not begin: the others
/// could not be read.
fn asks_for_json(command: &Command, words: impl Iterator<Item = OsString>) -> bool {
    let names: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    let is_meant = |word: &str| {
        let beginning = word.strip_prefix("--").filter(|name| !name.is_empty());
        beginning.is_some_and(|beginning| {
            let mut meant = names.iter().filter(|name| name.starts_with(beginning));
            beginning == "json" || meant.next() == Some(&"json") && meant.next().is_none()
        })
    };
    let mut words =
        words.take_while(|word| word != "--" && word != "--exec" && word != "--exec-batch");
    names.contains(&"json") && words.any(|word| word.to_str().is_some_and(is_meant))
}

/// The options that begin with what was typed, where that is no option.
fn meanings(error: &clap::Error, command: &Command) -> Vec<String> {
    let given = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(given)) if error.kind() == ErrorKind::UnknownArgument => given,
        _ => return Vec::new(),
    };
    let Some(beginning) = given.strip_prefix("--").filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let names = command.get_arguments().filter_map(clap::Arg::get_long);
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(beginning)).map(str::to_owned).collect();
    names.sort();
    names
}
