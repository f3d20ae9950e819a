use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::Threads;
use curt::copy::{Existing, Method, Preserve};
use curt::fields::Follow;

use super::{
    AbbreviationOf, OperandsOf, Options, OutputOptions, Positions, ProgressOptions, WithoutOptions,
    parse_threads,
};
use crate::words::abbreviated;

const LONG_ABOUT: &str = "\
Copy files and directories, as GNU cp does. The last FILE is the destination: an existing directory \
receives the others, each under its own name; otherwise the one other FILE is copied to this path.";

const BEYOND_GNU: &str = "Options that GNU cp does not have";

const NOTES: &str = "\
Differences from GNU cp:
  - A symbolic link at the destination is replaced, not written through.
  - An existing file is replaced by renaming its finished copy, so its other hard
    links keep the old content. Existing devices and named pipes are refused.
  - Several threads copy a large tree, so the order of -v varies without -j1.
  - Usage errors exit with 2.

Exit status:
  0  everything was copied, except what was excluded or kept
  1  something could not be copied, or a prompt was answered with no
  2  the command line was wrong, and nothing was copied
  An interrupted command prints what it copied and then ends by the signal (130 in a shell).";

const EXAMPLES: &str = "\
Examples:
  curt cp -a src backup                     copy a tree with all its metadata
  curt cp -r --exclude .git src ~/copies    skip entries of that name
  curt cp -a --update=changed src/. backup  complete or refresh a copy";

#[derive(Args, Default)]
#[cfg_attr(test, derive(Clone, Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Copy files and directories", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct CpOptions {
    /// The files and directories to copy, and the destination
    #[arg(value_name = "FILE")]
    pub(crate) operands: Vec<OsString>,

    /// Copy directories and their contents
    #[arg(short, long, visible_short_alias = 'R')]
    pub(crate) recursive: bool,

    /// Same as -dR --preserve=all
    #[arg(short, long)]
    archive: bool,

    /// Same as --preserve
    #[arg(short = 'p')]
    usual: bool,

    /// Same as -P --preserve=links
    #[arg(short = 'd')]
    links: bool,

    /// Follow symbolic links
    #[arg(short = 'L', long)]
    dereference: bool,

    /// Copy symbolic links as such (the default with -r and with -l)
    #[arg(short = 'P', long)]
    no_dereference: bool,

    /// Create hard links instead of copies
    #[arg(short, long)]
    pub(crate) link: bool,

    /// Keep existing files; overrides an earlier -i
    #[arg(short, long)]
    no_clobber: bool,

    /// Replace existing files that are write-protected
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Prompt before replacing a file; overrides an earlier -n
    #[arg(short, long)]
    interactive: bool,

    /// Replace existing files that are older, or all, none, changed ones
    ///
    /// A file has changed if its size or its time of modification differs, which is not in GNU cp.
    /// With -p or -a, a second run completes a copy that was interrupted.
    #[arg(short, long, value_name = "WHICH", num_args = 0..=1, require_equals = true,
          default_missing_value = "older", hide_possible_values = true,
          value_parser = AbbreviationOf(&UPDATES))]
    update: Option<Existing>,

    /// Print each copied entry
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Copy all FILEs into DIR
    #[arg(short, long, value_name = "DIR", action = ArgAction::Append,
          conflicts_with = "no_target_directory")]
    pub(crate) target_directory: Vec<OsString>,

    /// Do not copy into the destination if it is a directory
    #[arg(short = 'T', long)]
    pub(crate) no_target_directory: bool,

    /// Create directories on another device empty
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Share blocks: auto (the default), always (without WHEN) or never
    ///
    /// With 'auto', the content is copied if the filesystem cannot share its blocks.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", hide_possible_values = true,
          value_parser = AbbreviationOf(&REFLINKS))]
    reflink: Option<&'static [Method]>,

    /// Preserve mode, ownership, timestamps, or those in LIST
    ///
    /// Others are links (hard links among the copied files), xattr (extended attributes) and all.
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true,
          default_missing_value = "mode,ownership,timestamps", value_parser = parse_preserve,
          action = ArgAction::Append)]
    preserve: Vec<Preserve>,

    /// Skip entries that match GLOB, with their contents; can be repeated
    ///
    /// Without a slash, GLOB matches names at any depth, including operands; with a slash, the path
    /// below the operand or as printed. `**` matches any number of directories.
    #[arg(long, value_name = "GLOB", action = ArgAction::Append, allow_hyphen_values = true,
          help_heading = BEYOND_GNU)]
    pub(crate) exclude: Vec<OsString>,

    /// Copy nothing; print how much would be copied (with -v, each entry)
    ///
    /// Expected failures are reported, with the same exit code. There are no prompts.
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) dry_run: bool,

    /// Use at most N threads [default: as many as help]
    ///
    /// -j1 starts none.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads,
          help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) progress: ProgressOptions,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    #[arg(skip)]
    pub(crate) follow: Follow,

    #[arg(skip)]
    pub(crate) existing: Existing,

    #[arg(skip)]
    pub(crate) asks: bool,

    #[arg(skip)]
    pub(crate) preserved: Preserve,
}

const UPDATES: [(&str, Existing); 4] = [
    ("older", Existing::ReplaceOlder),
    ("all", Existing::Replace),
    ("none", Existing::Keep),
    ("changed", Existing::ReplaceChanged),
];

const AUTO: &[Method] = &[Method::Reflink, Method::Data];

const REFLINKS: [(&str, &[Method]); 3] =
    [("always", &[Method::Reflink]), ("auto", AUTO), ("never", &[Method::Data])];

const PRESERVES: [(&str, Preserve); 6] = [
    ("mode", Preserve::MODE),
    ("ownership", Preserve::OWNER),
    ("timestamps", Preserve::TIMES),
    ("links", Preserve::LINKS),
    ("xattr", Preserve::ATTRIBUTES),
    ("all", Preserve::ALL),
];

impl Options for CpOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        if self.target_directory.len() > 1 {
            return Err("multiple target directories specified".to_owned());
        }
        self.recursive |= self.archive;
        let follows = [
            ("archive", Follow::Never),
            ("links", Follow::Never),
            ("no_dereference", Follow::Never),
            ("dereference", Follow::Links),
        ];
        let is_usual = !self.recursive && !self.link;
        let usual = if is_usual { Follow::Links } else { Follow::Never };
        self.follow = given.last(&follows).unwrap_or(usual);
        let asks = given.last(&[("no_clobber", false), ("interactive", true)]);
        self.asks = asks == Some(true);
        self.existing = match (asks, self.update) {
            (Some(false), _) => Existing::Keep,
            (_, Some(update)) => update,
            (None, None) if self.link && !self.force => Existing::Merge,
            (_, None) => Existing::Replace,
        };
        let implied = [
            (self.archive, Preserve::ALL),
            (self.links, Preserve::LINKS),
            (self.usual, Preserve::MODE | Preserve::OWNER | Preserve::TIMES),
        ];
        let implied = implied.into_iter().filter(|(is_given, _)| *is_given);
        let all = implied.map(|(_, kept)| kept).chain(self.preserve.iter().copied());
        self.preserved = all.fold(Preserve::NONE, |all, kept| all | kept);
        Ok(())
    }
}

impl CpOptions {
    pub(crate) fn methods(&self) -> &[Method] {
        if self.link { &[Method::HardLink] } else { self.reflink.unwrap_or(AUTO) }
    }
}

fn parse_preserve(list: &str) -> Result<Preserve, String> {
    list.split(',').try_fold(Preserve::NONE, |all, word| Ok(all | abbreviated(&PRESERVES, word)?))
}
