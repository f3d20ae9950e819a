//! Extension traits for features of one system, like the standard library's `os`.

#[cfg(all(fuzzing, target_os = "linux"))]
#[doc(hidden)]
pub mod linux;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

/// Removes `path` relative to an open directory. `open` opens the parent of `path` (empty for a
/// single name), and also returns the calls made.
#[cfg(any(unix, windows))]
fn remove_below(
    removal: &crate::Remove<'_>,
    path: &std::path::Path,
    open: impl FnOnce(
        &std::path::Path,
    ) -> (std::io::Result<<crate::sys::Os as crate::sys::Sys>::Dir>, crate::Calls),
) -> crate::remove::Report {
    use crate::remove::Parent;
    use crate::sys::{OsUnit, SystemUnit};

    let (dir, calls) = open(&OsUnit::operand(path).parent);
    let mut report = removal.run_in(dir.map_or_else(Parent::Failed, Parent::Open), path, path);
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
        let no_duplicate = |_: &Path| (Err(io::ErrorKind::OutOfMemory.into()), Calls::default());
        let reported = AtomicU64::new(0);
        let count = |error: &crate::Error| {
            assert_eq!(error.operation(), Operation::Remove);
            reported.fetch_add(1, Ordering::Relaxed);
            Next::Stop
        };
        let removal = Remove::new().on_error(count);
        let report = remove_below(&removal, Path::new("name"), no_duplicate);
        assert_eq!((report.error_count, report.errors.len()), (1, 1), "{report:?}");
        assert!(report.stopped, "{report:?}");
        assert_eq!(reported.load(Ordering::Relaxed), 1);
        assert_eq!(report.errors[0].path(), Path::new("name"));
    }
}
