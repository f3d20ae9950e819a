//! Help, and messages about a wrong command line: one sentence after the name of the command, as in
//! all messages, without a character that a terminal would act upon.

use std::error::Error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::path::Path;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{help, topics};
use crate::called;
use crate::exit::Exit;
use crate::out;
use crate::quote::{for_terminal, on_one_line, quote, shield};
use crate::session::Session;
use crate::sys;

/// A command line that asks for help or is wrong.
pub(crate) struct Refused {
    session: Session,
    text: Text,
}

enum Text {
    /// The help or the version that was asked for.
    Wanted(StyledStr),
    /// The help of a command line without words.
    Nothing(StyledStr),
    /// A message.
    Wrong(String),
}

impl Refused {
    /// `command` is the definition that failed, and `name` that of the command, if there is one.
    pub(super) fn new(name: Option<&str>, error: &clap::Error, command: &Command) -> Refused {
        let program = name.map_or_else(|| "curt".to_owned(), |name| format!("curt {name}"));
        let text = match error.kind() {
            ErrorKind::DisplayHelp if name == Some(command.get_name()) => {
                let summary = command.clone().render_help();
                let is_summary = error.render().to_string() == summary.to_string();
                Text::Wanted(if is_summary {
                    help::shown(command).render_help()
                } else {
                    help::in_full(command)
                })
            }
            ErrorKind::DisplayHelp => Text::Wanted(error.render()),
            ErrorKind::DisplayVersion => {
                let version = env!("CARGO_PKG_VERSION");
                Text::Wanted(match called::name() {
                    Some(name) => format!("{name} (curt) {version}\n").into(),
                    None => format!("{program} {version}\n").into(),
                })
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Text::Nothing(error.render()),
            _ => Text::Wrong(message(error, command)),
        };
        let json = asks_for_json(command, std::env::args_os().skip(1));
        Refused { session: Session::new(program, json, false), text }
    }

    pub(super) fn wanted(program: &str, text: &str) -> Refused {
        let session = Session::new(program, false, false);
        Refused { session, text: Text::Wanted(text.to_owned().into()) }
    }

    pub(super) fn wrong(program: &str, message: String) -> Refused {
        Refused { session: Session::new(program, false, false), text: Text::Wrong(message) }
    }

    pub(crate) fn report(&self) -> Exit {
        let session = &self.session;
        match &self.text {
            Text::Wanted(text) if out::is_colored() => {
                session.data(text.ansi().to_string().as_bytes());
            }
            Text::Wanted(text) => session.data(text.to_string().as_bytes()),
            Text::Nothing(text) => {
                session.message(&text.to_string());
                session.worsen(Exit::usage(session.program()));
            }
            Text::Wrong(message) if session.is_json() => return session.usage(message),
            Text::Wrong(message) => return session.usage(&format!("{message}{}", self.hints())),
        }
        session.close(false)
    }

    /// Returns GNU rm's hints at files whose names were taken for options.
    fn hints(&self) -> String {
        let program = self.session.program();
        if !matches!(program, "curt rm" | "rm") {
            return String::new();
        }
        let words = std::env::args_os().skip(called::words_before()).filter(|word| {
            let bytes = word.as_encoded_bytes();
            bytes.len() > 1 && bytes.starts_with(b"-") && exists(Path::new(word))
        });
        let hint = |word: OsString| {
            let typed = for_terminal(&word, "");
            format!("\nTry '{program} ./{typed}' to remove the file {}.", quote(&word))
        };
        words.map(hint).collect()
    }
}

/// Returns one sentence, in GNU's words where GNU has some.
fn message(error: &clap::Error, command: &Command) -> String {
    let all = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![on_one_line(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(|text| on_one_line(text)).collect(),
        _ => Vec::new(),
    };
    let context = |kind| all(kind).join(", ");
    let (given, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
    let option = name(&given);
    let invalid = |reason: &str| {
        let hint = meant(command, &option, &value).unwrap_or_default();
        format!("invalid value '{value}' for {option}: {reason}{hint}")
    };
    match error.kind() {
        ErrorKind::UnknownArgument if !given.is_empty() => {
            let candidates = candidates(&given, command);
            match given.strip_prefix('-') {
                _ if candidates.len() > 1 => {
                    let candidates = candidates.join("' '");
                    format!("option '{given}' is ambiguous; possibilities: '{candidates}'")
                }
                // A GNU option that curt lacks begins so, too.
                _ if !candidates.is_empty() => {
                    format!("unrecognized option '{given}'{}", did_you_mean(&candidates[0]))
                }
                Some(name) if name.starts_with('-') => {
                    let hint = instead(name, command);
                    format!("unrecognized option '{given}'{}", hint.unwrap_or_default())
                }
                Some(letter) => single_dashed(letter, command).map_or_else(
                    || {
                        let hint = of_other(letter, command).unwrap_or_default();
                        format!("invalid option -- '{letter}'{hint}")
                    },
                    |(typed, hint)| format!("unrecognized option '{}'{hint}", on_one_line(&typed)),
                ),
                None => format!("extra operand '{given}'"),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand);
            let similar = all(ContextKind::SuggestedSubcommand);
            format!("unknown command '{name}'{}", instead_of_command(&name, similar))
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
        // These quote nothing that was typed.
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            shield(first.strip_prefix("error: ").unwrap_or(first))
        }
    }
}

/// Returns the name of an option without its value, or "operands".
fn name(argument: &str) -> String {
    match argument.split(['[', '=', ' ']).next() {
        Some(option) if option.starts_with('-') => format!("'{option}'"),
        _ if argument.ends_with("...") => "operands".to_owned(),
        _ => format!("'{argument}'"),
    }
}

pub(super) fn exists(path: &Path) -> bool {
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
    let words = words.take_while(|word| word != "--" && word != "--exec" && word != "--exec-batch");
    let is_find = command.get_name() == "find";
    let mut words = words.take_while(|word| !is_find || word != "-x" && word != "-X");
    names.contains(&"json") && words.any(|word| word.to_str().is_some_and(is_json))
}

/// Whether a number has more digits than the option can hold.
fn is_too_large(error: &(dyn Error + 'static)) -> bool {
    let number = error.downcast_ref::<ParseIntError>();
    number.is_some_and(|number| *number.kind() == IntErrorKind::PosOverflow)
}

/// Commands that people type, and curt's substitutes: the end of a message.
const OTHER_COMMANDS: [(&[&str], &str); 17] = [
    (&["walk"], "use 'curt find'; see 'curt find --help'"),
    (&["fd", "fdfind", "locate", "search"], "'curt find PATTERN' finds entries by name"),
    (&["del", "delete", "erase", "rimraf", "unlink"], "'curt rm' removes files and trees"),
    (&["dir", "eza", "exa", "ll", "lsd"], "'curt ls' lists directories"),
    (&["dust", "dua", "ncdu"], "'curt du' measures trees"),
    (&["version"], "'curt --version' prints the version"),
    (&["tree"], "'curt ls --tree' lists a tree"),
    (&["trash", "trash-put", "recycle"], sys::TO_TRASH),
    (&["cat"], "'curt beneath --root DIR --cat PATH' prints a file"),
    (&["timeout"], "'curt run -t TIME PROGRAM' ends a program when its time is over"),
    (&["env"], "'curt run NAME=VALUE PROGRAM' starts a program with a variable"),
    (&["exec", "nice", "nohup", "start"], "'curt run PROGRAM' starts a program"),
    (&["where", "whereis", "type"], "'curt which NAME' finds a program"),
    (&["pwd"], "'curt realpath .' prints the working directory without links"),
    (&["abspath"], "'curt expand PATH' makes a path absolute by its text"),
    (&["rmdir"], "'curt rm -d DIR' removes an empty directory"),
    (&["cp", "mv", "ln", "mkdir", "touch"], "curt does not create, copy or move files"),
];

/// Options of other tools, by the command of curt that people type them after, and its substitute:
/// an option, or a sentence, or nothing. A name with a dash before it counts after two dashes only.
const OF_OTHERS: [(&str, &[&str], &str); 78] = [
    (
        "find",
        &["amin", "anewer", "atime", "cmin", "cnewer", "ctime"],
        "only modification times can be tested, by --newer and --older",
    ),
    ("find", &["and"], "all tests must pass without it"),
    ("find", &["context"], "use --fields label,path"),
    ("find", &["delete"], "--delete"),
    ("find", &["depth"], "--contents-first"),
    ("find", &["empty"], "--empty"),
    ("find", &["exec"], "use -x COMMAND, or -X COMMAND for all entries"),
    ("find", &["execdir", "ok", "okdir"], "use -x, which does not prompt or change directories"),
    ("find", &["executable"], "use -t x, which finds files only"),
    ("find", &["gid"], "use -o :GID"),
    ("find", &["group"], "--owner :GROUP"),
    ("find", &["iname"], "the glob comes before PATH: curt find -i -g '*.rs' PATH"),
    ("find", &["inum", "samefile"], "use --fields id,path"),
    (
        "find",
        &["ipath", "iwholename"],
        "paths are full, and '*' stops at a slash: curt find -i -p -g '**/src/*' PATH",
    ),
    ("find", &["iregex"], "the pattern comes before PATH: curt find -i -p PATTERN PATH"),
    ("find", &["links"], "use --fields links,path"),
    // One dash is -l -s, which lists, too.
    ("find", &["-ls"], "--list-details"),
    ("find", &["maxdepth"], "--max-depth"),
    ("find", &["mindepth"], "--min-depth"),
    ("find", &["mmin", "mtime", "newermt"], "use --newer or --older, as in --newer 7d"),
    ("find", &["mount", "xdev"], "--one-file-system"),
    ("find", &["name"], "the glob comes before PATH: curt find -g '*.rs' PATH"),
    ("find", &["newer"], "--newer"),
    ("find", &["not"], "tests cannot be negated; -E GLOB skips matches"),
    ("find", &["O0", "O1", "O2", "O3"], "cheap tests always come first"),
    ("find", &["or"], "PATTERN may have alternatives, as in 'one|other'"),
    ("find", &["P"], "links are not followed without -L"),
    (
        "find",
        &["path", "path-glob", "wholename"],
        "paths are full, and '*' stops at a slash: curt find -p -g '**/src/*' PATH",
    ),
    ("find", &["perm"], "--perm"),
    ("find", &["print", "print0", "printf"], "results are printed; see -0, --format and --fields"),
    ("find", &["prune"], "use -E GLOB, or --prune"),
    ("find", &["quit"], "use -1"),
    ("find", &["regex"], "the pattern comes before PATH: curt find -p PATTERN PATH"),
    ("find", &["size"], "--size"),
    ("find", &["type"], "--type"),
    ("find", &["uid"], "use -o UID"),
    ("find", &["user"], "--owner"),
    ("find", &["xtype"], "use -L with --type"),
    ("find", &["D", "daystart", "noleaf", "regextype", "files0-from"], ""),
    ("find", &["fls", "fprint", "fprint0", "fprintf"], ""),
    ("find", &["fstype", "lname", "ilname", "nouser", "nogroup", "used"], ""),
    ("find", &["true", "false", "readable", "writable"], ""),
    ("find", &["r"], "--reverse"),
    ("find", &["n", "limit"], "--max-results"),
    ("find", &["long"], "--list-details"),
    ("find", &["count"], "the results are counted by --stats"),
    ("find", &["C"], "--base-directory"),
    ("find", &["since"], "--changed-within"),
    ("find", &["rm", "remove"], "--delete"),
    ("find", &["trash"], "use -X curt rm -r --trash"),
    ("find", &["v", "invert", "invert-match"], "tests cannot be negated; -E GLOB skips matches"),
    ("find", &["show-errors"], "all errors are shown"),
    ("find", &["path-separator"], "paths have the separator of the system"),
    ("find", &["no-hidden"], "hidden entries are skipped without -H"),
    ("find", &["no-follow"], "links are not followed without -L"),
    ("rm", &["n", "noop"], "--dry-run"),
    ("rm", &["G", "glob"], "'curt find -u -g GLOB --prune -X curt rm -r' removes all matches"),
    ("rm", &["recycle", "recycle-bin"], "--trash"),
    ("rm", &["keep", "ignore"], "--exclude"),
    ("run", &["e"], "--env"),
    ("du", &["n", "number-of-lines", "limit"], "--top"),
    ("du", &["level"], "--max-depth"),
    ("du", &["r", "reverse", "sort"], "lines are sorted by path, or with --top by size"),
    ("du", &["I", "ignore-directory"], "--exclude"),
    ("du", &["g"], "-BG"),
    ("ls", &["icons"], "there are no icons; --color shows kinds"),
    ("ls", &["git", "git-repos"], "'git status -s' shows the state of files"),
    ("ls", &["git-ignore", "ignore-git"], "'curt find' skips entries that git ignores"),
    ("ls", &["level"], "--depth"),
    ("ls", &["long"], "-l"),
    ("ls", &["hidden"], "-A"),
    ("ls", &["oneline"], "-1"),
    ("ls", &["only-dirs"], "'curt find -d1 -td' lists directories only"),
    ("ls", &["only-files"], "'curt find -d1 -tf' lists files only"),
    ("ls", &["dirs-first", "group-dirs"], "--group-directories-first"),
    ("ls", &["Z", "context"], "use --fields label,name, with one more call for each entry"),
    ("ls", &["D", "dired"], "use --json or --zero, which separate all names"),
    ("stat", &["cached"], "the system decides what to cache"),
];

/// Values of options of other tools, by command and option, and curt's words for them. No values
/// stand for all.
const VALUES_OF_OTHERS: [(&str, &str, &[&str], &str); 10] = [
    ("find", "'--sort'", &["date", "time", "mtime", "newest", "age"], "modified"),
    ("ls", "'--sort'", &["date", "modified", "newest", "age"], "time"),
    ("ls", "'--time'", &["modified"], "mtime"),
    ("ls", "'--time'", &["accessed"], "atime"),
    ("ls", "'--time'", &["changed"], "ctime"),
    ("ls", "'--time'", &["created"], "birth"),
    ("du", "'--time'", &["modified", "mtime"], "modification"),
    ("du", "'--time'", &["accessed"], "atime"),
    ("du", "'--time'", &["changed"], "ctime"),
    ("run", "'--cwd'", &[], "--chdir"),
];

/// Returns curt's word for a value of another tool: the end of the message.
fn meant(command: &Command, option: &str, value: &str) -> Option<String> {
    let is_row = |row: &&(&str, &str, &[&str], &str)| {
        let is_value = row.2.is_empty() || row.2.contains(&value);
        row.0 == command.get_name() && row.1 == option && is_value
    };
    VALUES_OF_OTHERS.iter().find(is_row).map(|(.., meant)| did_you_mean(meant))
}

/// Returns the substitute for an option of another tool: the end of the message.
pub(super) fn of_other(name: &str, command: &Command) -> Option<String> {
    let row = |name: &str| {
        let is_row =
            |row: &&(&str, &[&str], &str)| row.0 == command.get_name() && row.1.contains(&name);
        OF_OTHERS.iter().find(is_row)
    };
    let bare = name.trim_start_matches('-');
    let (tool, _, instead) = row(name).or_else(|| row(bare))?;
    Some(match *instead {
        "" => format!("; {tool}'s -{bare} has no equivalent"),
        option if option.starts_with('-') => did_you_mean(option),
        sentence => format!("; {sentence}"),
    })
}

/// Returns why a link to curt with this name does nothing, if it is the name of a command that curt
/// does not stand in for.
pub(super) fn no_stand_in(name: &str) -> Option<String> {
    const OWN: [&str; 6] = ["find", "run", "expand", "beneath", "completions", "man"];
    let other = || OTHER_COMMANDS.iter().find(|(names, _)| names.contains(&name));
    let instead =
        if OWN.contains(&name) { format!("use 'curt {name}'") } else { other()?.1.to_owned() };
    Some(format!("a link named '{name}' does nothing; {instead}"))
}

/// Whether people type this word to look into the trash, to get something back, or to empty it.
fn is_about_trash(word: &str) -> bool {
    const WORDS: [&str; 8] =
        ["restore", "undelete", "unremove", "unrm", "recover", "undo", "put-back", "recycle-bin"];
    word.contains("trash") || WORDS.contains(&word)
}

fn from_trash() -> String {
    format!("; {}", sys::FROM_TRASH)
}

/// Returns the substitute for a command that curt lacks: the end of the message. Of the names that
/// clap finds similar, the most similar one is the last.
fn instead_of_command(name: &str, mut similar: Vec<String>) -> String {
    if let Some((_, instead)) = OTHER_COMMANDS.iter().find(|(names, _)| names.contains(&name)) {
        return format!("; {instead}");
    }
    if is_about_trash(name) {
        return from_trash();
    }
    if let Some(topic) = topics::near(name) {
        return did_you_mean(&format!("curt help {topic}"));
    }
    similar.reverse();
    let distance = |known: &String| strsim::osa_distance(name, known);
    let nearest = similar.iter().map(distance).min().unwrap_or_default();
    similar.retain(|known| distance(known) <= nearest + 1);
    similar.truncate(2);
    if similar.is_empty() { String::new() } else { did_you_mean(&similar.join("' or '")) }
}

/// Returns the message about a word of `curt find` that is a test or an action of find, and has
/// several letters: nobody means an option of each letter, or the rest for the value of one.
pub(super) fn test_of_find(word: &str, command: &Command) -> Option<String> {
    let name = word.strip_prefix('-').filter(|name| name.len() > 1 && !name.starts_with('-'))?;
    Some(format!("unrecognized option '{word}'{}", of_other(name, command)?))
}

/// Returns the substitute for an option that the command lacks: the end of the message. The name
/// may have a dash before it, of two.
fn instead(name: &str, command: &Command) -> Option<String> {
    of_other(name, command).or_else(|| {
        let name = name.trim_start_matches('-');
        let is_rm = command.get_name() == "rm";
        if is_rm && is_about_trash(name) && strsim::osa_distance(name, "trash") > 1 {
            let is_put = !["un", "re", "list", "empty"].iter().any(|word| name.contains(word));
            return Some(if is_put { did_you_mean("--trash") } else { from_trash() });
        }
        // One letter in three may be wrong.
        let most = name.chars().count() / 3;
        let near = visible_names(command).map(|long| (strsim::osa_distance(name, long), long));
        let (_, long) = near.filter(|&(distance, _)| distance <= most).min()?;
        Some(did_you_mean(&format!("--{long}")))
    })
}

fn did_you_mean(option: &str) -> String {
    format!("; did you mean '{option}'?")
}

/// Returns the long options that help shows.
fn visible_names(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long)
}

/// Returns the word with this letter which is a long option of the command but for its second dash,
/// and the end of the message about it: `-name` and `-maxdepth` are options of find.
fn single_dashed(letter: &str, command: &Command) -> Option<(String, String)> {
    let words = std::env::args_os().skip(called::words_before());
    let words = words.filter_map(|word| word.into_string().ok());
    words.take_while(|word| word != "--").find_map(|word| {
        let name = word.strip_prefix('-')?;
        if name.starts_with('-') || !name.contains(letter) {
            return None;
        }
        let shortened = || {
            let mut names = visible_names(command).filter(|_| name.len() > 2);
            names.find(|long| long.starts_with(name)).map(|long| did_you_mean(&format!("--{long}")))
        };
        let known = of_other(name, command).filter(|_| name.len() > 1);
        let hint = known.or_else(shortened);
        let hint = hint.or_else(|| instead(name, command).filter(|_| name.len() > 2))?;
        Some((word, hint))
    })
}

/// Returns the options that start with the typed text.
fn candidates(given: &str, command: &Command) -> Vec<String> {
    let Some(start) = given.strip_prefix("--").filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let names = visible_names(command).filter(|name| name.starts_with(start));
    let mut names: Vec<String> = names.map(|name| format!("--{name}")).collect();
    names.sort();
    names
}
