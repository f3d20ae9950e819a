//! The options of `curt walk`.

use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::Threads;
use curt::fields::Follow;
use curt::walk::{OneFileSystem, SortBy};

use super::criteria::{Connectives, Criteria, Group};
use super::help::fields_help;
use super::{Options, OutputOptions, Positions, WithoutOptions, meaning, one_of, parse_threads};

const LONG_ABOUT: &str = "\
Walk directory trees and print what matches, as find does: the operands too, with paths as they \
were typed, without following symbolic links. Without PATH, walks '.'.

An entry is printed if it passes every test; --not reverses the next test, and --or separates \
groups of tests of which one has to pass. Each test is made only if all before it passed, and \
reads no more metadata than it needs: names and kinds cost no system call.";

const NOTES: &str = "\
Exit status:
  0  everything was visited
  1  something failed; each failure is reported on standard error
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt walk src --type f --name '*.rs' --size +1M   large source files
  curt walk --format '{size} {path}' /var/log       sizes and paths
  curt walk --newer 2h --type f --exec gzip -k {} ';'";

const FIELDS_HELP: &str = fields_help!(
    "Print these fields of each entry in this order, separated by tabs\n\nname is the path; path and depth are fields, too."
);

const TRAVERSAL: &str = "Traversal";
const ACTIONS: &str = "Actions, instead of printing";

/// The options of `curt walk`.
#[derive(Args, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Walk directory trees", long_about = LONG_ABOUT,
          after_long_help = NOTES, after_help = EXAMPLES)]
pub(crate) struct WalkOptions {
    /// Where to start
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Print a line in this FORMAT for each entry
    ///
    /// {NAME} is a field (see --fields), {path}, {parent} or {depth}; \n, \t, \r, \0 and \\ are
    /// escapes; '{{' is a brace. A newline is added.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["fields", "json"])]
    pub(crate) format: Option<String>,

    /// Print these fields of each entry in this order, separated by tabs
    #[arg(long, value_name = "LIST", long_help = FIELDS_HELP)]
    pub(crate) fields: Option<String>,

    /// End each line with NUL instead of a newline
    #[arg(short = '0', long = "null")]
    pub(crate) null: bool,

    /// Use at most N threads [default: as many as speed it up]
    ///
    /// -j1 starts none. Commands run one at a time by default.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    tests: Criteria,

    #[command(flatten)]
    connectives: Connectives,

    /// The tests in groups: an entry must pass those of one group.
    #[arg(skip)]
    pub(crate) groups: Vec<Group>,

    /// Match only entries at depth N or deeper; operands have depth 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          allow_negative_numbers = true, help_heading = TRAVERSAL)]
    pub(crate) min_depth: usize,

    /// Descend at most N levels below the operands
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = TRAVERSAL)]
    pub(crate) max_depth: Option<usize>,

    /// Follow links: WHICH is all (the default), command-line or never
    ///
    /// 'command-line' follows only operands.
    #[arg(short = 'L', long, value_name = "WHICH", hide_possible_values = true,
          num_args = 0..=1, require_equals = true,
          default_missing_value = "all", value_parser = one_of(&FOLLOW), help_heading = TRAVERSAL)]
    pub(crate) follow: Option<Follow>,

    /// Stay on one filesystem: HOW is mount (the default) or device
    ///
    /// 'mount' stops at mount points, 'device' at other devices.
    #[arg(short = 'x', long, value_name = "HOW", hide_possible_values = true,
          num_args = 0..=1, require_equals = true,
          default_missing_value = "mount", value_parser = one_of(&ONE_FILE_SYSTEM),
          help_heading = TRAVERSAL)]
    pub(crate) one_file_system: Option<OneFileSystem>,

    /// Skip what matches GLOB and everything below it
    ///
    /// A GLOB without a slash matches names, operands too. One with a slash matches paths, which
    /// may begin at the operand, below it, at the working directory or at the root. Can be
    /// repeated.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TRAVERSAL)]
    pub(crate) exclude: Vec<OsString>,

    /// Skip hidden files, and what .gitignore and .ignore files list
    ///
    /// .git/info/exclude is read too.
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) ignore: bool,

    /// With --ignore: do not skip hidden files
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) hidden: bool,

    /// With --ignore: read no ignore files, only skip hidden files
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) no_ignore: bool,

    /// Sort the entries of each directory, by name or by KEY
    ///
    /// KEY is name, size, modified, accessed, changed or created.
    #[arg(long, value_name = "KEY", hide_possible_values = true,
          num_args = 0..=1, require_equals = true,
          default_missing_value = "name", value_parser = one_of(&SORT_KEYS),
          help_heading = TRAVERSAL)]
    pub(crate) sort: Option<SortBy>,

    /// Reverse the order of --sort
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) reverse: bool,

    /// Run a command, ended by ';', for each entry; '{}' is its path
    ///
    /// Quote the ';' for the shell, as in --exec gzip -k {} ';'. A command that fails is an error;
    /// if its program is missing, the walk ends.
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["exec_batch", "delete"],
          help_heading = ACTIONS)]
    pub(crate) exec: Vec<OsString>,

    /// Run a command, ended by ';', for many entries; '{}' is their paths
    ///
    /// As in --exec-batch tar cf new.tar {} ';' (find's {} +).
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with = "delete", help_heading = ACTIONS)]
    pub(crate) exec_batch: Vec<OsString>,

    /// Remove what matches, deepest first
    ///
    /// A directory is removed only if it is empty by then. Nothing is printed: without --delete the
    /// same command shows what matches; --json and --stats count what was removed. Mount points are
    /// crossed unless -x is given.
    #[arg(long, help_heading = ACTIONS)]
    pub(crate) delete: bool,

    /// With --delete: only print what matches, in the order of removal
    ///
    /// A directory among them would be removed only if it were empty by then.
    #[arg(long, help_heading = ACTIONS)]
    pub(crate) dry_run: bool,

    /// List directories through a buffer of this size
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) buffer: Option<usize>,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

/// Operators of find's expressions.
const OPERATORS: [&str; 3] = ["!", "(", ")"];

const FOLLOW: [(&str, Follow); 3] =
    [("never", Follow::Never), ("command-line", Follow::CommandLine), ("all", Follow::Links)];

const ONE_FILE_SYSTEM: [(&str, OneFileSystem); 2] =
    [("mount", OneFileSystem::Mount), ("device", OneFileSystem::Device)];

const SORT_KEYS: [(&str, SortBy); 6] = [
    ("name", SortBy::Name),
    ("size", SortBy::Size),
    ("modified", SortBy::Modified),
    ("accessed", SortBy::Accessed),
    ("changed", SortBy::Changed),
    ("created", SortBy::Created),
];

impl Options for WalkOptions {
    /// Refuses what clap accepts but nobody means.
    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        for (is_alone, option, needed) in [
            (self.hidden && !self.ignore, "--hidden", "--ignore"),
            (self.no_ignore && !self.ignore, "--no-ignore", "--ignore"),
            (self.reverse && self.sort.is_none(), "--reverse", "--sort"),
            (self.dry_run && !self.delete, "--dry-run", "--delete"),
        ] {
            if is_alone {
                return Err(format!("{option} needs {needed}"));
            }
        }
        // What follows '--' is a path.
        let options = given.words.iter().position(|word| word == "--").unwrap_or(given.words.len());
        let options = &given.words[..options];
        let is_typed = |word: &&str| options.iter().any(|typed| typed == word);
        let is_operand = |word: &&str| self.operands.iter().any(|operand| operand == word);
        let operator = OPERATORS.into_iter().filter(is_typed).find(is_operand);
        if let Some(operator) = operator {
            let reason = match operator {
                "!" => "write --not before a test",
                _ => "tests cannot be grouped by parentheses; --or separates groups of tests",
            };
            return Err(format!("'{operator}': {reason} (for a path, write './{operator}')"));
        }
        let runs = !self.exec.is_empty() || !self.exec_batch.is_empty();
        if runs && !given.words.iter().any(|word| word == ";") {
            let end = "missing ';' after the command (write ';' or \\; in a shell)";
            let is_plus = given.words.iter().any(|word| word == "+");
            let batch = "; for find's {} +, write --exec-batch COMMAND {} ';'";
            return Err(format!("{end}{}", if is_plus { batch } else { "" }));
        }
        let is_end = |word: &OsString| {
            let word = word.to_str().unwrap_or_default();
            word == "--" || word.starts_with("--exec")
        };
        let end = given.words.iter().position(is_end).unwrap_or(given.words.len());
        given.words[..end].windows(2).try_for_each(check_detached_value)?;
        self.groups = self.tests.groups(given.matches)?;
        Ok(())
    }
}

/// Refuses `--sort KEY` and the like, in which clap takes the key for a path.
fn check_detached_value(words: &[OsString]) -> Result<(), String> {
    let [Some(option), Some(value)] = [words[0].to_str(), words[1].to_str()] else {
        return Ok(());
    };
    let (long, is_value) = match option {
        "--sort" => (option, meaning(&SORT_KEYS, value).is_some()),
        "-L" | "--follow" => ("--follow", meaning(&FOLLOW, value).is_some()),
        "-x" | "--one-file-system" => {
            ("--one-file-system", meaning(&ONE_FILE_SYSTEM, value).is_some())
        }
        _ => return Ok(()),
    };
    if is_value {
        let typed = format!("'{option} {value}' is ambiguous");
        return Err(format!("{typed}: write {long}={value}, or ./{value} for a path"));
    }
    Ok(())
}
