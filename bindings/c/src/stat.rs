//! Metadata of one path.

use crate::error::{curt_error, guard};
use crate::guard::int;
use crate::metadata::{Place, Wanted, curt_metadata};
use crate::structs::check_array;
use crate::text::{Texts, curt_str};

/// Gets metadata of a path: the `fields` (`CURT_FIELD_…`, except `CURT_FIELD_TARGET`,
/// `CURT_FIELD_USER` and `CURT_FIELD_GROUP`, whose texts would need a handle) with the `flags`
/// (`CURT_FOLLOW`; `CURT_EXACT` changes nothing, because there is no listing). Without fields,
/// checks whether the path exists. `metadata_size` is `sizeof(curt_metadata)` as the caller was
/// compiled.
///
/// Cost: 1 call. On Windows 3 to follow a link, and on volumes that cannot answer by name.
///
/// Returns 0, or `CURT_E_OS` if the path is missing or unreachable, or `CURT_E_ARGUMENT`. After a
/// failure `metadata` is unchanged.
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
        // SAFETY: upheld by the caller, and checked above where possible.
        let place = unsafe { Place::new(metadata) };
        // SAFETY: upheld by the caller.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::without_texts(fields)?;
        let found = curt::stat(path, wanted.plan(flags)?)?;
        place.fill(&found, wanted, &mut Texts::default());
        Ok(0)
    };
    // SAFETY: upheld by the caller.
    int(unsafe { guard("curt_stat", error, body) })
}
