//! Links that Cygwin keeps in plain files.

use std::path::Path;

use curt::fields::{Origin, Value};
use curt::{Fields, Kind, Plan, Walk};
use curt_testkit::Scratch;

const SYSTEM: u32 = 4;

/// A link of either form, and files that are none although they look like one more and more.
fn build(scratch: &Scratch) {
    let wide: Vec<u8> = "../größe\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, content, attributes) in [
        ("top/new", [b"!<symlink>\xff\xfe".as_slice(), &wide].concat(), SYSTEM),
        ("top/old", b"!<symlink>/usr/bin\0".to_vec(), SYSTEM),
        ("top/plain", b"!<symlink>/usr/bin\0".to_vec(), 0x20),
        ("top/short", b"!<symlink>".to_vec(), SYSTEM),
        ("top/long", vec![b'!'; 9_000], SYSTEM),
        ("top/other", b"[.ShellClassInfo]".to_vec(), SYSTEM),
    ] {
        scratch.file_with(name, &content);
        scratch.set_attributes(name, attributes);
    }
    scratch.dir("top/directory");
    scratch.set_attributes("top/directory", SYSTEM);
}

/// Whether the file system keeps the attribute; says aloud where not.
fn keeps_attributes(scratch: &Scratch) -> bool {
    let told = curt::stat(scratch.at("top/old"), Plan::new(Fields::ATTRIBUTES)).unwrap();
    let keeps = told.attributes().known().is_some_and(|bits| bits & u64::from(SYSTEM) != 0);
    if !keeps {
        curt_testkit::skip("the file system keeps no SYSTEM attribute");
    }
    keeps
}

#[test]
fn they_are_told_where_that_is_asked_for_and_only_likely_ones_are_opened() {
    let scratch = Scratch::new();
    build(&scratch);
    if !keeps_attributes(&scratch) {
        return;
    }
    let fields = Fields::KIND | Fields::TARGET | Fields::SIZE;
    for (asked, links) in [(false, vec![]), (true, vec![("new", "../größe"), ("old", "/usr/bin")])]
    {
        let plan = Plan::new(fields).cygwin_links(asked);
        let mut list = curt::list(scratch.at("top")).unwrap().plan(plan);
        let mut found = Vec::new();
        while let Some(entry) = list.next() {
            let entry = entry.unwrap();
            let metadata = entry.metadata();
            assert_eq!(metadata.failures().count(), 0, "{metadata:?}");
            let target = metadata.target().known().map(Path::to_owned);
            match metadata.kind() {
                Value::Value(Kind::CygwinSymlink, Origin::Query) => {
                    found.push((entry.to_name(), target));
                }
                Value::Value(Kind::File | Kind::Directory, Origin::Listing) => {
                    assert_eq!(target, None, "{metadata:?}");
                }
                other => panic!("{other:?}"),
            }
        }
        found.sort();
        let expected: Vec<_> =
            links.iter().map(|&(name, target)| (name.into(), Some(target.into()))).collect();
        assert_eq!(found, expected);
        let calls = list.calls();
        let opened = if asked { 3 } else { 0 };
        assert_eq!(calls.of("NtOpenFile"), 1 + opened, "two links and one that looks like one");
        assert_eq!(calls.of("NtReadFile"), opened, "{calls:?}");
    }
}

#[test]
fn one_path_and_a_walk_tell_the_same() {
    let scratch = Scratch::new();
    build(&scratch);
    if !keeps_attributes(&scratch) {
        return;
    }
    let plan = Plan::new(Fields::KIND).cygwin_links(true);
    for (name, kind) in [
        ("new", Kind::CygwinSymlink),
        ("old", Kind::CygwinSymlink),
        ("plain", Kind::File),
        ("other", Kind::File),
        ("directory", Kind::Directory),
    ] {
        let told = curt::stat(scratch.at("top").join(name), plan).unwrap();
        assert_eq!(told.kind().known(), Some(kind), "{name}");
        assert!(matches!(told.target(), Value::NotRequested));
    }
    let mut walk = Walk::new(scratch.at("top")).plan(plan).start();
    let mut links = 0;
    while let Some(entry) = walk.next() {
        links += usize::from(entry.unwrap().kind() == Kind::CygwinSymlink);
    }
    assert_eq!(links, 2);
}
