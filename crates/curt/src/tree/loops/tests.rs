//! The way up from a mount.
#![cfg(unix)]

use super::ancestors;
use crate::sys::fault::Faults;
use crate::sys::{Os, Setup, Sys};

/// Fewer of them would make a loop look like a tree without end.
#[test]
fn all_ancestors_are_found_or_a_failure_is_reported() {
    use rustix::io::Errno;
    let scratch = curt_testkit::Scratch::new();
    let path = scratch.dir("a/b/c");
    let errors = [Errno::ACCESS, Errno::PERM, Errno::IO, Errno::MFILE, Errno::NOMEM];
    Faults::each(&Setup::default(), &errors.map(Errno::raw_os_error), |setup, fails| {
        let sys = Os::start(setup);
        let Ok(dir) = sys.open_place(&path) else { return };
        match ancestors(&dir, 4, &sys) {
            Ok(all) => assert_eq!(all.len(), 4, "{fails:?}"),
            Err(error) => {
                assert_eq!(error.raw_os_error(), fails.map(|fails| fails.errno), "{fails:?}");
            }
        }
        sys.close(dir);
    });
}
