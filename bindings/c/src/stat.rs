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
        check_array(metadata, metadata_size)?;
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
        // SAFETY: the caller's array and its texts can be read.
        let paths = unsafe { text::paths(paths, count) }?;
        // SAFETY: the caller's struct can be read.
        let control = unsafe { Control::new(control) }?;
        let wanted = Wanted::without_texts(fields)?;
        let mut stat = Stat::new(wanted.plan(flags)?);
        if count > 0 {
            check_array(metadata, metadata_size)?;
        }
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

#[cfg(test)]
mod tests {
    use std::ffi::{c_int, c_void};
    use std::path::Path;
    use std::ptr::{null, null_mut};

    use super::*;
    use crate::metadata::*;
    use crate::results::{CURT_E_ARGUMENT, CURT_E_OS};
    use crate::text::{curt_char, to_units};

    const SIZE: usize = size_of::<curt_metadata>();

    /// Elements of a size beyond the struct's.
    struct Answers(Vec<u64>);

    const ELEMENT: usize = SIZE + 8;

    impl Answers {
        fn new(count: usize) -> Answers {
            Answers(vec![u64::MAX; count * ELEMENT / 8])
        }

        fn get(&self, index: usize) -> curt_metadata {
            let element = &self.0[index * ELEMENT / 8..][..ELEMENT / 8];
            assert_eq!(element[SIZE / 8], u64::MAX, "what is not known is left");
            // SAFETY: any bits are valid.
            unsafe { element.as_ptr().cast::<curt_metadata>().read() }
        }
    }

    fn units(path: impl AsRef<Path>) -> Vec<curt_char> {
        to_units(path.as_ref().as_os_str()).into_owned()
    }

    fn many(paths: &[Vec<curt_char>], fields: u32, control: *const curt_control) -> (i32, Answers) {
        let texts: Vec<_> = paths.iter().map(|path| curt_str::of(path)).collect();
        let mut answers = Answers::new(paths.len());
        let (to, from) = (answers.0.as_mut_ptr().cast(), texts.as_ptr());
        let count = paths.len();
        // SAFETY: all lives during the call.
        let result =
            unsafe { curt_stat_many(from, count, fields, 0, control, to, ELEMENT, null_mut()) };
        (result, answers)
    }

    #[test]
    fn each_path_has_its_answer_or_its_failure() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("file"), "four").unwrap();
        let paths = ["file", "missing", "."].map(|name| units(scratch.path().join(name)));
        let fields = CURT_FIELD_KIND | CURT_FIELD_SIZE | CURT_FIELD_MODIFIED;
        let (result, answers) = many(&paths, fields, null());
        assert_eq!(result, 0);
        let [file, missing, here] = [0, 1, 2].map(|index| answers.get(index));
        assert_eq!((file.known, file.failed, file.result), (fields, 0, 0));
        assert_eq!((file.kind, file.length), (CURT_KIND_FILE, 4));
        let written = std::fs::metadata(scratch.path().join("file")).unwrap().modified().unwrap();
        let since = written.duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(file.modified.seconds, i64::try_from(since.as_secs()).unwrap());
        assert_eq!(file.modified.nanoseconds, since.subsec_nanos());
        assert_eq!((missing.known, missing.failed), (0, fields));
        assert_eq!((missing.result, missing.os_error), (CURT_E_OS, 2));
        assert_eq!((here.kind, here.result), (CURT_KIND_DIRECTORY, 0));
        for (path, expected) in [(&paths[0], 0), (&paths[1], CURT_E_OS)] {
            let (mut one, path) = (Answers::new(1), curt_str::of(path));
            let (to, error) = (one.0.as_mut_ptr().cast(), null_mut());
            // SAFETY: all lives during the call.
            let result = unsafe { curt_stat(path, CURT_FIELD_SIZE, 0, to, ELEMENT, error) };
            assert_eq!(result, expected);
            let (known, length) = (one.get(0).known, one.get(0).length);
            let left = (u32::MAX, u64::MAX);
            assert_eq!((known, length), if expected == 0 { (CURT_FIELD_SIZE, 4) } else { left });
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_where_the_flag_says_so() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(".", &link).unwrap();
        let link = units(link);
        for (flags, expected) in [(0, CURT_KIND_SYMLINK), (CURT_FOLLOW, CURT_KIND_DIRECTORY)] {
            let (mut one, path) = (Answers::new(1), curt_str::of(&link));
            let (to, error) = (one.0.as_mut_ptr().cast(), null_mut());
            // SAFETY: all lives during the call.
            let result = unsafe { curt_stat(path, CURT_FIELD_KIND, flags, to, ELEMENT, error) };
            assert_eq!((result, one.get(0).kind), (0, expected));
        }
    }

    unsafe extern "C" fn stop_at_second(context: *mut c_void) -> c_int {
        // SAFETY: the test passes a number.
        let calls = unsafe { &mut *context.cast::<c_int>() };
        *calls += 1;
        c_int::from(*calls == 2)
    }

    #[test]
    fn work_stops_by_the_callback_and_by_the_int() {
        // Takes ten times as long as the time between two polls, on any machine.
        let paths = vec![units("."); 50_000];
        let mut control = curt_control {
            size: size_of::<curt_control>(),
            threads: 0,
            reserved: 0,
            cancel: null(),
            poll: Some(stop_at_second),
            on_error: None,
            context: null_mut(),
        };
        let mut calls: c_int = 0;
        control.context = (&raw mut calls).cast();
        let (result, answers) = many(&paths, CURT_FIELD_KIND, &raw const control);
        assert_eq!((result, calls), (CURT_E_STOPPED, 2));
        let asked = (0..paths.len()).take_while(|&index| answers.get(index).result == 0).count();
        assert!(asked > 0 && asked < paths.len(), "{asked}");
        for index in asked..paths.len() {
            assert_eq!(answers.get(index).result, CURT_E_STOPPED, "{index}");
        }
        let cancel: c_int = 1;
        (control.cancel, control.poll) = (&raw const cancel, None);
        let (result, answers) = many(&paths, 0, &raw const control);
        assert_eq!((result, answers.get(0).result), (CURT_E_STOPPED, CURT_E_STOPPED));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let here = units(".");
        let mut one = Answers::new(1);
        let to: *mut curt_metadata = one.0.as_mut_ptr().cast();
        let path = curt_str::of(&here);
        let no_path = curt_str { ptr: null(), len: 1 };
        for (path, fields, flags, to, size) in [
            (no_path, 0, 0, to, ELEMENT),
            (path, CURT_FIELD_TARGET, 0, to, ELEMENT),
            (path, CURT_FIELD_USER, 0, to, ELEMENT),
            (path, 1 << 19, 0, to, ELEMENT),
            (path, 0, 4, to, ELEMENT),
            (path, 0, 0, null_mut(), ELEMENT),
            (path, 0, 0, to, SIZE - 8),
        ] {
            let error = null_mut();
            // SAFETY: what is wrong is looked at before it is used.
            let one = unsafe { curt_stat(path, fields, flags, to, size, error) };
            let texts = [path];
            let (texts, control) = (texts.as_ptr(), null());
            // SAFETY: as above.
            let all = unsafe { curt_stat_many(texts, 1, fields, flags, control, to, size, error) };
            assert_eq!((one, all), (CURT_E_ARGUMENT, CURT_E_ARGUMENT));
        }
        // SAFETY: no element is looked at.
        let none = unsafe { curt_stat_many(null(), 0, 0, 0, null(), null_mut(), 0, null_mut()) };
        assert_eq!(none, 0);
    }
}
