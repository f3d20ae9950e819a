//! Tests of removing, moving, failing and closing.

use std::io::ErrorKind;

use super::asked::{At, base, kind_of};
use super::ground::{Ground, Habits};
use crate::fields::Kind;
use crate::sys::Sys;
use crate::sys::fault::Faults;

pub(super) fn removing_answers_what_was_there<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.files(["file", "unknown", "full/inside"]);
    ground.dir("directory");
    assert_eq!(base.remove("file", Kind::File), "Done");
    assert_eq!(base.remove("file", Kind::File), "Gone");
    assert_eq!(base.remove("unknown", Kind::Unknown), "Done");
    assert_eq!(base.remove("nothing", Kind::Unknown), "Gone");
    for directory in ["directory", "full"] {
        for kind in [Kind::Unknown, Kind::File, Kind::Directory] {
            assert_eq!(base.remove(directory, kind), "IsDirectory", "{directory}, {kind:?}");
        }
    }
    assert_eq!(base.remove_empty("directory"), Ok(()));
    assert_eq!(base.remove_empty("directory"), Err(ErrorKind::NotFound));
    assert_eq!(base.remove_empty("full"), Err(ErrorKind::DirectoryNotEmpty));
    assert_eq!(ground.list(""), ["- full/inside", "d full"]);
}

pub(super) fn nothing_is_removed_through_a_link<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.files(["kept/inside"]);
    if !(ground.link("to-directory", "kept") && ground.link("to-file", "kept/inside")) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    assert_eq!(base.remove("to-directory", Kind::Symlink), "Done");
    assert_eq!(base.remove("to-file", Kind::Unknown), "Done");
    assert_eq!(ground.list(""), ["- kept/inside", "d kept"]);
}

pub(super) fn an_emptied_directory_is_finished<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.files(["top/file"]);
    let top = base.open("top");
    top.rest();
    let (top, error) = base.finish("top", top).err().unwrap();
    assert_eq!(kind_of(&error), ErrorKind::DirectoryNotEmpty);
    top.sys.rewind(&top.dir).unwrap();
    assert_eq!(top.rest().len(), 1);
    assert_eq!(top.remove("file", Kind::File), "Done");
    assert!(base.finish("top", top).is_ok());
    assert!(ground.list("").is_empty());
}

pub(super) fn a_directory_that_went_away_is_gone<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.dir("top");
    let top = base.open("top");
    ground.rename("top", "elsewhere");
    if ground.habits().removes_by_handle {
        assert!(base.finish("top", top).is_ok());
        // Wine remembers the old name, so the moved directory may remain.
        assert!(ground.list("").iter().all(|left| left == "d elsewhere"));
    } else {
        let (top, error) = base.finish("top", top).err().unwrap();
        assert_eq!(kind_of(&error), ErrorKind::NotFound);
        top.close();
        assert_eq!(ground.list(""), ["d elsewhere"]);
    }
}

pub(super) fn planned_errors_are_the_answers<G: Ground>(ground: &G, _: &At<'_, G>) {
    ground.files(["top/file"]);
    let Habits { removing, denied, gone, .. } = ground.habits();
    let fail =
        |faults: Faults, call: &&'static str| faults.fail(call, 0, denied).fail(call, 1, gone);
    let sys = G::S::start(&ground.setup_with(removing.iter().fold(Faults::default(), fail)));
    let base = base(ground, &sys);
    let top = base.open("top");
    let answers = [(); 3].map(|()| top.remove("file", Kind::File));
    assert_eq!(answers, ["failed 5", "Gone", "Done"]);
    if let Err((top, error)) = base.finish("top", top) {
        assert_eq!(error.raw_os_error(), Some(5));
        let (top, error) = base.finish("top", top).err().unwrap();
        assert_eq!(kind_of(&error), ErrorKind::NotFound);
        top.close();
    }
    base.close();
}

pub(super) fn everything_opened_is_closed<G: Ground>(ground: &G, _: &At<'_, G>) {
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
    let most = if ground.habits().removes_by_handle { 7 } else { 5 };
    assert!(closings > 0 && closings <= most, "{calls:?}");
    assert_eq!(ground.list(""), ["- top/a/file", "- top/b/file", "d top", "d top/a", "d top/b"]);
}
