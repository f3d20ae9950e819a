//! What the functions for trees have in common, and trees in the order of their names.

use std::path::Path;

use curt::fields::Follow;
use curt::walk::Walking;
use curt::{Error, Walk};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, plain};
use crate::handle;
use crate::metadata::number_of;
use crate::structs::{self, Versioned};
use crate::text::{curt_char, curt_str, to_units};

/// Links are followed, also below a path. A link that leads back to a directory above it is a
/// failure, `CURT_E_LOOP`; `curt_usage`, which has counted that directory, leaves it out, and a
/// link that leads nowhere is a failure there.
pub const CURT_TREE_FOLLOW: u32 = 1;
/// Directories on another file system than that of the path are not entered.
pub const CURT_TREE_SAME_FILE_SYSTEM: u32 = 2;
/// A file with several names counts for each of them. For `curt_usage` only.
pub const CURT_TREE_COUNT_LINKS: u32 = 4;

/// Returns a walk of the tree with these flags.
fn walk_of(path: &Path, flags: u32) -> Result<Walk<'static>, Failure> {
    if flags & !(CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM) != 0 {
        return Err(Failure::Argument("`flags` has an unknown bit"));
    }
    let follows = flags & CURT_TREE_FOLLOW != 0;
    Ok(Walk::new(path)
        .follow(if follows { Follow::Links } else { Follow::Never })
        .same_file_system(flags & CURT_TREE_SAME_FILE_SYSTEM != 0))
}

/// A walk of a tree in the order of its names, an entry at a time. It may move between threads; one
/// uses it at a time.
#[derive(Debug)]
pub struct curt_tree {
    walking: Walking<'static>,
    /// The path of the entry that was handed over last, with a NUL behind it.
    path: Vec<curt_char>,
}

/// How many directories are open at a time.
const MOST_OPEN: usize = 64;

/// One entry of a tree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_tree_entry {
    /// `sizeof(curt_tree_entry)`, set by the caller.
    pub size: usize,
    /// The path as it was given, and the names below it. A NUL follows it.
    pub path: curt_str,
    /// How deep it lies below that path: 0 for the path itself.
    pub depth: u32,
    /// `CURT_KIND_…`.
    pub kind: u32,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_tree_entry {}

/// Prepares to walk through a tree: first the path itself, and each directory directly before what
/// it contains; the entries of a directory are sorted by their names, unit by unit. `flags`:
/// `CURT_TREE_FOLLOW`, `CURT_TREE_SAME_FILE_SYSTEM`. Without the former a link is not followed,
/// except one that `path` names with a separator behind it.
///
/// Nothing is opened yet. The caller closes `*walk` by `curt_tree_close`.
///
/// Returns 0, or `CURT_E_ARGUMENT`; then `*walk` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_open(
    path: curt_str,
    flags: u32,
    walk: *mut *mut curt_tree,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: the caller's text can be read.
        let path = unsafe { path.path() }?;
        let walk = walk_of(&path, flags)?.sort_by_name(true).descriptors(MOST_OPEN);
        Ok(curt_tree { walking: walk.start(), path: Vec::new() })
    };
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_tree_open", walk, error, body) }
}

/// Goes to the next entry, and fills in `entry`, whose `size` is set. Its path lives until the next
/// call of this function with this handle. A directory is opened and read by the call after the one
/// that handed it over, unless `curt_tree_prune` was called meanwhile; other calls mostly take what
/// was read before. All entries of the directories above are kept in memory; at most 64 are open.
///
/// Each directory is opened below its parent, so the tree may be deeper than a path may be long,
/// and nothing that is swapped meanwhile leads out of it.
///
/// Cost: 1 call for the path; 4 for a directory of up to about 2,000 entries, and 1 more with a
/// flag of `curt_tree_open`; none for an entry where listings have kinds.
///
/// Returns 1, or 0 at the end. After a failure the walk goes on with the next call: `CURT_E_OS`,
/// `CURT_E_LOOP` if the directory is one of those above it, `CURT_E_REPLACED`, `CURT_E_OTHER`. A
/// loop ends at `CURT_E_ARGUMENT`, which changes nothing, and at `CURT_E_INTERNAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_next(
    walk: *mut curt_tree,
    entry: *mut curt_tree_entry,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let walk = unsafe { handle::exclusive(walk) }?;
        // SAFETY: the caller's struct can be read.
        let asked = unsafe { structs::read(entry) }?;
        let asked = asked.ok_or(Failure::Argument("`entry` is NULL"))?;
        let Some((depth, kind)) = walk.next()? else { return Ok(0) };
        let path = curt_str::of(&walk.path[..walk.path.len() - 1]);
        // SAFETY: the caller's struct can be written.
        unsafe { structs::write(entry, curt_tree_entry { path, depth, kind, ..asked }) }?;
        Ok(1)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_tree_next", error, body) })
}

impl curt_tree {
    /// Returns the depth and the kind of the next entry, whose path is in its place.
    fn next(&mut self) -> Result<Option<(u32, u32)>, Error> {
        let Some(entry) = self.walking.next().transpose()? else { return Ok(None) };
        self.path.clear();
        self.path.extend_from_slice(&to_units(entry.path().as_os_str()));
        self.path.push(0);
        let depth = u32::try_from(entry.depth()).unwrap_or(u32::MAX);
        Ok(Some((depth, number_of(entry.kind()))))
    }
}

/// Leaves out everything below the entry that was handed over last. No call.
///
/// Returns 0, also if it is no directory, or `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_prune(walk: *mut curt_tree) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        unsafe { handle::exclusive(walk) }?.walking.skip();
        Ok(0)
    };
    int(plain(body))
}

/// Closes a walk, at its end or before: the path of its last entry is gone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_close(walk: *mut curt_tree) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(walk) };
}
