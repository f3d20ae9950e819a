//! The variables of a child: those of this process, less and more.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::name::Unit;
use crate::sys::process::Process;

/// What is changed of the variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    cleared: bool,
    /// By what tells variables apart: the name as it was given, and the value, if it is to have one.
    changes: BTreeMap<OsString, (OsString, Option<OsString>)>,
}

impl Changes {
    pub(super) fn clear(&mut self) {
        self.cleared = true;
        self.changes.clear();
    }

    pub(super) fn set<S: Process>(&mut self, name: &OsStr, value: Option<&OsStr>) {
        let change = (name.to_owned(), value.map(OsStr::to_owned));
        self.changes.insert(S::variable_key(name), change);
    }

    /// All variables of the child; `None` for exactly those of this process.
    pub(super) fn apply<S: Process>(&self) -> Option<Vec<(OsString, OsString)>> {
        if !self.cleared && self.changes.is_empty() {
            return None;
        }
        let kept = if self.cleared { None } else { Some(std::env::vars_os()) };
        let is_kept = |name: &OsStr| !self.changes.contains_key(&S::variable_key(name));
        let kept = kept.into_iter().flatten().filter(|(name, _)| is_kept(name));
        let set = self.changes.values().cloned();
        let set = set.filter_map(|(name, value)| value.map(|value| (name, value)));
        Some(kept.chain(set).collect())
    }

    /// Whether every name that is set can be one: not empty, and without the sign that ends it. Windows has
    /// variables of its own that begin with that sign.
    pub(super) fn are_names<S: Process>(&self) -> bool {
        let equals = S::Unit::ascii(b'=');
        self.changes.values().all(|(name, _)| {
            let units = S::units(name.as_ref());
            !units.is_empty() && !units[1..].contains(&equals)
        })
    }
}
