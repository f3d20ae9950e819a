pub(super) mod translation;

use std::ffi::OsString;

use clap::{ArgAction, Args, ValueHint};
use curt::{Fields, SameFileSystem, Threads};

use super::help::fields_help;
use super::ls::When;
use super::{Options, OutputOptions, Positions, WithoutOptions, one_of, parse_threads};

const LONG_ABOUT: &str = "\
Find entries, as fd does. PATTERN is a regular expression for a part of the name; unless it has a \
capital letter, case is ignored. Without PATTERN, or with '.', everything matches; without PATH, \
the search starts in '.'. Hidden entries and those in .gitignore, .ignore and .fdignore files are \
skipped; -u skips nothing.";

const NOTES: &str = "\
Placeholders of -x, -X and --format:
  {}    the path                        {/}   the name
  {.}   the path without its extension  {/.}  the name without its extension
  {//}  the directory                   {{ }} braces
  --format also accepts fields, such as {size} and {modified} (see --fields).

An entry must pass all tests. Names and kinds cost no system call; other metadata is read only if \
they match.

Directories end with a slash. Up to 1,000 entries found within a tenth of a second are sorted; \
beyond that the order varies.

Exit status:
  0  the search was complete; with -q: an entry was found
  1  something failed, which is reported on standard error; with -q: no entry was found
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt find -e jpg -S +1mi --sort size                pictures over 1 MiB
  curt find -u --older 30d . logs --delete --dry-run  what would be deleted
  curt find -e flac -x ffmpeg -i {} {.}.mp3           a command for each";

const FIELDS_HELP: &str = fields_help!(
    "Print these fields of each entry, separated by tabs\n\n\
     path, parent and depth are fields, too. With --json, an object has path, depth and these."
);

const ACTIONS: &str = "Actions, instead of printing";
const PATTERNS: &str = "Patterns";
const TRAVERSAL: &str = "Traversal";
const OUTPUT: &str = "Output";

const ENDS: [&str; 5] = ["--", "-x", "--exec", "-X", "--exec-batch"];

const WHENS: [(&str, When); 3] =
    [("auto", When::Auto), ("always", When::Always), ("never", When::Never)];

const ONE_FILE_SYSTEM: [(&str, SameFileSystem); 2] =
    [("device", SameFileSystem::Device), ("mount", SameFileSystem::Mount)];

const SORT_KEYS: [(&str, Fields); 6] = [
    ("name", Fields::NAME),
    ("size", Fields::SIZE),
    ("modified", Fields::MODIFIED),
    ("accessed", Fields::ACCESSED),
    ("changed", Fields::CHANGED),
    ("created", Fields::CREATED),
];

#[derive(Args)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Find entries; print or delete them, or run programs for them",
          long_about = LONG_ABOUT, before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct FindOptions {
    /// The pattern to find in names [default: anything]
    ///
    /// Write '--' before a pattern with a leading dash. '\p{...}' accepts general categories and
    /// scripts, such as Lu and Greek.
    #[arg(value_name = "PATTERN", hide_default_value = true)]
    pub(crate) pattern: Option<String>,

    /// The directories to search [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Match the kind: f, d, l, p, s, c, b, x (executable), e (empty)
    ///
    /// Long names: file, directory, symlink, pipe, socket, char-device, block-device, executable,
    /// empty. Of several kinds, as in f,d, any may match, but x and e restrict the others. Alone, x
    /// matches files, and e matches files and directories. On Windows, junction and volume-mount
    /// are kinds, too.
    #[arg(short = 't', long = "type", value_name = "KIND", value_delimiter = ',',
          action = ArgAction::Append)]
    pub(crate) file_types: Vec<String>,

    /// Match the extension EXT, ignoring case; can be repeated
    #[arg(short, long, value_name = "EXT", allow_hyphen_values = true,
          action = ArgAction::Append)]
    pub(crate) extension: Vec<String>,

    /// Match files by size: +N (at least), -N (at most) or N (exactly)
    ///
    /// N needs a unit: b (bytes), k, m, g, t (powers of 1000), or ki, mi, gi, ti (powers of 1024).
    /// Of several SIZEs, all must match.
    #[arg(short = 'S', long, value_name = "SIZE", allow_hyphen_values = true,
          action = ArgAction::Append)]
    pub(crate) size: Vec<String>,

    /// Match entries modified after WHEN, such as 7d
    ///
    /// WHEN is an age (90s, 10min, 36h, 7d, 2weeks), a local date (2026-01-31, '2026-01-31
    /// 10:00:00', also with an offset), today or yesterday (at midnight), seconds since 1970
    /// (@1767225600), or a file, for its modification time (./7d if its name looks like an age).
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, visible_alias = "newer",
          aliases = ["changed-after", "change-newer-than"])]
    pub(crate) changed_within: Option<String>,

    /// Match entries modified before WHEN
    #[arg(
        long,
        value_name = "WHEN",
        allow_hyphen_values = true,
        visible_alias = "older",
        alias = "change-older-than"
    )]
    pub(crate) changed_before: Option<String>,

    /// Match the owner, the group or both, by name or number
    #[arg(short, long, value_name = "USER[:GROUP]", value_hint = ValueHint::Username)]
    pub(crate) owner: Option<String>,

    /// Match permissions: MODE exactly, all bits (-MODE) or any bit (/MODE)
    ///
    /// MODE is octal (644) or symbolic (u=rw,go=r or u+x). Of several MODEs, all must match.
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, action = ArgAction::Append)]
    pub(crate) perm: Vec<String>,

    /// Match empty files and directories, like -t empty
    #[arg(long)]
    empty: bool,

    /// Skip nothing, like -HI
    #[arg(short, long)]
    unrestricted: bool,

    /// Include hidden entries
    #[arg(short = 'H', long)]
    hidden: bool,

    /// Include entries listed in ignore files
    #[arg(short = 'I', long)]
    no_ignore: bool,

    /// Skip entries that match GLOB, with their contents; can be repeated
    ///
    /// A GLOB without a slash matches names at any depth; with a slash, the path below PATH or as
    /// printed; with a leading slash, the absolute path or the path below PATH, as in 'curt rm
    /// --exclude'. A PATH is skipped only if its own absolute path or that of a parent matches.
    #[arg(short = 'E', long, value_name = "GLOB", allow_hyphen_values = true,
          action = ArgAction::Append)]
    pub(crate) exclude: Vec<OsString>,

    /// Descend at most N levels below PATH
    #[arg(
        short = 'd',
        long,
        visible_alias = "maxdepth",
        alias = "depth",
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) max_depth: Option<usize>,

    /// Run a command for each entry, in parallel
    ///
    /// The command ends at ';'. Without a placeholder, the path is its last argument. Of several
    /// commands, each runs if the previous one succeeded. The output for an entry is printed in one
    /// piece.
    #[arg(short = 'x', long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["exec_batch", "format", "fields"],
          value_hint = ValueHint::CommandName, help_heading = ACTIONS)]
    pub(crate) exec: Vec<OsString>,

    /// Run a command once for all entries, sorted; can be repeated
    ///
    /// Paths that do not fit in one command line are split over several. Of several commands, all
    /// run for the same paths, in the order given, even after one failed.
    #[arg(short = 'X', long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["format", "fields"],
          value_hint = ValueHint::CommandName, help_heading = ACTIONS)]
    pub(crate) exec_batch: Vec<OsString>,

    /// With -X, pass at most N paths at a time; 0 means as many as fit
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          allow_negative_numbers = true, help_heading = ACTIONS)]
    pub(crate) batch_size: usize,

    /// Delete all matches, contents first
    ///
    /// A directory is deleted only if it is empty by then; without -u, hidden and ignored entries
    /// remain. Prints nothing; --stats counts deleted entries. Mounts below PATH, or reached by a
    /// symlink with -L, remain and are reported; with --one-file-system, only those that match are
    /// reported, and bind mounts are entered. A PATH that is a symlink needs a slash at its end, or
    /// -L.
    #[arg(long, conflicts_with_all = ["exec", "exec_batch", "list_details", "quiet"],
          help_heading = ACTIONS)]
    pub(crate) delete: bool,

    /// With --delete, only print what would be deleted
    ///
    /// Contents come first. Failures are reported as without --dry-run, and the total comes last,
    /// on standard error.
    #[arg(long, help_heading = ACTIONS)]
    pub(crate) dry_run: bool,

    /// Match PATTERN as a glob against whole names
    #[arg(short, long, overrides_with_all = ["regex", "fixed_strings"], help_heading = PATTERNS)]
    pub(crate) glob: bool,

    /// Match PATTERN as a regular expression (the default)
    #[arg(long, overrides_with_all = ["glob", "fixed_strings"], help_heading = PATTERNS)]
    regex: bool,

    /// Match PATTERN as plain text
    #[arg(short = 'F', long, visible_alias = "literal", overrides_with_all = ["glob", "regex"],
          help_heading = PATTERNS)]
    pub(crate) fixed_strings: bool,

    /// Match the exact case
    #[arg(short = 's', long, overrides_with = "ignore_case", help_heading = PATTERNS)]
    pub(crate) case_sensitive: bool,

    /// Ignore case, even if PATTERN has a capital letter
    #[arg(short = 'i', long, overrides_with = "case_sensitive", help_heading = PATTERNS)]
    pub(crate) ignore_case: bool,

    /// Match PATTERN against absolute paths
    #[arg(short = 'p', long, help_heading = PATTERNS)]
    pub(crate) full_path: bool,

    /// Require this PATTERN, too; can be repeated
    #[arg(long = "and", value_name = "PATTERN", allow_hyphen_values = true,
          action = ArgAction::Append, help_heading = PATTERNS)]
    pub(crate) and: Vec<String>,

    /// Match only entries at depth N or deeper
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = TRAVERSAL)]
    pub(crate) min_depth: Option<usize>,

    /// Match only entries at depth N
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          conflicts_with_all = ["max_depth", "min_depth"], help_heading = TRAVERSAL)]
    pub(crate) exact_depth: Option<usize>,

    /// Follow symbolic links
    #[arg(short = 'L', long, visible_alias = "dereference", help_heading = TRAVERSAL)]
    pub(crate) follow: bool,

    /// Do not enter other filesystems
    ///
    /// Without this option, mounts are entered, except by --delete. HOW is device (the default) or
    /// mount. device compares device numbers: it also stops at btrfs subvolumes, but not at bind
    /// mounts of the same filesystem. mount stops at all mount points.
    #[arg(long, visible_aliases = ["mount", "xdev"], value_name = "HOW",
          hide_possible_values = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "device", value_parser = one_of(&ONE_FILE_SYSTEM),
          help_heading = TRAVERSAL)]
    pub(crate) one_file_system: Option<SameFileSystem>,

    /// Do not enter matching directories
    ///
    /// '--prune -X curt rm -r' removes them with their contents, unlike --delete.
    #[arg(long, conflicts_with_all = ["contents_first", "delete"], help_heading = TRAVERSAL)]
    pub(crate) prune: bool,

    /// Print the contents of a directory before the directory
    ///
    /// Nothing is printed before the search has ended. With -j1, -x has this order, too.
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) contents_first: bool,

    /// Include entries listed only in git's ignore files
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) no_ignore_vcs: bool,

    /// Apply git's ignore rules outside work trees, too
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) no_require_git: bool,

    /// Skip entries that match the rules in FILE
    ///
    /// These rules are applied last, also with -I and -u.
    #[arg(long, value_name = "FILE", action = ArgAction::Append, help_heading = TRAVERSAL)]
    pub(crate) ignore_file: Vec<OsString>,

    /// Search this PATH instead of operands; can be repeated
    #[arg(long, value_name = "PATH", action = ArgAction::Append, conflicts_with = "operands",
          help_heading = TRAVERSAL)]
    search_path: Vec<OsString>,

    /// Start in the directory PATH; other paths are relative to it
    #[arg(long, value_name = "PATH", help_heading = TRAVERSAL)]
    pub(crate) base_directory: Option<OsString>,

    /// Sort by KEY: name, size, modified, accessed, changed or created
    ///
    /// Sizes are sorted largest first, times newest first. Nothing is printed before the search has
    /// ended.
    #[arg(long, value_name = "KEY", hide_possible_values = true, value_parser = one_of(&SORT_KEYS),
          conflicts_with_all = ["exec", "delete", "contents_first"], help_heading = OUTPUT)]
    pub(crate) sort: Option<Fields>,

    /// Reverse the order of --sort
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) reverse: bool,

    /// Stop after N results; with --sort, print the first N
    #[arg(long, value_name = "N", allow_negative_numbers = true, overrides_with = "one",
          help_heading = OUTPUT)]
    pub(crate) max_results: Option<u64>,

    /// Stop after one result
    #[arg(short = '1', overrides_with = "max_results", help_heading = OUTPUT)]
    pub(crate) one: bool,

    /// Print nothing; exit with 0 if an entry was found
    #[arg(short, long, visible_alias = "has-results", conflicts_with_all = ["exec", "exec_batch"],
          help_heading = OUTPUT)]
    pub(crate) quiet: bool,

    /// Print absolute paths
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) absolute_path: bool,

    /// Print a long listing, like 'ls -lhd'
    #[arg(short, long,
          conflicts_with_all = ["json", "format", "fields", "quiet", "exec", "exec_batch"],
          help_heading = OUTPUT)]
    pub(crate) list_details: bool,

    /// Color paths: WHEN is auto (the default), always or never
    #[arg(short, long, value_name = "WHEN", hide_possible_values = true,
          value_parser = one_of(&WHENS), help_heading = OUTPUT)]
    pub(crate) color: Option<When>,

    /// Link paths to their files on a terminal: WHEN is auto, always or never
    ///
    /// Without WHEN, as with auto, colored paths are linked.
    #[arg(long, value_name = "WHEN", hide_possible_values = true, num_args = 0..=1,
          require_equals = true, default_missing_value = "auto", value_parser = one_of(&WHENS),
          help_heading = OUTPUT)]
    pub(crate) hyperlink: Option<When>,

    /// Omit './' before paths with -0, -x and -X
    ///
    /// Only for a search without PATH, as in fd.
    #[arg(long, conflicts_with_all = ["operands", "search_path"], help_heading = OUTPUT)]
    pub(crate) strip_cwd_prefix: bool,

    /// End each path with NUL instead of a newline
    #[arg(short = '0', long = "print0", visible_alias = "null",
          conflicts_with_all = ["list_details", "json"], help_heading = OUTPUT)]
    pub(crate) null: bool,

    /// Print each entry in this FORMAT, such as '{/}: {//}'
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "fields"],
          help_heading = OUTPUT)]
    pub(crate) format: Option<String>,

    /// Print these fields of each entry, separated by tabs
    #[arg(long, value_name = "LIST", long_help = FIELDS_HELP, help_heading = OUTPUT)]
    pub(crate) fields: Option<String>,

    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) output: OutputOptions,

    /// Use at most N threads [default: as many as help]
    ///
    /// -x runs as many commands at a time, by default one per processor. -j1 starts no thread and
    /// does not collect output.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads, help_heading = OUTPUT)]
    pub(crate) threads: Option<Threads>,

    #[arg(skip)]
    pub(crate) commands: Vec<Vec<OsString>>,

    /// The spelling of --changed-within and --changed-before on the command line, for messages.
    #[arg(skip)]
    pub(crate) time_options: [String; 2],

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

impl Options for FindOptions {
    const NEEDS: &[(&str, &str)] =
        &[("reverse", "sort"), ("batch_size", "exec_batch"), ("dry_run", "delete")];

    fn misread(words: &[OsString]) -> Option<&str> {
        let ends = |word: &&OsString| ENDS.iter().any(|end| *word == end);
        let words = words.iter().take_while(|word| !ends(word)).filter_map(|word| word.to_str());
        let is_short =
            |word: &str| word.len() > 2 && word != "--delete" && "--delete".starts_with(word);
        let is_find_word =
            |word: &str| word.strip_prefix('-').is_some_and(translation::is_find_word);
        words.into_iter().find(|word| is_short(word) || is_find_word(word))
    }

    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        if self.unrestricted {
            (self.hidden, self.no_ignore) = (true, true);
        }
        if self.empty {
            self.file_types.push("empty".to_owned());
        }
        self.contents_first |= self.delete;
        if self.one {
            self.max_results = Some(1);
        }
        if self.delete {
            self.check_deletion()?;
        }
        if let Some(depth) = self.exact_depth {
            (self.min_depth, self.max_depth) = (Some(depth), Some(depth));
        }
        self.operands.append(&mut self.search_path);
        self.time_options = ["changed_within", "changed_before"].map(|id| given.typed(id));
        for id in ["exec", "exec_batch"] {
            let commands = given.matches.get_occurrences::<OsString>(id).into_iter().flatten();
            self.commands.extend(commands.map(|words| words.cloned().collect()));
        }
        Ok(())
    }
}

impl FindOptions {
    /// Rejects options that would delete more, or print less, than expected.
    fn check_deletion(&self) -> Result<(), String> {
        if self.max_results == Some(0) {
            return Err("--delete does not accept --max-results 0, which means no limit".to_owned());
        }
        if !self.dry_run && (self.null || self.format.is_some() || self.fields.is_some()) {
            let message = "--delete prints nothing; -0, --format and --fields need --dry-run";
            return Err(message.to_owned());
        }
        Ok(())
    }

    /// Returns whether `--delete` skips mounts because no option sets a different boundary.
    pub(crate) fn has_own_boundary(&self) -> bool {
        self.delete && self.one_file_system.is_none()
    }

    pub(crate) fn finds_hidden(&self) -> bool {
        self.hidden
    }

    pub(crate) fn reads_ignore_files(&self) -> bool {
        !self.no_ignore
    }
}
