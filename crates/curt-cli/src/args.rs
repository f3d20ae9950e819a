//! The command line. Only this module uses clap.

mod beneath;
mod cp;
mod du;
pub(crate) mod expand;
mod find;
mod gnu;
pub(crate) mod help;
mod ls;
mod message;
mod realpath;
mod rm;
mod run;
mod stat;
pub(crate) mod topics;
mod which;

use std::ffi::{OsStr, OsString};
use std::mem::ManuallyDrop;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use curt::{Feature, Threads};

use crate::called;
use crate::quote::quote;
use crate::session::Session;
use crate::sys;
use crate::words::{abbreviated, meaning};

pub(crate) use beneath::BeneathOptions;
pub(crate) use cp::CpOptions;
pub(crate) use du::{DuOptions, Unit};
pub(crate) use expand::ExpandOptions;
pub(crate) use find::FindOptions;
pub(crate) use ls::{Format, Hidden, LsOptions, Marks, Sort, When, parse_tab_size, parse_width};
pub(crate) use message::EarlyExit;
pub(crate) use realpath::{ReadlinkOptions, RealpathOptions};
pub(crate) use rm::{Prompt, RmOptions};
pub(crate) use run::RunOptions;
pub(crate) use stat::{StatFormat, StatOptions};
pub(crate) use which::{LookUpOptions, WhichOptions};

/// clap parses this many words from the last option on. All later words are operands, because no
/// option has that many values.
const READ_BEYOND_OPTIONS: usize = 16;

#[derive(Parser)]
#[command(
    name = "curt",
    version,
    about = "Filesystem operations in few system calls, with the system's exact results",
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = topics::LIST
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Rm(RmOptions),
    Cp(CpOptions),
    Find(Box<FindOptions>),
    Ls(Box<LsOptions>),
    Stat(StatOptions),
    Du(DuOptions),
    Which(WhichOptions),
    Run(RunOptions),
    Realpath(RealpathOptions),
    Readlink(ReadlinkOptions),
    Expand(ExpandOptions),
    Beneath(BeneathOptions),
    /// Print a completion script for a shell
    Completions(CompletionsOptions),
    /// Print a manual page in roff format
    Man(ManOptions),
}

#[derive(Args)]
#[command(help_template = help::TEMPLATE, before_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
  curt completions bash > ~/.local/share/bash-completion/completions/curt
  curt completions fish > ~/.config/fish/completions/curt.fish")]
pub(crate) struct CompletionsOptions {
    /// The shell to complete for
    #[arg(ignore_case = true)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args)]
#[command(help_template = help::TEMPLATE, before_help = "\
Examples:
  curt man rm | man -l -                           read a page
  mkdir -p ~/.local/share/man/man1                 create its directory
  curt man rm > ~/.local/share/man/man1/curt-rm.1  install it")]
pub(crate) struct ManOptions {
    /// The command to document, such as rm [default: curt itself]
    pub(crate) command: Option<String>,
}

#[derive(Args, Clone, Copy, Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct OutputOptions {
    /// Print JSON: one object per line
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the number of system calls
    #[arg(long)]
    pub(crate) stats: bool,
}

impl OutputOptions {
    pub(crate) fn session(self, program: &str) -> Session {
        Session::new(program, self.json, self.stats)
    }
}

#[derive(Args, Clone, Copy, Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct ProgressOptions {
    /// Show a progress line on a terminal after half a second
    ///
    /// By default it appears after two seconds, and not with --verbose. It shows the totals so far
    /// and the rate of the last second.
    #[arg(long, overrides_with = "no_progress")]
    progress: bool,

    /// Show no progress line
    #[arg(long, overrides_with = "progress")]
    no_progress: bool,
}

impl ProgressOptions {
    /// With `-v`, the printed names show the progress, unless `--progress` requests a line.
    pub(crate) fn allow(self, is_verbose: bool, session: &Session) {
        if !self.no_progress && (self.progress || !is_verbose) {
            session.screen().allow_progress(self.progress);
        }
    }
}

/// The hidden option that disables fast paths.
#[derive(Args, Clone, Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct WithoutOptions {
    /// Do not use a feature of the system, as if it were missing
    #[arg(long = "without", value_name = "FEATURE", hide = true,
          value_parser = one_of(&Feature::ALL))]
    pub(crate) features: Vec<Feature>,
}

/// Returns the operands, for commands in which all words after the last option are operands.
type OperandsOf<T> = Option<fn(&mut T) -> &mut Vec<OsString>>;

trait Options: Args {
    const OPERANDS: OperandsOf<Self> = None;

    /// Pairs of an option and the option that it needs. clap's `requires` is not enough: clap
    /// ignores it if an option is given that conflicts with the required option.
    const NEEDS: &[(&str, &str)] = &[];

    /// Returns the first word that clap would misread, such as `-exec` (`-e xec`).
    fn misread(_: &[OsString]) -> Option<&str> {
        None
    }

    /// Resolves conflicting options. Fails with a message if clap cannot express a conflict.
    fn settle(&mut self, _: &Positions<'_>) -> Result<(), String> {
        Ok(())
    }
}

struct Positions<'a> {
    command: &'a clap::Command,
    matches: &'a ArgMatches,
    words: &'a [OsString],
}

impl Positions<'_> {
    fn all(&self, id: &str) -> impl DoubleEndedIterator<Item = usize> {
        let is_typed = self.matches.value_source(id) == Some(ValueSource::CommandLine);
        self.matches.indices_of(id).filter(|_| is_typed).into_iter().flatten()
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.all(id).next_back()
    }

    fn last<T: Copy>(&self, options: &[(&str, T)]) -> Option<T> {
        let given = options.iter().filter_map(|&(id, value)| Some((self.position(id)?, value)));
        given.max_by_key(|&(at, _)| at).map(|(_, value)| value)
    }

    fn check(&self, needs: &[(&str, &str)]) -> Result<(), String> {
        let is_given = |id: &str| self.position(id).is_some();
        match needs.iter().find(|(id, needed)| is_given(id) && !is_given(needed)) {
            None => Ok(()),
            Some((id, needed)) => Err(format!("{} needs {}", self.typed(id), self.typed(needed))),
        }
    }

    fn typed(&self, id: &str) -> String {
        let option = self.command.get_arguments().find(|option| option.get_id() == id);
        option.map(|option| message::typed(option, self.words)).unwrap_or_default()
    }
}

impl Options for ExpandOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);
}

impl Options for BeneathOptions {
    const NEEDS: &[(&str, &str)] = &[("flavor", "check_only"), ("release", "check_only")];
}
impl Options for WhichOptions {}

/// Parses the command line. A request for help is returned as an error, too.
pub(crate) fn parse() -> Result<Command, Box<EarlyExit>> {
    let mut all = sys::command_line();
    let program = all.next().unwrap_or_default();
    let called = called::by(&program);
    if let Some(exit) = called::stem(&program).and_then(|name| message::refuse_name(&name)) {
        return Err(Box::new(exit));
    }
    let mut words: Vec<OsString> = called.map(OsString::from).into_iter().chain(all).collect();
    if called.is_none() && matches!(words.as_slice(), [help, command] if is_help(help, command)) {
        words[0] = "help".into();
    }
    if let [help, _, more, ..] = words.as_slice() {
        if help == "help" && !more.as_encoded_bytes().starts_with(b"-") {
            let message = format!("extra operand {}; help takes one command or topic", quote(more));
            return Err(Box::new(EarlyExit::error("curt help", message, None)));
        }
    }
    if words.len() == 2 && words[0] == "help" {
        if let Some(text) = words[1].to_str().and_then(topics::text) {
            return Err(Box::new(EarlyExit::help("curt help", text)));
        }
        words = match words.swap_remove(1) {
            word if word == "help" => vec![word],
            word => vec![word, "--help".into()],
        };
    }
    let name = words.first().and_then(|word| word.to_str()).map(str::to_owned);
    // Define only one command: defining all takes longer than removing ten files.
    match name.as_deref() {
        Some("rm") => read("rm", words).map(Command::Rm),
        Some("cp") => read("cp", words).map(Command::Cp),
        Some("find") => read("find", words).map(Box::new).map(Command::Find),
        Some("ls") => read("ls", words).map(Box::new).map(Command::Ls),
        Some("stat") => read("stat", words).map(Command::Stat),
        Some("beneath") => read("beneath", words).map(Command::Beneath),
        Some("which") => read("which", words).map(Command::Which),
        Some("du") => read("du", words).map(Command::Du),
        Some("realpath") => read("realpath", words).map(Command::Realpath),
        Some("readlink") => read("readlink", words).map(Command::Readlink),
        Some("expand") => read("expand", words).map(Command::Expand),
        Some("run") => read("run", words).map(Command::Run),
        Some("--version" | "-V") if words.len() == 1 => {
            let version = concat!("curt ", env!("CARGO_PKG_VERSION"), "\n");
            Err(Box::new(EarlyExit::help("curt", version)))
        }
        name => {
            let mut command = Cli::command();
            let matches =
                command.try_get_matches_from_mut(["curt".into()].into_iter().chain(words));
            let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
            cli.map(|cli| cli.command).map_err(|error| {
                let name = name.filter(|name| command.find_subcommand(name).is_some());
                Box::new(EarlyExit::new(name, &error, &command))
            })
        }
    }
}

fn is_help(option: &OsStr, word: &OsStr) -> bool {
    (option == "--help" || option == "-h") && !word.as_encoded_bytes().starts_with(b"-")
}

fn read<T: Options>(name: &'static str, mut words: Vec<OsString>) -> Result<T, Box<EarlyExit>> {
    let Some(operands) = T::OPERANDS else { return read_all(name, &words) };
    // clap allocates for every word, so operands after the last option bypass it, except the first
    // few, which might be its values.
    let option = words.iter().rposition(|word| word.as_encoded_bytes().starts_with(b"-"));
    let rest = words.split_off(words.len().min(option.unwrap_or(0) + READ_BEYOND_OPTIONS));
    let mut options = read_all(name, &words)?;
    operands(&mut options).extend(rest);
    Ok(options)
}

/// Parses the words of one command. Leaks clap's definition and matches, because freeing them takes
/// a tenth of the startup's instructions.
fn read_all<T: Options>(name: &'static str, words: &[OsString]) -> Result<T, Box<EarlyExit>> {
    let define = || {
        let program = called::shown(format!("curt {name}"));
        let command = clap::Command::new(name).bin_name(program).help_template(help::TEMPLATE);
        T::augment_args(command.version(env!("CARGO_PKG_VERSION")))
    };
    let Some(gnu) = gnu::options(name) else {
        let mut command = ManuallyDrop::new(define());
        let options = read_by(&mut command, None, words);
        return options.map_err(|error| Box::new(EarlyExit::new(Some(name), &error, &command)));
    };
    let define = || match std::env::var_os("POSIXLY_CORRECT") {
        Some(_) => end_options_at_operand(define()),
        None => define(),
    };
    // Parse without GNU's options first, because adding them takes longer than listing a small
    // directory. Only abbreviations, and options that curt lacks, need them.
    let mut command = ManuallyDrop::new(define().infer_long_args(false));
    if let Ok(options) = read_by(&mut command, None, words) {
        return Ok(options);
    }
    let mut command = gnu.add_to(define());
    let options = read_by(&mut command, Some(gnu), words);
    options.map_err(|error| Box::new(EarlyExit::new(Some(name), &error, &command)))
}

/// Treats all words after the first operand as operands, as POSIX requires.
fn end_options_at_operand(command: clap::Command) -> clap::Command {
    command.mut_arg("operands", |operands| operands.trailing_var_arg(true))
}

fn read_by<T: Options>(
    command: &mut clap::Command,
    gnu: Option<&gnu::Tool>,
    words: &[OsString],
) -> Result<T, clap::Error> {
    if let Some(word) = T::misread(words) {
        let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
        error.insert(ContextKind::InvalidArg, ContextValue::String(word.to_owned()));
        return Err(error);
    }
    let matches = ManuallyDrop::new(command.try_get_matches_from_mut(words)?);
    gnu.map_or(Ok(()), |gnu| gnu.check(command, &matches))?;
    let mut options = T::from_arg_matches(&matches)?;
    let given = Positions { command, matches: &matches, words };
    match given.check(T::NEEDS).and_then(|()| options.settle(&given)) {
        Ok(()) => Ok(options),
        Err(message) => Err(command.error(ErrorKind::ValueValidation, message)),
    }
}

fn parse_threads(word: &str) -> Result<Threads, String> {
    let number: usize = word.parse().unwrap_or(0);
    Threads::try_from(number).map_err(|error| error.to_string())
}

/// Calls a builder method if an option has a value.
pub(crate) fn set<B, T>(builder: B, value: Option<T>, set: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

/// Accepts one of these words or an unambiguous prefix.
#[derive(Clone)]
struct AbbreviationOf<T: 'static>(&'static [(&'static str, T)]);

impl<T: Copy + PartialEq + Send + Sync> TypedValueParser for AbbreviationOf<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&Arg>,
        word: &OsStr,
    ) -> Result<T, clap::Error> {
        let words = self.0;
        let parse = move |word: &str| abbreviated(words, word);
        TypedValueParser::parse_ref(&parse, command, option, word)
    }

    /// Returns the first word of each meaning, for completion scripts.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let is_first = |&(at, (_, meaning)): &(usize, &(&str, T))| {
            self.0[..at].iter().all(|(_, other)| other != meaning)
        };
        let words = self.0.iter().enumerate().filter(is_first);
        Some(Box::new(words.map(|(_, &(word, _))| PossibleValue::new(word))))
    }
}

/// Returns a parser that accepts one of `words`, spelled out.
fn one_of<T: Copy + Send + Sync, const N: usize>(
    words: &'static [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = PossibleValuesParser::new(words.map(|(word, _)| word));
    known.try_map(|word| meaning(words, &word).ok_or("unknown word"))
}

#[cfg(test)]
mod tests;
