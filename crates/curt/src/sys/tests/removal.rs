//! Questions about removing, moving, failing and closing.

use std::io::ErrorKind;

use super::asked::{base, name, number_or_kind, units_of};
use super::ground::Ground;
use crate::fields::Kind;
use crate::sys::fault::Faults;
use crate::sys::{Removed, Sys};

pub(super) fn removing_answers_what_was_there(ground: &impl Ground) {
    ground.files(["file", "unknown", "full/inside"]);
    ground.dir("directory");
    let sys = ground.start();
    let base = base(ground, &sys);
    assert!(matches!(base.remove("file", Kind::File), Removed::Done));
    assert!(matches!(base.remove("file", Kind::File), Removed::Gone));
    assert!(matches!(base.remove("unknown", Kind::Unknown), Removed::Done));
    assert!(matches!(base.remove("nothing", Kind::Unknown), Removed::Gone));
    for directory in ["directory", "full"] {
        // Also where the listing was wrong, or is no longer right.
        for kind in [Kind::Unknown, Kind::File, Kind::Directory] {
            let removed = base.remove(directory, kind);
            assert!(matches!(removed, Removed::IsDirectory), "{directory}, {kind:?}: {removed:?}");
        }
    }
    let remove_empty = |child: &str| sys.remove_empty_dir(&base.dir, name(&units_of(&sys, child)));
    assert!(remove_empty("directory").is_ok());
    assert_eq!(number_or_kind(&remove_empty("directory").unwrap_err()), ErrorKind::NotFound);
    assert_eq!(number_or_kind(&remove_empty("full").unwrap_err()), ErrorKind::DirectoryNotEmpty);
    assert_eq!(ground.list(""), ["- full/inside", "d full"]);
}

pub(super) fn nothing_is_removed_through_a_link(ground: &impl Ground) {
    ground.files(["kept/inside"]);
    if !(ground.link("to-directory", "kept") && ground.link("to-file", "kept/inside")) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    let sys = ground.start();
    let base = base(ground, &sys);
    assert!(matches!(base.remove("to-directory", Kind::Symlink), Removed::Done));
    assert!(matches!(base.remove("to-file", Kind::Unknown), Removed::Done));
    assert_eq!(ground.list(""), ["- kept/inside", "d kept"]);
}

pub(super) fn an_emptied_directory_is_finished(ground: &impl Ground) {
    ground.files(["top/file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    top.rest();
    assert!(matches!(top.remove("file", Kind::File), Removed::Done));
    assert!(base.finish("top", top).is_ok());
    assert!(ground.list("").is_empty());
}

pub(super) fn a_directory_with_entries_is_handed_back(ground: &impl Ground) {
    ground.files(["top/file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    top.rest();
    let (top, error) = base.finish("top", top).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::DirectoryNotEmpty);
    sys.rewind(&top.dir).unwrap();
    assert_eq!(top.rest().len(), 1);
    assert!(matches!(top.remove("file", Kind::File), Removed::Done));
    assert!(base.finish("top", top).is_ok());
}

pub(super) fn a_directory_that_went_away_is_gone(ground: &impl Ground) {
    ground.dir("top");
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    ground.rename("top", "elsewhere");
    if ground.removes_by_handle() {
        assert!(base.finish("top", top).is_ok());
        // Wine remembers the name, where it has gone from.
        assert!(ground.list("").iter().all(|left| left == "d elsewhere"));
    } else {
        let (top, error) = base.finish("top", top).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        top.close();
        assert_eq!(ground.list(""), ["d elsewhere"]);
    }
}

pub(super) fn planned_errors_are_the_answers<G: Ground>(ground: &G) {
    ground.files(["top/file"]);
    let (kinds, denied, gone) = ground.refusals();
    let faults = kinds
        .iter()
        .fold(Faults::default(), |faults, kind| faults.fail(kind, 0, denied).fail(kind, 1, gone));
    let sys = G::S::start(&ground.setup_with(faults));
    let base = base(ground, &sys);
    let top = base.open("top");
    assert!(
        matches!(top.remove("file", Kind::File), Removed::Failed(e) if e.raw_os_error() == Some(5))
    );
    assert!(matches!(top.remove("file", Kind::File), Removed::Gone));
    assert!(matches!(top.remove("file", Kind::File), Removed::Done));
    // Platforms with one call for both have none left to fail.
    if let Err((top, error)) = base.finish("top", top) {
        assert_eq!(error.raw_os_error(), Some(5));
        let (top, error) = base.finish("top", top).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        top.close();
    }
    base.close();
}

pub(super) fn everything_opened_is_closed<G: Ground>(ground: &G) {
    ground.files(["top/a/file", "top/b/file"]);
    ground.dir("top/empty");
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    for child in ["a", "b", "empty"] {
        let dir = top.open(child);
        dir.rest();
        if let Err((dir, _)) = top.finish(child, dir) {
            dir.close();
        }
    }
    drop(top.open("a"));
    top.close();
    base.close();
    let calls = sys.calls();
    let closings = calls.of("close") + calls.of("NtClose");
    // A directory that was not empty may be handed back by another handle.
    let most = if ground.removes_by_handle() { 7 } else { 5 };
    assert!(closings > 0 && closings <= most, "{calls:?}");
    ground.assert_nothing_open();
    assert_eq!(ground.list(""), ["- top/a/file", "- top/b/file", "d top", "d top/a", "d top/b"]);
}
