//! Metadata of a path.

use crate::error::{curt_error, guard};
use crate::guard::int;
use crate::metadata::{Place, Wanted, curt_metadata};
use crate::structs::check_array;
use crate::text::{Texts, curt_str};

/// Asks about a path: these fields (`CURT_FIELD_…`, without `CURT_FIELD_TARGET`, `CURT_FIELD_USER`
/// and `CURT_FIELD_GROUP`: texts have no place here), with these flags (`CURT_FOLLOW`; nothing
/// comes from a listing). Without any field: whether the path exists. `metadata_size` is
/// `sizeof(curt_metadata)` as the caller was compiled.
///
/// Cost: 1 call; on Windows 3 to follow a link, and on volumes that cannot answer by name.
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
