use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::shorthand::{At, said};
use super::testbed::Testbed;
use crate::fields::Kind;
use crate::sys::{Removed, Sys};

pub(super) fn only_directories_are_opened<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.dir("directory");
    testbed.files(["file"]);
    let open = |child: &str| said(&base.try_open(child));
    assert_eq!(open("directory"), "opened");
    assert_eq!(open("file"), "not a directory");
    assert_eq!(open("nothing"), "gone");
    if testbed.link("link", "directory") && testbed.link("broken", "nothing") {
        assert_eq!(["link", "broken"].map(open), ["not a directory"; 2]);
    }
    if testbed.fifo("pipe") {
        assert_eq!(open("pipe"), "not a directory", "and nobody waits for a writer");
    }
}

pub(super) fn listings_may_exceed_one_page<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    let mut odd: Vec<OsString> = ["-f", "ünïcödé", "a b"].map(OsString::from).to_vec();
    if cfg!(unix) {
        odd.extend(["...", " ", "new\nline", "back\\slash", "*", "~"].map(OsString::from));
        odd.push("x".repeat(255).into());
    }
    #[cfg(target_os = "linux")]
    odd.push(std::os::unix::ffi::OsStringExt::from_vec(vec![0xff, b'n', 0x80]));
    // Creating files takes a long time under Wine.
    let large = if cfg!(windows) { 500 } else { 3000 };
    for count in [0, 1, large] {
        let top = format!("of-{count}");
        testbed.dir(&top);
        // Names have every length up to 250, so that records end anywhere in a page.
        let long = |index: usize| format!("{index:0width$}", width = 4 + index % 247).into();
        let mut expected: BTreeSet<OsString> = (0..count).map(long).collect();
        if count == large {
            expected.extend(odd.iter().cloned());
        }
        for name in &expected {
            testbed.file(&Path::new(&top).join(name), b"");
        }
        testbed.dir(&format!("{top}/inner"));
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

pub(super) fn listings_begin_again<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["top/a", "top/b", "top/c"]);
    let dir = base.open("top");
    assert_eq!(dir.rest().len(), 3);
    testbed.files(["top/d"]);
    assert_eq!(dir.remove("a", Kind::File), "Done");
    dir.sys.rewind(&dir.dir).unwrap();
    let again: BTreeSet<_> = dir.rest().into_iter().map(|(name, _)| name).collect();
    if testbed.differences().lists_again {
        assert_eq!(again, ["b", "c", "d"].map(OsString::from).into());
    } else {
        curt_testkit::skip("what is new is not listed: Wine keeps a listing as it was at first");
    }
    dir.close();
}

pub(super) fn a_removed_directory_lists_nothing<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    if testbed.differences().removes_by_handle {
        return;
    }
    testbed.files(["top/a", "other/c"]);
    let top = base.open("top");
    assert_eq!(top.remove("a", Kind::File), "Done");
    assert!(base.finish("top", base.open("top")).is_ok());
    let begins_empty = || {
        assert!(top.rest().is_empty());
        top.sys.rewind(&top.dir).unwrap();
        assert!(top.rest().is_empty());
    };
    begins_empty();
    testbed.rename("other", "top");
    begins_empty();
    top.close();
}

pub(super) fn entries_are_removed_while_the_listing_goes_on<G: Testbed>(
    testbed: &G,
    base: &At<'_, G>,
) {
    let count = if cfg!(windows) { 400 } else { 2000 };
    let names: Vec<String> = (0..count).map(|index| format!("file-{index:04}")).collect();
    for name in &names {
        testbed.file(&Path::new("top").join(name), b"");
    }
    let setup = testbed.setup();
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
