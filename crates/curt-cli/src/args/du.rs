use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::fields::Follow;
use curt::{Fields, Threads};

use super::{
    AbbreviationOf, OperandsOf, Options, OutputOptions, Positions, WithoutOptions, parse_threads,
};
use crate::called;
use crate::number::{self, Flaw};

const LONG_ABOUT: &str = "\
Measure disk usage. On a terminal, shows the largest entries as a tree with bars and shares of the \
total; elsewhere, prints a line for each directory, as GNU du does. Without PATH, measures '.'.";

const BEYOND_GNU: &str = "Options that GNU du does not have";
const SIZES: &str = "Sizes";
const OTHERS: &str = "Links, lists and lines";

const NOTES: &str = "\
Sizes are allocated space, rounded up. Without an option for a unit, they are human-readable next \
to bars, and in KiB otherwise. With --apparent-size, directories and devices count as 0, as in GNU \
du since 9.2.

--gnu, the name 'du' and the options -0, -s, -S, -t, --time and --time-style select GNU du's lines \
on a terminal, too.

Differences from GNU du:
  - Lines are sorted: by the bytes of names, contents before their directory.
  - A file with several hard links counts in the first directory in that order,
    so every run has the same result.
  - Usage errors exit with 2, or with 1 under the name 'du'.

Exit status:
  0  everything was measured
  1  something could not be read; each failure is reported on standard error
  2  the command line was wrong
  An interrupted command prints what it counted and then ends by the signal (130 in a shell).";

const EXAMPLES: &str = "\
Examples:
  curt du              the largest entries of the working directory
  curt du -sh *        one line for each, in human-readable sizes
  curt du --by-type ~  the sum for each type of file";

#[derive(Args, Default)]
#[cfg_attr(test, derive(Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true, disable_help_flag = true)]
#[command(about = "Measure disk usage", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct DuOptions {
    /// The files and directories to measure
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Print human-readable sizes, rounded up (1.5K, 23M)
    #[arg(short = 'h', long)]
    human_readable: bool,

    /// Print only one line per operand
    #[arg(short, long, conflicts_with = "all")]
    pub(crate) summarize: bool,

    /// Print nothing deeper than N levels below an operand
    #[arg(short = 'd', long, alias = "depth", value_name = "N", allow_negative_numbers = true,
          value_parser = parse_depth)]
    pub(crate) max_depth: Option<usize>,

    /// Print a line for every file, not only for directories; a tree always has files
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Print a grand total
    #[arg(short = 'c', long)]
    pub(crate) total: bool,

    /// Skip directories on other filesystems
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Skip entries that match GLOB, with their contents; can be repeated
    ///
    /// GLOB is GNU's, without braces, and matches the printed path, or a part after a slash.
    #[arg(long, value_name = "GLOB", action = ArgAction::Append, allow_hyphen_values = true)]
    pub(crate) exclude: Vec<OsString>,

    /// Print only entries of at least SIZE; with -SIZE, of at most SIZE
    #[arg(short, long, value_name = "SIZE", action = ArgAction::Append,
          allow_hyphen_values = true)]
    pub(crate) threshold: Vec<OsString>,

    /// Print the newest modification time in each directory, or the time WORD
    #[arg(long, value_name = "WORD", num_args = 0..=1, require_equals = true,
          default_missing_value = "modification", value_parser = AbbreviationOf(&TIMES))]
    pub(crate) time: Option<Fields>,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print only the N largest entries; without a tree, largest first
    ///
    /// With 0, only the total of -c is printed. By default a tree fills the terminal. Its rows that
    /// count other entries, such as '... 3 more', are additional.
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = BEYOND_GNU)]
    pub(crate) top: Option<usize>,

    /// Print one line per type of file, by the suffixes of names
    #[arg(long, conflicts_with_all = [
        "all", "max_depth", "separate_dirs", "summarize", "threshold", "time", "time_style",
    ], help_heading = BEYOND_GNU)]
    pub(crate) by_type: bool,

    /// Print a tree with bars in a file or a pipe, too
    #[arg(long, overrides_with = "gnu", help_heading = BEYOND_GNU)]
    tree: bool,

    /// Print the lines of GNU du on a terminal, too
    #[arg(long, overrides_with = "tree", help_heading = BEYOND_GNU)]
    gnu: bool,

    /// Use at most N threads [default: as many as help]
    ///
    /// -j1 starts none.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads,
          help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) output: OutputOptions,

    /// Print apparent sizes instead of allocated space
    #[arg(short = 'A', long, help_heading = SIZES)]
    apparent_size: bool,

    /// Same as --apparent-size, in bytes
    #[arg(short, long, help_heading = SIZES)]
    bytes: bool,

    /// Print sizes in units of SIZE, as in -BM or -B 1000
    ///
    /// SIZE is a number, a unit (K, M, G, T, P, E: powers of 1024; KB, MB and so on: powers of
    /// 1000), both, human-readable or si. A unit without a number is printed after each size.
    #[arg(short = 'B', long, value_name = "SIZE", action = ArgAction::Append,
          allow_hyphen_values = true, help_heading = SIZES)]
    pub(crate) block_size: Vec<OsString>,

    /// Print sizes in KiB (the default without bars)
    #[arg(short = 'k', help_heading = SIZES)]
    kilobytes: bool,

    /// Print sizes in MiB
    #[arg(short = 'm', help_heading = SIZES)]
    megabytes: bool,

    /// Print human-readable sizes in powers of 1000
    #[arg(long, help_heading = SIZES)]
    si: bool,

    /// Count entries instead of space
    #[arg(long, help_heading = SIZES)]
    pub(crate) inodes: bool,

    /// Count a file once for each of its hard links
    #[arg(short = 'l', long, help_heading = SIZES)]
    pub(crate) count_links: bool,

    /// Exclude subdirectories from the size of a directory
    #[arg(short = 'S', long, help_heading = SIZES)]
    pub(crate) separate_dirs: bool,

    /// Follow operands that are symbolic links
    #[arg(short = 'D', visible_short_alias = 'H', long, help_heading = OTHERS)]
    dereference_args: bool,

    /// Follow all symbolic links
    ///
    /// A target of several links counts once.
    #[arg(short = 'L', long, help_heading = OTHERS)]
    dereference: bool,

    /// Follow no symbolic links (the default)
    #[arg(short = 'P', long, help_heading = OTHERS)]
    no_dereference: bool,

    /// Skip entries that match a line of FILE, like --exclude; '-' is standard input
    #[arg(short = 'X', long, value_name = "FILE", action = ArgAction::Append,
          help_heading = OTHERS)]
    pub(crate) exclude_from: Vec<OsString>,

    /// Measure the NUL-terminated names in FILE; '-' is standard input
    #[arg(long, value_name = "FILE", help_heading = OTHERS)]
    pub(crate) files0_from: Option<OsString>,

    /// End each line with NUL instead of a newline
    #[arg(short = '0', long, help_heading = OTHERS)]
    pub(crate) null: bool,

    /// Print times in this style: full-iso, long-iso, iso or +FORMAT
    ///
    /// FORMAT is that of 'date'. The default is `TIME_STYLE`, or else long-iso.
    #[arg(long, value_name = "STYLE", allow_hyphen_values = true, help_heading = OTHERS)]
    pub(crate) time_style: Option<String>,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    /// `None` if no option sets the unit, or if the last such option is `--block-size`.
    #[arg(skip)]
    pub(crate) unit: Option<Unit>,

    #[arg(skip)]
    pub(crate) follow: Follow,

    #[arg(skip)]
    pub(crate) is_long_block_size: bool,
    #[arg(skip)]
    pub(crate) is_long_threshold: bool,
}

/// GNU du's words for times, and `modification` for the default.
const TIMES: [(&str, Fields); 6] = [
    ("atime", Fields::ACCESSED),
    ("access", Fields::ACCESSED),
    ("use", Fields::ACCESSED),
    ("ctime", Fields::CHANGED),
    ("status", Fields::CHANGED),
    ("modification", Fields::MODIFIED),
];

fn parse_depth(word: &str) -> Result<usize, &'static str> {
    match number::parse(word.as_bytes(), b"", &(0..=usize::MAX as i128)) {
        Ok(depth) => Ok(depth as usize),
        Err(Flaw::TooLarge(_)) => Err("it is too large"),
        Err(_) if word.starts_with('-') => Err("it must not be negative"),
        Err(_) => Err("expected a whole number"),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Kilobytes,
    Megabytes,
    Bytes,
    /// The largest unit in which the size is at least 1.
    Human,
    /// Like `Human`, in powers of 1000.
    Si,
}

impl DuOptions {
    /// `-b` selects apparent sizes even if a later option sets a different unit.
    pub(crate) fn is_apparent(&self) -> bool {
        self.apparent_size || self.bytes
    }

    /// Options that make no sense in a tree select GNU du's lines.
    pub(crate) fn is_tree(&self, is_terminal: bool) -> bool {
        let is_for_lines = self.gnu
            || self.output.json
            || self.null
            || self.summarize
            || self.separate_dirs
            || !self.threshold.is_empty()
            || self.time.is_some()
            || self.time_style.is_some();
        !is_for_lines && (self.tree || is_terminal && called::name().is_none())
    }
}

impl Options for DuOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        let units = [
            ("bytes", Some(Unit::Bytes)),
            ("human_readable", Some(Unit::Human)),
            ("kilobytes", Some(Unit::Kilobytes)),
            ("megabytes", Some(Unit::Megabytes)),
            ("si", Some(Unit::Si)),
            ("block_size", None),
        ];
        self.unit = given.last(&units).flatten();
        let follow = [
            ("dereference_args", Follow::CommandLine),
            ("dereference", Follow::Links),
            ("no_dereference", Follow::Never),
        ];
        self.follow = given.last(&follow).unwrap_or_default();
        let is_written = |start: &str| {
            given.words.iter().any(|word| word.as_encoded_bytes().starts_with(start.as_bytes()))
        };
        self.is_long_block_size = is_written("--b");
        self.is_long_threshold = is_written("--th");
        if self.tree && !self.is_tree(true) {
            return Err("--tree cannot be used with -0, -s, -S, -t, --time or --json".to_owned());
        }
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
    use super::DuOptions;
    use crate::args::{EarlyExit, read};

    fn parse(words: &str) -> Result<DuOptions, Box<EarlyExit>> {
        let words = ["du"].into_iter().chain(words.split_whitespace()).map(Into::into);
        read("du", words.collect())
    }

    #[test]
    fn some_options_exclude_a_tree() {
        for words in ["", "-a", "-c", "-d 3", "-h", "-b -x", "--inodes", "--top 3", "--gnu --tree"]
        {
            assert!(parse(words).ok().unwrap().is_tree(true), "{words}");
        }
        for words in ["--gnu", "--tree --gnu", "-0", "-s", "-S", "-t 1", "--time", "--json"] {
            assert!(!parse(words).ok().unwrap().is_tree(true), "{words}");
        }
        assert!(parse("--tree").ok().unwrap().is_tree(false));
        assert!(!parse("-a").ok().unwrap().is_tree(false));
    }
}
