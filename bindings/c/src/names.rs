//! The names of all entries of a tree.

use curt::list::NameBlock;
use curt::walk::Visited;
use curt::{Error, Next, Walk};

use crate::control::{Control, curt_control, outcome};
use crate::error::{curt_error, guard};
use crate::failures::Failures;
use crate::guard::{Failure, int, plain};
use crate::handle;
use crate::metadata::number_of;
use crate::structs::{self, Versioned};
use crate::text::{curt_char, curt_str, to_units};
use crate::tree;

/// The paths of all entries of a tree. Nothing changes it, so threads may share it.
#[derive(Debug, Default)]
pub struct curt_names {
    found: Found,
    errors: u64,
}

/// Paths, and the kind of each.
#[derive(Debug, Default)]
struct Found {
    paths: NameBlock<curt_char>,
    kinds: Vec<u8>,
}

/// What was found. The arrays live until `curt_names_free`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_names_info {
    /// `sizeof(curt_names_info)`, set by the caller.
    pub size: usize,
    /// How many entries there are.
    pub count: usize,
    /// The path of each entry from the directory on, without a separator in front, with a NUL
    /// behind it.
    pub block: *const curt_char,
    /// The length of `block`, with the NULs.
    pub units: usize,
    /// The kind of each entry: `CURT_KIND_…`.
    pub kinds: *const u8,
    /// How many failures there were: names may be missing then.
    pub errors: u64,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_names_info {}

/// Finds all entries below a directory, and hands over an object with their paths, to be freed by
/// `curt_names_free`. A directory comes before what it contains; the order is otherwise that of
/// the system, and with several threads any. Below a path that is no directory there is nothing;
/// a link that `path` names is followed if a separator ends it. `flags`: `CURT_TREE_FOLLOW` and
/// `CURT_TREE_SAME_FILE_SYSTEM`. `control` may be NULL.
///
/// Goes on after a failure. Returns 0, or the result of the first failure, which `error` is, or
/// `CURT_E_STOPPED`; `names` then has what was found. It becomes NULL only after
/// `CURT_E_ARGUMENT` for a wrong argument and `CURT_E_INTERNAL`.
///
/// Costs 4 calls on Linux and Windows for each directory, and none for an entry where listings
/// have kinds; following links, 1 for each link and 1 more for each directory. Works on the
/// caller's thread, and on others if `control` allows them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_names_below(
    path: curt_str,
    flags: u32,
    control: *const curt_control,
    names: *mut *mut curt_names,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        unsafe { handle::put(names, std::ptr::null_mut()) }?;
        // SAFETY: as above.
        let path = unsafe { path.path() }?;
        let walk = tree::walk_of(&path, flags)?;
        // SAFETY: as above.
        let control = unsafe { Control::new(control) }?;
        let walk = walk.threads(control.threads());
        let (made, first, stopped) = find(walk, &control);
        let made = Box::into_raw(Box::new(made));
        // SAFETY: as above.
        unsafe { handle::put(names, made) }?;
        outcome(first, stopped)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_names_below", error, body) })
}

/// Walks. Returns what was found, the first failure, and whether the caller has stopped it.
fn find(walk: Walk<'_>, control: &Control) -> (curt_names, Option<Error>, bool) {
    let failures = Failures::new(control);
    let mut walk = walk;
    if failures.need_poll() {
        walk = walk.poll(|| failures.poll());
    }
    let (summary, parts) = walk.visit_with(Found::default, |found, entry| match entry {
        Ok(entry) => found.add(&entry, &failures),
        Err(error) => failures.take(&error),
    });
    drop(walk);
    let (first, errors) = failures.end(summary.stopped);
    (curt_names { found: Found::joined(parts), errors }, first, summary.stopped)
}

impl Found {
    fn add(&mut self, entry: &Visited<'_>, failures: &Failures<'_>) -> Next {
        // The kind, where a listing has none.
        let mut failed = entry.metadata().failures().map(|(_, error)| failures.take(error));
        if failed.any(|next| next == Next::Stop) {
            return Next::Stop;
        }
        if entry.depth() > 0 {
            self.paths.push(&to_units(entry.relative_path().as_os_str()));
            self.kinds.push(number_of(entry.kind()) as u8);
        }
        Next::Continue
    }

    /// Joins what several threads have found.
    fn joined(mut parts: Vec<Found>) -> Found {
        let mut all = parts.pop().unwrap_or_default();
        all.paths.reserve(parts.iter().map(|part| part.paths.units().len()).sum());
        all.kinds.reserve_exact(parts.iter().map(|part| part.kinds.len()).sum());
        for part in parts {
            all.paths.append(&part.paths);
            all.kinds.extend_from_slice(&part.kinds);
        }
        all
    }
}

/// Fills in `info`, whose `size` is set. Costs no call.
///
/// Returns 0, or `CURT_E_ARGUMENT` if a pointer is NULL or the size is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_names_get(
    names: *const curt_names,
    info: *mut curt_names_info,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let names = unsafe { handle::shared(names) }?;
        if info.is_null() {
            return Err(Failure::Argument("`info` is NULL"));
        }
        let Found { paths, kinds } = &names.found;
        let filled = curt_names_info {
            size: 0,
            count: kinds.len(),
            block: paths.units().as_ptr(),
            units: paths.units().len(),
            kinds: kinds.as_ptr(),
            errors: names.errors,
        };
        // SAFETY: as above.
        unsafe { structs::write(info, filled) }.map(|()| 0)
    };
    int(plain(body))
}

/// Frees the names. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_names_free(names: *mut curt_names) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(names) };
}
