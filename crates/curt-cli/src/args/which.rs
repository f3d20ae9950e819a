//! What `curt which` can be asked, and how programs are looked for.

use std::ffi::OsString;

use clap::Args;
use curt::paths::Flavor;
use curt::{Bare, Cwd, Extensions, Literal, Policy, Search};

const ABOUT: &str = "Say which file a program's name stands for";

const LONG_ABOUT: &str = "\
Say which file a program's name stands for, by the rules of this system or of another one, in the \
fewest calls.

Unlike elsewhere, the place that nobody named is not searched: the working directory on Windows, \
an empty entry of PATH on POSIX. A name that is only there is an error that says so. The presets \
of --policy search as their authority does.";

const AFTER: &str = "\
Examples:
  curt which cc                        the file that cc stands for
  curt which -a python3                all of them, in order
  curt which --explain npm             every directory, every candidate, and the calls made
  curt which --rules windows --path '/c/bin;/d/bin' --pathext '.EXE;.CMD' npm
                                       as on Windows, in directories of this system

The presets node, go, cpython and zig have rules for either system, chosen by --rules. --set
changes a rule of the policy; each is described with its field of curt::Policy:
  Windows: appends-to-dotted, strict-extension, completes-extensions, empty-is-cwd, quotes,
           probes-unlistable, system-directories, stops-at-bad-image, literal=dotted|listed
  POSIX:   default-path, empty-path-is-entry, denied-if-unsearchable, stops-at-faults
  a start: starts-first-only

By Windows' rules entries of PATH end at ';'. Entries are counted from 0, the empty ones too.

With --batch, each line of standard input is a question, {\"name\":..,\"path\":..,\"pathext\":..,\"base\":..,
\"policy\":..,\"cwd\":..,\"bare\":..,\"rules\":..,\"set\":[..],\"extensions\":..,\"strict_extension\":false,
\"all\":false}, of which all but the name may be left out (the options of the command line hold then) and null means that the variable is not
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

    /// Answer in JSON: one object per file or error, then a summary; by POSIX' rules what is found
    /// is read to tell its kind (3 calls, 4 for a script)
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

    /// Append these extensions, also where the policy appends others or does not ask PATHEXT
    /// (Windows' rules)
    #[arg(long, value_name = "E", allow_hyphen_values = true, conflicts_with = "pathext")]
    pub(crate) extensions: Option<OsString>,

    /// Change one rule of the policy; may be repeated. The rules are listed below
    #[arg(long = "set", value_name = "RULE=yes|no")]
    pub(crate) changes: Vec<String>,

    /// Append no extension to a name that has one of the list (Windows' rules)
    #[arg(long)]
    pub(crate) strict_extension: bool,
}

const POLICIES: [&str; 12] = Policy::NAMES;
const RULES: [(&str, Flavor); 2] = [("posix", Flavor::Posix), ("windows", Flavor::Windows)];
const CWDS: [(&str, Cwd); 4] =
    [("never", Cwd::Never), ("auto", Cwd::Auto), ("always", Cwd::Always), ("report", Cwd::Report)];
const BARES: [(&str, Bare); 4] = [
    ("never", Bare::Never),
    ("first", Bare::First),
    ("with-directory", Bare::WithDirectory),
    ("last", Bare::Last),
];

/// What `--set` changes.
type Rule = fn(&mut Policy) -> &mut bool;

const CHANGES: [(&str, Rule); 13] = [
    ("appends-to-dotted", |policy| &mut policy.appends_to_dotted),
    ("strict-extension", |policy| &mut policy.strict_extension),
    ("completes-extensions", |policy| &mut policy.completes_extensions),
    ("empty-is-cwd", |policy| &mut policy.empty_is_cwd),
    ("quotes", |policy| &mut policy.quotes),
    ("probes-unlistable", |policy| &mut policy.probes_unlistable),
    ("system-directories", |policy| &mut policy.system_directories),
    ("default-path", |policy| &mut policy.default_path),
    ("empty-path-is-entry", |policy| &mut policy.empty_path_is_entry),
    ("denied-if-unsearchable", |policy| &mut policy.denied_if_unsearchable),
    ("stops-at-faults", |policy| &mut policy.stops_at_faults),
    ("stops-at-bad-image", |policy| &mut policy.stops_at_bad_image),
    ("starts-first-only", |policy| &mut policy.starts_first_only),
];

/// Changes a policy as one `--set` says.
fn change(policy: &mut Policy, text: &str) -> Result<(), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "yes"));
    if name == "literal" {
        let words = [("dotted", Literal::Dotted), ("listed", Literal::Listed)];
        policy.literal = meaning("value of literal", &words, value)?;
        return Ok(());
    }
    let words = [("yes", true), ("no", false)];
    let value = meaning("value of a rule", &words, value)?;
    *meaning("rule", &CHANGES, name)?(policy) = value;
    Ok(())
}

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
                let policy = Policy::named_by(name, rules.unwrap_or(Flavor::NATIVE))
                    .ok_or_else(|| format!("there is no policy '{name}'"))?;
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
        if self.extensions.is_some() {
            policy.extensions = Extensions::Environment(&[]);
        }
        for text in &self.changes {
            change(&mut policy, text)?;
        }
        Ok(policy)
    }

    /// The search that they ask for.
    pub(crate) fn search(&self) -> Result<Search, String> {
        let mut search = Search::new().policy(self.policy()?);
        if let Some(path) = &self.path {
            search = search.path(path);
        }
        if let Some(pathext) = self.extensions.as_ref().or(self.pathext.as_ref()) {
            search = search.pathext(pathext);
        }
        if let Some(base) = &self.base {
            search = search.base(base);
        }
        Ok(search)
    }
}
