//! The names of owners. The library looks each up once for a directory; a listing of many directories
//! would ask again in every one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::{Entry, Fields, Metadata, Plan, Stat};

use super::settings::Settings;

/// What was looked up so far.
#[derive(Default)]
pub(super) struct Owners {
    users: HashMap<u32, Option<OsString>>,
    groups: HashMap<u32, Option<OsString>>,
}

impl Owners {
    /// The name of a user, where it has one.
    pub(super) fn user(&self, id: u32) -> Option<&OsStr> {
        self.users.get(&id)?.as_deref()
    }

    /// The name of a group, where it has one.
    pub(super) fn group(&self, id: u32) -> Option<&OsStr> {
        self.groups.get(&id)?.as_deref()
    }

    /// Learns the names of an entry's owners, if they are to be shown.
    pub(super) fn learn(&mut self, entry: &mut Entry<'_>, settings: &Settings) {
        let missing = self.missing(entry.metadata(), settings);
        if !missing.is_empty() {
            self.remember(entry.fetch(missing), missing);
        }
    }

    /// The same for an operand.
    pub(super) fn learn_operand(&mut self, path: &Path, metadata: &Metadata, settings: &Settings) {
        let missing = self.missing(metadata, settings);
        if missing.is_empty() {
            return;
        }
        let ids = Fields::USER_ID | Fields::GROUP_ID;
        // Gone meanwhile: its numbers are shown.
        if let Ok(metadata) = Stat::new(Plan::new(missing | ids)).path(path) {
            self.remember(&metadata, missing);
        }
    }

    fn missing(&self, metadata: &Metadata, settings: &Settings) -> Fields {
        let mut missing = Fields::NONE;
        if settings.numeric || !settings.is_long() {
            return missing;
        }
        let is_new = |names: &HashMap<u32, _>, id: Option<u32>| {
            id.is_some_and(|id| !names.contains_key(&id))
        };
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
            self.users.insert(id, metadata.user().known().map(OsStr::to_owned));
        }
        if let (true, Some(id)) = (asked.contains(Fields::GROUP), metadata.group_id().known()) {
            self.groups.insert(id, metadata.group().known().map(OsStr::to_owned));
        }
    }
}
