//! The options of `curt walk`.

use std::ffi::OsString;

use clap::{ArgAction, Args};
use curt::Threads;
use curt::fields::Follow;
use curt::walk::{OneFileSystem, SortBy};

use super::{Options, OutputOptions, Positions, WithoutOptions, one_of, parse_threads};

const LONG_ABOUT: &str = "\
Walk directory trees and print what matches, as find does: the operands too, with paths as they \
were typed, without following symbolic links. Without PATH, walks '.'.

An entry is printed if it passes every test. Each test is made only if all before it passed, and \
reads no more metadata than it needs: names and kinds cost no system call.";

const AFTER: &str = "\
Examples:
  curt walk --name '*.rs'                       paths that end in .rs
  curt walk src --type f --size +1M             files larger than one MiB
  curt walk --format '{size} {path}' /var/log   sizes and paths
  curt walk -0 --name '*.o' | xargs -0 rm       pass any names to another program
  curt walk --name '*.tmp' --delete             remove what matches, deepest first
  curt walk --type f --newer 2h --exec-batch tar cf new.tar {} ';'

In a FORMAT, {NAME} is a field (listed by curt stat --help), {path}, {name}, {parent} or {depth};
\\n, \\t, \\r, \\0 and \\\\ are escapes, and '{{' is a brace. A newline is added.

Exit status:
  0  everything was visited
  1  something could not be read; each failure is reported on standard error
  2  the command line was wrong";

/// The options of `curt walk`.
#[derive(Args, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Walk directory trees", long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct WalkOptions {
    /// Where to start
    #[arg(value_name = "PATH")]
    pub(crate) operands: Vec<OsString>,

    /// Match names against GLOB
    ///
    /// '*' also matches a leading dot. With several GLOBs, any may match.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append)]
    pub(crate) name: Vec<OsString>,

    /// Match whole paths against GLOB
    ///
    /// '*' does not match a slash, but '**' does. With several GLOBs, any may match.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append)]
    pub(crate) path_glob: Vec<OsString>,

    /// Find the regular expression RE in whole paths
    #[arg(long, value_name = "RE", allow_hyphen_values = true)]
    pub(crate) regex: Option<String>,

    /// Match kinds: f, d, l, p, s, c, b or a word such as junction
    ///
    /// The letters are those of find: file, directory, link, pipe, socket, character device and
    /// block device. Separate several with commas.
    #[arg(long = "type", value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,

    /// Print only entries at depth N or deeper; operands have depth 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_depth: usize,

    /// Descend at most N levels below the operands
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Follow symbolic links: WHICH is all (the default), command-line or never
    ///
    /// 'command-line' follows only links that are operands.
    #[arg(short = 'L', long, value_name = "WHICH", hide_possible_values = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "all", value_parser = one_of(&FOLLOW))]
    pub(crate) follow: Option<Follow>,

    /// Stay on one file system: HOW is mount (the default) or device
    ///
    /// 'mount' stops at mount points, 'device' where the device number changes.
    #[arg(short = 'x', long, value_name = "HOW", hide_possible_values = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "mount", value_parser = one_of(&ONE_FILE_SYSTEM))]
    pub(crate) one_file_system: Option<OneFileSystem>,

    /// Skip what matches GLOB and everything below it
    ///
    /// A GLOB without a slash matches names; one with a slash matches paths relative to the
    /// operand. Can be repeated.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append)]
    pub(crate) exclude: Vec<OsString>,

    /// Skip hidden files and what ignore files name
    ///
    /// Ignore files are .gitignore, .ignore and .git/info/exclude.
    #[arg(long)]
    pub(crate) ignore: bool,

    /// With --ignore: do not skip hidden files
    #[arg(long, requires = "ignore")]
    pub(crate) hidden: bool,

    /// With --ignore: read no ignore files, only skip hidden files
    #[arg(long, requires = "ignore")]
    pub(crate) no_ignore: bool,

    /// Match sizes: +N more than, -N less than, N exactly
    ///
    /// N is in bytes (c), or in k, M, G or T, which are powers of 1024. With several SIZEs, all
    /// must match.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, action = ArgAction::Append)]
    pub(crate) size: Vec<String>,

    /// Match what was modified after WHEN
    ///
    /// WHEN is a file (its modification time), a date (2026-01-31, 2026-01-31T10:00) or an age
    /// (90s, 36h, '2 weeks').
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) newer: Option<String>,

    /// Match what was modified before WHEN
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) older: Option<String>,

    /// Match the owner and the group, by name or number
    #[arg(long, value_name = "USER[:GROUP]")]
    pub(crate) owner: Option<String>,

    /// Sort the entries of each directory, by name or by KEY
    ///
    /// KEY is name (the default), size, modified, accessed, changed or created.
    #[arg(long, value_name = "KEY", hide_possible_values = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "name", value_parser = one_of(&SORT_KEYS))]
    pub(crate) sort: Option<SortBy>,

    /// Reverse the order of --sort
    #[arg(long, requires = "sort")]
    pub(crate) reverse: bool,

    /// Print a line in this FORMAT for each entry
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["fields", "json"])]
    pub(crate) format: Option<String>,

    /// Print these fields of each entry, separated by tabs
    ///
    /// LIST may also have path and depth; curt stat --help lists the other fields.
    #[arg(long, value_name = "LIST")]
    pub(crate) fields: Option<String>,

    /// End each line with NUL instead of a newline
    #[arg(short = '0', long = "null")]
    pub(crate) null: bool,

    /// Use at most N threads; 1 starts none [default: as many as speed it up]
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<Threads>,

    /// Run a command for each entry; '{}' is its path
    ///
    /// ';' must end the command.
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with_all = ["exec_batch", "delete"])]
    pub(crate) exec: Vec<OsString>,

    /// Run a command for as many entries as fit; '{}' is their paths
    ///
    /// ';' must end the command.
    #[arg(long, value_name = "COMMAND", num_args = 1.., value_terminator = ";",
          allow_hyphen_values = true, conflicts_with = "delete")]
    pub(crate) exec_batch: Vec<OsString>,

    /// Remove what matches, deepest first
    ///
    /// A directory is removed only if it is empty by then.
    #[arg(long)]
    pub(crate) delete: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    /// List directories through a buffer of this size
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) buffer: Option<usize>,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

const FOLLOW: [(&str, Follow); 3] =
    [("never", Follow::Never), ("command-line", Follow::CommandLine), ("all", Follow::Links)];

const ONE_FILE_SYSTEM: [(&str, OneFileSystem); 2] =
    [("mount", OneFileSystem::Mount), ("device", OneFileSystem::Device)];

const SORT_KEYS: [(&str, SortBy); 6] = [
    ("name", SortBy::Name),
    ("size", SortBy::Size),
    ("modified", SortBy::Modified),
    ("accessed", SortBy::Accessed),
    ("changed", SortBy::Changed),
    ("created", SortBy::Created),
];

impl Options for WalkOptions {
    /// Refuses what clap accepts but nobody means.
    fn settle(&mut self, given: &Positions<'_>) -> Result<(), String> {
        let runs = !self.exec.is_empty() || !self.exec_batch.is_empty();
        if runs && !given.words.iter().any(|word| word == ";") {
            return Err("missing ';' after the command (write ';' or \\; in a shell)".to_owned());
        }
        let is_end = |word: &OsString| {
            let word = word.to_str().unwrap_or_default();
            word == "--" || word.starts_with("--exec")
        };
        let end = given.words.iter().position(is_end).unwrap_or(given.words.len());
        given.words[..end].windows(2).try_for_each(check_sort_key)
    }
}

/// Refuses `--sort KEY`, in which clap takes the key for a path.
fn check_sort_key(words: &[OsString]) -> Result<(), String> {
    let is_key = |word: &str| SORT_KEYS.iter().any(|&(key, _)| key == word);
    match words[1].to_str() {
        Some(key) if words[0] == "--sort" && is_key(key) => {
            Err(format!("'--sort {key}' is ambiguous: write --sort={key}, or ./{key} for a path"))
        }
        _ => Ok(()),
    }
}
