//! The names of owners. The library looks each up once for a directory; a listing of many directories
//! would ask again in every one.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::OnceLock;

use curt::{Descent, Entry, Fields, Metadata, Plan, Stat, Value};

use super::names::width;
use super::settings::Settings;

/// What was looked up so far. Several threads look and add at once.
pub(super) struct Owners {
    /// Which names are to be shown.
    shown: Fields,
    users: Names,
    groups: Names,
}

/// Names by their numbers, one behind the other, and never taken away: nobody waits, neither for the row nor
/// for a name that another thread is looking up. There are few, and most entries have the same as the one
/// before.
#[derive(Default)]
struct Names(OnceLock<Box<Known>>);

struct Known {
    id: u32,
    /// Missing while it is being looked up.
    name: OnceLock<Option<Name>>,
    next: Names,
}

/// The name of an owner, and how many columns it takes: every entry asks for both.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: OsString,
    pub(super) width: usize,
}

impl From<OsString> for Name {
    fn from(text: OsString) -> Name {
        let width = width(text.as_encoded_bytes());
        Name { text, width }
    }
}

impl Names {
    fn get(&self, id: u32) -> Option<&Name> {
        self.known().find(|known| known.id == id)?.name.get()?.as_ref()
    }

    fn has(&self, id: u32) -> bool {
        self.known().any(|known| known.id == id)
    }

    fn known(&self) -> impl Iterator<Item = &Known> {
        std::iter::successors(self.0.get(), |known| known.next.0.get()).map(|known| &**known)
    }

    /// Sees to it that the name of this number is looked up, once: by the thread that adds the number. The
    /// others go on, and have the name when that thread is done.
    fn learn(&self, id: u32, look_up: impl FnOnce() -> Option<OsString>) {
        let (mut names, mut is_new) = (self, false);
        let known = loop {
            let known = names.0.get_or_init(|| {
                is_new = true;
                Box::new(Known { id, name: OnceLock::new(), next: Names::default() })
            });
            if known.id == id {
                break known;
            }
            names = &known.next;
        };
        if is_new {
            known.name.get_or_init(|| look_up().map(Name::from));
        }
    }
}

impl Drop for Names {
    /// One after the other: of their own accord, each would be dropped within the one before.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut known) = next {
            next = known.next.0.take();
        }
    }
}

impl Owners {
    /// Those that are to be shown.
    pub(super) fn new(settings: &Settings) -> Owners {
        let are_shown = settings.is_long() && !settings.numeric;
        let shown = [(settings.owner, Fields::USER), (settings.group, Fields::GROUP)]
            .into_iter()
            .filter(|&(is_shown, _)| is_shown && are_shown)
            .fold(Fields::NONE, |all, (_, field)| all | field);
        Owners { shown, users: Names::default(), groups: Names::default() }
    }

    /// The numbers of the owners whose names are to be shown.
    fn ids(&self, metadata: &Metadata) -> (Option<u32>, Option<u32>) {
        let shows = |field| self.shown.contains(field);
        let user = metadata.user_id().known().filter(|_| shows(Fields::USER));
        (user, metadata.group_id().known().filter(|_| shows(Fields::GROUP)))
    }

    /// The name of a user, where it has one.
    pub(super) fn user(&self, id: u32) -> Option<&Name> {
        self.users.get(id)
    }

    /// The name of a group, where it has one.
    pub(super) fn group(&self, id: u32) -> Option<&Name> {
        self.groups.get(id)
    }

    /// Learns the names of an entry's owners, if they are to be shown.
    pub(super) fn learn(&self, entry: &mut Entry<'_>) {
        let (user, group) = self.ids(entry.metadata());
        if let Some(id) = user {
            self.users.learn(id, || text(entry.fetch(Fields::USER).user()));
        }
        if let Some(id) = group {
            self.groups.learn(id, || text(entry.fetch(Fields::GROUP).group()));
        }
    }

    /// The same for an operand.
    pub(super) fn learn_operand(&self, descent: &mut Descent, path: &Path, metadata: &Metadata) {
        let (user, group) = self.ids(metadata);
        let is_known =
            user.is_none_or(|id| self.users.has(id)) && group.is_none_or(|id| self.groups.has(id));
        if is_known {
            return;
        }
        let fields = Fields::USER | Fields::USER_ID | Fields::GROUP | Fields::GROUP_ID;
        // Gone meanwhile: its numbers are shown. Another one meanwhile: its own are learned.
        let Ok(metadata) = descent.stat(&mut Stat::new(Plan::new(fields)), path) else { return };
        let (user, group) = self.ids(&metadata);
        if let Some(id) = user {
            self.users.learn(id, || text(metadata.user()));
        }
        if let Some(id) = group {
            self.groups.learn(id, || text(metadata.group()));
        }
    }
}

fn text(name: Value<'_, &OsStr>) -> Option<OsString> {
    name.known().map(OsStr::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Names;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_number_is_looked_up_once_by_all_threads_together() {
        const NUMBERS: u32 = 5_000;
        let (names, looked_up) = (Names::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (names, looked_up) = (&names, &looked_up);
                scope.spawn(move || {
                    for step in 0..NUMBERS {
                        let step = if thread % 2 == 0 { step } else { NUMBERS - 1 - step };
                        let id = step / 10;
                        names.learn(id, || {
                            looked_up.fetch_add(1, Ordering::Relaxed);
                            (id % 2 == 0).then(|| id.to_string().into())
                        });
                        assert!(names.has(id));
                    }
                });
            }
        });
        for id in 0..NUMBERS / 10 {
            let expected = (id % 2 == 0).then(|| id.to_string());
            let name = names.get(id).and_then(|name| name.text.to_str());
            assert_eq!(name, expected.as_deref());
        }
        assert_eq!(looked_up.into_inner(), NUMBERS as usize / 10);
        assert_eq!(names.get(NUMBERS), None);
    }

    #[test]
    fn a_long_row_of_names_is_dropped_without_much_stack() {
        let mut names = Names::default();
        for id in 0..200_000 {
            let mut first = Names::default();
            std::mem::swap(&mut first, &mut names);
            let known = super::Known { id, name: OnceLock::new(), next: first };
            assert!(names.0.set(Box::new(known)).is_ok());
        }
        drop(names);
    }
}
