//! Reads all entries of a directory before yielding the first.
//!
//! A sorted walk enters each subdirectory right after yielding it. Other walks yield all entries
//! first.

use super::control::Control;
use super::cursor::{Cursor, Step};
use super::entries::StoredEntry;
use super::frame::Frame;
use super::position::Position;
use super::rule_stack;
use super::rules::{self, ListedDirectory};
use crate::error::{Error, Operation};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::sys::Sys;
use crate::tree::Branch;

pub(super) fn step<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    let enters_at_once = cursor.at.settings.is_sorted;
    let level = cursor.at.branch.stack.top_mut();
    let left = level.entries.left();
    if !level.is_listed {
        store(cursor, control)
    } else if level.has_waiting() && (enters_at_once || left == 0) {
        cursor.enter_next()
    } else if left > 0 {
        yield_stored(cursor)
    } else if let Some(task) = level.entries.next_handed_off() {
        Some(Step::ResultsOf(task))
    } else {
        cursor.enter_next()
    }
}

#[inline(never)]
fn store<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    cursor.at.branch.stack.top_mut().entries = cursor.at.spare.take();
    let mut failed = read_all(cursor, control);
    let level = cursor.at.branch.stack.top_mut();
    level.remaining = level.entries.left() + usize::from(failed.is_some());
    if control.must_stop(cursor.sys()) {
        return failed;
    }
    if cursor.at.settings.reads_rules() {
        if failed.is_none() {
            failed = read_rules(&mut cursor.at).err().map(Step::Error);
        }
        // Yield no entry, because it is unknown which ones to skip.
        if failed.is_some() {
            cursor.at.branch.stack.top_mut().entries.clear();
        }
    }
    choose(&mut cursor.at, control);
    let Position { branch, settings, spare, .. } = &mut cursor.at;
    let (level, names) = branch.stack.level_with_names(branch.stack.len() - 1);
    if settings.is_sorted {
        level.entries.sort(names);
    }
    level.entries.spare_if_none_is_left(spare);
    level.is_listed = true;
    failed
}

fn read_all<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    let lists_more = !(Fields::KIND | Fields::ID).contains(S::SOURCES.listing);
    loop {
        while let Some((entry, at)) = cursor.reader.next() {
            let Position { querier, branch, removal, .. } = &cursor.at;
            let is_gone = |dir| removal.gone.has(dir, entry.name, &querier.sys);
            if branch.stack.top().dir().is_some_and(is_gone) {
                continue;
            }
            let listed = lists_more.then(|| {
                let mut facts = Facts::default();
                cursor.reader.facts(at, &entry, &mut facts);
                facts
            });
            let stack = &mut cursor.at.branch.stack;
            let name = stack.store_name(entry.name);
            stack.top_mut().entries.push(name, &entry, listed);
        }
        if cursor.reader.is_at_end() || control.must_stop(cursor.sys()) {
            return None;
        }
        let failed = cursor.read();
        if failed.is_some() {
            return failed;
        }
    }
}

fn read_rules<S: Sys>(at: &mut Position<S>) -> Result<(), Error> {
    let (path, level) = (at.branch.to_path(), at.branch.stack.top());
    let dir = at.listed_dir().map_err(|cause| at.error(Operation::ReadDirectory, cause))?;
    let (entries, names) = (level.entries.all(), at.branch.stack.names());
    let listed = ListedDirectory { dir, entries, names, path: &path, path_len: level.path_len() };
    let rules = rules::of_directory(&listed, level.rules.clone(), &at.settings, &at.querier.sys)?;
    at.branch.stack.top_mut().rules = rules;
    Ok(())
}

/// Drops the entries to skip. Queries entries of unknown kind if ignore rules may name them.
fn choose<S: Sys>(at: &mut Position<S>, control: &Control<'_>) {
    let mut entries = std::mem::take(&mut at.branch.stack.top_mut().entries);
    entries.retain(|entry| !control.must_stop(&at.querier.sys) && chooses(at, entry, control));
    at.branch.stack.top_mut().entries = entries;
}

fn chooses<S: Sys>(at: &mut Position<S>, entry: &mut StoredEntry, control: &Control<'_>) -> bool {
    let Position { querier, branch, settings, .. } = at;
    branch.path.truncate(branch.stack.top().path_len());
    let Some(name) = branch.stack.names().get(entry.name) else {
        debug_assert!(false, "the names of stored entries are kept");
        return false;
    };
    branch.path.push(name);
    let is_ignored = |branch: &Branch<S, Frame>, kind: Kind| {
        let rules = branch.stack.top().rules.as_deref();
        rule_stack::leave_out::<S>(&branch.path, branch.name(), kind, rules, settings)
    };
    let is_known = entry.kind != Kind::Unknown;
    if control.excludes(&branch.path, entry.kind) || is_known && is_ignored(branch, entry.kind) {
        return false;
    }
    if is_known || settings.ignore.is_none() {
        return true;
    }
    let mut metadata = Metadata::default();
    entry.query(querier, branch, settings.follows_all(), &mut metadata);
    let kind = metadata.facts.kind;
    entry.keep(metadata);
    !is_ignored(branch, kind)
}

#[inline(never)]
fn yield_stored<S: Sys>(cursor: &mut Cursor<S>) -> Option<Step> {
    let Cursor { at: Position { querier, branch, settings, spare, .. }, metadata, .. } = cursor;
    let (level, names) = branch.stack.level_with_names(branch.stack.len() - 1);
    let mut entry = level.entries.next(spare)?;
    branch.path.push(names.get(entry.name)?);
    if let Some(queried) = entry.take_queried() {
        *metadata = queried;
    } else {
        if let Err(lost) = branch.reopen(&querier.sys) {
            return Some(Step::Error(branch.give_up(lost)));
        }
        entry.query(querier, branch, settings.follows_all(), metadata);
    }
    cursor.yield_entry()
}
