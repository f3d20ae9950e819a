//! Removal below a directory that the caller has open.

use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, OwnedHandle};

use curt::Remove;
use curt::os::windows::RemoveBelow;
use curt_testkit::Scratch;

/// `FILE_FLAG_BACKUP_SEMANTICS`, which opens directories.
const DIRECTORIES: u32 = 0x0200_0000;

#[test]
fn a_name_is_removed_below_a_directory_and_below_nothing_else() {
    let scratch = Scratch::new();
    scratch.file("here/tree/a/file");
    scratch.file("here/canary");
    let open = |path: &str| -> File {
        OpenOptions::new().read(true).custom_flags(DIRECTORIES).open(scratch.at(path)).unwrap()
    };
    let nul: OwnedHandle = File::open("NUL").unwrap().into();
    let handles: Vec<OwnedHandle> = vec![open("here/canary").into(), nul];
    for handle in &handles {
        let report = Remove::new().run_below(handle.as_handle(), "tree");
        assert_eq!(report.error_count, 1, "{report:?}");
    }
    let here = open("here");
    for name in ["..", ".", "tree\\a", "\\", "", "tree\0"] {
        let report = Remove::new().run_below(here.as_handle(), name);
        assert_eq!(report.error_count, 1, "{name}: {report:?}");
    }
    let report = Remove::new().run_below(here.as_handle(), "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (1, 2));
    assert_eq!(scratch.list("here"), ["- canary"]);
}
