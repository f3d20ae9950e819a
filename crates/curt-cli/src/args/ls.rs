//! What can be asked of `curt ls` and `curt stat`.

use std::ffi::OsString;
use std::num::NonZeroUsize;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::parse_threads;
use crate::quote::Style;

/// The heading of the options that GNU ls does not have.
const BEYOND_GNU: &str = "Options that GNU ls does not have";

const LS_LONG_ABOUT: &str = "\
List directories, and what is known of their entries.

Works as GNU ls does in the C locale and takes most of its options. Only what the options need is \
asked for: names alone cost no call for an entry, -l one, and one more for a link. What differs: \
-l looks for access rules only with --acl; --color goes by kind and name, and by permissions only \
where these are shown anyway; usage errors exit with 2.";

const LS_AFTER: &str = "\
Examples:
  curt ls -la                         everything, in long form
  curt ls -lt --explain-cost          say what that would cost, in calls
  curt ls --fields name,size,created  chosen fields, separated by tabs
  curt ls -R --json src               one object for each entry

Exit status:
  0  everything was listed
  1  something below an operand could not be read
  2  an operand could not be listed, or the command line was wrong";

const STAT_AFTER: &str = "\
With --batch, each line of standard input is a question, {\"path\":PATH,\"fields\":[NAME,...]}, \
and each line of output the answer to it, in order: an object as of 'curt ls --json', or \
{\"err\":KIND,\"message\":TEXT}. A path is a string, or {\"bytes\":BASE64} where it is not Unicode.

Exit status:
  0  every question was answered (with --batch, also with an error)
  1  something could not be asked
  2  the command line was wrong";

/// What `curt ls` was asked.
#[derive(Args, Clone, Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
#[command(args_override_self = true, infer_long_args = true, disable_help_flag = true)]
#[command(about = "List directories", long_about = LS_LONG_ABOUT, after_help = LS_AFTER)]
pub(crate) struct LsOptions {
    /// What to list; without it, the working directory
    #[arg(value_name = "FILE")]
    pub(crate) operands: Vec<OsString>,

    /// Do not leave out names that begin with a dot
    #[arg(short, long, overrides_with = "almost_all")]
    pub(crate) all: bool,

    /// The same, without '.' and '..'
    #[arg(short = 'A', long, overrides_with = "all")]
    pub(crate) almost_all: bool,

    /// Sort by the time of the last change, and show it with -l
    #[arg(short = 'c', overrides_with_all = ["by_access", "time"])]
    pub(crate) by_change: bool,

    /// Show what a terminal would act upon as C would write it, without quotes
    #[arg(short = 'b', long = "escape", overrides_with_all = ["literal", "quote_name", "quoting_style"])]
    escaped: bool,

    /// List in columns
    #[arg(short = 'C')]
    columns: bool,

    /// Colour names by what they are: always (which is also what no WHEN means), auto, never
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", value_parser = parse_when)]
    pub(crate) color: Option<When>,

    /// List directories themselves, not what they hold
    #[arg(short, long)]
    pub(crate) directory: bool,

    /// List everything in the order of the system, as -aU
    #[arg(short = 'f', overrides_with_all = ["sort", "by_size", "by_time", "by_extension", "unsorted"])]
    pub(crate) raw: bool,

    /// Append one of */=@| to names: always, auto (on a terminal) or never
    #[arg(short = 'F', long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", value_parser = parse_when,
          overrides_with_all = ["slash", "file_type"])]
    pub(crate) classify: Option<When>,

    /// The same, without the '*' of executable files
    #[arg(long, overrides_with_all = ["slash", "classify"])]
    pub(crate) file_type: bool,

    /// Append a slash to directories
    #[arg(short = 'p', overrides_with_all = ["file_type", "classify"])]
    pub(crate) slash: bool,

    /// across (-x), long (-l), single-column (-1), vertical (-C)
    #[arg(long = "format", value_name = "WORD", value_parser = parse_format)]
    named_format: Option<Format>,

    /// As -l --time-style=full-iso
    #[arg(long)]
    full_time: bool,

    /// As -l, without the owner
    #[arg(short = 'g')]
    pub(crate) no_owner: bool,

    /// With -l, leave out the group
    #[arg(short = 'G', long)]
    pub(crate) no_group: bool,

    /// List directories before files
    #[arg(long)]
    pub(crate) group_directories_first: bool,

    /// Show sizes as 1K, 234M, 2G
    #[arg(short, long)]
    pub(crate) human_readable: bool,

    /// Follow links that are operands
    #[arg(short = 'H', long, overrides_with = "dereference")]
    pub(crate) dereference_command_line: bool,

    /// Show the number of each file within its file system
    #[arg(short, long)]
    pub(crate) inode: bool,

    /// List in long form: mode, links, owner, group, size, time, name
    #[arg(short = 'l')]
    long: bool,

    /// Tell of what links lead to, instead of the links
    #[arg(short = 'L', long, overrides_with = "dereference_command_line")]
    pub(crate) dereference: bool,

    /// As -l, with the numbers of owner and group
    #[arg(short = 'n', long)]
    pub(crate) numeric_uid_gid: bool,

    /// As -l, without the group
    #[arg(short = 'o')]
    pub(crate) no_group_long: bool,

    /// Show names as they are
    #[arg(short = 'N', long, overrides_with_all = ["escaped", "quote_name", "quoting_style"])]
    literal: bool,

    /// Show a question mark for what a terminal would act upon, as on a terminal
    #[arg(short = 'q', long)]
    pub(crate) hide_control_chars: bool,

    /// Show names between double quotes
    #[arg(short = 'Q', long, overrides_with_all = ["escaped", "literal", "quoting_style"])]
    quote_name: bool,

    /// Quote names: literal (-N), locale, clocale, shell, shell-always, shell-escape (on a
    /// terminal), shell-escape-always, c (-Q), c-maybe or escape (-b)
    #[arg(long, value_name = "WORD", value_parser = parse_quoting,
          overrides_with_all = ["escaped", "literal", "quote_name"])]
    pub(crate) quoting_style: Option<Style>,

    /// Reverse the order
    #[arg(short, long)]
    pub(crate) reverse: bool,

    /// List what lies in directories, and in theirs
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,

    /// Show how much room each file takes, in blocks of 1024 bytes
    #[arg(short, long)]
    pub(crate) size: bool,

    /// Sort by size, the largest first
    #[arg(short = 'S', overrides_with_all = ["sort", "by_time", "by_extension", "unsorted", "raw"])]
    pub(crate) by_size: bool,

    /// Sort by name, none (-U), size (-S), time (-t) or extension (-X)
    #[arg(long, value_name = "WORD", value_parser = parse_sort,
          overrides_with_all = ["by_size", "by_time", "by_extension", "unsorted", "raw"])]
    pub(crate) sort: Option<Sort>,

    /// Sort by time, the newest first
    #[arg(short = 't', overrides_with_all = ["sort", "by_size", "by_extension", "unsorted", "raw"])]
    pub(crate) by_time: bool,

    /// Which time: atime, ctime, mtime or birth
    #[arg(long, value_name = "WORD", value_parser = parse_time,
          overrides_with_all = ["by_access", "by_change"])]
    pub(crate) time: Option<Clock>,

    /// How -l shows times: full-iso, long-iso, iso, locale, or +FORMAT as of 'date'
    #[arg(long, value_name = "STYLE")]
    pub(crate) time_style: Option<String>,

    /// Sort by the time of the last access, and show it with -l
    #[arg(short = 'u', overrides_with_all = ["by_change", "time"])]
    pub(crate) by_access: bool,

    /// Do not sort
    #[arg(short = 'U', overrides_with_all = ["sort", "by_size", "by_time", "by_extension", "raw"])]
    pub(crate) unsorted: bool,

    /// How far apart tabs are; 0 writes none
    #[arg(short = 'T', long, value_name = "COLUMNS", value_parser = parse_width)]
    pub(crate) tabsize: Option<usize>,

    /// Take the line for so many columns; 0 is no limit
    #[arg(short, long, value_name = "COLUMNS", value_parser = parse_width)]
    pub(crate) width: Option<usize>,

    /// List in lines, not in columns
    #[arg(short = 'x')]
    across: bool,

    /// Sort by what follows the last dot
    #[arg(short = 'X', overrides_with_all = ["sort", "by_size", "by_time", "unsorted", "raw"])]
    pub(crate) by_extension: bool,

    /// End each line with a NUL
    #[arg(long)]
    pub(crate) zero: bool,

    /// List one file in a line
    #[arg(short = '1')]
    one_per_line: bool,

    /// With -l, mark with '+' what has access rules beyond its mode; one more call for each entry
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) acl: bool,

    /// Show these fields, separated by tabs (or with --json, only these)
    #[arg(long, value_name = "LIST", help_heading = BEYOND_GNU)]
    pub(crate) fields: Option<String>,

    /// Answer in JSON: one object per entry, then a summary
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) json: bool,

    /// Say what the options cost in calls, and do nothing else
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) explain_cost: bool,

    /// The most threads to ask with about the entries of a directory; 1 starts none [default: as
    /// many as pay]
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads, help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Say how many operating-system calls were made
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) stats: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// What the options about the form come to, in their order
    #[arg(skip)]
    pub(crate) format: Option<Format>,
}

/// What the command line asks.
pub(super) fn from(_: &mut Command, matches: &ArgMatches) -> Result<LsOptions, clap::Error> {
    let mut options = LsOptions::from_arg_matches(matches)?;
    options.format = format(&options, matches);
    if options.full_time && place(matches, "full_time") > place(matches, "time_style") {
        options.time_style = Some("full-iso".to_owned());
    }
    options.quoting_style = if options.escaped {
        Some(Style::Escape)
    } else if options.literal {
        Some(Style::Literal)
    } else if options.quote_name {
        Some(Style::C)
    } else {
        options.quoting_style
    };
    if options.zero {
        let zero = place(matches, "zero");
        let last = |ids: &[&str]| {
            let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
            ids.iter().filter(is_given).filter_map(|id| place(matches, id)).max()
        };
        if zero > last(&["escaped", "literal", "quote_name", "quoting_style"]) {
            options.quoting_style = Some(Style::Literal);
        }
        options.hide_control_chars &= zero < last(&["hide_control_chars"]);
    }
    // Of these two the last one counts.
    if options.zero && place(matches, "zero") > place(matches, "color") {
        options.color = None;
    }
    Ok(options)
}

/// Where an option was given for the last time.
fn place(matches: &ArgMatches, id: &str) -> Option<usize> {
    matches.indices_of(id).into_iter().flatten().last()
}

/// The last of the options about the form wins, except that one file in a line is what the long
/// form has anyway.
fn format(options: &LsOptions, matches: &ArgMatches) -> Option<Format> {
    let mut given = [
        ("across", options.across, Some(Format::Across)),
        ("columns", options.columns, Some(Format::Columns)),
        ("full_time", options.full_time, Some(Format::Long)),
        ("long", options.long, Some(Format::Long)),
        ("named_format", options.named_format.is_some(), options.named_format),
        ("no_group_long", options.no_group_long, Some(Format::Long)),
        ("no_owner", options.no_owner, Some(Format::Long)),
        ("numeric_uid_gid", options.numeric_uid_gid, Some(Format::Long)),
        ("one_per_line", options.one_per_line, None),
        ("zero", options.zero, None),
    ]
    .map(|(id, is_given, format)| (place(matches, id).filter(|_| is_given), format));
    given.sort_by_key(|&(place, _)| place);
    given.iter().filter(|(place, _)| place.is_some()).fold(None, |before, &(_, format)| {
        let one_per_line = before.filter(|&before| before == Format::Long);
        format.or(one_per_line).or(Some(Format::OnePerLine))
    })
}

/// A width in decimal, octal or hexadecimal digits. One that no number holds is no limit, as 0 is.
pub(crate) fn parse_width(word: &str) -> Result<usize, String> {
    let digits = word.trim_start().strip_prefix('+').unwrap_or(word.trim_start());
    let (digits, base) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err("say a number of columns".to_owned());
    }
    Ok(usize::from_str_radix(digits, base).unwrap_or(0))
}

/// What `curt stat` was asked.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Say what is known of files", after_help = STAT_AFTER)]
pub(crate) struct StatOptions {
    /// What to ask about
    #[arg(value_name = "PATH", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) operands: Vec<OsString>,

    /// Tell of what links lead to, instead of the links
    #[arg(short = 'L', long)]
    pub(crate) dereference: bool,

    /// Only these fields
    #[arg(long, value_name = "LIST")]
    pub(crate) fields: Option<String>,

    /// Answer in JSON: one object per path, then a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// Answer questions from standard input, one object per line
    #[arg(long)]
    pub(crate) batch: bool,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// On a terminal.
    Auto,
    Never,
}

/// How entries are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Long,
    OnePerLine,
    Columns,
    Across,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Name,
    None,
    Size,
    Time,
    Extension,
}

/// Which time of a file is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clock {
    Accessed,
    Changed,
    #[default]
    Modified,
    Created,
}

fn parse_when(word: &str) -> Result<When, String> {
    word_of(
        word,
        &[
            ("always", When::Always),
            ("yes", When::Always),
            ("force", When::Always),
            ("never", When::Never),
            ("no", When::Never),
            ("none", When::Never),
            ("auto", When::Auto),
            ("tty", When::Auto),
            ("if-tty", When::Auto),
        ],
    )
}

fn parse_format(word: &str) -> Result<Format, String> {
    word_of(
        word,
        &[
            ("verbose", Format::Long),
            ("long", Format::Long),
            ("horizontal", Format::Across),
            ("across", Format::Across),
            ("vertical", Format::Columns),
            ("single-column", Format::OnePerLine),
        ],
    )
}

fn parse_sort(word: &str) -> Result<Sort, String> {
    word_of(
        word,
        &[
            ("name", Sort::Name),
            ("none", Sort::None),
            ("size", Sort::Size),
            ("time", Sort::Time),
            ("extension", Sort::Extension),
        ],
    )
}

pub(crate) fn parse_quoting(word: &str) -> Result<Style, String> {
    word_of(word, &Style::WORDS)
}

fn parse_time(word: &str) -> Result<Clock, String> {
    word_of(
        word,
        &[
            ("atime", Clock::Accessed),
            ("access", Clock::Accessed),
            ("use", Clock::Accessed),
            ("ctime", Clock::Changed),
            ("status", Clock::Changed),
            ("mtime", Clock::Modified),
            ("modification", Clock::Modified),
            ("birth", Clock::Created),
            ("creation", Clock::Created),
        ],
    )
}

/// The meaning of a word, or of its beginning as long as that can mean only one thing.
fn word_of<T: Copy + PartialEq>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, meaning)) = words.iter().find(|(full, _)| *full == word) {
        return Ok(*meaning);
    }
    let mut meanings = words.iter().filter(|(full, _)| full.starts_with(word));
    match meanings.next() {
        Some(&(_, first)) if meanings.all(|&(_, other)| other == first) => Ok(first),
        _ => {
            let all: Vec<&str> = words.iter().map(|(full, _)| *full).collect();
            Err(format!("say one of {}", all.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Sort, parse_sort, parse_time};

    #[test]
    fn words_may_be_shortened_as_long_as_they_are_clear() {
        assert_eq!(parse_sort("ti"), Ok(Sort::Time));
        assert_eq!(parse_sort("none"), Ok(Sort::None));
        assert!(parse_sort("n").is_err());
        assert!(parse_sort("").is_err());
        assert_eq!(parse_time("m"), Ok(Clock::Modified));
        assert!(parse_time("c").is_err(), "ctime or creation");
    }
}
