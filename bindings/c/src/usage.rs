//! How much space trees take.

use curt::Usage;
use curt::fields::Follow;

use crate::control::{Control, curt_control, outcome};
use crate::error::curt_error;
use crate::failures::Failures;
use crate::guard::{Failure, guard, int};
use crate::structs::{self, Versioned};
use crate::text::{self, curt_str};
use crate::tree::{CURT_TREE_COUNT_LINKS, CURT_TREE_FOLLOW, CURT_TREE_SAME_FILE_SYSTEM};

/// The space that trees take.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_totals {
    /// `sizeof(curt_totals)`, set by the caller.
    pub size: usize,
    /// How many entries were counted, directories included. A file with several names is one.
    pub entries: u64,
    /// The bytes that can be read: the lengths of files and of the targets of links.
    pub apparent: u64,
    /// The bytes that the file system has allocated, directories included.
    pub allocated: u64,
    /// How many entries have no size that the system knows. They are missing in the sums.
    pub unknown: u64,
    /// How many failures there were.
    pub errors: u64,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_totals {}

/// Adds up the space that `count` trees take together, each with everything below it. A file with
/// several names, or below two of the paths, counts once. No link is followed. `flags`:
/// `CURT_TREE_FOLLOW`, `CURT_TREE_SAME_FILE_SYSTEM` (which has no call more) and
/// `CURT_TREE_COUNT_LINKS`. The sums do not depend on the number of threads.
///
/// Goes on after a failure. Returns 0, or the result of the first failure, which `error` is, or
/// `CURT_E_STOPPED`; `totals` then has what was counted. `control` may be NULL.
///
/// Costs one call for each entry and 4 more for each directory; on Windows no call for an entry
/// with `CURT_TREE_COUNT_LINKS`. Works on the caller's thread, and on others if `control` allows
/// them; `CURT_TREE_FOLLOW` without `CURT_TREE_COUNT_LINKS` always takes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_usage(
    paths: *const curt_str,
    count: usize,
    flags: u32,
    control: *const curt_control,
    totals: *mut curt_totals,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let paths = unsafe { text::paths(paths, count) }?;
        let known = CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM | CURT_TREE_COUNT_LINKS;
        if flags & !known != 0 {
            return Err(Failure::Argument("`flags` has an unknown bit"));
        }
        if totals.is_null() {
            return Err(Failure::Argument("`totals` is NULL"));
        }
        // SAFETY: as required of the caller.
        unsafe { structs::check(totals) }?;
        // SAFETY: as above.
        let control = unsafe { Control::new(control) }?;
        let failures = Failures::new(&control);
        let follows = flags & CURT_TREE_FOLLOW != 0;
        let mut usage = Usage::new()
            .max_depth(0)
            .follow(if follows { Follow::Links } else { Follow::Never })
            .one_file_system(flags & CURT_TREE_SAME_FILE_SYSTEM != 0)
            .count_links(flags & CURT_TREE_COUNT_LINKS != 0)
            .threads(control.threads())
            .on_error(|error| failures.take(error));
        if failures.need_poll() {
            usage = usage.on_progress(|_| failures.poll());
        }
        let report = usage.measure(&paths);
        drop(usage);
        let (first, _) = failures.end(report.stopped);
        let sizes = report.total();
        let filled = curt_totals {
            size: 0,
            entries: sizes.entries,
            apparent: sizes.apparent,
            allocated: sizes.allocated,
            unknown: report.unknown,
            errors: report.error_count,
        };
        // SAFETY: as above.
        unsafe { structs::write(totals, filled) }?;
        outcome(first, report.stopped)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_usage", error, body) })
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::c_int;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::ptr;

    use super::{curt_totals, curt_usage};
    use crate::control::curt_control;
    use crate::results::{CURT_E_ARGUMENT, CURT_E_OS, CURT_E_STOPPED};
    use crate::testing::{CONTROL, Calls, on_error, poll};
    use crate::text::{curt_str, to_units};
    use crate::tree::{CURT_TREE_COUNT_LINKS, CURT_TREE_FOLLOW};

    fn usage(path: &Path, flags: u32, control: &curt_control) -> (i32, curt_totals) {
        let size = size_of::<curt_totals>();
        let (entries, apparent, allocated, unknown, errors) = (0, 0, 0, 0, 0);
        let mut totals = curt_totals { size, entries, apparent, allocated, unknown, errors };
        let units = to_units(path.as_os_str());
        let path = curt_str::of(&units);
        // SAFETY: all pointers lead to what lives here, but for the error, which is not wanted.
        let result = unsafe {
            curt_usage(&raw const path, 1, flags, control, &raw mut totals, ptr::null_mut())
        };
        (result, totals)
    }

    #[test]
    fn a_file_counts_once_unless_its_names_are_to_count() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("one"), "1234").unwrap();
        fs::hard_link(scratch.path().join("one"), scratch.path().join("two")).unwrap();
        for (flags, names) in [(0, 1), (CURT_TREE_COUNT_LINKS, 2)] {
            let (result, totals) = usage(scratch.path(), flags, &CONTROL);
            assert_eq!((result, totals.errors, totals.unknown), (0, 0, 0));
            assert_eq!((totals.apparent, totals.entries), (4 * names, names + 1), "{flags}");
        }
        assert_eq!(usage(scratch.path(), 8, &CONTROL).0, CURT_E_ARGUMENT);
    }

    /// Also of those that happen on other threads.
    #[test]
    fn the_caller_hears_of_each_failure_on_its_own_thread() {
        let scratch = tempfile::tempdir().unwrap();
        for directory in 0..16 {
            let directory = scratch.path().join(directory.to_string());
            fs::create_dir(&directory).unwrap();
            for link in 0..100 {
                symlink("missing", directory.join(link.to_string())).unwrap();
            }
        }
        let flags = CURT_TREE_FOLLOW | CURT_TREE_COUNT_LINKS;
        for (threads, stop_after) in [(1, usize::MAX), (4, usize::MAX), (1, 0), (4, 0)] {
            let told = Calls::new(stop_after);
            let (on_error, context) = (Some(on_error as _), told.context());
            let control = curt_control { threads, on_error, context, ..CONTROL };
            let (result, totals) = usage(scratch.path(), flags, &control);
            assert_eq!(result, CURT_E_OS);
            if stop_after == 0 {
                assert_eq!(told.count_here(), 1);
                assert!(threads > 1 || totals.errors == 1, "{totals:?}");
            } else {
                assert_eq!((told.count_here(), totals.errors), (1_600, 1_600));
                assert_eq!(totals.entries, 17);
            }
        }
    }

    #[test]
    fn work_that_is_stopped_has_no_failure() {
        let scratch = tempfile::tempdir().unwrap();
        let polls = Calls::new(0);
        let control = curt_control { poll: Some(poll), context: polls.context(), ..CONTROL };
        assert_eq!(usage(scratch.path(), 0, &control).0, CURT_E_STOPPED);
        assert_eq!(polls.count_here(), 1);
        let cancel: c_int = 1;
        let control = curt_control { cancel: &raw const cancel, ..CONTROL };
        assert_eq!(usage(scratch.path(), 0, &control).0, CURT_E_STOPPED);
    }
}
