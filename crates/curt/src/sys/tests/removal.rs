use std::io::ErrorKind;

use super::shorthand::{At, base, kind_of};
use super::testbed::{Differences, Testbed};
use crate::fields::Kind;
use crate::sys::Sys;
use crate::sys::fault::Faults;

pub(super) fn removing_answers_what_was_there<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["file", "unknown", "full/inside"]);
    testbed.dir("directory");
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
    assert_eq!(testbed.list(""), ["- full/inside", "d full"]);
}

pub(super) fn nothing_is_removed_through_a_link<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["kept/inside"]);
    if !(testbed.link("to-directory", "kept") && testbed.link("to-file", "kept/inside")) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    assert_eq!(base.remove("to-directory", Kind::Symlink), "Done");
    assert_eq!(base.remove("to-file", Kind::Unknown), "Done");
    assert_eq!(testbed.list(""), ["- kept/inside", "d kept"]);
}

pub(super) fn an_emptied_directory_is_finished<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["top/file"]);
    let top = base.open("top");
    top.rest();
    let (top, error) = base.finish("top", top).err().unwrap();
    assert_eq!(kind_of(&error), ErrorKind::DirectoryNotEmpty);
    top.sys.rewind(&top.dir).unwrap();
    assert_eq!(top.rest().len(), 1);
    assert_eq!(top.remove("file", Kind::File), "Done");
    assert!(base.finish("top", top).is_ok());
    assert!(testbed.list("").is_empty());
}

pub(super) fn a_directory_that_went_away_is_gone<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.dir("top");
    let top = base.open("top");
    testbed.rename("top", "elsewhere");
    if testbed.differences().removes_by_handle {
        assert!(base.finish("top", top).is_ok());
        // Wine remembers the old name, so the moved directory may remain.
        assert!(testbed.list("").iter().all(|left| left == "d elsewhere"));
    } else {
        let (top, error) = base.finish("top", top).err().unwrap();
        assert_eq!(kind_of(&error), ErrorKind::NotFound);
        top.close();
        assert_eq!(testbed.list(""), ["d elsewhere"]);
    }
}

pub(super) fn planned_errors_are_the_answers<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    testbed.files(["top/file"]);
    let Differences { removing, denied, gone, .. } = testbed.differences();
    let fail =
        |faults: Faults, call: &&'static str| faults.fail(call, 0, denied).fail(call, 1, gone);
    let sys = G::S::start(&testbed.setup_with(removing.iter().fold(Faults::default(), fail)));
    let base = base(testbed, &sys);
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

pub(super) fn everything_opened_is_closed<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    testbed.files(["top/a/file", "top/b/file"]);
    testbed.dir("top/empty");
    let sys = testbed.start();
    let base = base(testbed, &sys);
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
    let most = if testbed.differences().removes_by_handle { 7 } else { 5 };
    assert!(closings > 0 && closings <= most, "{calls:?}");
    assert_eq!(testbed.list(""), ["- top/a/file", "- top/b/file", "d top", "d top/a", "d top/b"]);
}
