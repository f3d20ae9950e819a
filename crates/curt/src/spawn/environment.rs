//! The variables of a child: those of this process, less and more.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::name::Unit;
use crate::sys::process::{Process, Variable};

/// The variables of this process that stay when all are taken away.
fn essential<S: Process>(sys: &S) -> Vec<Variable<'_>> {
    if S::ESSENTIAL.is_empty() {
        return Vec::new();
    }
    let mut all = sys.variables();
    all.retain(|(name, _)| {
        let key = S::variable_key(name);
        S::ESSENTIAL.iter().any(|essential| *key == **essential)
    });
    all
}

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
        self.changes.insert(S::variable_key(name).into_owned(), change);
    }

    /// All variables of the child; `None` for exactly those of this process.
    pub(super) fn apply<'a, S: Process>(&'a self, sys: &'a S) -> Option<Vec<Variable<'a>>> {
        if !self.cleared && self.changes.is_empty() {
            return None;
        }
        let mut all = if self.cleared { essential(sys) } else { sys.variables() };
        all.retain(|(name, _)| !self.changes.contains_key(&*S::variable_key(name)));
        let set = self.changes.values().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        all.extend(set.map(|(name, value)| (name.into(), value.into())));
        Some(all)
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
