//! Names of owners. Each is looked up once, after the directory was closed, because the user
//! database might need the last free descriptor.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::io;

use super::item::Item;
use super::names::width;
use super::settings::Settings;
use crate::sys;

pub(super) struct Owners {
    /// `None` if user names are not shown.
    users: Option<NameCache>,
    groups: Option<NameCache>,
}

#[derive(Default)]
struct NameCache(HashMap<u32, Option<OwnerName>>);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct OwnerName {
    pub(super) text: OsString,
    pub(super) width: usize,
}

impl From<OsString> for OwnerName {
    fn from(text: OsString) -> OwnerName {
        let width = width(text.as_encoded_bytes());
        OwnerName { text, width }
    }
}

impl NameCache {
    fn get(&self, id: u32) -> Option<&OwnerName> {
        self.0.get(&id)?.as_ref()
    }

    /// Looks up an ID that is not in the cache. If the lookup fails, the ID itself is shown, and it
    /// is looked up again next time.
    fn resolve(&mut self, id: u32, look_up: impl FnOnce(u32) -> io::Result<Option<OsString>>) {
        if let Entry::Vacant(unknown) = self.0.entry(id) {
            if let Ok(name) = look_up(id) {
                unknown.insert(name.map(OwnerName::from));
            }
        }
    }
}

impl Owners {
    pub(super) fn new(settings: &Settings<'_>) -> Owners {
        let are_shown = settings.is_long() && !settings.options.numeric_uid_gid;
        let names = |is_shown: bool| (is_shown && are_shown).then(NameCache::default);
        Owners {
            users: names(!settings.options.no_owner || settings.options.author),
            groups: names(!settings.options.hides_group),
        }
    }

    pub(super) fn user(&self, id: u32) -> Option<&OwnerName> {
        self.users.as_ref()?.get(id)
    }

    pub(super) fn group(&self, id: u32) -> Option<&OwnerName> {
        self.groups.as_ref()?.get(id)
    }

    pub(super) fn resolve(&mut self, items: &[&Item]) {
        if self.users.is_none() && self.groups.is_none() {
            return;
        }
        let mut before = (None, None);
        for item in items {
            let (user, group) = item.columns.owners();
            // Most entries have the same owners as the previous one.
            if (user, group) == before {
                continue;
            }
            before = (user, group);
            if let (Some(names), Some(id)) = (&mut self.users, user) {
                names.resolve(id, sys::user_name);
            }
            if let (Some(names), Some(id)) = (&mut self.groups, group) {
                names.resolve(id, sys::group_name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NameCache;
    use std::io;

    #[test]
    fn failed_lookups_are_repeated() {
        let mut names = NameCache::default();
        names.resolve(7, |_| Err(io::ErrorKind::Other.into()));
        assert_eq!(names.get(7), None);
        names.resolve(7, |id| Ok(Some(format!("user-{id}").into())));
        names.resolve(8, |_| Ok(None));
        for id in [7, 8] {
            names.resolve(id, |_| panic!("known already"));
        }
        let name = names.get(7).unwrap();
        assert_eq!((name.text.to_str(), name.width), (Some("user-7"), 6));
        assert_eq!(names.get(8), None);
    }
}
