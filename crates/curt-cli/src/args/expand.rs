use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::paths::{DotDot, Flavor, Release, Style, Verbatim};

use super::{OutputOptions, one_of};

const LONG_ABOUT: &str = "\
Make paths absolute by their text alone, without touching the filesystem. Works for POSIX and \
Windows paths on any system.";

const NOTES: &str = "\
The working directory, the home directory and the directories of drives are those of this process, \
unless options set them.

Exit status:
  0  every path was expanded
  1  a path could not be made absolute
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt expand --dotdot clamp '~/a/../b'             without '..' and '~'
  curt expand --flavor windows --cwd 'C:\\x' 'aux.'  GetFullPathNameW
  curt expand --style ruby '~/x'                    Ruby's File.expand_path";

#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Make paths absolute by their text alone", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct ExpandOptions {
    /// The paths to expand
    #[arg(value_name = "PATH", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// The kind of paths [default: this system's]
    #[arg(long, value_name = "posix|windows", hide_possible_values = true,
          value_parser = one_of(&FLAVORS))]
    pub(crate) flavor: Option<Flavor>,

    /// The Windows release of the rules [default: this one, or 11]
    #[arg(long, value_name = "10|11", hide_possible_values = true,
          value_parser = one_of(&RELEASES))]
    pub(crate) release: Option<Release>,

    /// Follow native rules, or those of Ruby [default: native]
    #[arg(long, value_name = "native|ruby", hide_possible_values = true,
          value_parser = one_of(&STYLES))]
    pub(crate) style: Option<Style>,

    /// Treatment of '..' [default: keep or clamp]
    ///
    /// keep leaves it, because the name before it may be a symlink. clamp removes it with that
    /// name, and ignores it at the root. refuse fails at the root. The default is keep for POSIX
    /// paths in the native style, otherwise clamp.
    #[arg(long, value_name = "keep|clamp|refuse", hide_possible_values = true,
          value_parser = one_of(&DOT_DOTS))]
    pub(crate) dotdot: Option<DotDot>,

    /// Treatment of '\\?\' and '\??\' [default: keep]
    ///
    /// These prefixes of Windows paths disable most rules.
    #[arg(long, value_name = "keep|normalize", hide_possible_values = true,
          value_parser = one_of(&VERBATIMS))]
    pub(crate) verbatim: Option<Verbatim>,

    /// Resolve relative paths from DIR instead of the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<OsString>,

    /// Use DIR, which must be absolute, as the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<OsString>,

    /// Use PATH as the working directory of drive X; can be repeated
    #[arg(long, value_name = "X=PATH", action = ArgAction::Append)]
    pub(crate) drive: Vec<String>,

    /// Also expand '~USER' to the home directory of that user
    ///
    /// Without it, only a leading '~' or '~/' is expanded. Ruby's style always expands both.
    #[arg(long)]
    pub(crate) tilde: bool,

    /// Treat '~' as a name, unless another option expands it
    #[arg(long)]
    pub(crate) no_tilde: bool,

    /// Use DIR as the home directory; implies --tilde
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<OsString>,

    /// Print the applied rules
    #[arg(long)]
    pub(crate) explain: bool,

    /// End each path with NUL instead of a newline
    #[arg(short = '0', long, conflicts_with_all = ["json", "explain"])]
    pub(crate) null: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

type Words<T, const N: usize> = [(&'static str, T); N];

pub(crate) const FLAVORS: Words<Flavor, 2> =
    [("posix", Flavor::Posix), ("windows", Flavor::Windows)];
pub(crate) const RELEASES: Words<Release, 2> =
    [("10", Release::Windows10), ("11", Release::Windows11)];
const STYLES: Words<Style, 2> = [("native", Style::Native), ("ruby", Style::Ruby)];
const DOT_DOTS: Words<DotDot, 3> =
    [("keep", DotDot::Keep), ("clamp", DotDot::Clamp), ("refuse", DotDot::Refuse)];
const VERBATIMS: Words<Verbatim, 2> =
    [("keep", Verbatim::Keep), ("normalize", Verbatim::Normalize)];
