//! The environment of a child: that of this process, with changes.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::name::Unit;
use crate::sys::process::{Spawn, Variable};
use crate::sys::{Os, OsUnit, SystemUnit};

/// The variables of this process.
fn inherited() -> impl Iterator<Item = Variable<'static>> {
    std::env::vars_os().map(|(name, value)| (name.into(), value.into()))
}

/// Whether a variable stays when all are removed.
fn is_essential(name: &OsStr) -> bool {
    let key = Os::variable_key(name);
    Os::ESSENTIAL.iter().any(|essential| *key == **essential)
}

/// The changes to the environment of this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    cleared: bool,
    /// By the key that tells variables apart: the name as it was given, and its value; `None` to
    /// remove it.
    changes: BTreeMap<OsString, (OsString, Option<OsString>)>,
}

impl Changes {
    pub(super) fn clear(&mut self) {
        self.cleared = true;
        self.changes.clear();
    }

    pub(super) fn set(&mut self, name: &OsStr, value: Option<&OsStr>) {
        let change = (name.to_owned(), value.map(OsStr::to_owned));
        self.changes.insert(Os::variable_key(name).into_owned(), change);
    }

    /// Iterates over the variables that were set, with their values, and those that were removed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsStr, Option<&OsStr>)> {
        self.changes.values().map(|(name, value)| (name.as_os_str(), value.as_deref()))
    }

    /// Returns all variables of the child; `None` if nothing changes.
    pub(super) fn apply(&self) -> Option<Vec<Variable<'_>>> {
        if !self.cleared && self.changes.is_empty() {
            return None;
        }
        let stays = |name: &OsStr| {
            (!self.cleared || is_essential(name))
                && !self.changes.contains_key(&*Os::variable_key(name))
        };
        let mut all: Vec<Variable<'_>> = inherited().filter(|(name, _)| stays(name)).collect();
        let set = self.changes.values().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        all.extend(set.map(|(name, value)| (name.into(), value.into())));
        Some(all)
    }

    /// Whether every name is valid: not empty, and without `=` except at its beginning, as in
    /// hidden variables of Windows.
    pub(super) fn are_names(&self) -> bool {
        let equals = OsUnit::ascii(b'=');
        self.changes.values().all(|(name, _)| {
            let units = OsUnit::units(name.as_ref());
            !units.is_empty() && !units[1..].contains(&equals)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;
    use crate::sys::Os;
    use crate::sys::process::Spawn;

    /// The variables after clearing the environment and these changes, with names in upper case.
    fn left(changes: &[(&str, Option<&str>)]) -> Vec<String> {
        let mut variables = Changes::default();
        variables.set("CURT_BEFORE".as_ref(), Some("1".as_ref()));
        variables.clear();
        for (name, value) in changes {
            variables.set(name.as_ref(), value.map(AsRef::as_ref));
        }
        let all = variables.apply().unwrap();
        let text = |(name, value): &(_, _)| {
            let texts: [&std::borrow::Cow<'_, std::ffi::OsStr>; 2] = [name, value];
            let [name, value] = texts.map(|text| text.to_string_lossy().into_owned());
            format!("{}={value}", name.to_uppercase())
        };
        all.iter().map(text).collect()
    }

    /// Not tested by a child: Wine adds the variable to an environment without it.
    #[test]
    fn a_cleared_environment_keeps_what_programs_need_to_start() {
        let own = |name: &&str| format!("{name}={}", std::env::var(name).unwrap());
        let own: Vec<String> = Os::ESSENTIAL.iter().map(own).collect();
        assert_eq!(left(&[]), own);
        assert_eq!(left(&[("systemroot", Some("X"))]), ["SYSTEMROOT=X"]);
        assert_eq!(left(&[("SystemRoot", None)]), [""; 0]);
        assert_eq!(left(&[("A", Some("1"))]), [&own[..], &["A=1".to_owned()]].concat());
    }
}
