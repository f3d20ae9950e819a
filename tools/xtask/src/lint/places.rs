//! Which rule holds where, by path.

use std::path::Path;

/// The folder of the crates that put the library behind another language's interface.
const BINDINGS: &str = "bindings/";

/// The bench and its rivals, chores, test tools and fuzz targets: never part of the product.
const OUTSIDE: [&str; 2] = ["fuzz/", "tools/"];

/// Programs of other people's libraries, each with its own workspace.
const RIVALS: &str = "tools/bench/rivals/";

/// Whether a name has this ending, without the dot.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == ending)
}

/// Whether a folder of that name is on the way.
pub(super) fn is_in(path: &str, folder: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|part| part == folder)
}

/// A test: below a folder `tests`, or a file `tests.rs`.
pub(super) fn is_test(path: &str) -> bool {
    is_in(path, "tests") || path.ends_with("/tests.rs")
}

/// Notes that stay as they were written.
pub(super) fn is_kept_as_written(path: &str) -> bool {
    path.starts_with("docs/lab/20")
}

/// Where code may depend on the platform. Examples are programs as users write them.
pub(super) fn may_know_platform(path: &str) -> bool {
    is_in(path, "sys")
        || is_in(path, "os")
        || is_in(path, "examples")
        || is_test(path)
        || OUTSIDE.iter().any(|folder| path.starts_with(folder))
        || path.starts_with(BINDINGS)
        || path.ends_with("/build.rs")
}

/// Where `unsafe` may be written: the platforms of the library and of the command, the bindings,
/// and the test tools' own `sys` (an allocator that counts cannot be written without).
pub(super) fn may_be_unsafe(path: &str) -> bool {
    let folders = ["crates/curt/src/sys/", "crates/curt-cli/src/sys/", "tools/testkit/src/sys/"];
    folders.iter().chain(&[RIVALS, BINDINGS]).any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_and_names_do_not() {
        assert!(is_in("crates/curt/src/sys/unix/door.rs", "sys"));
        assert!(!is_in("crates/curt/src/sys", "sys"));
        assert!(!is_in("crates/curt/src/system/a.rs", "sys"));
    }

    #[test]
    fn where_the_platform_may_be_known() {
        for path in
            ["crates/curt/src/os/unix.rs", "crates/curt/build.rs", "tools/xtask/src/main.rs"]
        {
            assert!(may_know_platform(path), "{path}");
        }
        for path in ["crates/curt/src/remove.rs", "crates/curt-cli/src/main.rs"] {
            assert!(!may_know_platform(path), "{path}");
        }
    }

    #[test]
    fn where_unsafe_may_be_written() {
        assert!(may_be_unsafe("crates/curt/src/sys/unix/door.rs"));
        assert!(may_be_unsafe("crates/curt-cli/src/sys/unix/start.rs"));
        assert!(!may_be_unsafe("crates/curt/src/remove.rs"));
        assert!(!may_be_unsafe("crates/curt-cli/src/main.rs"));
        assert!(!may_be_unsafe("crates/curt/tests/posix/main.rs"));
    }
}
