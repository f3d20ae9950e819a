//! Help and usage errors. An error is one sentence after the program name, without control
//! characters.

use std::error::Error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use curt::{Fields, Plan};

use super::find::translation::{is_find_word, is_operator, translated};
use super::help;
use crate::called;
use crate::exit::Exit;
use crate::out;
use crate::quote::{for_terminal, on_one_line, quote, shield};
use crate::session::Session;
use crate::sys;

/// Help, or a usage error.
pub(crate) struct EarlyExit {
    session: Session,
    text: Text,
}

enum Text {
    Help(StyledStr),
    /// Help for an empty command line.
    Usage(StyledStr),
    /// A message, and a hint that replaces the usual reference to `--help`.
    Error(String, Option<String>),
}

impl EarlyExit {
    /// `command` defines the command `name`, or curt itself.
    pub(super) fn new(name: Option<&str>, error: &clap::Error, command: &Command) -> EarlyExit {
        let program = name.map_or_else(|| "curt".to_owned(), |name| format!("curt {name}"));
        let text = match error.kind() {
            ErrorKind::DisplayHelp if name == Some(command.get_name()) => {
                let summary = command.clone().render_help();
                let is_summary = error.render().to_string() == summary.to_string();
                Text::Help(if is_summary {
                    help::shown(command).render_help()
                } else {
                    help::in_full(command)
                })
            }
            ErrorKind::DisplayHelp => Text::Help(error.render()),
            ErrorKind::DisplayVersion => {
                let version = env!("CARGO_PKG_VERSION");
                Text::Help(match called::name() {
                    Some(name) => format!("{name} (curt) {version}\n").into(),
                    None => format!("{program} {version}\n").into(),
                })
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Text::Usage(error.render()),
            _ => {
                let (message, hint) = message(error, command);
                Text::Error(message, hint)
            }
        };
        let json = requests_json(command, sys::command_line().skip(1));
        EarlyExit { session: Session::new(program, json, false), text }
    }

    pub(super) fn help(program: &str, text: &str) -> EarlyExit {
        let session = Session::new(program, false, false);
        EarlyExit { session, text: Text::Help(text.to_owned().into()) }
    }

    pub(super) fn error(program: &str, message: String, hint: Option<String>) -> EarlyExit {
        EarlyExit { session: Session::new(program, false, false), text: Text::Error(message, hint) }
    }

    pub(crate) fn report(&self) -> Exit {
        let session = &self.session;
        match &self.text {
            Text::Help(text) if out::is_colored() => {
                session.data(text.ansi().to_string().as_bytes());
            }
            Text::Help(text) => session.data(text.to_string().as_bytes()),
            Text::Usage(text) => {
                session.message(&text.to_string());
                session.worsen(Exit::usage(session.program()));
            }
            Text::Error(message, hint) => {
                let files = if session.is_json() { String::new() } else { self.files() };
                return match hint {
                    Some(hint) if files.is_empty() => session.refuse(&format!("{message}; {hint}")),
                    _ => session.usage(&format!("{message}{files}")),
                };
            }
        }
        session.close(false)
    }

    /// Returns GNU rm's hints for files whose names were read as options.
    fn files(&self) -> String {
        let program = self.session.program();
        if !matches!(program, "curt rm" | "rm") {
            return String::new();
        }
        let words = sys::command_line().skip(called::words_before()).filter(|word| {
            let bytes = word.as_encoded_bytes();
            let exists = || curt::stat(word, Plan::new(Fields::KIND)).is_ok();
            bytes.len() > 1 && bytes.starts_with(b"-") && exists()
        });
        let hint = |word: OsString| {
            let typed = for_terminal(&word, "");
            format!("\nTry '{program} ./{typed}' to remove the file {}.", quote(&word))
        };
        words.map(hint).collect()
    }
}

/// Returns a message of one sentence, in GNU's words if GNU has any, and a hint.
fn message(error: &clap::Error, command: &Command) -> (String, Option<String>) {
    let all = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![on_one_line(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(|text| on_one_line(text)).collect(),
        _ => Vec::new(),
    };
    let context = |kind| all(kind).join(", ");
    let (given, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
    let words: Vec<OsString> = sys::command_line().skip(called::words_before()).collect();
    let name = |argument: &str| name(argument, command, &words);
    let option = name(&given);
    let invalid = |reason: &str| format!("invalid value '{value}' for {option}: {reason}");
    let message = match error.kind() {
        ErrorKind::UnknownArgument if !given.is_empty() => {
            let is_find_word =
                command.get_name() == "find" && is_find_word(given.trim_start_matches('-'));
            let typed: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
            let typed = typed.filter(|_| is_find_word);
            let given = match typed.map(|words| translated(&words, command)) {
                Some(Ok(line)) => {
                    let line = format!("use {}", on_one_line(&line));
                    return (format!("unrecognized option '{given}'"), Some(line));
                }
                Some(Err(Some(other))) if is_operator(other) => {
                    let hint = foreign_hint(other.trim_start_matches('-'), "find");
                    return (format!("unrecognized operator '{other}'"), hint);
                }
                Some(Err(Some(other))) => on_one_line(other),
                Some(Err(None)) | None => given,
            };
            let candidates = candidates(&given, command);
            let hint = match given.strip_prefix('-') {
                None => return (format!("extra operand '{given}'"), None),
                Some(letter) if letter.chars().nth(1).is_none() || letter.starts_with('\\') => {
                    let hint = foreign_hint(letter, command.get_name());
                    return (format!("invalid option -- '{letter}'"), hint);
                }
                _ if candidates.len() > 1 => {
                    let candidates = candidates.join("' '");
                    let message =
                        format!("option '{given}' is ambiguous; possibilities: '{candidates}'");
                    return (message, None);
                }
                // The word abbreviates one option of curt, and a GNU option that curt lacks.
                Some(_) if !candidates.is_empty() => Some(did_you_mean(&candidates[0])),
                Some(name) => {
                    let name = name.trim_start_matches('-');
                    // An option that is only similar to a word of GNU find is a coincidence.
                    let is_meant = |long: &&str| !is_find_word || long.replace('-', "") == name;
                    foreign_hint(name, command.get_name()).or_else(|| {
                        let long = nearest(name, visible_names(command)).filter(is_meant)?;
                        Some(did_you_mean(&format!("--{long}")))
                    })
                }
            };
            return (format!("unrecognized option '{given}'"), hint);
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand);
            let known = command.get_subcommands().map(Command::get_name);
            let hint = foreign_hint(&name, "").or_else(|| nearest(&name, known).map(did_you_mean));
            return (format!("unknown command '{name}'"), hint);
        }
        ErrorKind::ArgumentConflict if given == context(ContextKind::PriorArg) => {
            format!("option {option} can be given only once")
        }
        ErrorKind::ArgumentConflict => {
            let others = all(ContextKind::PriorArg);
            let others: Vec<String> = others.iter().map(|other| name(other)).collect();
            let subject = if given.starts_with('-') { "option " } else { "" };
            format!("{subject}{option} cannot be used with {}", others.join(" and "))
        }
        ErrorKind::MissingRequiredArgument if given.starts_with('-') => {
            format!("missing option {option}")
        }
        ErrorKind::MissingRequiredArgument => "missing operand".to_owned(),
        ErrorKind::TooManyValues => format!("option {option} doesn't allow an argument"),
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("option {option} requires an argument")
        }
        ErrorKind::InvalidValue => {
            invalid(&format!("expected one of {}", context(ContextKind::ValidValue)))
        }
        ErrorKind::ValueValidation if !given.is_empty() => match error.source() {
            Some(source) if is_too_large(source) => invalid("it is too large"),
            Some(source) if !source.is::<ParseIntError>() => invalid(&source.to_string()),
            _ if value.starts_with('-') => invalid("it must not be negative"),
            _ => invalid("expected a whole number"),
        },
        // These messages do not quote user input.
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            shield(first.strip_prefix("error: ").unwrap_or(first))
        }
    };
    (message, None)
}

/// Returns an option as it was typed, or else its long name.
pub(super) fn typed(option: &Arg, words: &[OsString]) -> String {
    let longs = option.get_long().into_iter().chain(option.get_all_aliases().unwrap_or_default());
    let longs: Vec<String> = longs.map(|name| format!("--{name}")).collect();
    let letters = option.get_short_and_visible_aliases().unwrap_or_default();
    let letters: Vec<String> = letters.into_iter().map(|letter| format!("-{letter}")).collect();
    let spelling = |word: &OsString| {
        let word = word.to_str()?.split('=').next()?;
        let long = longs.iter().find(|long| word.len() > 2 && long.starts_with(word));
        long.or_else(|| letters.iter().find(|letter| word.starts_with(*letter)))
    };
    let spelled = words.iter().find_map(spelling).or(longs.first()).or(letters.first());
    spelled.cloned().unwrap_or_default()
}

fn name(argument: &str, command: &Command, words: &[OsString]) -> String {
    match argument.split(['[', '=', ' ']).next() {
        Some(option) if option.starts_with('-') => {
            let known = |known: &&Arg| known.get_long() == option.strip_prefix("--");
            let known = command.get_arguments().filter(|_| option.starts_with("--")).find(known);
            format!("'{}'", known.map_or_else(|| option.to_owned(), |known| typed(known, words)))
        }
        _ if argument.ends_with("...") => "operands".to_owned(),
        _ if argument.starts_with('<') => argument.trim_matches(['<', '>']).to_owned(),
        _ => format!("'{argument}'"),
    }
}

/// Returns whether `--json` was typed before any words of another program. Searches `words`,
/// because clap has failed to parse them.
fn requests_json(command: &Command, words: impl Iterator<Item = OsString>) -> bool {
    let names: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    let is_json = |word: &str| {
        let start = word.strip_prefix("--").filter(|name| !name.is_empty());
        start.is_some_and(|start| {
            let mut meant = names.iter().filter(|name| name.starts_with(start));
            start == "json" || meant.next() == Some(&"json") && meant.next().is_none()
        })
    };
    let words = words.take_while(|word| word != "--" && word != "--exec" && word != "--exec-batch");
    let is_find = command.get_name() == "find";
    let mut words = words.take_while(|word| !is_find || word != "-x" && word != "-X");
    names.contains(&"json") && words.any(|word| word.to_str().is_some_and(is_json))
}

fn is_too_large(error: &(dyn Error + 'static)) -> bool {
    let number = error.downcast_ref::<ParseIntError>();
    number.is_some_and(|number| *number.kind() == IntErrorKind::PosOverflow)
}

/// Words of other tools: the preceding curt command (empty if the word is a command itself), the
/// words, and a hint, which is an option or a sentence.
const FOREIGN_WORDS: [(&str, &str, &str); 24] = [
    ("", "fd", "'curt find PATTERN' finds entries by name"),
    ("", "tree", "'curt ls --tree' lists a tree"),
    ("", "walk", "use 'curt find'"),
    ("", "trash", "'curt rm -r --trash PATH' moves a file or a tree to the trash"),
    ("", "timeout", "'curt run -t TIME PROGRAM' limits the time of a program"),
    ("", "version", "'curt --version' prints the version"),
    ("find", "! not", "tests cannot be negated; -E GLOB skips names"),
    ("find", "( o or", "all tests must pass; -g '{A,B}' matches names like A or B"),
    ("find", "depth", "use --contents-first for the order, or --exact-depth N"),
    ("find", "exec", "use -x COMMAND for each entry, or -X COMMAND for all, without '+'"),
    ("find", "mmin mtime", "use --newer or --older, as in --newer 7d"),
    ("find", "iname name", "use -g, as in curt find -g '*.o' src"),
    ("find", "newer newermt", "--newer"),
    ("find", "path", "use -p -g '**/src/*' to match whole paths, or -E GLOB to skip them"),
    ("find", "printf", "--format"),
    ("find", "prune", "use -E GLOB to skip names, or --prune not to enter matches"),
    ("find", "regex", "use -p REGEX to match whole paths"),
    ("find", "size", "use -S with a unit, as in -S +10ki"),
    ("rm", "n", "--dry-run"),
    ("du", "n", "--top"),
    ("ls", "git", "'git status -s' shows the state of files"),
    ("ls", "hidden", "-A"),
    ("ls", "icons", "'curt ls --color' shows file types by color"),
    ("ls", "level", "--depth"),
];

fn foreign_hint(name: &str, command: &str) -> Option<String> {
    let is_row =
        |row: &&(&str, &str, &str)| row.0 == command && row.1.split(' ').any(|it| it == name);
    let (.., instead) = FOREIGN_WORDS.iter().find(is_row)?;
    let is_option = instead.starts_with('-');
    Some(if is_option { did_you_mean(instead) } else { (*instead).to_owned() })
}

/// Refuses names by which curt cannot be called.
pub(super) fn refuse_name(name: &str) -> Option<EarlyExit> {
    const OWN: [&str; 6] = ["find", "run", "expand", "beneath", "completions", "man"];
    let own = || OWN.contains(&name).then(|| format!("use 'curt {name}'"));
    let hint = own().or_else(|| foreign_hint(name, ""))?;
    Some(EarlyExit::error("curt", format!("cannot be called as '{name}'"), Some(hint)))
}

/// Returns the name most similar to `typed`, if at most a third of the letters are wrong.
fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = typed.chars().count() / 3;
    let near = names.map(|name| (strsim::osa_distance(typed, name), name));
    near.filter(|&(distance, _)| distance <= most).min().map(|(_, name)| name)
}

fn did_you_mean(option: &str) -> String {
    format!("did you mean '{option}'?")
}

fn visible_names(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long)
}

fn candidates(given: &str, command: &Command) -> Vec<String> {
    let Some(start) = given.strip_prefix("--").filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let names = visible_names(command).filter(|name| name.starts_with(start));
    let mut names: Vec<String> = names.map(|name| format!("--{name}")).collect();
    names.sort();
    names
}
