//! The command line: what can be asked, and nothing else of the command. The only room that knows
//! how arguments are parsed.

mod beneath;
mod du;
pub(crate) mod expand;
mod gnu;
mod ls;
mod message;
mod run;
mod walk;
mod which;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use beneath::{BeneathOptions, Mode};
pub(crate) use du::{DuOptions, Unit};
pub(crate) use expand::ExpandOptions;
pub(crate) use ls::{
    Clock, Format, LsOptions, Sort, StatOptions, When as Wish, parse_quoting, parse_width,
};
pub(crate) use message::Refused;
pub(crate) use run::RunOptions;
pub(crate) use walk::WalkOptions;
pub(crate) use which::{LookUpOptions, WhichOptions};

/// How often a directory to which others keep adding is emptied again, and for how long.
const RETRIES: u32 = 100;
const RETRY_MS: u64 = 1000;

const ABOUT: &str = "Filesystem operations with the fewest operating-system calls";

const RM_ABOUT: &str = "Remove files and directories";

const RM_LONG_ABOUT: &str = "\
Remove files and directories.

Works as GNU rm does and takes its options. What differs: mounts below an operand are left alone \
unless --cross-mounts is given, also bind mounts; 'link/' fails and touches nothing; large trees \
are removed by several threads where that is faster, so the order of output is not fixed (-j1 \
fixes it); usage errors exit with 2. Symbolic links are removed and never followed.";

/// The heading of the options that GNU rm does not have.
const BEYOND_GNU: &str = "Options that GNU rm does not have";

const RM_AFTER: &str = "\
Examples:
  curt rm -rf node_modules            remove a tree, whether it is there or not
  curt rm -r --dry-run build          say what would go: files, directories, bytes
  curt rm -r --contents cache         empty a directory and keep it
  curt rm -r --exclude '*.keep' out   keep some entries, and the directories that hold them
  find . -name '*.o' -print0 | curt rm -f --files0-from=-

A file whose name begins with '-' is removed by 'curt rm -- -name' or 'curt rm ./-name'.

Exit status:
  0  everything asked for was done; entries that were excluded, or that the answer to a prompt
     kept, are part of that
  1  something could not be removed; each failure has one line on standard error
  2  the command line was wrong; nothing was touched
  An interrupted command says what it did so far and then ends by the signal (130 in a shell).";

#[derive(Parser)]
#[command(
    name = "curt",
    version,
    about = ABOUT,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "'curt COMMAND --help' says more about a command."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Rm(RmOptions),
    Walk(Box<WalkOptions>),
    Ls(LsOptions),
    Stat(StatOptions),
    Beneath(BeneathOptions),
    Which(WhichOptions),
    Du(DuOptions),
    Expand(ExpandOptions),
    Run(RunOptions),
    /// Print a completion script for a shell
    Completions(CompletionsOptions),
    /// Print the manual page in roff
    #[command(hide = true)]
    Man(ManOptions),
}

/// Whether there is a command of that name.
fn has_command(name: &str) -> bool {
    Cli::command().find_subcommand(name).is_some()
}

/// What `curt completions` was asked.
#[derive(Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// What `curt man` was asked.
#[derive(Args)]
pub(crate) struct ManOptions {
    /// The command, such as rm; without it, curt itself
    pub(crate) command: Option<String>,
}

/// What `curt rm` was asked.
#[derive(Args, Default)]
#[cfg_attr(test, derive(Clone, Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = RM_ABOUT, long_about = RM_LONG_ABOUT, after_help = RM_AFTER)]
pub(crate) struct RmOptions {
    /// The files and directories to remove
    #[arg(value_name = "FILE")]
    pub(crate) operands: Vec<OsString>,

    /// Remove directories and what they hold
    #[arg(short, long, visible_short_alias = 'R')]
    pub(crate) recursive: bool,

    /// Do not mind missing files and operands, never prompt
    #[arg(short, long)]
    force: bool,

    /// Prompt before every removal
    #[arg(short = 'i')]
    always: bool,

    /// Prompt once before removing more than three files, or recursively
    #[arg(short = 'I')]
    once: bool,

    /// Prompt never, once (-I) or always (-i, which is also what no WHEN means)
    #[arg(
        long,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        value_parser = parse_when,
        action = clap::ArgAction::Append
    )]
    interactive: Vec<When>,

    /// Say what is removed
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Remove empty directories
    #[arg(short, long)]
    pub(crate) dir: bool,

    /// Leave other file systems below an operand alone, and say so in GNU's words; mounts are left
    /// alone in any case
    #[arg(long, conflicts_with = "cross_mounts")]
    pub(crate) one_file_system: bool,

    /// Do not remove '/' (the default); with 'all', refuse operands on another device than their
    /// parent
    #[arg(
        long,
        value_name = "all",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = parse_preserve_root,
        action = clap::ArgAction::Append
    )]
    preserve_root: Vec<PreserveRoot>,

    /// Do not treat '/' specially
    #[arg(long)]
    no_preserve_root: bool,

    /// Go on below mount points
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) cross_mounts: bool,

    /// Remove what the operands hold, and keep the operands
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) contents: bool,

    /// Remove nothing; say how much would go (and with -v, what)
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) dry_run: bool,

    /// Keep what GLOB matches, and the directories that hold it. Without a slash GLOB is compared
    /// with names at any depth, with one with the path below the operand ('*' stops at a slash,
    /// '**' does not); a slash at its end means directories only. Can be repeated
    #[arg(long, value_name = "GLOB", action = clap::ArgAction::Append, allow_hyphen_values = true, help_heading = BEYOND_GNU)]
    pub(crate) exclude: Vec<OsString>,

    /// How often a directory to which others keep adding is emptied again
    #[arg(long, value_name = "N", default_value_t = RETRIES, help_heading = BEYOND_GNU)]
    pub(crate) retries: u32,

    /// For how long it is, in milliseconds without progress
    #[arg(long, value_name = "N", default_value_t = RETRY_MS, help_heading = BEYOND_GNU)]
    pub(crate) retry_ms: u64,

    /// The most threads to work with; 1 starts none [default: as many as pay]
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads, help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Show a line of progress while it lasts, on a terminal
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) progress: bool,

    /// Say how many operating-system calls were made
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) stats: bool,

    /// Answer in JSON: one object per failure (and with -v or --dry-run per entry), then a summary
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) json: bool,

    /// Remove the files that FILE names, each name ended by a NUL; '-' is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "operands", help_heading = BEYOND_GNU)]
    pub(crate) files0_from: Option<PathBuf>,

    /// Do without a feature of the system, as where it is missing
    #[arg(long, value_name = "FEATURE", hide = true, value_parser = feature_names(),
          action = clap::ArgAction::Append)]
    without: Vec<String>,

    /// Take standard input for a terminal; GNU's tests write it with three dashes
    #[arg(long, alias = "-presume-input-tty", hide = true)]
    pub(crate) presume_input_tty: bool,

    /// What the options that prompt or keep quiet come to, in their order
    #[arg(skip)]
    pub(crate) asking: Asking,

    /// What the options about '/' come to, in their order
    #[arg(skip)]
    pub(crate) root: Root,
}

impl RmOptions {
    /// The features to do without.
    pub(crate) fn without(&self) -> impl Iterator<Item = curt::Feature> + '_ {
        features(&self.without)
    }
}

/// The features of these names.
fn features(names: &[String]) -> impl Iterator<Item = curt::Feature> + '_ {
    let chosen = |name: &str| names.iter().any(|without| without == name);
    curt::Feature::ALL.into_iter().filter(move |(name, _)| chosen(name)).map(|(_, feature)| feature)
}

/// When to prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    Never,
    /// For what is write-protected, if standard input is a terminal.
    #[default]
    Protected,
    /// The same, after one question at the beginning.
    Once,
    Always,
}

/// What `-f`, `-i`, `-I` and `--interactive` come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asking {
    pub(crate) when: When,
    pub(crate) missing_is_fine: bool,
}

/// What `--preserve-root` and `--no-preserve-root` come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) preserve: bool,
    pub(crate) refuse_mounted_operands: bool,
}

impl Default for Root {
    fn default() -> Self {
        Root { preserve: true, refuse_mounted_operands: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PreserveRoot {
    Root,
    All,
}

/// What the command line asks; the error is help, or what is wrong with it.
pub(crate) fn parse() -> Result<Command, Refused> {
    let mut words = std::env::args_os().skip(1).peekable();
    let first = words.peek().and_then(|word| word.to_str()).map(str::to_owned);
    // The definitions of the other commands take longer to build than ten files to remove.
    match first.as_deref() {
        Some("rm") => read("rm", words, rm_from).map(Command::Rm),
        Some("ls") => read("ls", words, ls::from).map(Command::Ls),
        Some("beneath") => read("beneath", words, only).map(Command::Beneath),
        Some("stat") => read("stat", words, only).map(Command::Stat),
        Some("walk") => {
            let words: Vec<OsString> = words.collect();
            let from = |command: &mut clap::Command, matches: &ArgMatches| {
                walk::from(command, matches, &words)
            };
            read("walk", words.iter().cloned(), from).map(Command::Walk)
        }
        Some("expand") => read("expand", words, only).map(Command::Expand),
        Some("which") => read("which", words, only).map(Command::Which),
        Some("du") => read("du", words, du::from).map(Command::Du),
        Some("run") => read("run", words, only).map(Command::Run),
        name => {
            let mut command = Cli::command();
            let matches = command.try_get_matches_from_mut(std::env::args_os());
            matches
                .and_then(|matches| Cli::from_arg_matches(&matches))
                .map(|cli| cli.command)
                .map_err(|error| {
                    Refused::new(name.filter(|name| has_command(name)), error, &command)
                })
        }
    }
}

/// Reads the words of one command, the first of which is its name.
fn read<T: Args>(
    name: &'static str,
    words: impl Iterator<Item = OsString>,
    from: impl FnOnce(&mut clap::Command, &ArgMatches) -> Result<T, clap::Error>,
) -> Result<T, Refused> {
    let gnu = gnu::options(name);
    let mut command = alone::<T>(name);
    let mut words: Vec<OsString> = words.collect();
    if let Some(gnu) = gnu {
        command = gnu.add_to(command);
        if std::env::var_os("POSIXLY_CORRECT").is_some() {
            gnu::end_options(&command, &mut words);
        }
    }
    let read = command.try_get_matches_from_mut(words).and_then(|matches| {
        gnu.map_or(Ok(()), |gnu| gnu.check(&mut command, &matches))?;
        from(&mut command, &matches)
    });
    read.map_err(|error| Refused::new(Some(name), error, &command))
}

/// The options as they were given.
fn only<T: Args>(_: &mut clap::Command, matches: &ArgMatches) -> Result<T, clap::Error> {
    T::from_arg_matches(matches)
}

/// One command without the others.
fn alone<T: Args>(name: &'static str) -> clap::Command {
    let command = clap::Command::new(name)
        .bin_name(format!("curt {name}"))
        .version(env!("CARGO_PKG_VERSION"));
    T::augment_args(command)
}

fn rm_from(command: &mut clap::Command, matches: &ArgMatches) -> Result<RmOptions, clap::Error> {
    let mut options = RmOptions::from_arg_matches(matches)?;
    options.asking = asking(&options, matches);
    options.root = root(command, &options, matches)?;
    Ok(options)
}

/// The options that prompt or keep quiet, replayed in their order, as in GNU rm: the last one wins,
/// except that `--interactive=never` leaves alone whether missing files are errors.
fn asking(options: &RmOptions, matches: &ArgMatches) -> Asking {
    let mut given = Vec::new();
    let flags = [("force", options.force), ("always", options.always), ("once", options.once)];
    for (id, _) in flags.into_iter().filter(|&(_, is_given)| is_given) {
        let asking = match id {
            "force" => (When::Never, Some(true)),
            "always" => (When::Always, Some(false)),
            _ => (When::Once, Some(false)),
        };
        given.extend(matches.indices_of(id).into_iter().flatten().last().map(|at| (at, asking)));
    }
    let places = matches.indices_of("interactive").into_iter().flatten();
    for (at, &when) in places.zip(&options.interactive) {
        given.push((at, (when, (when != When::Never).then_some(false))));
    }
    given.sort_by_key(|&(at, _)| at);
    given.iter().fold(Asking::default(), |asking, &(_, (when, missing_is_fine))| Asking {
        when,
        missing_is_fine: missing_is_fine.unwrap_or(asking.missing_is_fine),
    })
}

/// The options about the root directory: of the two the last one wins, and `all` stays.
fn root(
    command: &mut clap::Command,
    options: &RmOptions,
    matches: &ArgMatches,
) -> Result<Root, clap::Error> {
    let last = |id| matches.indices_of(id).into_iter().flatten().last();
    if options.no_preserve_root && !std::env::args_os().any(|arg| arg == "--no-preserve-root") {
        return Err(command.error(
            clap::error::ErrorKind::ArgumentConflict,
            "you may not abbreviate the --no-preserve-root option",
        ));
    }
    let given_up = options.no_preserve_root.then(|| last("no_preserve_root")).flatten();
    Ok(Root {
        preserve: given_up.is_none() || last("preserve_root") > given_up,
        refuse_mounted_operands: options.preserve_root.contains(&PreserveRoot::All),
    })
}

/// The words of GNU rm and their beginnings, as long as these can mean only one thing.
fn parse_when(word: &str) -> Result<When, String> {
    const WORDS: [(&str, When); 6] = [
        ("never", When::Never),
        ("no", When::Never),
        ("none", When::Never),
        ("once", When::Once),
        ("always", When::Always),
        ("yes", When::Always),
    ];
    let mut meanings =
        WORDS.iter().filter(|(full, _)| full.starts_with(word)).map(|&(_, when)| when);
    match meanings.next() {
        Some(first) if meanings.all(|other| other == first) => Ok(first),
        Some(_) => Err("ambiguous; say never, once or always".to_owned()),
        None => Err("say never (no, none), once, or always (yes)".to_owned()),
    }
}

/// How many threads may work.
fn parse_threads(word: &str) -> Result<NonZeroUsize, String> {
    word.parse().map_err(|_| "say a number of threads, 1 or more".to_owned())
}

fn parse_preserve_root(word: &str) -> Result<PreserveRoot, String> {
    match word {
        "" => Ok(PreserveRoot::Root),
        "all" => Ok(PreserveRoot::All),
        _ => Err("the only value is 'all'".to_owned()),
    }
}

fn feature_names() -> PossibleValuesParser {
    PossibleValuesParser::new(curt::Feature::ALL.map(|(name, _)| name))
}

#[cfg(test)]
mod tests;
