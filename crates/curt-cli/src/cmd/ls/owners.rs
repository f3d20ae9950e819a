//! The names of owners. The library looks each up once for a directory; a listing of many directories
//! would ask again in every one.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::{Descent, Entry, Fields, Metadata, Plan, Stat};

use super::settings::Settings;

/// What was looked up so far.
#[derive(Default)]
pub(super) struct Owners {
    users: Names,
    groups: Names,
}

/// Names by their numbers. There are few, and most entries have the same as the one before.
#[derive(Default)]
struct Names(Vec<(u32, Option<OsString>)>);

impl Names {
    fn get(&self, id: u32) -> Option<&OsStr> {
        self.0.iter().find(|known| known.0 == id)?.1.as_deref()
    }

    fn has(&self, id: u32) -> bool {
        self.0.iter().any(|known| known.0 == id)
    }

    fn add(&mut self, id: u32, name: Option<OsString>) {
        if !self.has(id) {
            self.0.push((id, name));
        }
    }
}

impl Owners {
    /// The name of a user, where it has one.
    pub(super) fn user(&self, id: u32) -> Option<&OsStr> {
        self.users.get(id)
    }

    /// The name of a group, where it has one.
    pub(super) fn group(&self, id: u32) -> Option<&OsStr> {
        self.groups.get(id)
    }

    /// Learns the names of an entry's owners, if they are to be shown.
    pub(super) fn learn(&mut self, entry: &mut Entry<'_>, settings: &Settings) {
        let missing = self.missing(entry.metadata(), settings);
        if !missing.is_empty() {
            self.remember(entry.fetch(missing), missing);
        }
    }

    /// The same for an operand.
    pub(super) fn learn_operand(
        &mut self,
        descent: &mut Descent,
        path: &Path,
        metadata: &Metadata,
        settings: &Settings,
    ) {
        let missing = self.missing(metadata, settings);
        if missing.is_empty() {
            return;
        }
        let ids = Fields::USER_ID | Fields::GROUP_ID;
        // Gone meanwhile: its numbers are shown.
        if let Ok(metadata) = descent.stat(&mut Stat::new(Plan::new(missing | ids)), path) {
            self.remember(&metadata, missing);
        }
    }

    fn missing(&self, metadata: &Metadata, settings: &Settings) -> Fields {
        let mut missing = Fields::NONE;
        if settings.numeric || !settings.is_long() {
            return missing;
        }
        let is_new = |names: &Names, id: Option<u32>| id.is_some_and(|id| !names.has(id));
        if settings.owner && is_new(&self.users, metadata.user_id().known()) {
            missing |= Fields::USER;
        }
        if settings.group && is_new(&self.groups, metadata.group_id().known()) {
            missing |= Fields::GROUP;
        }
        missing
    }

    fn remember(&mut self, metadata: &Metadata, asked: Fields) {
        if let (true, Some(id)) = (asked.contains(Fields::USER), metadata.user_id().known()) {
            self.users.add(id, metadata.user().known().map(OsStr::to_owned));
        }
        if let (true, Some(id)) = (asked.contains(Fields::GROUP), metadata.group_id().known()) {
            self.groups.add(id, metadata.group().known().map(OsStr::to_owned));
        }
    }
}
