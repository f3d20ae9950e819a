//! What `curt du` can be asked.

use std::ffi::OsString;
use std::num::NonZeroUsize;

use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::{feature_names, features, parse_threads};

const ABOUT: &str = "Tell how much space directories take";

const LONG_ABOUT: &str = "\
Tell how much space directories take, with everything in them: one line for each, size and path. \
Without an operand: '.'.

Works as GNU du does and takes its most used options. What differs: lines are sorted (what a \
directory holds before the directory, by the bytes of names); a file with several names is counted \
in the first directory that holds one, in that order of paths, so the answer is the same on every \
run; usage errors exit with 2.";

/// The heading of the options that GNU du does not have.
const BEYOND_GNU: &str = "Options that GNU du does not have";

const AFTER: &str = "\
Examples:
  curt du -sh *                  one line for each, in units that people read
  curt du -h -d 1 ~              a directory and what lies directly in it
  curt du -ah --top 20 /var      the twenty largest, whatever they are
  curt du -x --json / | jq ...   everything on one file system, for a program

Sizes are what the file system has allocated, in KiB rounded up, unless another option says \
otherwise. With --apparent-size they are what can be read; directories and devices have none of \
that, as in GNU du 9.2 and later.

Exit status:
  0  everything was counted
  1  something could not be opened, read or asked about; each failure has one line on standard error
  2  the command line was wrong
  An interrupted command prints what it counted so far and then ends by the signal (130 in a shell).";

/// What `curt du` was asked.
#[derive(Args, Default)]
#[cfg_attr(test, derive(Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true, disable_help_flag = true)]
#[command(about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct DuOptions {
    /// What to measure
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// End each line with NUL instead of a line end
    #[arg(short = '0', long)]
    pub(crate) null: bool,

    /// A line for every file too
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Count what can be read (sizes of files) instead of what is allocated
    #[arg(long)]
    apparent_size: bool,

    /// The same, in bytes
    #[arg(short, long)]
    bytes: bool,

    /// A last line with the sum of all operands
    #[arg(short = 'c', long)]
    pub(crate) total: bool,

    /// Follow operands that are symbolic links
    #[arg(short = 'D', visible_short_alias = 'H', long)]
    pub(crate) dereference_args: bool,

    /// No lines for what lies deeper than N below its operand
    #[arg(short = 'd', long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// In units that people read, rounded up (1.5K, 23M)
    #[arg(short = 'h', long)]
    pub(super) human_readable: bool,

    /// Count entries instead of space
    #[arg(long)]
    pub(crate) inodes: bool,

    /// In KiB (the default)
    #[arg(short = 'k')]
    kilobytes: bool,

    /// Count a file with several names for each of them
    #[arg(short = 'l', long)]
    pub(crate) count_links: bool,

    /// One line for each operand
    #[arg(short, long, conflicts_with = "all")]
    pub(crate) summarize: bool,

    /// Leave out what lies on other file systems
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Leave out what GLOB matches, and all that lies below it. GLOB is compared with the path as
    /// it would be shown, and with each of its ends that begins behind a slash. Can be repeated
    #[arg(long, value_name = "GLOB", action = ArgAction::Append, allow_hyphen_values = true)]
    pub(crate) exclude: Vec<OsString>,

    /// Only the N largest, the largest first
    #[arg(long, value_name = "N", help_heading = BEYOND_GNU)]
    pub(crate) top: Option<usize>,

    /// The most threads to work with; 1 starts none [default: as many as pay]
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads, help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Say how many operating-system calls were made
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) stats: bool,

    /// Answer in JSON, all sizes in bytes: one object for each line and failure, then a summary
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) json: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Do without a feature of the system, as where it is missing
    #[arg(long, value_name = "FEATURE", hide = true, value_parser = feature_names(),
          action = ArgAction::Append)]
    without: Vec<String>,

    /// What the options about units come to, in their order
    #[arg(skip)]
    pub(crate) unit: Unit,
}

/// What sizes are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    /// As the environment says; KiB, rounded up, where it says nothing.
    #[default]
    Usual,
    /// KiB, rounded up.
    Kilobytes,
    Bytes,
    /// Whatever gives the shortest number.
    Human,
}

impl DuOptions {
    /// Whether what can be read is shown, and not what is allocated.
    pub(crate) fn is_apparent(&self) -> bool {
        self.apparent_size || self.bytes
    }

    /// The features to do without.
    pub(crate) fn without(&self) -> impl Iterator<Item = curt::Feature> + '_ {
        features(&self.without)
    }
}

/// What the command line asks.
pub(super) fn from(command: &mut Command, matches: &ArgMatches) -> Result<DuOptions, clap::Error> {
    let mut options = DuOptions::from_arg_matches(matches)?;
    options.unit = unit(&options, matches);
    let is_deeper = options.max_depth.is_some_and(|depth| depth > 0);
    if options.summarize && is_deeper {
        return Err(command.error(
            clap::error::ErrorKind::ArgumentConflict,
            "--summarize is --max-depth=0, and another depth was given",
        ));
    }
    Ok(options)
}

/// The last of the options about units wins; `-b` says apparent sizes even if it does not.
fn unit(options: &DuOptions, matches: &ArgMatches) -> Unit {
    let given = [
        ("bytes", options.bytes, Unit::Bytes),
        ("human_readable", options.human_readable, Unit::Human),
        ("kilobytes", options.kilobytes, Unit::Kilobytes),
    ];
    let place = |id| matches.indices_of(id).into_iter().flatten().last();
    let given = given.into_iter().filter(|&(_, is_given, _)| is_given);
    given.max_by_key(|&(id, ..)| place(id)).map(|(.., unit)| unit).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{DuOptions, Unit, from};
    use crate::args::{Refused, read};

    fn parse(words: impl Iterator<Item = std::ffi::OsString>) -> Result<DuOptions, Refused> {
        read("du", words, from)
    }

    fn unit(words: &str) -> (Unit, bool) {
        let words = ["du"].into_iter().chain(words.split_whitespace());
        let options = parse(words.map(Into::into)).ok().unwrap();
        (options.unit, options.is_apparent())
    }

    #[test]
    fn the_last_unit_wins() {
        assert_eq!(unit(""), (Unit::Usual, false));
        assert_eq!(unit("-bh"), (Unit::Human, true));
        assert_eq!(unit("-hb"), (Unit::Bytes, true));
        assert_eq!(unit("-h -k"), (Unit::Kilobytes, false));
        assert_eq!(unit("-k --human --apparent"), (Unit::Human, true));
        assert_eq!(unit("-b -k -b"), (Unit::Bytes, true));
    }

    #[test]
    fn contradictions_are_refused() {
        for words in ["-s -a", "-s -d 1", "-d x", "-j0"] {
            let words = ["du"].into_iter().chain(words.split_whitespace());
            assert!(parse(words.map(Into::into)).is_err());
        }
        assert!(parse(["du", "-sd0"].map(Into::into).into_iter()).is_ok());
    }
}
