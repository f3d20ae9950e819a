//! Yields entries as they are listed.
//!
//! Lists a directory to its end through the worker's only buffer. Meanwhile yields its entries, and
//! stores the names of its subdirectories on the stack. Then enters the subdirectories one by one.

use super::control::Control;
use super::cursor::{Cursor, Step};
use crate::querier::Subject;
use crate::sys::Sys;

pub(super) fn step<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    if cursor.at.branch.stack.top().is_listed { cursor.enter_next() } else { list(cursor, control) }
}

#[inline(never)]
fn list<S: Sys>(cursor: &mut Cursor<S>, control: &Control<'_>) -> Option<Step> {
    let Cursor { at, reader, metadata, .. } = cursor;
    let Some((entry, place)) = reader.next() else {
        if reader.is_at_end() {
            at.branch.stack.top_mut().is_listed = true;
            return None;
        }
        return cursor.read();
    };
    at.branch.path.push(entry.name);
    if control.excludes(&at.branch.path, entry.kind) || at.settings.hides(entry.name.units()) {
        return None;
    }
    let dir = match at.listed_dir() {
        Ok(dir) => dir,
        Err(cause) => return Some(cursor.not_listed(cause)),
    };
    let (path, follow) = (|| at.branch.to_path(), at.settings.follows_all());
    at.querier.reset(metadata);
    reader.facts(place, &entry, &mut metadata.facts);
    at.querier.complete(&Subject { dir, name: entry.name, path: &path, follow }, metadata);
    cursor.yield_entry()
}
