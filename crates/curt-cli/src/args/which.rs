//! The options of `curt which`, and those about looking programs up.

use std::ffi::OsString;

use clap::Args;
use curt::Search;
use curt::paths::Flavor;
use curt::which::{Bare, Cwd, Extensions, Literal, Policy};

use super::expand::FLAVORS;
use super::{OutputOptions, meaning, one_of};

const LONG_ABOUT: &str = "\
Find the file that the name of a program stands for, by the rules of this system or of another \
one.

The working directory is not searched unless PATH names it: neither on Windows, nor for an empty \
entry of PATH on POSIX. A name that is only there is an error that says so. The presets of \
--policy search as the program or library they are named after.";

const NOTES: &str = "\
By POSIX rules, --json reads the start of each file to tell an image from a script, \
which takes 3 more calls.

Exit status:
  0  every name was found
  1  a name was not found
  2  the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt which -a python3     all matches, in order
  curt which --explain npm  each directory and candidate, with the calls
  curt which --rules windows --path '/c/bin;/d/bin' --pathext '.EXE;.CMD' npm";

const POLICY_HELP: &str = "\
Search as a program or library does, such as cmd or execvp

PRESET by Windows' rules: cmd (cmd.exe), powershell (PATH alone, .ps1 first), createprocess \
(CreateProcessW: .exe, the system's directories), libuv (.com and .exe only), libuv-batch (batch \
files too), libuv-exact (the bare name first if it has a directory). By POSIX rules: execvp (the C \
library's), posix_sh (a shell's). By those of this system or of --rules: node (child_process), go \
(exec.LookPath), cpython (shutil.which), zig (std.process).";

const SET_HELP: &str = "\
Change one rule of the policy; can be repeated

curt::which::Policy documents each rule. Windows: appends-to-dotted, strict-extension, \
completes-extensions, empty-is-cwd, quotes, probes-unlistable, system-directories, \
stops-at-bad-image, literal=dotted|listed. POSIX: default-path, empty-path-is-entry, \
denied-if-unsearchable, stops-at-faults. Both: reports-cwd-only and, for curt run, \
starts-first-only.";

/// The options of `curt which`.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Find programs in PATH", long_about = LONG_ABOUT,
          after_long_help = NOTES, after_help = EXAMPLES)]
pub(crate) struct WhichOptions {
    /// The names to look up
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<OsString>,

    /// Print all matches, in order
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Print each directory, each candidate and why it was passed over
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

/// The heading of the options about looking programs up.
pub(super) const SEARCH: &str = "Search";

/// How programs are looked up.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LookUpOptions {
    /// Search these directories instead of PATH
    #[arg(long, value_name = "DIRS", allow_hyphen_values = true)]
    pub(crate) path: Option<OsString>,

    /// Append these extensions instead of PATHEXT (Windows' rules)
    ///
    /// ';' separates extensions, and by Windows' rules also the entries of PATH.
    #[arg(long, value_name = "EXTS", allow_hyphen_values = true)]
    pub(crate) pathext: Option<OsString>,

    /// Resolve relative names and entries of PATH from DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<OsString>,

    /// Search as a program or library does, such as cmd or execvp
    #[arg(long, value_name = "PRESET", hide_possible_values = true, value_parser = Policy::NAMES,
          long_help = POLICY_HELP)]
    pub(crate) policy: Option<String>,

    /// The system whose rules apply [default: this one]
    ///
    /// The rules decide how PATH is split and which names are candidates.
    #[arg(long, value_name = "posix|windows", hide_possible_values = true,
          value_parser = one_of(&FLAVORS))]
    pub(crate) rules: Option<Flavor>,

    /// When to search the working directory: never, auto, always or report
    ///
    /// 'auto' searches it as the system or program does, 'always' even if the environment forbids
    /// it (Windows' rules). 'report' is 'auto', but a program that is found there, or in a relative
    /// entry of PATH, is an error. By POSIX rules only an empty entry of PATH is the working
    /// directory.
    #[arg(long, value_name = "WHEN", hide_possible_values = true, value_parser = one_of(&CWDS))]
    pub(crate) cwd: Option<Cwd>,

    /// When a name without an extension is a candidate (Windows' rules)
    ///
    /// WHEN is never, first (before those with extensions), last, or with-directory (first, if the
    /// name contains a directory).
    #[arg(long, value_name = "WHEN", hide_possible_values = true, value_parser = one_of(&BARES))]
    pub(crate) bare: Option<Bare>,

    /// Append these extensions, whatever the policy appends (Windows' rules)
    #[arg(long, value_name = "EXTS", allow_hyphen_values = true, conflicts_with = "pathext")]
    pub(crate) extensions: Option<OsString>,

    /// Change one rule of the policy; can be repeated
    #[arg(long = "set", value_name = "RULE=yes|no", long_help = SET_HELP)]
    pub(crate) changes: Vec<String>,

    /// Append no extension to a name that has one of them (Windows' rules)
    #[arg(long)]
    pub(crate) strict_extension: bool,
}

const CWDS: [(&str, Cwd); 4] =
    [("never", Cwd::Never), ("auto", Cwd::Auto), ("always", Cwd::Always), ("report", Cwd::Report)];
const BARES: [(&str, Bare); 4] = [
    ("never", Bare::Never),
    ("first", Bare::First),
    ("with-directory", Bare::WithDirectory),
    ("last", Bare::Last),
];

/// The field of a policy that a rule of `--set` changes.
type Rule = fn(&mut Policy) -> &mut bool;

const CHANGES: [(&str, Rule); 14] = [
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
    ("reports-cwd-only", |policy| &mut policy.reports_cwd_only),
];

/// Changes a policy as one `--set` says.
fn change(policy: &mut Policy, text: &str) -> Result<(), String> {
    let (rule, value) = text.split_once('=').unwrap_or((text, "yes"));
    let words = if rule == "literal" { "dotted or listed" } else { "yes or no" };
    let unknown_value = || format!("unknown value '{value}' of rule '{rule}'; expected {words}");
    if rule == "literal" {
        let words = [("dotted", Literal::Dotted), ("listed", Literal::Listed)];
        policy.literal = meaning(&words, value).ok_or_else(unknown_value)?;
        return Ok(());
    }
    let field =
        meaning(&CHANGES, rule).ok_or_else(|| format!("unknown rule '{rule}' for --set"))?;
    *field(policy) = meaning(&[("yes", true), ("no", false)], value).ok_or_else(unknown_value)?;
    Ok(())
}

impl LookUpOptions {
    /// Returns the policy that they choose.
    fn policy(&self) -> Result<Policy, String> {
        let flavor = self.rules.unwrap_or(Flavor::NATIVE);
        let mut policy = match self.policy.as_deref() {
            None => Policy::safe(flavor),
            Some(name) => {
                let policy = Policy::named_by(name, flavor)
                    .ok_or_else(|| format!("unknown policy '{name}'"))?;
                if self.rules.is_some_and(|rules| rules != policy.rules) {
                    let rules = if policy.rules == Flavor::Windows { "windows" } else { "posix" };
                    return Err(format!("--policy {name} has only the rules of {rules}"));
                }
                policy
            }
        };
        policy.cwd = self.cwd.unwrap_or(policy.cwd);
        policy.bare = self.bare.unwrap_or(policy.bare);
        policy.strict_extension |= self.strict_extension;
        if self.extensions.is_some() {
            policy.extensions = Extensions::Environment("".into());
        }
        self.changes.iter().try_for_each(|text| change(&mut policy, text))?;
        Ok(policy)
    }

    /// Returns why nothing may have been found: by Windows' rules the `PATH` of another system is
    /// one strange directory, and by POSIX rules only an empty entry is the working directory.
    pub(crate) fn hint(&self) -> Option<String> {
        let rules = self.policy().ok()?.rules;
        let path = self.path.clone().or_else(|| std::env::var_os("PATH"))?;
        let path = path.to_str()?;
        if rules == Flavor::Posix {
            let asks_in_vain =
                self.cwd == Some(Cwd::Always) && path.split(':').all(|entry| !entry.is_empty());
            return asks_in_vain.then(|| {
                "by POSIX rules the working directory is searched only for an empty entry of \
                 PATH, and there is none; add one with --path \":$PATH\""
                    .to_owned()
            });
        }
        (Flavor::NATIVE == Flavor::Posix && path.contains(":/") && !path.contains(';')).then(|| {
            "by Windows' rules ';' separates the entries of PATH, and this one has only ':'; \
             give one with --path 'DIR;DIR'"
                .to_owned()
        })
    }

    /// Returns the search that they ask for.
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

#[cfg(test)]
mod tests {
    use curt::paths::Flavor;
    use curt::which::Policy;

    use super::{CHANGES, change};

    #[test]
    fn each_rule_changes_its_own_field() {
        let before = Policy::safe(Flavor::Posix);
        let fields = |policy: &Policy| -> Vec<String> {
            format!("{policy:#?}").lines().map(|line| line.trim().to_owned()).collect()
        };
        let is_bool = |line: &&String| line.ends_with(": true,") || line.ends_with(": false,");
        assert_eq!(fields(&before).iter().filter(is_bool).count(), CHANGES.len());
        for (rule, _) in CHANGES {
            for value in ["yes", "no"] {
                let mut policy = before.clone();
                change(&mut policy, &format!("{rule}={value}")).unwrap();
                let name = format!("{}: ", rule.replace('-', "_"));
                let expected = format!("{name}{},", value == "yes");
                let line =
                    |line: String| if line.starts_with(&name) { expected.clone() } else { line };
                let expected: Vec<String> = fields(&before).into_iter().map(line).collect();
                assert_eq!(fields(&policy), expected, "{rule}={value}");
            }
        }
    }
}
