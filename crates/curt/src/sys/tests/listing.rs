//! Tests of opening and listing.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::asked::{At, said};
use super::ground::Ground;
use crate::fields::Kind;
use crate::sys::{Removed, Sys};

pub(super) fn only_directories_are_opened<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.dir("directory");
    ground.files(["file"]);
    let open = |child: &str| said(&base.try_open(child));
    assert_eq!(open("directory"), "opened");
    assert_eq!(open("file"), "not a directory");
    assert_eq!(open("nothing"), "gone");
    if ground.link("link", "directory") && ground.link("broken", "nothing") {
        assert_eq!(["link", "broken"].map(open), ["not a directory"; 2]);
    }
    if ground.fifo("pipe") {
        assert_eq!(open("pipe"), "not a directory", "and nobody waits for a writer");
    }
}

pub(super) fn what_is_being_listed_need_not_fit_one_page<G: Ground>(ground: &G, base: &At<'_, G>) {
    let mut odd: Vec<OsString> = ["-f", "ünïcödé", "a b"].map(OsString::from).to_vec();
    if cfg!(unix) {
        odd.extend(["...", " ", "new\nline", "back\\slash", "*", "~"].map(OsString::from));
        odd.push("x".repeat(255).into());
    }
    #[cfg(target_os = "linux")]
    odd.push(std::os::unix::ffi::OsStringExt::from_vec(vec![0xff, b'n', 0x80]));
    // Making files takes long under Wine.
    let large = if cfg!(windows) { 500 } else { 3000 };
    for count in [0, 1, large] {
        let top = format!("of-{count}");
        ground.dir(&top);
        // Names of every length up to 250, so that records end anywhere in a page.
        let long = |index: usize| format!("{index:0width$}", width = 4 + index % 247).into();
        let mut expected: BTreeSet<OsString> = (0..count).map(long).collect();
        if count == large {
            expected.extend(odd.iter().cloned());
        }
        for name in &expected {
            ground.file(&Path::new(&top).join(name), b"");
        }
        ground.dir(&format!("{top}/inner"));
        expected.insert("inner".into());

        let dir = base.open(&top);
        let found = dir.rest();
        assert!(found.iter().all(|(name, kind)| {
            let directory = name == "inner";
            *kind == if directory { Kind::Directory } else { Kind::File } || *kind == Kind::Unknown
        }));
        assert_eq!(found.len(), expected.len(), "nothing twice");
        assert_eq!(found.into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>(), expected);
        assert!(dir.rest().is_empty(), "the end stays the end");
        dir.close();
    }
}

pub(super) fn listings_begin_again<G: Ground>(ground: &G, base: &At<'_, G>) {
    ground.files(["top/a", "top/b", "top/c"]);
    let dir = base.open("top");
    assert_eq!(dir.rest().len(), 3);
    ground.files(["top/d"]);
    assert_eq!(dir.remove("a", Kind::File), "Done");
    dir.sys.rewind(&dir.dir).unwrap();
    let again: BTreeSet<_> = dir.rest().into_iter().map(|(name, _)| name).collect();
    if ground.habits().lists_again {
        assert_eq!(again, ["b", "c", "d"].map(OsString::from).into());
    } else {
        curt_testkit::skip("what is new is not listed: Wine keeps a listing as it was at first");
    }
    dir.close();
}

pub(super) fn a_removed_directory_lists_nothing<G: Ground>(ground: &G, base: &At<'_, G>) {
    if ground.habits().removes_by_handle {
        return;
    }
    ground.files(["top/a", "other/c"]);
    let top = base.open("top");
    assert_eq!(top.remove("a", Kind::File), "Done");
    assert!(base.finish("top", base.open("top")).is_ok());
    let begins_empty = || {
        assert!(top.rest().is_empty());
        top.sys.rewind(&top.dir).unwrap();
        assert!(top.rest().is_empty());
    };
    begins_empty();
    ground.rename("other", "top");
    begins_empty();
    top.close();
}

pub(super) fn entries_are_removed_while_the_listing_goes_on<G: Ground>(
    ground: &G,
    base: &At<'_, G>,
) {
    let count = if cfg!(windows) { 400 } else { 2000 };
    let names: Vec<String> = (0..count).map(|index| format!("file-{index:04}")).collect();
    for name in &names {
        ground.file(&Path::new("top").join(name), b"");
    }
    let setup = ground.setup();
    let dir = base.open("top");
    let (sys, open) = (base.sys, &dir.dir);
    std::thread::scope(|scope| {
        for half in names.chunks(count / 2) {
            let setup = &setup;
            let half: Vec<_> = half.iter().map(|file| base.name(file)).collect();
            scope.spawn(move || {
                let helper = G::S::start(setup);
                for file in half {
                    let removed = helper.remove_child(open, file.as_name(), Kind::File);
                    assert!(matches!(removed, Removed::Done));
                }
            });
        }
        for _ in 0..20 {
            dir.rest();
            sys.rewind(open).unwrap();
        }
    });
    sys.rewind(open).unwrap();
    assert!(dir.rest().is_empty());
    assert!(base.finish("top", dir).is_ok());
}
