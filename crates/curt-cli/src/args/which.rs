//! What `curt which` can be asked, and how programs are looked for.

use std::ffi::OsString;

use clap::Args;
use curt::{Bare, Cwd, Flavor, Policy, Search};

const ABOUT: &str = "Say which file a program's name stands for";

const LONG_ABOUT: &str = "\
Say which file a program's name stands for, by the rules of this system or of another one, in the \
fewest calls.

Unlike elsewhere, the place that nobody named is not searched: the working directory on Windows, an \
empty entry of PATH on POSIX. A name that is only there is an error that says so. The presets of \
--policy search as their authority does.";

const AFTER: &str = "\
Examples:
  curt which cc                        the file that cc stands for
  curt which -a python3                all of them, in order
  curt which --explain npm             every directory, every candidate, and the calls made
  curt which --rules windows --path '/c/bin;/d/bin' --pathext '.EXE;.CMD' npm
                                       as on Windows, in directories of this system

By Windows' rules entries of PATH end at ';'. Entries are counted from 0, the empty ones too.

With --batch, each line of standard input is a question, {\"name\":..,\"path\":..,\"pathext\":..,\"base\":..,
\"policy\":..,\"cwd\":..,\"bare\":..,\"rules\":..,\"strict_extension\":false,\"all\":false}, of which all but the
name may be left out (the options of the command line hold then) and null means that the variable is not
set; each line of output is the answer to it, in order: {\"found\":PATH,\"origin\":\"cwd\", \"given\" or
\"path:3\",\"kind\":KIND,\"relative\":BOOL}, {\"all\":[..]} or {\"err\":KIND,\"message\":TEXT}. Names and paths are
strings, or {\"bytes\":BASE64} where they are not Unicode.

--json and --batch look into what is found by POSIX' rules, to tell an image from a script: 3 calls.

Exit status:
  0  all names were found (with --batch: all questions were answered)
  1  some were not
  2  the command line was wrong";

/// What `curt which` was asked.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct WhichOptions {
    /// The names to look for
    #[arg(value_name = "NAME", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) names: Vec<OsString>,

    /// All files of that name, in order
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Tell of every directory and candidate, why it was passed over, and of the calls made
    #[arg(long, conflicts_with_all = ["all", "batch", "null"])]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) look_up: LookUpOptions,

    /// Answer in JSON: one object per file or error, then a summary; by POSIX' rules what is found is read to
    /// tell its kind (3 calls, 4 for a script)
    #[arg(long)]
    pub(crate) json: bool,

    /// End each path by a NUL
    #[arg(short = '0', long = "null", conflicts_with = "json")]
    pub(crate) null: bool,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,

    /// Answer questions from standard input, one object per line
    #[arg(long)]
    pub(crate) batch: bool,
}

/// How programs are looked for.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LookUpOptions {
    /// Search these directories instead of those of PATH
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) path: Option<OsString>,

    /// Append these extensions instead of those of PATHEXT (Windows' rules)
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(crate) pathext: Option<OsString>,

    /// The directory that relative names and entries begin from
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<OsString>,

    /// Search as this one does
    #[arg(long, value_name = "PRESET", value_parser = POLICIES)]
    pub(crate) policy: Option<String>,

    /// Whose rules: how PATH is taken apart, and which names have which candidates
    #[arg(long, value_name = "RULES", value_parser = RULES.map(|(name, _)| name))]
    pub(crate) rules: Option<String>,

    /// Whether the place that nobody named is searched
    #[arg(long, value_name = "WHEN", value_parser = CWDS.map(|(name, _)| name))]
    pub(crate) cwd: Option<String>,

    /// Whether a name without an extension is a program (Windows' rules)
    #[arg(long, value_name = "WHEN", value_parser = BARES.map(|(name, _)| name))]
    pub(crate) bare: Option<String>,

    /// Append no extension to a name that has one of the list (Windows' rules)
    #[arg(long)]
    pub(crate) strict_extension: bool,
}

const POLICIES: [&str; 8] = Policy::NAMES;
const RULES: [(&str, Flavor); 2] = [("posix", Flavor::Posix), ("windows", Flavor::Windows)];
const CWDS: [(&str, Cwd); 4] =
    [("never", Cwd::Never), ("auto", Cwd::Auto), ("always", Cwd::Always), ("report", Cwd::Report)];
const BARES: [(&str, Bare); 3] =
    [("never", Bare::Never), ("first", Bare::First), ("last", Bare::Last)];

/// What a word means.
fn meaning<T: Copy>(what: &str, words: &[(&str, T)], word: &str) -> Result<T, String> {
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|&(_, meaning)| meaning).ok_or_else(|| format!("there is no {what} '{word}'"))
}

impl LookUpOptions {
    /// The policy that they come to.
    pub(crate) fn policy(&self) -> Result<Policy, String> {
        let rules = self.rules.as_deref().map(|word| meaning("rules", &RULES, word)).transpose()?;
        let mut policy = match self.policy.as_deref() {
            None => Policy::safe(rules.unwrap_or(Flavor::NATIVE)),
            Some(name) => {
                let policy =
                    Policy::named(name).ok_or_else(|| format!("there is no policy '{name}'"))?;
                if rules.is_some_and(|rules| rules != policy.rules) {
                    return Err(format!("the policy '{name}' has other rules"));
                }
                policy
            }
        };
        if let Some(word) = self.cwd.as_deref() {
            policy.cwd = meaning("cwd", &CWDS, word)?;
        }
        if let Some(word) = self.bare.as_deref() {
            policy.bare = meaning("bare", &BARES, word)?;
        }
        policy.strict_extension |= self.strict_extension;
        Ok(policy)
    }

    /// The search that they ask for.
    pub(crate) fn search(&self) -> Result<Search, String> {
        let mut search = Search::new().policy(self.policy()?);
        if let Some(path) = &self.path {
            search = search.path(path);
        }
        if let Some(pathext) = &self.pathext {
            search = search.pathext(pathext);
        }
        if let Some(base) = &self.base {
            search = search.base(base);
        }
        Ok(search)
    }
}
