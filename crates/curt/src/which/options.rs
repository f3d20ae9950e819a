//! What a search was asked for.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::policy::Policy;
use crate::sys::process::Variable;
use curt_paths::Flavor;

/// The value of a variable that decides about a search.
#[derive(Clone, Debug, Default)]
pub(super) enum Setting {
    /// The value in the environment.
    #[default]
    Inherit,
    Unset,
    Is(OsString),
}

impl Setting {
    pub(super) fn or_else(&self, inherited: impl FnOnce() -> Option<OsString>) -> Option<OsString> {
        match self {
            Setting::Inherit => inherited(),
            Setting::Unset => None,
            Setting::Is(value) => Some(value.clone()),
        }
    }
}

/// What a search was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) path: Setting,
    pub(super) pathext: Setting,
    pub(super) base: Option<PathBuf>,
    /// `None` for the environment of this process.
    pub(super) environment: Option<Vec<(OsString, OsString)>>,
    pub(super) policy: Policy,
    /// Whether directories are kept open.
    pub(super) keeps: bool,
}

impl Options {
    /// The value of a variable: from the environment that was named, else from `variables`, else
    /// from that of this process. By Windows' rules the case of its name does not matter, and the
    /// last of several that differ in nothing else counts.
    pub(super) fn variable(
        &self,
        name: &str,
        variables: Option<&[Variable<'_>]>,
    ) -> Option<OsString> {
        let is_it = |other: &OsStr| match self.policy.rules {
            Flavor::Posix => other == name,
            Flavor::Windows => other.eq_ignore_ascii_case(name),
        };
        match (&self.environment, variables) {
            (Some(named), _) => {
                named.iter().rfind(|(other, _)| is_it(other)).map(|(_, value)| value.clone())
            }
            (None, Some(variables)) => {
                let variable = variables.iter().rfind(|(other, _)| is_it(other));
                variable.map(|(_, value)| value.clone().into_owned())
            }
            (None, None) => std::env::var_os(name),
        }
    }
}
