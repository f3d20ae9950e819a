//! Walking trees.
//!
//! A walk returns the path itself first, and each directory directly before its contents. Entries
//! are sorted by the code units of their names.
//!
//!     curt_tree *walk;
//!     curt_error *error;
//!     curt_error_info info = CURT_ERROR_INFO_INIT;
//!     curt_tree_entry entry = CURT_TREE_ENTRY_INIT;
//!     int32_t result;
//!     if (curt_tree_open(curt_z("tree"), 0, &walk, NULL) == 0) {
//!         while ((result = curt_tree_next(walk, &entry, &error)) != 0) {
//!             if (result > 0) {
//!                 puts(entry.path.ptr); // a call of curt_tree_prune(walk) would skip its contents
//!                 continue;
//!             }
//!             curt_error_get(error, &info);
//!             fprintf(stderr, "%s\n", info.text); // for example, an unreadable directory
//!             curt_error_free(error);
//!             if (result == CURT_E_ARGUMENT || result == CURT_E_INTERNAL)
//!                 break;
//!         }
//!         curt_tree_close(walk);
//!     }

use std::path::Path;

use curt::fields::Follow;
use curt::walk::Walking;
use curt::{Error, Walk};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, plain};
use crate::handle;
use crate::metadata::number_of;
use crate::structs::{self, Versioned};
use crate::text::{Unit, curt_str, to_units};

/// Follows links, at the path and below it. A walk reports a link back to an ancestor as
/// `CURT_E_LOOP`. `curt_usage` skips such a link, because the ancestor is counted already, and
/// reports broken links as failures.
pub const CURT_TREE_FOLLOW: u32 = 1;
/// Does not enter filesystems other than the path's own.
pub const CURT_TREE_SAME_FILE_SYSTEM: u32 = 2;
/// Counts a file once for each of its hard links. Only for `curt_usage`.
pub const CURT_TREE_COUNT_LINKS: u32 = 4;

fn walk_of(path: &Path, flags: u32) -> Result<Walk<'static>, Failure> {
    if flags & !(CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM) != 0 {
        return Err(Failure::Argument("`flags` has an unknown bit"));
    }
    let follows = flags & CURT_TREE_FOLLOW != 0;
    Ok(Walk::new(path)
        .follow(if follows { Follow::Links } else { Follow::Never })
        .same_file_system(flags & CURT_TREE_SAME_FILE_SYSTEM != 0))
}

/// A walk.
#[derive(Debug)]
pub struct curt_tree {
    walking: Walking<'static>,
    /// The path of the current entry, with a NUL.
    path: Vec<Unit>,
}

/// The maximum number of open directories of a walk.
const MOST_OPEN: usize = 64;

/// An entry of a tree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_tree_entry {
    /// Size of this struct.
    pub size: usize,
    /// The path given to `curt_tree_open`, extended to this entry.
    pub path: curt_str,
    /// The depth; 0 for the path itself.
    pub depth: u32,
    /// `CURT_KIND_…`.
    pub kind: u32,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_tree_entry {}

/// Prepares a walk, without opening anything. `flags` can be `CURT_TREE_FOLLOW` and
/// `CURT_TREE_SAME_FILE_SYSTEM`. Without `CURT_TREE_FOLLOW`, the only link followed is `path`
/// itself, if it ends in a separator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_open(
    path: curt_str,
    flags: u32,
    walk: *mut *mut curt_tree,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `path` is readable.
        let path = unsafe { path.path() }?;
        let walk = walk_of(&path, flags)?.sort_by_name(true).descriptors(MOST_OPEN);
        Ok(curt_tree { walking: walk.start(), path: Vec::new() })
    };
    // SAFETY: `walk` and `error` are NULL or writable.
    unsafe { error::open("curt_tree_open", walk, error, body) }
}

/// Moves to the next entry, whose path lives until the next call with this `walk`. If the current
/// entry is a directory that was not pruned, this call opens and reads it. The entries of all
/// ancestors are held in memory, and at most 64 directories are open at a time.
///
/// Each directory is opened relative to its parent, so a tree can be deeper than the longest valid
/// path, and a directory replaced by a link cannot lead the walk out of the tree.
///
/// Cost: 1 call for the path; 4 for a directory of up to about 2,000 entries, and 1 more with a
/// flag. Other entries cost no call if the filesystem's listings include kinds.
///
/// Returns 1, or 0 at the end. After a failure, such as `CURT_E_OS` or `CURT_E_LOOP` (a directory
/// is its own ancestor), call again for the remaining entries. But stop at `CURT_E_INTERNAL`, and
/// at `CURT_E_ARGUMENT`, which would recur.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_next(
    walk: *mut curt_tree,
    entry: *mut curt_tree_entry,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `walk` is NULL or an unshared object.
        let walk = unsafe { handle::exclusive(walk) }?;
        // SAFETY: `entry` is NULL or readable.
        let asked = unsafe { structs::read(entry) }?;
        let asked = asked.ok_or(Failure::Argument("`entry` is NULL"))?;
        let Some((depth, kind)) = walk.next()? else { return Ok(0) };
        let path = curt_str::of(&walk.path[..walk.path.len() - 1]);
        // SAFETY: `entry` is NULL or writable.
        unsafe { structs::write(entry, curt_tree_entry { path, depth, kind, ..asked }) }?;
        Ok(1)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_tree_next", error, body) })
}

impl curt_tree {
    /// Moves to the next entry and stores its path. Returns depth and kind.
    fn next(&mut self) -> Result<Option<(u32, u32)>, Error> {
        let Some(entry) = self.walking.next().transpose()? else { return Ok(None) };
        self.path.clear();
        self.path.extend_from_slice(&to_units(entry.path().as_os_str()));
        self.path.push(0);
        let depth = u32::try_from(entry.depth()).unwrap_or(u32::MAX);
        Ok(Some((depth, number_of(entry.kind()))))
    }
}

/// Skips the contents of the current entry, which need not be a directory. Makes no system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_prune(walk: *mut curt_tree) -> i32 {
    let body = || {
        // SAFETY: `walk` is NULL or an unshared object.
        unsafe { handle::exclusive(walk) }?.walking.skip();
        Ok(0)
    };
    int(plain(body))
}

/// Closes a walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_tree_close(walk: *mut curt_tree) {
    // SAFETY: `walk` is NULL or an object, unused afterwards.
    unsafe { handle::close(walk) };
}
