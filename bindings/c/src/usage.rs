//! Measuring trees.
//!
//!     curt_str path = curt_z("tree");
//!     curt_totals totals = CURT_TOTALS_INIT;
//!     if (curt_usage(&path, 1, 0, NULL, &totals, NULL) == 0)
//!         printf("%lu bytes\n", (unsigned long)totals.allocated);

use curt::Usage;
use curt::fields::Follow;

use crate::control::{Control, curt_control, outcome};
use crate::error::{curt_error, guard};
use crate::failures::Failures;
use crate::guard::{Failure, int};
use crate::structs::{self, Versioned};
use crate::text::{self, curt_str};
use crate::tree::{CURT_TREE_COUNT_LINKS, CURT_TREE_FOLLOW, CURT_TREE_SAME_FILE_SYSTEM};

/// The sums of `curt_usage`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_totals {
    /// Size of this struct.
    pub size: usize,
    /// Entries, including directories.
    pub entries: u64,
    /// The apparent size in bytes: the lengths of files and of link targets.
    pub apparent: u64,
    /// Allocated bytes on disk, including those of directories.
    pub allocated: u64,
    /// Entries of unknown size, which `apparent` and `allocated` do not include.
    pub unknown: u64,
    /// Failures.
    pub errors: u64,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_totals {}

/// Adds up the disk space of `count` trees. A file with several hard links, or reached through two
/// of the paths, counts once. `flags` can be `CURT_TREE_FOLLOW` (otherwise links are not followed),
/// `CURT_TREE_SAME_FILE_SYSTEM` (costs no call) and `CURT_TREE_COUNT_LINKS`.
///
/// Continues after a failure. Returns 0, the result of the first failure, which `error` describes,
/// or `CURT_E_STOPPED`; in each case `totals` has everything counted so far.
///
/// Cost: 1 call per entry and 4 more per directory; on Windows entries cost no call with
/// `CURT_TREE_COUNT_LINKS`. `CURT_TREE_FOLLOW` without `CURT_TREE_COUNT_LINKS` always uses one
/// thread.
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
        // SAFETY: `paths` points to `count` readable texts.
        let paths = unsafe { text::paths(paths, count) }?;
        let known = CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM | CURT_TREE_COUNT_LINKS;
        if flags & !known != 0 {
            return Err(Failure::Argument("`flags` has an unknown bit"));
        }
        if totals.is_null() {
            return Err(Failure::Argument("`totals` is NULL"));
        }
        // SAFETY: `totals` is NULL or readable.
        unsafe { structs::check(totals) }?;
        // SAFETY: `control` is NULL or valid.
        let control = unsafe { Control::new(control) }?;
        let failures = Failures::new(&control);
        let follows = flags & CURT_TREE_FOLLOW != 0;
        let mut usage = Usage::new()
            .max_depth(0)
            .follow(if follows { Follow::Links } else { Follow::Never })
            .same_file_system(flags & CURT_TREE_SAME_FILE_SYSTEM != 0)
            .count_links(flags & CURT_TREE_COUNT_LINKS != 0)
            .threads(control.threads())
            .on_error(|error| failures.take(error));
        if failures.need_poll() {
            usage = usage.on_progress(|_| failures.poll());
        }
        let report = usage.measure(&paths);
        drop(usage);
        let first = failures.end(report.stopped);
        let sizes = report.total();
        let filled = curt_totals {
            size: 0,
            entries: sizes.entries,
            apparent: sizes.apparent,
            allocated: sizes.allocated,
            unknown: report.unknown,
            errors: report.error_count,
        };
        // SAFETY: `totals` is NULL or writable.
        unsafe { structs::write(totals, filled) }?;
        outcome(first, report.stopped)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_usage", error, body) })
}
