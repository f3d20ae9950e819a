//! Extension traits for what only one system has, as in the standard library's `os`.

#[cfg(all(fuzzing, target_os = "linux"))]
#[doc(hidden)]
pub mod linux;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

/// Removes a name in a directory that the caller has open, through a duplicate of its descriptor or
/// handle, and adds the calls that the duplicate took. Without a duplicate, that is the failure of
/// the removal.
#[cfg(any(unix, windows))]
fn remove_below(
    removal: &crate::Remove<'_>,
    (dir, calls): (std::io::Result<<crate::sys::Os as crate::sys::Sys>::Dir>, crate::Calls),
    name: &std::path::Path,
) -> crate::remove::Report {
    use crate::name::Unit;
    use crate::sys::{OsUnit, SystemUnit};

    let fail = |operation, error| {
        let cause = crate::Cause::Os(error);
        removal.fail_before(crate::Error::new(operation, name.to_path_buf(), cause))
    };
    let mut report = match dir {
        Err(error) => fail(crate::Operation::OpenDirectory, error),
        // A separator at its end makes a path of a name, too.
        Ok(_) if OsUnit::units(name).last().is_some_and(|unit| unit.is_separator()) => {
            fail(crate::Operation::Remove, std::io::ErrorKind::InvalidInput.into())
        }
        Ok(dir) => removal.run_in(dir, name, name),
    };
    report.calls.add(&calls);
    report
}

#[cfg(all(test, any(unix, windows)))]
mod tests {
    use std::io;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::remove_below;
    use crate::{Calls, Next, Operation, Remove};

    #[test]
    fn directory_without_a_duplicate_is_a_failure_like_any_other() {
        let no_duplicate = || (Err(io::ErrorKind::OutOfMemory.into()), Calls::default());
        let told = AtomicU64::new(0);
        let count = |error: &crate::Error| {
            assert_eq!(error.operation(), Operation::OpenDirectory);
            told.fetch_add(1, Ordering::Relaxed);
            Next::Stop
        };
        let removal = Remove::new().on_error(count);
        let report = remove_below(&removal, no_duplicate(), Path::new("name"));
        assert_eq!((report.error_count, report.errors.len()), (1, 1), "{report:?}");
        assert!(report.stopped, "{report:?}");
        assert_eq!(told.load(Ordering::Relaxed), 1);
        assert_eq!(report.errors[0].path(), Path::new("name"));
    }
}
