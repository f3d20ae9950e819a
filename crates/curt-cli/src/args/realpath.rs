use std::ffi::OsString;

use clap::Args;
use curt::canonical::{Links, Missing};

use super::{OperandsOf, Options, OutputOptions, Positions, WithoutOptions};

const REALPATH_ABOUT: &str = "\
Print the absolute path of each file, without symbolic links, '.' and '..', as GNU realpath does. \
All components but the last must exist.";

const READLINK_ABOUT: &str = "\
Print the target of each symbolic link or, with -f, -e or -m, the absolute path of each file, like \
curt realpath. For other files, the exit status is 1, and -v prints the reason.";

const NOTES: &str = "\
On Windows, paths are those that the system reports for open files.

Exit status:
  0  every path was printed
  1  a path could not be found, or the command line was wrong (as for the GNU tool)";

const REALPATH_EXAMPLES: &str = "\
Examples:
  curt realpath -e ./link/..              the parent of the link's target
  curt realpath -m --relative-to=a b/new  the path of b/new relative to a
  curt realpath --relative-base=. *       relative paths of files below '.'";

const READLINK_EXAMPLES: &str = "\
Examples:
  curt readlink link      the stored target
  curt readlink -f a/new  the absolute path; 'a' must exist, 'new' need not
  curt readlink -ze *     absolute paths of existing files, each ended by NUL";

/// Options of both commands, and which components each allows to be missing.
const MISSING: [(&str, Missing); 3] = [
    ("canonicalize", Missing::LastName),
    ("canonicalize_existing", Missing::Nothing),
    ("canonicalize_missing", Missing::Anything),
];

#[derive(Args, Clone, Debug, Default)]
#[allow(dead_code, reason = "options that are read by their positions are not read as fields")]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print absolute paths without symbolic links", long_about = REALPATH_ABOUT,
          before_help = REALPATH_EXAMPLES, after_long_help = NOTES)]
pub(crate) struct RealpathOptions {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// All components but the last must exist (the default)
    #[arg(short = 'E', long)]
    canonicalize: bool,

    /// All components must exist
    #[arg(short = 'e', long)]
    canonicalize_existing: bool,

    /// Components need not exist or be directories
    #[arg(short = 'm', long)]
    canonicalize_missing: bool,

    /// Print paths relative to DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) relative_to: Option<OsString>,

    /// Print paths below DIR relative, others absolute
    #[arg(long, value_name = "DIR")]
    pub(crate) relative_base: Option<OsString>,

    /// Do not follow links
    #[arg(short = 's', long)]
    strip: bool,

    /// Same as --strip
    #[arg(long)]
    no_symlinks: bool,

    /// Remove '..' with the name before it, then follow links
    #[arg(short = 'L', long)]
    logical: bool,

    /// Follow links before '..' is applied (the default)
    #[arg(short = 'P', long)]
    physical: bool,

    /// Print no messages about files that cannot be resolved
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// End each path with NUL instead of a newline
    #[arg(short, long)]
    pub(crate) zero: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    /// Which components need not exist, as set by the last such option.
    #[arg(skip)]
    pub(crate) missing: Missing,

    /// Whether and when to follow symlinks, as set by the last such option.
    #[arg(skip)]
    pub(crate) links: Links,
}

impl Options for RealpathOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, positions: &Positions<'_>) -> Result<(), String> {
        self.missing = positions.last(&MISSING).unwrap_or(Missing::LastName);
        let links = positions.last(&[
            ("logical", Links::FollowLast),
            ("physical", Links::Follow),
            ("strip", Links::Keep),
            ("no_symlinks", Links::Keep),
        ]);
        self.links = links.unwrap_or(Links::Follow);
        Ok(())
    }
}

#[derive(Args, Clone, Debug, Default)]
#[allow(dead_code, reason = "options that are read by their positions are not read as fields")]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Print targets of symbolic links", long_about = READLINK_ABOUT,
          before_help = READLINK_EXAMPLES, after_long_help = NOTES)]
pub(crate) struct ReadlinkOptions {
    /// The links
    #[arg(value_name = "FILE", required = true)]
    pub(crate) operands: Vec<OsString>,

    /// Print absolute paths; all components but the last must exist
    #[arg(short = 'f', long)]
    canonicalize: bool,

    /// Print absolute paths; all components must exist
    #[arg(short = 'e', long)]
    canonicalize_existing: bool,

    /// Print absolute paths; components need not exist or be directories
    #[arg(short = 'm', long)]
    canonicalize_missing: bool,

    /// Print no newline after a single path
    #[arg(short, long)]
    pub(crate) no_newline: bool,

    /// Print no messages (the default)
    #[arg(short, long)]
    quiet: bool,

    /// Same as --quiet
    #[arg(short, long)]
    silent: bool,

    /// Report files that are not links or cannot be found
    #[arg(short, long)]
    verbose: bool,

    /// End each path with NUL instead of a newline
    #[arg(short, long)]
    pub(crate) zero: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    /// Which components need not exist; `None` prints the targets of symlinks instead.
    #[arg(skip)]
    pub(crate) missing: Option<Missing>,

    #[arg(skip)]
    pub(crate) has_messages: bool,
}

impl Options for ReadlinkOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);

    fn settle(&mut self, positions: &Positions<'_>) -> Result<(), String> {
        self.missing = positions.last(&MISSING);
        // POSIX requires a message, except with options that only GNU has.
        let is_posix = || self.missing.is_none() && std::env::var_os("POSIXLY_CORRECT").is_some();
        let verbosity = positions.last(&[("quiet", false), ("silent", false), ("verbose", true)]);
        self.has_messages = verbosity.unwrap_or_else(is_posix);
        Ok(())
    }
}
