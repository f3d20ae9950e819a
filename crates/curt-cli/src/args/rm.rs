use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{ArgAction, Args};
use curt::Threads;
use curt::remove::Preserve;

use super::{
    AbbreviationOf, OperandsOf, Options, OutputOptions, Positions, ProgressOptions, WithoutOptions,
    meaning, parse_threads,
};

const LONG_ABOUT: &str = "\
Remove files and directories, as GNU rm does and with all of its options. Symbolic links are \
removed, never followed.";

const BEYOND_GNU: &str = "Options that GNU rm does not have";

const NOTES: &str = "\
To remove a file whose name starts with '-', use 'curt rm -- -name' or 'curt rm ./-name'.

Differences from GNU rm:
  - Mount points below an operand are skipped without --cross-mounts, and so are
    bind mounts.
  - A symbolic link with a slash after it is refused.
  - Several threads remove a large tree, so the order of -v varies without -j1.
  - Usage errors exit with 2.

Exit status:
  0  everything was removed, except what was excluded or declined at a prompt
  1  something could not be removed; each failure is reported on standard error
  2  the command line was wrong, and nothing was removed
  An interrupted command prints what it removed and then ends by the signal (130 in a shell).";

const EXAMPLES: &str = "\
Examples:
  curt rm -rf node_modules            remove a tree, if it exists
  curt rm -r --dry-run build          print how much would be removed
  curt rm -r --exclude '*.keep' out   keep some entries and their parents";

#[derive(Args, Default)]
#[cfg_attr(test, derive(Clone, Debug, PartialEq))]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Remove files and directories", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct RmOptions {
    /// The files and directories to remove
    #[arg(value_name = "FILE")]
    pub(crate) operands: Vec<OsString>,

    /// Remove directories and their contents
    #[arg(short, long, visible_short_alias = 'R')]
    pub(crate) recursive: bool,

    /// Ignore missing files and operands, and never prompt
    #[arg(short, long)]
    force: bool,

    /// Print each removed entry
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Remove empty directories
    #[arg(short, long)]
    pub(crate) dir: bool,

    /// Prompt before every removal
    #[arg(short = 'i')]
    always: bool,

    /// Prompt once before removing recursively, or more than three files
    #[arg(short = 'I')]
    once: bool,

    /// Prompt never, once (-I) or always (-i, the default WHEN)
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", hide_possible_values = true,
          value_parser = AbbreviationOf(&WHENS), action = ArgAction::Append)]
    interactive: Vec<Prompt>,

    /// Skip directories on another device than their operand
    ///
    /// A btrfs subvolume is another device. Mount points below an operand are skipped in any case.
    #[arg(long, conflicts_with = "cross_mounts")]
    pub(crate) one_file_system: bool,

    /// Do not remove '/' (the default)
    ///
    /// With 'all', also refuse operands on another device than their parent.
    #[arg(long, value_name = "all", num_args = 0..=1, require_equals = true,
          default_missing_value = "", value_parser = parse_preserve_root,
          action = ArgAction::Append)]
    preserve_root: Vec<bool>,

    /// Do not treat '/' specially
    #[arg(long)]
    no_preserve_root: bool,

    /// Remove nothing; print how much would be removed (with -v, each entry)
    ///
    /// With --trash, print where each operand would go. Expected failures (permissions, read-only
    /// filesystems, mounts) are reported, with the same exit code. There are no prompts.
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) dry_run: bool,

    /// Skip entries that match GLOB, and their parents; can be repeated
    ///
    /// A GLOB without a slash matches names at any depth, including operands; with a slash, the
    /// path below the operand or as printed; with a leading slash, the absolute path or the path
    /// below the operand. '**' also matches slashes, '*' does not. A slash at the end matches
    /// directories only.
    #[arg(long, value_name = "GLOB", action = ArgAction::Append, allow_hyphen_values = true,
          help_heading = BEYOND_GNU)]
    pub(crate) exclude: Vec<OsString>,

    /// Move the operands to the trash, or to the recycle bin of Windows
    ///
    /// Each moves to the trash of its own filesystem, without copying. Directories need -r. -v
    /// prints the new paths. To list, restore and empty the trash, use 'trash-list',
    /// 'trash-restore' and 'trash-empty' of trash-cli, or 'gio trash'.
    #[arg(long,
          conflicts_with_all = [
              "dir", "exclude", "contents", "cross_mounts", "one_file_system", "stats",
          ], help_heading = BEYOND_GNU)]
    pub(crate) trash: bool,

    /// With -r, remove only the contents of the operands
    ///
    /// The operand may then be '.'.
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) contents: bool,

    /// Make your directories writable where their removal needs it
    ///
    /// Like 'chmod -R u+w' before, but only for directories that refuse a step, and what remains
    /// gets back its permissions. The parents of the operands are not changed.
    #[arg(long, conflicts_with = "trash", help_heading = BEYOND_GNU)]
    pub(crate) make_writable: bool,

    /// Also remove the contents of filesystems mounted below an operand
    #[arg(long, help_heading = BEYOND_GNU)]
    pub(crate) cross_mounts: bool,

    /// Read NUL-terminated operands from FILE; '-' is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "operands", help_heading = BEYOND_GNU)]
    pub(crate) files0_from: Option<PathBuf>,

    /// Use at most N threads [default: as many as help]
    ///
    /// -j1 starts none.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads,
          help_heading = BEYOND_GNU)]
    pub(crate) threads: Option<Threads>,

    /// Retry N times if other programs add to a directory
    ///
    /// Each retry empties the directory again.
    // Use `u32::from_str`: clap's own parser has different messages for negative numbers.
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true,
          value_parser = u32::from_str, help_heading = BEYOND_GNU)]
    pub(crate) retries: u32,

    /// Stop retrying after N milliseconds without progress
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true,
          help_heading = BEYOND_GNU)]
    pub(crate) retry_ms: u64,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) progress: ProgressOptions,

    #[command(flatten, next_help_heading = BEYOND_GNU)]
    pub(crate) output: OutputOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,

    /// Treat standard input as a terminal; GNU's tests spell it with three dashes
    #[arg(long, alias = "-presume-input-tty", hide = true)]
    pub(crate) presume_input_tty: bool,

    #[arg(skip)]
    pub(crate) prompt: Prompt,

    #[arg(skip)]
    pub(crate) ignores_missing: bool,

    #[arg(skip)]
    pub(crate) preserve: Preserve,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompt {
    Never,
    /// Prompt before removing write-protected files, if standard input is a terminal.
    #[default]
    Protected,
    /// Prompt once at the beginning, and then as for `Protected`.
    Once,
    Always,
}

const WHENS: [(&str, Prompt); 6] = [
    ("never", Prompt::Never),
    ("no", Prompt::Never),
    ("none", Prompt::Never),
    ("once", Prompt::Once),
    ("always", Prompt::Always),
    ("yes", Prompt::Always),
];

impl Options for RmOptions {
    const OPERANDS: OperandsOf<Self> = Some(|it| &mut it.operands);
    const NEEDS: &[(&str, &str)] = &[("contents", "recursive")];

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        self.settle_prompts(given);
        if self.trash && self.prompt == Prompt::Always {
            return Err(
                "--trash moves operands as a whole, so it cannot be used with -i".to_owned()
            );
        }
        if self.no_preserve_root && !given.words.iter().any(|word| word == "--no-preserve-root") {
            return Err("you may not abbreviate the --no-preserve-root option".to_owned());
        }
        let roots = [("no_preserve_root", true), ("preserve_root", false)];
        self.preserve = match given.last(&roots) {
            _ if self.preserve_root.contains(&true) => Preserve::Mounted,
            Some(true) => Preserve::Nothing,
            Some(false) | None => Preserve::Root,
        };
        Ok(())
    }
}

impl RmOptions {
    pub(crate) fn reads_names(&self) -> bool {
        self.files0_from.as_deref() == Some(Path::new("-"))
    }

    /// Applies the prompt options in order, as GNU rm does. The last one wins, but
    /// `--interactive=never` does not change whether missing files are errors.
    fn settle_prompts(&mut self, given: &Positions<'_>) {
        let flags = [("force", Prompt::Never), ("always", Prompt::Always), ("once", Prompt::Once)];
        let flags = flags.into_iter().filter_map(|(id, prompt)| {
            Some((given.position(id)?, prompt, Some(prompt == Prompt::Never)))
        });
        let positions = given.matches.indices_of("interactive").into_iter().flatten();
        let words = positions
            .zip(&self.interactive)
            .map(|(at, &prompt)| (at, prompt, (prompt != Prompt::Never).then_some(false)));
        let mut all: Vec<_> = flags.chain(words).collect();
        all.sort_by_key(|&(at, ..)| at);
        for (_, prompt, ignores_missing) in all {
            self.prompt = prompt;
            self.ignores_missing = ignores_missing.unwrap_or(self.ignores_missing);
        }
    }
}

/// Returns whether to refuse operands on a different device from their parent.
fn parse_preserve_root(word: &str) -> Result<bool, String> {
    meaning(&[("", false), ("all", true)], word).ok_or_else(|| "the only value is 'all'".to_owned())
}
