mod words;

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args};
use curt::fields::Follow;
use curt::{Fields, Threads};

use super::help::fields_help;
use super::{AbbreviationOf, OperandsOf, Options, OutputOptions, Positions, parse_threads};
use crate::number::{self, Flaw};
use crate::out::blocks::Blocks;
use crate::quote::Style;
use words::{FORMATS, MARKS, SORTS, TIMES, WHENS};
pub(crate) use words::{Format, Hidden, Marks, Sort, When};

const BEYOND_GNU: &str = "Options that GNU ls does not have";
const ORDER: &str = "Order and times";
const FORMAT: &str = "Formats, names and sizes";

const LONG_ABOUT: &str = "\
List directories, as GNU ls does in the C locale and with all of its options but -D and -Z. \
Without FILE, lists '.'.";

const NOTES: &str = "\
Only the metadata that is needed is read: names alone cost no system call per entry, -l costs one, \
and one more for a symbolic link.

Differences from GNU ls:
  - -l shows '+' for access control lists only with --acl.
  - --color goes by kind and name. It goes by permissions only if they are shown
    anyway or LS_COLORS has a color for them.
  - Usage errors exit with 2.

Exit status:
  0  everything was listed
  1  something below an operand could not be read
  2  an operand could not be listed, output could not be written, or the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt ls -lh --header --total        with column names and totals
  curt ls --tree --depth 2            a tree of two levels
  curt ls --fields name,size,created  chosen fields, separated by tabs";

/// The options of `curt ls`. Many of them override earlier ones, so `settle` reads their positions.
#[derive(Args, Clone, Debug, Default)]
#[allow(dead_code, reason = "options that are read by their positions are not read as fields")]
#[command(args_override_self = true, infer_long_args = true, disable_help_flag = true)]
#[command(about = "List directories", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct LsOptions {
    /// The files and directories to list
    #[arg(value_name = "FILE")]
    pub(crate) operands: Vec<OsString>,

    /// Include names that start with a dot
    #[arg(short, long)]
    all: bool,

    /// Same as --all, but without '.' and '..'
    #[arg(short = 'A', long)]
    almost_all: bool,

    /// Use the long format: mode, links, owner, group, size, time, name
    #[arg(short = 'l')]
    long: bool,

    /// Print sizes like 1K 234M 2G
    #[arg(short, long)]
    pub(crate) human_readable: bool,

    /// List directories themselves, not their contents
    #[arg(short, long)]
    pub(crate) directory: bool,

    /// List subdirectories recursively
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,

    /// List one file per line
    #[arg(short = '1')]
    one_per_line: bool,

    /// Sort by time, newest first
    #[arg(short = 't')]
    by_time: bool,

    /// Sort by size, largest first
    #[arg(short = 'S')]
    by_size: bool,

    /// Reverse the order
    #[arg(short, long)]
    pub(crate) reverse: bool,

    /// List directories before files
    #[arg(long)]
    pub(crate) group_directories_first: bool,

    /// Append one of */=@| to names: always (the default WHEN), auto or never
    #[arg(short = 'F', long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", hide_possible_values = true,
          value_parser = AbbreviationOf(&WHENS))]
    classify: Vec<When>,

    /// Color names: always (the default WHEN), auto or never
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", hide_possible_values = true,
          value_parser = AbbreviationOf(&WHENS))]
    pub(crate) color: Option<When>,

    /// Print the allocated size of each file, in KiB
    #[arg(short, long)]
    pub(crate) size: bool,

    /// Print the inode number of each file
    #[arg(short, long)]
    pub(crate) inode: bool,

    /// Follow all symbolic links
    #[arg(short = 'L', long)]
    dereference: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// List directories as trees
    ///
    /// Columns of options such as -l, -s and -i come before the branches.
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) tree: bool,

    /// With --tree, show at most N levels below an operand
    #[arg(long, alias = "max-depth", value_name = "N", allow_negative_numbers = true,
          help_heading = BEYOND_GNU)]
    pub(crate) depth: Option<usize>,

    /// With -l or --fields, begin with column names
    #[arg(long, conflicts_with_all = ["json", "tree"], help_heading = BEYOND_GNU)]
    pub(crate) header: bool,

    /// Print the number of entries and their size at the end
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) total: bool,

    /// With -l, show '+' for files with an access control list
    ///
    /// This costs one more call per entry.
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) acl: bool,

    /// Print these fields, separated by tabs (with --json, only these)
    #[arg(long, value_name = "LIST",
          long_help = fields_help!(
              "Print these fields, separated by tabs (with --json, only these)"
          ), help_heading = BEYOND_GNU)]
    pub(crate) fields: Option<String>,

    /// Read metadata with at most N threads [default: as many as help]
    ///
    /// -j1 starts none.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads,
          help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) output: OutputOptions,

    /// Sort by name, none (-U), size (-S), time (-t), version (-v), extension (-X) or width
    #[arg(long, value_name = "WORD", hide_possible_values = true,
          value_parser = AbbreviationOf(&SORTS), help_heading = ORDER)]
    pub(crate) sort: Option<Sort>,

    /// Sort by extension
    #[arg(short = 'X', help_heading = ORDER)]
    by_extension: bool,

    /// Sort numbers in names by value
    #[arg(short = 'v', help_heading = ORDER)]
    by_version: bool,

    /// Do not sort
    #[arg(short = 'U', help_heading = ORDER)]
    unsorted: bool,

    /// Same as -aU: list all entries in directory order
    #[arg(short = 'f', help_heading = ORDER)]
    raw: bool,

    /// Select the time: atime, ctime, mtime or birth
    #[arg(long, value_name = "WORD", hide_possible_values = true,
          value_parser = AbbreviationOf(&TIMES), help_heading = ORDER)]
    pub(crate) time: Option<Fields>,

    /// Sort by access time; with -l, show it
    #[arg(short = 'u', help_heading = ORDER)]
    by_access: bool,

    /// Sort by status change time; with -l, show it
    #[arg(short = 'c', help_heading = ORDER)]
    by_change: bool,

    /// Print times as full-iso, long-iso, iso, locale, relative or +FORMAT (of date)
    #[arg(long, value_name = "STYLE", help_heading = ORDER)]
    pub(crate) time_style: Option<String>,

    /// Same as -l --time-style=full-iso
    #[arg(long, help_heading = ORDER)]
    full_time: bool,

    /// Use a format: across (-x), commas (-m), long (-l), single-column (-1), vertical (-C)
    #[arg(long = "format", value_name = "WORD", hide_possible_values = true,
          value_parser = AbbreviationOf(&FORMATS), help_heading = FORMAT)]
    named_format: Option<Format>,

    /// List entries in columns
    #[arg(short = 'C', help_heading = FORMAT)]
    columns: bool,

    /// List entries by lines instead of by columns
    #[arg(short = 'x', help_heading = FORMAT)]
    across: bool,

    /// List entries in lines, separated by commas
    #[arg(short = 'm', help_heading = FORMAT)]
    commas: bool,

    /// Same as -l, but with numeric user and group IDs
    #[arg(short = 'n', long, help_heading = FORMAT)]
    pub(crate) numeric_uid_gid: bool,

    /// Same as -l, but without the owner
    #[arg(short = 'g', help_heading = FORMAT)]
    pub(crate) no_owner: bool,

    /// Same as -l, but without the group
    #[arg(short = 'o', help_heading = FORMAT)]
    no_group_long: bool,

    /// With -l, do not show the group
    #[arg(short = 'G', long, help_heading = FORMAT)]
    no_group: bool,

    /// With -l, print the author of each file, which is its owner
    #[arg(long, help_heading = FORMAT)]
    pub(crate) author: bool,

    /// Same as --classify, but without '*' for executable files
    #[arg(long, help_heading = FORMAT)]
    file_type: bool,

    /// Append '/' to directories
    #[arg(short = 'p', help_heading = FORMAT)]
    slash: bool,

    /// Append marks to names: none, slash (-p), file-type or classify (-F)
    #[arg(long, value_name = "WORD", hide_possible_values = true,
          value_parser = AbbreviationOf(&MARKS), help_heading = FORMAT)]
    indicator_style: Option<Marks>,

    /// Link names to their files: always (the default WHEN), auto or never
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", hide_possible_values = true,
          value_parser = AbbreviationOf(&WHENS), help_heading = FORMAT)]
    pub(crate) hyperlink: Option<When>,

    /// Follow operands that are symbolic links
    #[arg(short = 'H', long, help_heading = FORMAT)]
    dereference_command_line: bool,

    /// Follow operands that are symbolic links to directories
    #[arg(long, help_heading = FORMAT)]
    dereference_command_line_symlink_to_dir: bool,

    /// Skip names that match PATTERN, a glob without braces
    #[arg(short = 'I', long, value_name = "PATTERN", allow_hyphen_values = true,
          help_heading = FORMAT)]
    pub(crate) ignore: Vec<OsString>,

    /// Skip names that end in '~'
    #[arg(short = 'B', long, help_heading = FORMAT)]
    pub(crate) ignore_backups: bool,

    /// Skip names that match PATTERN, except with -a or -A
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, help_heading = FORMAT)]
    pub(crate) hide: Vec<OsString>,

    /// Print unprintable characters as C escapes
    #[arg(short = 'b', long = "escape", help_heading = FORMAT)]
    escaped: bool,

    /// Print names without quoting
    #[arg(short = 'N', long, help_heading = FORMAT)]
    literal: bool,

    /// Print names in double quotes
    #[arg(short = 'Q', long, help_heading = FORMAT)]
    quote_name: bool,

    /// Quote names in the style WORD
    ///
    /// WORD is literal (-N), locale, clocale, shell, shell-always, shell-escape (the default on a
    /// terminal), shell-escape-always, c (-Q), c-maybe or escape (-b).
    #[arg(long, value_name = "WORD", hide_possible_values = true,
          value_parser = AbbreviationOf(&Style::WORDS), help_heading = FORMAT)]
    pub(crate) quoting_style: Option<Style>,

    /// Print '?' for unprintable characters (the default on a terminal)
    #[arg(short = 'q', long, help_heading = FORMAT)]
    hide_control_chars: bool,

    /// Print unprintable characters unchanged, even on a terminal
    #[arg(long, help_heading = FORMAT)]
    show_control_chars: bool,

    /// End each line with NUL instead of a newline
    #[arg(long, help_heading = FORMAT)]
    pub(crate) zero: bool,

    /// Print sizes in units of SIZE, such as 512, K, MB or human-readable
    #[arg(long, value_name = "SIZE",
          value_parser = OsStringValueParser::new().try_map(|it| parse_block_size(&it)),
          help_heading = FORMAT)]
    block_size: Option<Blocks>,

    /// Print allocated sizes in KiB, ignoring the environment
    #[arg(short, long, help_heading = FORMAT)]
    pub(crate) kibibytes: bool,

    /// Print sizes with powers of 1000
    #[arg(long, help_heading = FORMAT)]
    si: bool,

    /// Assume tab stops every COLUMNS columns; 0 uses no tabs
    #[arg(short = 'T', long, value_name = "COLUMNS", allow_hyphen_values = true,
          value_parser = parse_tab_size, help_heading = FORMAT)]
    pub(crate) tabsize: Option<usize>,

    /// Assume lines of COLUMNS columns; 0 means no limit
    #[arg(short, long, value_name = "COLUMNS", allow_hyphen_values = true,
          value_parser = parse_width, help_heading = FORMAT)]
    pub(crate) width: Option<usize>,

    #[arg(skip)]
    pub(crate) hidden: Hidden,

    #[arg(skip)]
    pub(crate) format: Option<Format>,

    /// Styles of indicators after names, and when to use each. The last one that applies wins.
    #[arg(skip)]
    pub(crate) marks: Vec<(Marks, When)>,

    #[arg(skip)]
    pub(crate) follow: Option<Follow>,

    /// Whether operands that are symlinks to directories are followed.
    #[arg(skip)]
    pub(crate) follows_directories: bool,

    /// Whether `?` replaces unprintable characters; `None` if no option decides that.
    #[arg(skip)]
    pub(crate) masks: Option<bool>,

    #[arg(skip)]
    pub(crate) unit: Option<Blocks>,

    #[arg(skip)]
    pub(crate) hides_group: bool,
}

impl LsOptions {
    pub(crate) fn details(
        operands: Vec<OsString>,
        color: When,
        hyperlink: Option<When>,
        output: OutputOptions,
    ) -> LsOptions {
        LsOptions {
            operands,
            output,
            color: Some(color),
            hyperlink,
            directory: true,
            unit: Some(Blocks::HUMAN),
            format: Some(Format::Long),
            sort: Some(Sort::None),
            ..LsOptions::default()
        }
    }
}

impl Options for LsOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);
    const NEEDS: &[(&str, &str)] = &[("depth", "tree")];

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        self.hidden = given
            .last(&[
                ("all", Hidden::Nothing),
                ("raw", Hidden::Nothing),
                ("almost_all", Hidden::Dots),
            ])
            .unwrap_or_default();
        self.sort = given
            .last(&[
                ("by_extension", Some(Sort::Extension)),
                ("by_size", Some(Sort::Size)),
                ("by_time", Some(Sort::Time)),
                ("raw", Some(Sort::None)),
                ("sort", self.sort),
                ("unsorted", Some(Sort::None)),
                ("by_version", Some(Sort::Version)),
            ])
            .flatten();
        self.time = given
            .last(&[
                ("by_access", Some(Fields::ACCESSED)),
                ("by_change", Some(Fields::CHANGED)),
                ("time", self.time),
            ])
            .flatten();
        let others = [
            ("file_type", Marks::Kinds),
            ("indicator_style", self.indicator_style.unwrap_or(Marks::None)),
            ("slash", Marks::Slash),
        ];
        let others = others
            .into_iter()
            .filter_map(|(id, marks)| Some((given.position(id)?, (marks, When::Always))));
        let classify = given.all("classify").zip(&self.classify);
        let mut marks: Vec<_> =
            classify.map(|(at, &when)| (at, (Marks::All, when))).chain(others).collect();
        marks.sort_by_key(|&(at, _)| at);
        self.marks = marks.into_iter().map(|(_, marks)| marks).collect();
        let follow = given.last(&[
            ("dereference", Some(Follow::Links)),
            ("dereference_command_line", Some(Follow::CommandLine)),
            ("dereference_command_line_symlink_to_dir", None),
        ]);
        self.follows_directories = follow == Some(None);
        self.follow = follow.flatten();
        self.unit = match given.last(&[("human_readable", 0), ("si", 1), ("block_size", 2)]) {
            Some(0) => Some(Blocks::HUMAN),
            Some(1) => Some(Blocks::SI),
            _ => self.block_size.take(),
        };
        self.quoting_style = given
            .last(&[
                ("escaped", Some(Style::Escape)),
                ("literal", Some(Style::Literal)),
                ("quote_name", Some(Style::C)),
                ("quoting_style", self.quoting_style),
                ("zero", Some(Style::Literal)),
            ])
            .flatten();
        self.masks = given.last(&[
            ("hide_control_chars", true),
            ("show_control_chars", false),
            ("zero", false),
        ]);
        self.color = given.last(&[("color", self.color), ("zero", None)]).flatten();
        if given.position("full_time") > given.position("time_style") {
            self.time_style = Some("full-iso".to_owned());
        }
        self.hides_group = self.no_group || self.no_group_long;
        self.recursive &= !self.directory;
        self.format = format(self.named_format, given);
        if self.header && self.format != Some(Format::Long) && self.fields.is_none() {
            return Err("--header needs -l or --fields".to_owned());
        }
        if self.total && self.output.json && !self.output.stats {
            return Err("--total with --json needs --stats, which has the totals".to_owned());
        }
        Ok(())
    }
}

/// Returns the format of the last format option. `-1` and `--zero` do not replace the long format,
/// which has one file per line anyway.
fn format(named: Option<Format>, given: &Positions<'_>) -> Option<Format> {
    let options = [
        ("across", Some(Format::Across)),
        ("columns", Some(Format::Columns)),
        ("commas", Some(Format::Commas)),
        ("full_time", Some(Format::Long)),
        ("long", Some(Format::Long)),
        ("named_format", named),
        ("no_group_long", Some(Format::Long)),
        ("no_owner", Some(Format::Long)),
        ("numeric_uid_gid", Some(Format::Long)),
        ("one_per_line", None),
        ("zero", None),
    ];
    let given = options.iter().filter_map(|&(id, format)| Some((given.position(id)?, format)));
    let mut given: Vec<_> = given.collect();
    given.sort_by_key(|&(at, _)| at);
    given.iter().fold(None, |before, &(_, format)| {
        let long = before.filter(|&before| before == Format::Long);
        format.or(long).or(Some(Format::OnePerLine))
    })
}

fn parse_block_size(word: &OsStr) -> Result<Blocks, &'static str> {
    Blocks::parse(word).map_err(|_| "expected a size such as 512, K, 2MiB, kB or human-readable")
}

/// Parses a width. As in GNU ls, 0 and numbers that are too large mean no limit.
pub(crate) fn parse_width(word: &str) -> Result<usize, &'static str> {
    match number::parse(word.as_bytes(), b"", &COLUMNS) {
        Err(Flaw::TooLarge(_)) => Ok(0),
        parsed => columns(parsed),
    }
}

pub(crate) fn parse_tab_size(word: &str) -> Result<usize, &'static str> {
    columns(number::parse(word.as_bytes(), b"", &COLUMNS))
}

const COLUMNS: RangeInclusive<i128> = 0..=isize::MAX as i128;

fn columns(parsed: Result<i128, Flaw>) -> Result<usize, &'static str> {
    match parsed {
        Ok(columns) => Ok(columns as usize),
        Err(Flaw::TooLarge(_)) => Err("the number is too large"),
        Err(_) => Err("expected a number of columns, 0 or more"),
    }
}

#[cfg(test)]
mod tests {
    use super::{SORTS, Sort, TIMES};
    use crate::words::abbreviated;
    use curt::Fields;

    #[test]
    fn words_can_be_abbreviated_unambiguously() {
        assert_eq!(abbreviated(&SORTS, "ti"), Ok(Sort::Time));
        assert_eq!(abbreviated(&SORTS, "none"), Ok(Sort::None));
        assert!(abbreviated(&SORTS, "n").is_err());
        assert!(abbreviated(&SORTS, "").is_err());
        assert_eq!(abbreviated(&TIMES, "m"), Ok(Fields::MODIFIED));
        assert!(abbreviated(&TIMES, "c").is_err(), "ctime or creation");
    }
}
