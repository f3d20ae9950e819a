//! Removal below a directory that the caller has open.

use std::fs::{File, OpenOptions};
use std::path::Path;

use curt::Remove;
#[cfg(unix)]
use curt::os::unix::RemoveBelow;
#[cfg(windows)]
use curt::os::windows::RemoveBelow;
use curt::remove::{DirectoryOperands, Report};
use curt_testkit::Scratch;

fn open(path: impl AsRef<Path>) -> File {
    let mut options = OpenOptions::new();
    // `FILE_FLAG_BACKUP_SEMANTICS`, which opens directories.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0200_0000);
    options.read(true).open(path).unwrap()
}

fn run_below(removal: &Remove<'_>, parent: &File, name: &str) -> Report {
    #[cfg(unix)]
    let parent = std::os::fd::AsFd::as_fd(parent);
    #[cfg(windows)]
    let parent = std::os::windows::io::AsHandle::as_handle(parent);
    removal.run_below(parent, name)
}

#[test]
fn a_name_is_removed_below_a_directory_and_below_nothing_else() {
    const NAMES: &[&str] = if cfg!(windows) {
        &["..", ".", "tree\\a", "\\", "", "tree\0"]
    } else {
        &["..", ".", "tree/a", "tree/", "canary/", "/", ""]
    };
    let (removal, scratch) = (Remove::new(), Scratch::new());
    scratch.tree("here", "tree/a/file canary");
    for parent in
        [scratch.at("here/canary"), if cfg!(windows) { "NUL" } else { "/dev/null" }.into()]
    {
        let report = run_below(&removal, &open(&parent), "tree");
        assert_eq!(report.error_count, 1, "{}: {report:?}", parent.display());
    }
    let here = open(scratch.at("here"));
    for name in NAMES {
        let report = run_below(&removal, &here, name);
        assert_eq!(report.error_count, 1, "{name}: {report:?}");
        // A refusal is none of the things that may be fine; an empty name is a missing one.
        let report = run_below(&removal.clone().missing_is_fine(true), &here, name);
        assert_eq!(report.error_count, u64::from(!name.is_empty()), "{name}: {report:?}");
    }
    let contents = removal.clone().directories(DirectoryOperands::Contents);
    assert_eq!(run_below(&contents, &here, ".").error_count, 1);
    let report = run_below(&removal, &here, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (1, 2));
    assert_eq!(scratch.list("here"), ["- canary"]);
    // The descriptor that the removal works with is a copy of the caller's.
    assert!(cfg!(windows) || report.calls.of("fcntl") == 1, "{report:?}");
}
