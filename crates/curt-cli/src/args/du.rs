//! The options of `curt du`.

use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::Threads;

use super::{OperandsOf, Options, OutputOptions, Positions, WithoutOptions, parse_threads};

const LONG_ABOUT: &str = "\
Measure the disk usage of directories: one line for each, with its size and path. Without PATH, \
measures '.'.

Works like GNU du and takes its most used options. Differences: lines are sorted (the contents of \
a directory before the directory itself, by the bytes of names); a file with several hard links \
counts in the first directory in that order, so the result is the same in every run; usage errors \
exit with 2.";

/// The heading of the options that GNU du lacks.
const BEYOND_GNU: &str = "Options that GNU du does not have";

const NOTES: &str = "\
Sizes are the allocated space, in KiB rounded up, unless an option says otherwise. With \
--apparent-size, directories and devices count as 0, as in GNU du 9.2 and later.

Exit status:
  0  everything was measured
  1  something could not be read; each failure is reported on standard error
  2  the command line was wrong
  An interrupted command prints what it counted and then ends by the signal (130 in a shell).";

const EXAMPLES: &str = "\
Examples:
  curt du -sh *              one line for each, in human-readable sizes
  curt du -h -d 1 ~          a directory and its direct subdirectories
  curt du -ah --top 20 /var  the twenty largest files and directories";

/// The options of `curt du`.
#[derive(Args, Default)]
#[cfg_attr(test, derive(Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true, disable_help_flag = true)]
#[command(about = "Measure disk usage", long_about = LONG_ABOUT, after_long_help = NOTES,
          after_help = EXAMPLES)]
pub(crate) struct DuOptions {
    /// The files and directories to measure
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// End each line with NUL instead of a newline
    #[arg(short = '0', long)]
    pub(crate) null: bool,

    /// Print a line for every file, not only for directories
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Print apparent sizes instead of allocated space
    #[arg(long)]
    apparent_size: bool,

    /// Same as --apparent-size, in bytes
    #[arg(short, long)]
    bytes: bool,

    /// Print a grand total
    #[arg(short = 'c', long)]
    pub(crate) total: bool,

    /// Follow operands that are symbolic links
    #[arg(short = 'D', visible_short_alias = 'H', long)]
    pub(crate) dereference_args: bool,

    /// Print nothing deeper than N levels below an operand
    #[arg(short = 'd', long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_depth: Option<usize>,

    /// Print human-readable sizes, rounded up (1.5K, 23M)
    #[arg(short = 'h', long)]
    human_readable: bool,

    /// Count entries instead of space
    #[arg(long)]
    pub(crate) inodes: bool,

    /// Print sizes in KiB (the default)
    #[arg(short = 'k')]
    kilobytes: bool,

    /// Count a file once for each of its hard links
    #[arg(short = 'l', long)]
    pub(crate) count_links: bool,

    /// Print only one line for each operand
    #[arg(short, long, conflicts_with = "all")]
    pub(crate) summarize: bool,

    /// Skip directories on other filesystems
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Skip what matches GLOB and everything below it
    ///
    /// GLOB is matched against the path as it would be printed, and against each part of it that
    /// follows a slash. Can be repeated.
    #[arg(long, value_name = "GLOB", action = ArgAction::Append, allow_hyphen_values = true)]
    pub(crate) exclude: Vec<OsString>,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print only the N largest, the largest first
    ///
    /// With 0 there are no lines but the total of -c.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          help_heading = BEYOND_GNU)]
    pub(crate) top: Option<usize>,

    /// Use at most N threads [default: as many as speed it up]
    ///
    /// -j1 starts none.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads,
          help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    /// The unit of sizes, by the last of the options that say so.
    #[arg(skip)]
    pub(crate) unit: Unit,
}

/// The unit of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    /// As the environment says, or KiB.
    #[default]
    Environment,
    Kilobytes,
    Bytes,
    /// The largest unit that leaves a number of at least 1.
    Human,
}

impl DuOptions {
    /// Whether apparent sizes are printed; `-b` says so even if another unit follows.
    pub(crate) fn is_apparent(&self) -> bool {
        self.apparent_size || self.bytes
    }
}

impl Options for DuOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        let units = [
            ("bytes", Unit::Bytes),
            ("human_readable", Unit::Human),
            ("kilobytes", Unit::Kilobytes),
        ];
        self.unit = given.last(&units).unwrap_or_default();
        match self.max_depth {
            Some(depth @ 1..) if self.summarize => {
                Err(format!("--summarize conflicts with --max-depth={depth}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DuOptions, Unit};
    use crate::args::{Refused, read};

    fn parse(words: &str) -> Result<DuOptions, Box<Refused>> {
        let words = ["du"].into_iter().chain(words.split_whitespace()).map(Into::into);
        read("du", words.collect())
    }

    #[test]
    fn the_last_unit_wins() {
        for (words, unit, is_apparent) in [
            ("", Unit::Environment, false),
            ("-bh", Unit::Human, true),
            ("-hb", Unit::Bytes, true),
            ("-h -k", Unit::Kilobytes, false),
            ("-k --human --apparent", Unit::Human, true),
            ("-b -k -b", Unit::Bytes, true),
        ] {
            let options = parse(words).ok().unwrap();
            assert_eq!((options.unit, options.is_apparent()), (unit, is_apparent), "{words}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for words in ["-s -a", "-s -d 1", "-d x", "-j0"] {
            assert!(parse(words).is_err(), "{words}");
        }
        assert!(parse("-sd0").is_ok());
    }
}
