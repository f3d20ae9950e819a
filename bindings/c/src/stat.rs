//! Metadata of paths.

use std::time::{Duration, Instant};

use curt::Next;
use curt::list::Stat;

use crate::control::{Control, curt_control};
use crate::error::curt_error;
use crate::guard::{Failure, guard, int};
use crate::metadata::{Place, Wanted, curt_metadata};
use crate::results::{CURT_E_STOPPED, result_of};
use crate::structs::check_array;
use crate::text::{self, Texts, curt_str};

/// How often the caller is asked whether to go on.
const POLL_EVERY: Duration = Duration::from_millis(2);

/// Asks about a path: these fields (`CURT_FIELD_…`, without `CURT_FIELD_TARGET`, `CURT_FIELD_USER`
/// and `CURT_FIELD_GROUP`: texts have no place here), with these flags (`CURT_FOLLOW`; nothing
/// comes from a listing). Without any field: whether the path exists. `metadata_size` is
/// `sizeof(curt_metadata)` as the caller was compiled.
///
/// Cost: 1 call; on Windows 3 to follow a link.
///
/// Returns 0, `CURT_E_OS` if the path is missing or cannot be reached, or `CURT_E_ARGUMENT`; then
/// `metadata` is left as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_stat(
    path: curt_str,
    fields: u32,
    flags: u32,
    metadata: *mut curt_metadata,
    metadata_size: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        check_array(metadata, metadata_size, 1)?;
        // SAFETY: there is room for the struct, which was checked.
        let place = unsafe { Place::new(metadata) };
        // SAFETY: the caller's text can be read.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::without_texts(fields)?;
        let found = curt::stat(path, wanted.plan(flags)?)?;
        place.fill(&found, wanted, &mut Texts::default());
        Ok(0)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_stat", error, body) })
}

/// Asks about `count` paths, as `curt_stat` does, and fills in the element of `metadata` for each.
/// For a path that is missing or cannot be reached, `result` and `os_error` in its element say why,
/// and nothing is `known`. Of the control, `cancel` and `poll` are used.
///
/// Cost: that of `curt_stat` for each path.
///
/// Returns 0, also if paths failed; `CURT_E_STOPPED`, which is then also the `result` of each path
/// that was not asked about; or `CURT_E_ARGUMENT`, also for a wrong text in `paths`, before anything
/// is asked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_stat_many(
    paths: *const curt_str,
    count: usize,
    fields: u32,
    flags: u32,
    control: *const curt_control,
    metadata: *mut curt_metadata,
    metadata_size: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        if count > 0 {
            check_array(metadata, metadata_size, count)?;
        }
        // SAFETY: the caller's array and its texts can be read.
        let paths = unsafe { text::paths(paths, count) }?;
        // SAFETY: the caller's struct can be read.
        let control = unsafe { Control::new(control) }?;
        let wanted = Wanted::without_texts(fields)?;
        let mut stat = Stat::new(wanted.plan(flags)?);
        let place = |index: usize| {
            // SAFETY: the array has room for `count` structs of this size.
            let to = unsafe { metadata.byte_add(index * metadata_size) };
            // SAFETY: as above.
            unsafe { Place::new(to) }
        };
        let mut polled: Option<Instant> = None;
        for (index, path) in paths.iter().enumerate() {
            if control.polls() && polled.is_none_or(|polled| polled.elapsed() >= POLL_EVERY) {
                if control.poll() == Next::Stop {
                    (index..count).for_each(|rest| place(rest).fail(wanted, CURT_E_STOPPED, 0));
                    return Err(Failure::Stopped);
                }
                polled = Some(Instant::now());
            }
            match stat.path(path) {
                Ok(found) => place(index).fill(&found, wanted, &mut Texts::default()),
                Err(failed) => {
                    let os_error = failed.raw_os_error().unwrap_or(0);
                    place(index).fail(wanted, result_of(&failed), os_error);
                }
            }
        }
        Ok(0)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_stat_many", error, body) })
}
