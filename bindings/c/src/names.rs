//! The names of all entries of a tree.

use std::sync::{Mutex, PoisonError};

use curt::fields::Follow;
use curt::walk::Visited;
use curt::{Crossing, Error, Next, Walk};

use crate::control::{Control, curt_control, outcome};
use crate::error::curt_error;
use crate::failures::Failures;
use crate::guard::{Failure, caught, guard, int};
use crate::handle;
use crate::metadata::number_of;
use crate::structs::{self, Versioned};
use crate::text::{curt_char, curt_str, to_units};
use crate::tree::{CURT_TREE_FOLLOW, CURT_TREE_SAME_FILE_SYSTEM};

/// The paths of all entries of a tree. Nothing changes it, so threads may share it.
#[derive(Debug, Default)]
pub struct curt_names {
    found: Found,
    errors: u64,
}

/// Paths, each with a NUL behind it, and the kind of each.
#[derive(Debug, Default)]
struct Found {
    units: Vec<curt_char>,
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
        if names.is_null() || !names.is_aligned() {
            return Err(Failure::Argument("the place for the names is NULL or not aligned"));
        }
        // SAFETY: as required of the caller.
        unsafe { names.write(std::ptr::null_mut()) };
        // SAFETY: as above.
        let path = unsafe { path.path() }?;
        if flags & !(CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM) != 0 {
            return Err(Failure::Argument("`flags` has an unknown bit"));
        }
        // SAFETY: as above.
        let control = unsafe { Control::new(control) }?;
        let (follows, stays) =
            (flags & CURT_TREE_FOLLOW != 0, flags & CURT_TREE_SAME_FILE_SYSTEM != 0);
        let walk = Walk::new(path)
            .follow(if follows { Follow::Links } else { Follow::Never })
            .crossing(if stays { Crossing::Nothing } else { Crossing::Mounts })
            .threads(control.threads());
        let (made, first, stopped) = find(walk, &control);
        let made = Box::into_raw(Box::new(made));
        // SAFETY: as above.
        unsafe { names.write(made) };
        outcome(first, stopped)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_names_below", error, body) })
}

/// Walks. Returns what was found, the first failure, and whether the caller has stopped it.
fn find(walk: Walk<'_>, control: &Control) -> (curt_names, Option<Error>, bool) {
    let failures = Failures::new(control);
    let parts = Mutex::default();
    let mut walk = walk;
    if failures.need_poll() {
        walk = walk.poll(|| failures.poll());
    }
    let summary = walk.visit_with(|| {
        let mut part = Part { found: Found::default(), parts: &parts };
        let failures = &failures;
        move |entry: Result<Visited<'_>, Error>| match entry {
            Ok(entry) => part.found.add(&entry, failures),
            Err(error) => failures.take(&error),
        }
    });
    drop(walk);
    let (first, errors) = failures.end(summary.stopped);
    let parts: Vec<Found> = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    (curt_names { found: Found::joined(parts), errors }, first, summary.stopped)
}

/// What one thread has found; when that has no more work, one of the parts.
struct Part<'p> {
    found: Found,
    parts: &'p Mutex<Vec<Found>>,
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push(std::mem::take(&mut self.found));
    }
}

impl Found {
    fn add(&mut self, entry: &Visited<'_>, failures: &Failures<'_>) -> Next {
        // The kind, where a listing has none.
        let mut failed = entry.metadata().failures().map(|(_, error)| failures.take(error));
        if failed.any(|next| next == Next::Stop) {
            return Next::Stop;
        }
        if entry.depth() > 0 {
            self.units.extend_from_slice(&to_units(entry.relative_path().as_os_str()));
            self.units.push(0);
            self.kinds.push(number_of(entry.kind()) as u8);
        }
        Next::Continue
    }

    /// Joins what several threads have found.
    fn joined(mut parts: Vec<Found>) -> Found {
        let mut all = parts.pop().unwrap_or_default();
        all.units.reserve_exact(parts.iter().map(|part| part.units.len()).sum());
        all.kinds.reserve_exact(parts.iter().map(|part| part.kinds.len()).sum());
        for part in parts {
            all.units.extend_from_slice(&part.units);
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
        let Found { units, kinds } = &names.found;
        let filled = curt_names_info {
            size: 0,
            count: kinds.len(),
            block: units.as_ptr(),
            units: units.len(),
            kinds: kinds.as_ptr(),
            errors: names.errors,
        };
        // SAFETY: as above.
        unsafe { structs::write(info, filled) }.map(|()| 0)
    };
    int(caught(body).map_err(|failure| failure.result()))
}

/// Frees the names. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_names_free(names: *mut curt_names) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(names) };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;
    use std::{ptr, slice};

    use super::{curt_names_below, curt_names_free, curt_names_get, curt_names_info};
    use crate::control::curt_control;
    use crate::metadata::{CURT_KIND_DIRECTORY, CURT_KIND_FILE};
    use crate::results::{CURT_E_ARGUMENT, CURT_E_OS, CURT_E_STOPPED};
    use crate::testing::{CONTROL, Calls, poll};
    use crate::text::{curt_char, curt_str, to_units};

    /// Returns the result, the names with their kinds, and the number of failures.
    fn names(
        path: &Path,
        flags: u32,
        control: &curt_control,
    ) -> (i32, BTreeMap<Vec<curt_char>, u32>, u64) {
        let (units, mut names) = (to_units(path.as_os_str()), ptr::null_mut());
        let path = curt_str::of(&units);
        let (to, error) = (&raw mut names, ptr::null_mut());
        // SAFETY: all pointers lead to what lives here, but for the error, which is not wanted.
        let result = unsafe { curt_names_below(path, flags, control, to, error) };
        assert_eq!(names.is_null(), result == CURT_E_ARGUMENT);
        let (size, errors) = (size_of::<curt_names_info>(), 0);
        let (block, kinds) = (ptr::null(), ptr::null());
        let mut info = curt_names_info { size, count: 0, block, units: 0, kinds, errors };
        // SAFETY: the names are NULL or were made for the caller.
        let known = unsafe { curt_names_get(names, &raw mut info) };
        if names.is_null() {
            assert_eq!(known, CURT_E_ARGUMENT);
            return (result, BTreeMap::new(), 0);
        }
        // SAFETY: as the information says.
        let block = unsafe { slice::from_raw_parts(info.block, info.units) };
        // SAFETY: as above.
        let kinds = unsafe { slice::from_raw_parts(info.kinds, info.count) };
        let texts: Vec<_> = block.split_inclusive(|&unit| unit == 0).collect();
        assert_eq!(texts.len(), info.count);
        let kinds = kinds.iter().map(|&kind| u32::from(kind));
        let found = texts.iter().map(|text| text[..text.len() - 1].to_vec()).zip(kinds).collect();
        // SAFETY: nobody has it from now on.
        unsafe { curt_names_free(names) };
        (result, found, info.errors)
    }

    #[test]
    fn every_entry_below_a_directory_has_its_path_and_kind() {
        let scratch = tempfile::tempdir().unwrap();
        let mut expected = BTreeMap::new();
        for directory in 0..20 {
            let below = Path::new("a").join(directory.to_string());
            fs::create_dir_all(scratch.path().join(&below)).unwrap();
            for file in 0..100 {
                let below = below.join(file.to_string());
                fs::write(scratch.path().join(&below), "").unwrap();
                expected.insert(to_units(below.as_os_str()).into_owned(), CURT_KIND_FILE);
            }
            expected.insert(to_units(below.as_os_str()).into_owned(), CURT_KIND_DIRECTORY);
        }
        expected.insert(to_units("a".as_ref()).into_owned(), CURT_KIND_DIRECTORY);
        for threads in [1, 4] {
            let control = curt_control { threads, ..CONTROL };
            assert_eq!(names(scratch.path(), 0, &control), (0, expected.clone(), 0));
        }
        let file = scratch.path().join("a/0/0");
        assert_eq!(names(&file, 0, &CONTROL), (0, BTreeMap::new(), 0));
        let polls = Calls::new(0);
        let control = curt_control { poll: Some(poll), context: polls.context(), ..CONTROL };
        let stopped = (CURT_E_STOPPED, BTreeMap::new(), 0);
        assert_eq!(names(scratch.path(), 0, &control), stopped);
        assert_eq!(names(scratch.path(), 4, &CONTROL).0, CURT_E_ARGUMENT);
        let missing = scratch.path().join("missing");
        assert_eq!(names(&missing, 0, &CONTROL), (CURT_E_OS, BTreeMap::new(), 1));
    }

    #[cfg(unix)]
    #[test]
    fn the_caller_hears_of_each_loop_on_its_own_thread() {
        use crate::results::CURT_E_LOOP;
        use crate::testing::on_error;
        use crate::tree::CURT_TREE_FOLLOW;

        let scratch = tempfile::tempdir().unwrap();
        for directory in 0..16 {
            let directory = scratch.path().join(directory.to_string());
            fs::create_dir(&directory).unwrap();
            for link in 0..20 {
                std::os::unix::fs::symlink("..", directory.join(link.to_string())).unwrap();
            }
        }
        for (threads, stop_after) in [(1, usize::MAX), (4, usize::MAX), (1, 0)] {
            let told = Calls::new(stop_after);
            let (on_error, context) = (Some(on_error as _), told.context());
            let control = curt_control { threads, on_error, context, ..CONTROL };
            let (result, _, errors) = names(scratch.path(), CURT_TREE_FOLLOW, &control);
            let expected = if stop_after == 0 { 1 } else { 320 };
            assert_eq!((result, told.count_here()), (CURT_E_LOOP, expected));
            assert_eq!(errors, expected as u64);
        }
    }
}
