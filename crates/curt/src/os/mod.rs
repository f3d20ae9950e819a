//! Extension traits for what only one system has, as in the standard library's `os`.

#[cfg(target_os = "linux")]
pub mod linux;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

/// Removes a name in a directory that the caller has open, through a duplicate of its descriptor or
/// handle, and adds the calls that the duplicate took. Reports if there is none.
#[cfg(any(unix, windows))]
fn remove_below(
    removal: &crate::Remove<'_>,
    (dir, calls): (std::io::Result<<crate::sys::Os as crate::sys::Sys>::Dir>, crate::Calls),
    name: &std::path::Path,
) -> crate::remove::Report {
    let mut report = match dir {
        Ok(dir) => removal.run_in(Some(dir), &[name]),
        Err(error) => {
            let operation = crate::Operation::OpenDirectory;
            let error = crate::Error::new(operation, name.to_path_buf(), crate::Cause::Os(error));
            crate::remove::Report {
                errors: vec![error],
                error_count: 1,
                ..crate::remove::Report::default()
            }
        }
    };
    report.calls.add(&calls);
    report
}
