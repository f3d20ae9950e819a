//! The cursor of a walk whose entries come as they are listed.
//!
//! A directory is listed to its end through the one buffer of the worker, and its entries are
//! yielded as they are read; the names of its subdirectories wait on the stack. Then these are
//! entered one after the other.

use super::control::Control;
use super::cursor::{Cursor, Step};
use super::position::Position;
use crate::ask::Subject;
use crate::error::{Operation, bug};
use crate::sys::Sys;

/// Yields the next entry of the topmost directory, or enters a subdirectory, or leaves.
pub(super) fn step<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    if cursor.at.branch.stack.top().is_listed { cursor.enter_next() } else { list(cursor, control) }
}

#[inline(never)]
fn list<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    let Cursor { at: Position { asker, branch, settings, .. }, reader, metadata, .. } = cursor;
    let Some((entry, at)) = reader.next() else {
        if reader.is_at_end() {
            branch.stack.top_mut().is_listed = true;
            return None;
        }
        return cursor.read();
    };
    branch.path.push(entry.name);
    if control.excludes(&branch.path, entry.kind) || settings.hides(entry.name.units()) {
        return None;
    }
    let Some(dir) = branch.stack.top().dir() else {
        branch.stack.top_mut().is_listed = true;
        return Some(cursor.failed(Operation::ReadDirectory, bug("a listed directory was closed")));
    };
    let (path, follow) = (|| branch.to_path(), settings.follows_all());
    asker.reset(metadata);
    reader.facts(at, &entry, &mut metadata.facts);
    asker.complete(&Subject { dir, name: entry.name, path: &path, follow }, metadata);
    cursor.yield_entry()
}
