use curt_testkit::Scratch;

use super::{mixed_tree, remove};
use crate::error::{Cause, RemainReason};
use crate::remove::{Cancel, DirectoryOperands, Remove, Threads};
use crate::sys::{Os, Setup};

#[test]
fn dry_run_counts_the_bytes_of_files_with_one_link() {
    let bytes = |linked: bool| {
        let scratch = Scratch::new();
        scratch.file_with("tree/file", &vec![7; 50_000]);
        if linked {
            scratch.hard_link("tree/file", "outside");
        }
        let options = Remove::new().dry_run(true).threads(Threads::AtMost(1));
        let report = remove::<Os>(&options, &scratch, "tree");
        assert!(report.is_complete(), "{report:?}");
        report.bytes.unwrap()
    };
    let (stays, goes) = (bytes(true), bytes(false));
    assert!(stays < 50_000, "the other link keeps {stays} bytes");
    assert!((50_000..100_000).contains(&goes), "{goes}");
}

#[test]
fn contents_only_keeps_the_directory() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    scratch.file("file");
    let report =
        remove::<Os>(&Remove::new().directories(DirectoryOperands::Contents), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!((report.files, report.directories), (7, 5));
    let report =
        remove::<Os>(&Remove::new().directories(DirectoryOperands::Contents), &scratch, "file");
    assert_eq!(report.error_count, 1);
    assert_eq!(scratch.list("."), ["- file", "d tree"]);
    // Use the path as typed, because `join` removes the dots from a verbatim path.
    let remove = |path: &str| {
        let options = Remove::new().directories(DirectoryOperands::Contents);
        super::remove_on::<Os>(&options, &Setup::default(), &[scratch.typed().join(path)])
    };
    scratch.file("tree/sub/file");
    let report = remove("tree/sub/..");
    let cause = report.errors[0].cause();
    assert!(matches!(cause, Cause::Remains(RemainReason::DotOrDotDot)), "{report:?}");
    assert!(remove("tree/.").is_complete());
    assert!(scratch.exists("tree") && scratch.list("tree").is_empty());
}

#[test]
fn nothing_is_removed_after_a_cancellation() {
    let scratch = Scratch::new();
    for number in 0..2_000 {
        scratch.file(format!("tree/{number}"));
    }
    let cancel = Cancel::new();
    let options = Remove::new().threads(Threads::AtMost(1)).cancel(&cancel);
    let options = options.on_removed(|_, _| cancel.cancel());
    for files in [1, 0] {
        let report = remove::<Os>(&options, &scratch, "tree");
        assert!(report.stopped && !report.is_complete(), "{report:?}");
        assert_eq!(report.files, files, "{report:?}");
    }
}
