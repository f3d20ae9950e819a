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
fn only_plain_names_in_directories_are_removed() {
    const NAMES: &[&str] = if cfg!(windows) {
        &["..", ".", "tree\\a", "\\", "", "tree\0"]
    } else {
        &["..", ".", "tree/.", "tree/..", "missing/..", "/", "", "tree/\0"]
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
        // `missing_is_fine` does not apply to a refusal. An empty name counts as missing.
        let report = run_below(&removal.clone().missing_is_fine(true), &here, name);
        assert_eq!(report.error_count, u64::from(!name.is_empty()), "{name}: {report:?}");
    }
    let contents = removal.clone().directories(DirectoryOperands::Contents);
    assert_eq!(run_below(&contents, &here, ".").error_count, 1);
    let report = run_below(&removal, &here, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (1, 2));
    assert_eq!(scratch.list("here"), ["- canary"]);
    assert!(cfg!(windows) || report.calls.of("fcntl") == 1, "{report:?}");
}

#[cfg(unix)]
#[test]
fn paths_resolve_from_the_directory_as_in_the_kernel() {
    for (path, expected) in [
        ("a/tree", Ok("moved")),
        ("a//tree//", Ok("moved")),
        ("link/a/tree", Ok("there")),
        ("../there/a/tree", Ok("there")),
        ("a/../link/a/tree/", Ok("there")),
        ("/there/a/tree", Ok("there")),
        ("missing/tree", Err(true)),
        ("a/missing", Err(true)),
        ("a/tree/file/", Err(true)),
        ("a/tree/file/x", Err(true)),
        ("link/", Err(false)),
    ] {
        let scratch = Scratch::new();
        let here = open(scratch.dir("here"));
        std::fs::rename(scratch.at("here"), scratch.at("moved")).unwrap();
        for place in ["here", "moved", "there"] {
            scratch.tree(place, "a/tree/file");
        }
        std::os::unix::fs::symlink("../there", scratch.at("moved/link")).unwrap();
        let full = scratch.at("there/a/tree");
        let path = if path.starts_with('/') { full.to_str().unwrap() } else { path };
        let report = run_below(&Remove::new(), &here, path);
        for place in ["here", "moved", "there"] {
            let is_kept = scratch.at(place).join("a/tree/file").exists();
            assert_eq!(is_kept, expected != Ok(place), "{path}: {place}");
        }
        if let Err(is_missing) = expected {
            assert_eq!((report.error_count, report.errors[0].path()), (1, Path::new(path)));
            let report = run_below(&Remove::new().missing_is_fine(true), &here, path);
            assert_eq!(report.is_complete(), is_missing, "{path}: {report:?}");
        } else {
            assert!(report.is_complete(), "{path}: {report:?}");
            assert_eq!((report.files, report.directories), (1, 1), "{path}");
            assert_eq!(report.calls.of("fcntl"), 0, "{path}: {report:?}");
        }
    }
}
