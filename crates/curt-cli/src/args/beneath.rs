//! What `curt beneath` can be asked.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use curt::paths::{Flavor, Release};

use super::expand::{FLAVORS, RELEASES, one_of};
use super::{feature_names, features};

const AFTER: &str = "\
For each path that stays beneath DIR its name from DIR on is printed, without links and dots ('.' \
for DIR itself). A path that is refused has one of these reasons: empty, nul, encoding, device, \
absolute, drive, stream, badchar, escape, trailing, shortname, link.

Questions of --batch are lines like {\"path\":\"a/b\",\"mode\":\"strict\"}; 'mode', 'in_root', and \
with --check-only 'flavor' and 'release', may be left out. Answers are {\"allow\":\"a/b\"}, \
{\"deny\":\"escape\"}, or {\"error\":\"ENOENT\"} for what failed without being refused.

Examples:
  curt beneath --root /srv/www --cat \"$REQUEST\"    print a file, whatever the request is
  curt beneath --root out --name new/file          where a file would be made
  curt beneath --check-only --flavor windows --mode strict 'a/nul.txt'

Exit status:
  0  every path was allowed, or every question of --batch answered
  1  a path was refused, or could not be opened; each has one line on standard error
  2  the command line was wrong";

/// What `curt beneath` was asked.
#[derive(Args, Clone, Debug)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Use untrusted paths that cannot leave a directory", after_help = AFTER)]
pub(crate) struct BeneathOptions {
    /// The paths
    #[arg(value_name = "PATH", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) operands: Vec<OsString>,

    /// The directory that no path may leave
    #[arg(long, value_name = "DIR", required_unless_present = "check_only")]
    pub(crate) root: Option<PathBuf>,

    /// Keep paths in instead of refusing them: absolute paths and links begin at DIR, and '..'
    /// stays there
    #[arg(long)]
    pub(crate) in_root: bool,

    /// Whether spellings that are another name of something, and links, are taken or refused
    #[arg(long, value_name = "MODE", default_value = "open")]
    pub(crate) mode: Mode,

    /// Look at the text alone, and at no file. An open may judge otherwise on POSIX, where
    /// 'link/../x' is not 'x'
    #[arg(long, conflicts_with_all = ["root", "cat", "name", "stat"])]
    pub(crate) check_only: bool,

    /// Whose paths they are, for --check-only [default: this system's]
    #[arg(long, value_name = "posix|windows", hide_possible_values = true,
          value_parser = one_of(&FLAVORS))]
    pub(crate) flavor: Option<Flavor>,

    /// By which Windows names are devices, for --check-only [default: 10, which has more]
    #[arg(long, value_name = "10|11", hide_possible_values = true,
          value_parser = one_of(&RELEASES))]
    pub(crate) release: Option<Release>,

    /// Print what the files hold
    #[arg(long, conflicts_with_all = ["name", "stat", "json", "batch"])]
    pub(crate) cat: bool,

    /// Print the name also where the last part of it is missing
    #[arg(long, conflicts_with = "stat")]
    pub(crate) name: bool,

    /// Print what is known of them
    #[arg(long, conflicts_with = "batch")]
    pub(crate) stat: bool,

    /// Answer in JSON: one object per path, then a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,

    /// Answer questions from standard input, one JSON object per line
    #[arg(long)]
    pub(crate) batch: bool,

    /// Do without a feature of the system, as where it is missing
    #[arg(long, value_name = "FEATURE", hide = true, value_parser = feature_names(),
          action = clap::ArgAction::Append)]
    without: Vec<String>,
}

impl BeneathOptions {
    /// The features to do without.
    pub(crate) fn without(&self) -> Vec<curt::Feature> {
        features(&self.without).collect()
    }
}

/// What happens to aliases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Open,
    Strict,
}

impl Mode {
    /// The mode of this name.
    pub(crate) fn named(name: &str) -> Option<Mode> {
        match name {
            "open" => Some(Mode::Open),
            "strict" => Some(Mode::Strict),
            _ => None,
        }
    }
}
