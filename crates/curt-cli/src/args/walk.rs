//! What `curt walk` can be asked.

use std::ffi::OsString;
use std::num::NonZeroUsize;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches};
use curt::{OneFileSystem, SortBy};

use super::{feature_names, features};

const SORT_KEYS: [&str; 6] = ["name", "size", "modified", "accessed", "changed", "created"];

const ABOUT: &str = "List everything below directories";

const LONG_ABOUT: &str = "\
List everything below directories, as find does: the operands too, paths as they were typed, links \
not followed. Without an operand: '.'.

Entries that no test turns away are printed, one path in a line. A test is made only where all \
before it passed, and asks the system for no more than it needs: names and kinds cost nothing.";

const AFTER: &str = "\
Examples:
  curt walk --name '*.rs'                       paths that end in .rs
  curt walk src --type f --size +1M             files above one MiB
  curt walk --format '{size} {path}' /var/log   sizes and paths
  curt walk -0 --name '*.o' | xargs -0 rm       names of any kind to another program
  curt walk --name '*.tmp' --delete             remove what matches, deepest first
  curt walk --newer 2h --exec-batch tar cf new.tar {} ';'

Sizes are in bytes, or with k, M, G, T in powers of 1024; '+' is more than, '-' less than.
In a format, {NAME} is a field (curt ls --help lists them), {path}, {name}, {parent} or {depth};
\\n, \\t, \\0 and \\\\ are what they are elsewhere, '{{' is a brace. A line end follows.

Exit status:
  0  every entry was seen
  1  something could not be opened, read or asked about; each failure has one line on standard error
  2  the command line was wrong";

/// What `curt walk` was asked.
#[derive(Args, Default)]
#[cfg_attr(test, derive(Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct WalkOptions {
    /// Where to begin
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Names that match; with several, any of them. '*' matches a leading dot too
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) name: Vec<OsString>,

    /// Whole paths that match; '*' stops at a slash, '**' does not
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) path_glob: Vec<OsString>,

    /// Whole paths in which the regular expression is found
    #[arg(long, value_name = "RE", allow_hyphen_values = true)]
    pub(crate) regex: Option<String>,

    /// Kinds: f(ile) d(irectory) l(ink) p(ipe) s(ocket) c(haracter device) b(lock device), or a
    /// word such as junction; several separated by commas
    #[arg(long = "type", value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,

    /// Nothing above this depth; the operands have depth 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_depth: usize,

    /// Nothing below this depth
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Follow symbolic links: all of them, or (=command-line) those that are operands
    #[arg(short = 'L', long, value_name = "WHICH", num_args = 0..=1, require_equals = true,
          default_missing_value = "all", value_parser = ["never", "command-line", "all"])]
    pub(crate) follow: Option<String>,

    /// Stay on one file system: at mount points, or (=device) where the number of the device
    /// changes
    #[arg(short = 'x', long, value_name = "HOW", num_args = 0..=1, require_equals = true,
          default_missing_value = "mount", value_parser = ["mount", "device"])]
    one_file_system: Option<String>,

    /// Leave out what matches, and what lies below it. Without a slash GLOB is compared with names,
    /// with one with the path below the operand
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) exclude: Vec<OsString>,

    /// Leave out what rules in .gitignore, .ignore and .git/info/exclude name, and names that begin
    /// with a dot
    #[arg(long)]
    pub(crate) ignore: bool,

    /// With --ignore: names that begin with a dot all the same
    #[arg(long, requires = "ignore")]
    pub(crate) hidden: bool,

    /// With --ignore: no rules, only no names that begin with a dot
    #[arg(long, requires = "ignore")]
    pub(crate) no_ignore: bool,

    /// Sizes: +N more, -N less, N exactly; units c k M G T
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) size: Vec<String>,

    /// Written to after WHEN: after that FILE was, a date (2026-01-31, 2026-01-31T10:00), or so
    /// long ago (90s, 36h, '2 weeks')
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) newer: Option<String>,

    /// Written to before WHEN
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) older: Option<String>,

    /// The owner, and the group: names or numbers, either may be missing
    #[arg(long, value_name = "USER[:GROUP]")]
    pub(crate) owner: Option<String>,

    /// Sort the entries of each directory
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true,
          default_missing_value = "name", value_parser = SORT_KEYS)]
    sort: Option<String>,

    /// The other way round
    #[arg(long, requires = "sort")]
    pub(crate) reverse: bool,

    /// Print a line of this shape for each entry
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["fields", "json"])]
    pub(crate) format: Option<String>,

    /// Print these fields of each entry (and path, depth), separated by commas here and by tabs
    /// there
    #[arg(long, value_name = "LIST")]
    pub(crate) fields: Option<String>,

    /// Print an object for each entry, then a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// End each path (or line) by a NUL
    #[arg(short = '0', long = "null")]
    pub(crate) null: bool,

    /// The most threads to work with; 1 starts none [default: as many as pay]
    #[arg(short = 'j', long, value_name = "N", value_parser = super::parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Run a command for each entry; '{}' stands for its path, ';' must end the command
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["exec_batch", "delete"])]
    pub(crate) exec: Vec<OsString>,

    /// Run a command for as many entries at a time as fit; '{}' stands for their paths, ';' must
    /// end it
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with = "delete")]
    pub(crate) exec_batch: Vec<OsString>,

    /// Remove what matches, deepest first; a directory only if it is empty then
    #[arg(long)]
    pub(crate) delete: bool,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,

    /// List through a buffer of so many bytes
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) buffer: Option<usize>,

    /// Do without a feature of the system, as where it is missing
    #[arg(long, value_name = "FEATURE", hide = true, value_parser = feature_names(),
          action = clap::ArgAction::Append)]
    without: Vec<String>,
}

/// The options as they were given. Refuses what clap takes for something that nobody means by it.
pub(super) fn from(
    command: &mut clap::Command,
    matches: &ArgMatches,
    words: &[OsString],
) -> Result<Box<WalkOptions>, clap::Error> {
    let options = Box::<WalkOptions>::from_arg_matches(matches)?;
    let problem = if options.runs_unended(words) {
        Some("the command to run has no end: add ';' behind it (in a shell: ';' or \\;)".to_owned())
    } else {
        let is_end = |word: &&OsString| {
            let word = word.to_str().unwrap_or_default();
            word == "--" || word.starts_with("--exec")
        };
        let own = words.iter().take_while(|word| !is_end(word)).count();
        words[..own].windows(2).find_map(sort_key_apart)
    };
    match problem {
        None => Ok(options),
        Some(problem) => Err(command.error(ErrorKind::ValueValidation, problem)),
    }
}

/// What is wrong where the word behind `--sort` looks like its key, and is a path to clap.
fn sort_key_apart(words: &[OsString]) -> Option<String> {
    let key = words[1].to_str().filter(|word| SORT_KEYS.contains(word))?;
    (words[0] == "--sort")
        .then(|| format!("'--sort {key}' is unclear: write --sort={key}, or ./{key} for a path"))
}

impl WalkOptions {
    /// Whether all that follows would belong to the command that is run.
    fn runs_unended(&self, words: &[OsString]) -> bool {
        let runs = !self.exec.is_empty() || !self.exec_batch.is_empty();
        runs && !words.iter().any(|word| word == ";")
    }

    /// The features to do without.
    pub(crate) fn without(&self) -> impl Iterator<Item = curt::Feature> + '_ {
        features(&self.without)
    }

    /// Where to stop for the sake of one file system.
    pub(crate) fn one_file_system(&self) -> OneFileSystem {
        match self.one_file_system.as_deref() {
            Some("device") => OneFileSystem::Device,
            Some(_) => OneFileSystem::Mount,
            None => OneFileSystem::No,
        }
    }

    /// What to sort by.
    pub(crate) fn sort_by(&self) -> Option<SortBy> {
        Some(match self.sort.as_deref()? {
            "size" => SortBy::Size,
            "modified" => SortBy::Modified,
            "accessed" => SortBy::Accessed,
            "changed" => SortBy::Changed,
            "created" => SortBy::Created,
            _ => SortBy::Name,
        })
    }
}
