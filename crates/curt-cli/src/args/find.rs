//! The options of `curt find`.

use std::ffi::OsString;

use clap::{ArgAction, Args, ValueHint};
use curt::{Fields, SameFileSystem, Threads};

use super::help::fields_help;
use super::ls::When;
use super::{Options, OutputOptions, Positions, WithoutOptions, one_of, parse_threads};

const LONG_ABOUT: &str = "\
Find entries, as fd does: PATTERN is a regular expression that is found anywhere in a name, in any \
case unless it has a capital letter. Without PATTERN, or with '.', everything is found. Without \
PATH, searches '.'.

Hidden entries, and those that .gitignore, .ignore and .fdignore files list, are skipped; -u skips \
nothing. Directories end with a slash. At most 1,000 entries, found within a tenth of a \
second, are sorted; more come in any order.

An entry is found if it passes every test. Each test is made only if all before it passed, and \
reads no more metadata than it needs: names and kinds cost no system call.";

const NOTES: &str = "\
Placeholders of -x, -X and --format:
  {}    the path                        {/}   the name
  {.}   the path without its extension  {/.}  the name without its extension
  {//}  the directory                   {{ }} braces
  --format also takes fields: {size}, {modified} and others (see --fields).

Exit status:
  0  the search was complete; with -q: something was found
  1  something failed, which is reported on standard error; with -q: nothing was found
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt find -e jpg -S +1mi --sort size         the largest pictures first
  curt find -u -g '*.orig' --delete --dry-run  what --delete would delete
  curt find -e flac -x ffmpeg -i {} {.}.mp3    a command for each, in parallel";

const FIELDS_HELP: &str = fields_help!(
    "Print these fields of each entry in this order, separated by tabs\n\n\
     path, parent and depth are fields, too. With --json, these are the keys, beside path and \
     depth."
);

const TESTS: &str = "Tests";
const TRAVERSAL: &str = "Traversal";
const ACTIONS: &str = "Actions, instead of printing";

/// Words before a command or operands.
const ENDS: [&str; 5] = ["--", "-x", "--exec", "-X", "--exec-batch"];

/// GNU find's options, tests and actions of several letters. As combined short options they would
/// often mean something else: `-exec` is `-e xec`. `-ls` is left out because `-l -s` is a listing
/// too.
const OF_FIND: &str = "\
    amin and anewer atime cmin cnewer context ctime daystart delete depth empty exec execdir \
    executable false files0-from fls follow fprint fprint0 fprintf fstype gid group \
    ignore_readdir_race ilname iname inum ipath iregex iwholename links lname maxdepth mindepth \
    mmin mount mtime name newer newermt nogroup noignore_readdir_race noleaf not nouser nowarn ok \
    okdir or path perm print print0 printf prune quit readable regex regextype samefile size true \
    type uid used user version warn wholename writable xdev xtype";

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
#[command(about = "Find entries; print or delete them, or run programs for them", long_about = LONG_ABOUT,
          after_long_help = NOTES, after_help = EXAMPLES)]
pub(crate) struct FindOptions {
    /// The pattern that names are matched against [default: anything]
    ///
    /// Write '--' before one that begins with a dash. '\p{...}' takes general categories and
    /// scripts, such as Lu and Greek.
    #[arg(value_name = "PATTERN", hide_default_value = true)]
    pub(crate) pattern: Option<String>,

    /// The directories to search
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Treat PATTERN as a glob that matches the whole name
    #[arg(short, long, overrides_with_all = ["regex", "fixed_strings"])]
    pub(crate) glob: bool,

    /// Treat PATTERN as a regular expression (the default)
    #[arg(long, overrides_with_all = ["glob", "fixed_strings"])]
    regex: bool,

    /// Treat PATTERN as plain text
    #[arg(short = 'F', long, visible_alias = "literal", overrides_with_all = ["glob", "regex"])]
    pub(crate) fixed_strings: bool,

    /// Match the case of PATTERN exactly
    #[arg(short = 's', long, overrides_with = "ignore_case")]
    pub(crate) case_sensitive: bool,

    /// Match PATTERN in any case, even if it has a capital letter
    #[arg(short = 'i', long, overrides_with = "case_sensitive")]
    pub(crate) ignore_case: bool,

    /// Match PATTERN against full paths instead of names
    #[arg(short = 'p', long)]
    pub(crate) full_path: bool,

    /// Match this PATTERN too; all must match
    #[arg(long = "and", value_name = "PATTERN", allow_hyphen_values = true,
          action = ArgAction::Append)]
    pub(crate) and: Vec<String>,

    /// Print full paths
    #[arg(short, long)]
    pub(crate) absolute_path: bool,

    /// End each path with NUL instead of a newline
    #[arg(short = '0', long = "print0", visible_alias = "null",
          conflicts_with_all = ["list_details", "json"])]
    pub(crate) null: bool,

    /// Print a line in this FORMAT for each entry, such as '{/}: {//}'
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "fields"])]
    pub(crate) format: Option<String>,

    /// Print these fields of each entry in this order, separated by tabs
    #[arg(long, value_name = "LIST", long_help = FIELDS_HELP)]
    pub(crate) fields: Option<String>,

    /// Print a long listing, as 'ls -lhd' does
    #[arg(short, long,
          conflicts_with_all = ["json", "format", "fields", "quiet", "exec", "exec_batch"])]
    pub(crate) list_details: bool,

    /// Sort all results by KEY
    ///
    /// KEY is name (the path), size (the largest first), or modified, accessed, changed or created
    /// (the newest first). Nothing is printed before the search has ended.
    #[arg(long, value_name = "KEY", hide_possible_values = true, value_parser = one_of(&SORT_KEYS),
          conflicts_with_all = ["exec", "delete", "contents_first"])]
    pub(crate) sort: Option<Fields>,

    /// Reverse the order of --sort
    #[arg(long)]
    pub(crate) reverse: bool,

    /// Do not put './' before paths with -0, -x and -X
    ///
    /// For a search without PATH, as in fd.
    #[arg(long, conflicts_with_all = ["operands", "search_path"])]
    pub(crate) strip_cwd_prefix: bool,

    /// Color paths as `ls` does: WHEN is auto (the default), always or never
    #[arg(short, long, value_name = "WHEN", hide_possible_values = true,
          value_parser = one_of(&WHENS))]
    pub(crate) color: Option<When>,

    /// Link paths to their files on a terminal: WHEN is auto, always or never
    ///
    /// 'auto', the default of WHEN, does so where paths are colored; without the option, never.
    #[arg(long, value_name = "WHEN", hide_possible_values = true, num_args = 0..=1,
          require_equals = true, default_missing_value = "auto", value_parser = one_of(&WHENS))]
    pub(crate) hyperlink: Option<When>,

    /// Print nothing; exit 0 if anything was found
    #[arg(short, long, visible_alias = "has-results", conflicts_with_all = ["exec", "exec_batch"])]
    pub(crate) quiet: bool,

    /// End the search after N entries; with --sort, print the first N
    #[arg(long, value_name = "N", allow_negative_numbers = true, overrides_with = "one")]
    pub(crate) max_results: Option<u64>,

    /// End the search after one entry
    #[arg(short = '1', overrides_with = "max_results")]
    pub(crate) one: bool,

    /// Use at most N threads [default: as many as speed it up]
    ///
    /// As many commands of -x run at a time; by default, one for each processor. -j1 starts no
    /// thread and collects no output.
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<Threads>,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    /// Match the kind: f, d, l, p, s, c, b, x (executable), e (empty)
    ///
    /// Or file, directory, symlink, pipe, socket, char-device, block-device, executable, empty.
    /// With several, as in f,d, any may match; x and e narrow the others down to executable and to
    /// empty entries. Alone, x means files, and e files and directories. On Windows junction and
    /// volume-mount are kinds, too.
    #[arg(short = 't', long = "type", value_name = "KIND", value_delimiter = ',',
          action = ArgAction::Append, help_heading = TESTS)]
    pub(crate) file_types: Vec<String>,

    /// Match empty files and directories, as -t empty does
    #[arg(long, help_heading = TESTS)]
    empty: bool,

    /// Match the extension EXT, in any case; of several, any may match
    #[arg(short, long, value_name = "EXT", allow_hyphen_values = true,
          action = ArgAction::Append, help_heading = TESTS)]
    pub(crate) extension: Vec<String>,

    /// Match files by size: +N at least, -N at most, N exactly
    ///
    /// N has a unit: b (bytes), k, m, g, t (powers of 1000) or ki, mi, gi, ti (of 1024). With
    /// several SIZEs, all must match.
    #[arg(short = 'S', long, value_name = "SIZE", allow_hyphen_values = true,
          action = ArgAction::Append, help_heading = TESTS)]
    pub(crate) size: Vec<String>,

    /// Match entries modified after WHEN
    ///
    /// WHEN is a local date (2026-01-31, '2026-01-31 10:00:00', perhaps with an offset), the
    /// midnight of today or yesterday, an age (90s, 10min, 36h, 7d, 2weeks), seconds since 1970
    /// (@1767225600), or a file (its modification time; ./7d if it is named like an age).
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, visible_alias = "newer",
          aliases = ["changed-after", "change-newer-than"], help_heading = TESTS)]
    pub(crate) changed_within: Option<String>,

    /// Match entries modified before WHEN
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, visible_alias = "older",
          alias = "change-older-than", help_heading = TESTS)]
    pub(crate) changed_before: Option<String>,

    /// Match the owner and the group, by name or number
    #[arg(short, long, value_name = "USER[:GROUP]", value_hint = ValueHint::Username,
          help_heading = TESTS)]
    pub(crate) owner: Option<String>,

    /// Match permissions: MODE exactly, or all (-MODE) or any (/MODE) bits
    ///
    /// MODE is octal, as in 644, or names bits, as in u=rw,go=r or u+x. With several MODEs, all
    /// must match.
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) perm: Vec<String>,

    /// Do not skip hidden entries
    #[arg(short = 'H', long, help_heading = TRAVERSAL)]
    hidden: bool,

    /// Do not skip entries that ignore files list
    #[arg(short = 'I', long, help_heading = TRAVERSAL)]
    no_ignore: bool,

    /// Do not skip entries that only git's ignore files list
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) no_ignore_vcs: bool,

    /// Skip nothing: the same as -HI
    #[arg(short, long, help_heading = TRAVERSAL)]
    unrestricted: bool,

    /// Apply git's ignore rules outside of work trees, too
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) no_require_git: bool,

    /// Skip entries that match the rules in FILE, which are read last
    ///
    /// These rules apply with -I and -u, too.
    #[arg(long, value_name = "FILE", action = ArgAction::Append, help_heading = TRAVERSAL)]
    pub(crate) ignore_file: Vec<OsString>,

    /// Skip entries that match GLOB, and their contents; can be repeated
    ///
    /// A GLOB without a slash matches names at any depth. One with a slash matches the path below
    /// PATH, or as it is printed. One that begins with a slash matches the full path, or the path
    /// below PATH, as in 'curt rm --exclude'. PATHs are searched, unless the full path of one, or
    /// of a directory above it, matches.
    #[arg(short = 'E', long, value_name = "GLOB", allow_hyphen_values = true,
          action = ArgAction::Append, help_heading = TRAVERSAL)]
    pub(crate) exclude: Vec<OsString>,

    /// Do not enter directories that match
    ///
    /// --prune -X curt rm -r removes them with their contents, which --delete does not.
    #[arg(long, conflicts_with_all = ["contents_first", "delete"], help_heading = TRAVERSAL)]
    pub(crate) prune: bool,

    /// Visit and print the contents of a directory before the directory
    ///
    /// Nothing is printed before the search has ended. -x has this order with -j1.
    #[arg(long, help_heading = TRAVERSAL)]
    pub(crate) contents_first: bool,

    /// Descend at most N levels below PATH
    #[arg(short = 'd', long, visible_alias = "maxdepth", alias = "depth", value_name = "N",
          allow_negative_numbers = true, help_heading = TRAVERSAL)]
    pub(crate) max_depth: Option<usize>,

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

    /// Stay on the filesystem of each PATH
    ///
    /// Without this option, mounts are entered, but not by --delete. HOW is device (the default),
    /// which stops where the device number changes: at btrfs subvolumes, too, but not at bind mounts
    /// of the same filesystem. Or it is mount, which stops at every mount point, also at bind mounts.
    #[arg(long, visible_aliases = ["mount", "xdev"], value_name = "HOW",
          hide_possible_values = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "device", value_parser = one_of(&ONE_FILE_SYSTEM),
          help_heading = TRAVERSAL)]
    pub(crate) one_file_system: Option<SameFileSystem>,

    /// Search this PATH too; then there are no PATHs after PATTERN
    #[arg(long, value_name = "PATH", action = ArgAction::Append, conflicts_with = "operands",
          help_heading = TRAVERSAL)]
    search_path: Vec<OsString>,

    /// Change to the directory PATH first; other paths are relative to it
    #[arg(long, value_name = "PATH", help_heading = TRAVERSAL)]
    pub(crate) base_directory: Option<OsString>,

    /// Run a command for each entry, in parallel
    ///
    /// The command ends at a ';'. Without a placeholder the path is its last word. Of several, each
    /// is run after the one before it succeeded. The output for an entry is printed as a whole.
    #[arg(short = 'x', long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["exec_batch", "format", "fields"],
          value_hint = ValueHint::CommandName, help_heading = ACTIONS)]
    pub(crate) exec: Vec<OsString>,

    /// Run a command once for all entries, sorted; can be repeated
    ///
    /// If the paths do not fit one command line, several are run. Of several commands, all run for
    /// the same paths, in the order given, even after one that failed.
    #[arg(short = 'X', long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["format", "fields"],
          value_hint = ValueHint::CommandName, help_heading = ACTIONS)]
    pub(crate) exec_batch: Vec<OsString>,

    /// With -X: give one command at most N paths; 0 means as many as fit
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          allow_negative_numbers = true, help_heading = ACTIONS)]
    pub(crate) batch_size: usize,

    /// Delete all matches, contents first
    ///
    /// A directory is deleted only if it is empty by then; hidden and ignored entries stay
    /// without -u. Nothing is printed; --stats counts the deleted entries. Filesystems mounted
    /// below PATH, or reached by a link with -L, stay and are reported; with --one-file-system only
    /// those that match are reported, and bind mounts are entered. A PATH that is a link needs a
    /// slash at its end, or -L.
    #[arg(long, conflicts_with_all = ["exec", "exec_batch", "list_details", "quiet"],
          help_heading = ACTIONS)]
    pub(crate) delete: bool,

    /// With --delete: only print what would be deleted, contents first
    ///
    /// What would stay is reported as without --dry-run. The sum comes last, on standard error.
    #[arg(long, help_heading = ACTIONS)]
    pub(crate) dry_run: bool,

    #[arg(skip)]
    pub(crate) commands: Vec<Vec<OsString>>,

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
        let is_of_find = |word: &str| {
            word.strip_prefix('-').is_some_and(|name| OF_FIND.split(' ').any(|it| it == name))
        };
        words.into_iter().find(|word| is_short(word) || is_of_find(word))
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
            return Err(
                "--delete prints nothing, so it takes no format without --dry-run".to_owned()
            );
        }
        Ok(())
    }

    /// Whether `--delete` skips mounts by default, without an option that sets a boundary.
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
