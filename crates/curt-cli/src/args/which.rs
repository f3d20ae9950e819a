//! The options of `curt which`, and options for searching programs that `curt run` shares.

use std::ffi::OsString;

use clap::{Args, ValueHint};
use curt::Search;
use curt::paths::Flavor;
use curt::which::Policy;

use super::expand::FLAVORS;
use super::{OutputOptions, one_of, set};

const LONG_ABOUT: &str = "\
Find the file of a program by its name, by the rules of this system, of another one, or of a \
program or library (--policy).";

const NOTES: &str = "\
The working directory is not searched unless PATH names it: not on Windows either, nor for an \
empty entry of PATH on POSIX. A program found only there is an error.

By POSIX rules, --json reads the start of each file to tell an image from a script, at 3 more calls.

Exit status:
  0  every name was found
  1  a name was not found
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt which -a python3     all matches, in order
  curt which --explain npm  each directory and candidate, with system calls
  curt which --rules windows --path '/c/bin;/d/bin' --pathext '.EXE;.CMD' npm";

const POLICY_HELP: &str = "\
Search like a program or library, such as cmd or go

Only by Windows' rules: cmd (cmd.exe), libuv (.com and .exe only). Only by POSIX rules: posix \
(execvp of the C library). By both: native (curt's own, the default), node (child_process), go \
(exec.LookPath), cpython (shutil.which), zig (std.process).";

#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Find programs in PATH", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct WhichOptions {
    /// The names to look up
    #[arg(value_name = "NAME", required = true, value_hint = ValueHint::CommandName)]
    pub(crate) names: Vec<OsString>,

    /// Print all matches, in order
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Print each directory and candidate, and why it was rejected
    #[arg(long, conflicts_with_all = ["all", "null"])]
    pub(crate) explain: bool,

    /// End each path with NUL instead of a newline
    #[arg(short = '0', long = "null", conflicts_with = "json")]
    pub(crate) null: bool,

    #[command(flatten)]
    pub(crate) output: OutputOptions,

    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) look_up: LookUpOptions,
}

pub(super) const SEARCH: &str = "Search";

/// How programs are looked up.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LookUpOptions {
    /// Search these directories instead of PATH
    #[arg(long, value_name = "DIRS", allow_hyphen_values = true)]
    pub(crate) path: Option<OsString>,

    /// Append these extensions instead of PATHEXT (Windows' rules)
    ///
    /// They are separated by ';', as are the entries of PATH by Windows' rules.
    #[arg(long, value_name = "EXTS", allow_hyphen_values = true)]
    pub(crate) pathext: Option<OsString>,

    /// Resolve relative names and entries of PATH from DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<OsString>,

    /// Search like a program or library, such as cmd or go
    #[arg(long, value_name = "POLICY", hide_possible_values = true,
          value_parser = one_of(&Policy::ALL), long_help = POLICY_HELP)]
    pub(crate) policy: Option<Policy>,

    /// Use the rules of POSIX or Windows [default: this system's]
    ///
    /// They decide how PATH is split and which names are candidates.
    #[arg(long, value_name = "posix|windows", hide_possible_values = true,
          value_parser = one_of(&FLAVORS))]
    pub(crate) rules: Option<Flavor>,

    /// Search the working directory: never or always [default: as POLICY]
    ///
    /// By Windows' rules, 'always' overrides the environment. By POSIX rules, only an empty entry
    /// of PATH is the working directory.
    #[arg(long, value_name = "WHEN", hide_possible_values = true, value_parser = one_of(&CWDS))]
    pub(crate) cwd: Option<bool>,
}

const CWDS: [(&str, bool); 2] = [("never", false), ("always", true)];

impl LookUpOptions {
    /// Returns a likely reason why the search failed. Under Windows rules, the `PATH` of a POSIX
    /// system is a single missing directory.
    pub(crate) fn hint(&self) -> Option<String> {
        let policy = self.policy.unwrap_or_default();
        let has_rules = |flavor: &Flavor| policy.has_rules_of(*flavor);
        let flavors = [Flavor::NATIVE, Flavor::Windows, Flavor::Posix].into_iter();
        let rules = self.rules.or_else(|| flavors.clone().find(has_rules))?;
        let path = self.path.clone().or_else(|| std::env::var_os("PATH"))?;
        let path = path.to_str()?;
        if rules == Flavor::Posix {
            let has_no_effect =
                self.cwd == Some(true) && path.split(':').all(|entry| !entry.is_empty());
            return has_no_effect.then(|| {
                "'--cwd=always' has no effect under POSIX rules: the working directory is searched only \
                 where PATH has an empty entry; add one, as in --path ':/bin'"
                    .to_owned()
            });
        }
        (Flavor::NATIVE == Flavor::Posix && path.contains(":/") && !path.contains(';')).then(|| {
            "Windows' rules split PATH at ';', and this PATH has only ':'; use --path 'DIR;DIR'"
                .to_owned()
        })
    }

    pub(crate) fn search(&self) -> Result<Search, String> {
        let mut search = Search::new();
        if let Some(policy) = self.policy {
            search = search.policy(policy);
            if let Some(rules) = self.rules.filter(|&rules| !policy.has_rules_of(rules)) {
                let rules = if rules == Flavor::Windows { "posix" } else { "windows" };
                let name = Policy::ALL.iter().find(|(_, known)| *known == policy);
                let name = name.map_or("", |(name, _)| name);
                return Err(format!("--policy {name} works only with --rules {rules}"));
            }
        }
        search = set(search, self.rules, Search::rules);
        search = set(search, self.cwd, Search::cwd);
        search = set(search, self.path.as_ref(), Search::path);
        search = set(search, self.pathext.as_ref(), Search::pathext);
        Ok(set(search, self.base.as_ref(), Search::base))
    }
}
