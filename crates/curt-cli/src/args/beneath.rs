use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use curt::paths::{Aliases, Flavor, Release};

use super::expand::{FLAVORS, RELEASES};
use super::{OutputOptions, WithoutOptions, one_of};

const LONG_ABOUT: &str = "\
Resolve untrusted paths inside a directory. Prints the path of each file relative to DIR, without \
symbolic links and dots ('.' for DIR itself), and refuses paths that leave DIR.";

const NOTES: &str = "\
Paths are refused for these reasons, which --json prints as the kind of the error: empty, nul, \
encoding, device, absolute, drive, stream, badchar, escape, trailing, shortname, link.

Exit status:
  0  every path was allowed
  1  a path was refused or could not be opened; each is reported on standard error
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt beneath --root /srv/www --cat \"$REQUEST\"  the contents of a file
  curt beneath --root out --name new-file        the name of a file to create
  curt beneath --check-only --mode strict a/nul  a check of the text alone";

#[derive(Args, Clone, Debug)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Resolve untrusted paths inside a directory", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct BeneathOptions {
    /// The untrusted paths
    #[arg(value_name = "PATH", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// The directory that paths must not leave
    #[arg(long, value_name = "DIR", required_unless_present = "check_only")]
    pub(crate) root: Option<PathBuf>,

    /// Print the contents of the files, which must be regular
    #[arg(long, conflicts_with_all = ["name", "stat", "json"])]
    pub(crate) cat: bool,

    /// Accept paths whose last component does not exist
    #[arg(long, conflicts_with = "stat")]
    pub(crate) name: bool,

    /// Print metadata, like curt stat
    #[arg(long)]
    pub(crate) stat: bool,

    /// Treat DIR as '/', instead of refusing paths that would leave it
    ///
    /// Absolute paths and links start at DIR, and '..' does not leave it.
    #[arg(long)]
    pub(crate) in_root: bool,

    /// Refuse paths that leave DIR (open), or also ambiguous ones (strict)
    ///
    /// The default is open. strict also refuses symlinks, and spellings that name another file on
    /// some system.
    #[arg(long, value_name = "open|strict", hide_possible_values = true, default_value = "open",
          hide_default_value = true,
          value_parser = one_of(&MODES))]
    pub(crate) mode: Aliases,

    /// Check only the text of the paths, without opening files
    ///
    /// Excludes --root. Paths need not exist. Opening a path may have another result on POSIX,
    /// where 'link/../x' is not 'x'.
    #[arg(long, conflicts_with_all = ["root", "cat", "name", "stat"])]
    pub(crate) check_only: bool,

    /// With --check-only, the kind of paths [default: this system's]
    #[arg(long, value_name = "posix|windows", hide_possible_values = true,
          value_parser = one_of(&FLAVORS))]
    pub(crate) flavor: Option<Flavor>,

    /// With --check-only, the Windows release of the rules [default: 10]
    ///
    /// Windows 10 treats more names as devices than Windows 11.
    #[arg(long, value_name = "10|11", hide_possible_values = true,
          value_parser = one_of(&RELEASES))]
    pub(crate) release: Option<Release>,

    /// End each name with NUL instead of a newline
    #[arg(short = '0', long, conflicts_with_all = ["cat", "stat", "json"])]
    pub(crate) null: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

const MODES: [(&str, Aliases); 2] = [("open", Aliases::Open), ("strict", Aliases::Strict)];
