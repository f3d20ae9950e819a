use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::shorthand::{At, Shorthand, all, kind, said};
use super::testbed::Testbed;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::{Batch, Listing, Opened, Sys, is_loop};

fn described(facts: &Facts, fields: Fields) -> Vec<(&'static str, String)> {
    let text = |field| match field {
        Fields::KIND => format!("{:?}", facts.kind),
        Fields::ID => facts.id.to_string(),
        Fields::DEVICE => facts.device.to_string(),
        Fields::SIZE => facts.size.to_string(),
        Fields::ALLOCATED => facts.allocated.to_string(),
        Fields::MODIFIED => format!("{:?}", facts.modified),
        Fields::CHANGED => format!("{:?}", facts.changed),
        Fields::CREATED => format!("{:?}", facts.created),
        Fields::ATTRIBUTES => facts.attributes.to_string(),
        Fields::LINKS => facts.links.to_string(),
        _ => String::new(),
    };
    fields.iter().map(|(name, field)| (name, text(field))).collect()
}

pub(super) fn an_empty_name_names_nothing<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["top/file"]);
    let sys = base.sys;
    for follow in [false, true] {
        let located = sys.locate(Path::new(""));
        let request = all::<G::S>(follow);
        let queried = located.and_then(|(at, path)| sys.query(&at, path.as_name(), request));
        assert_eq!(kind(queried).err(), Some(ErrorKind::NotFound));
        // On Windows, an empty name means the directory itself.
        assert!(cfg!(windows) || base.query("", follow).err() == Some(ErrorKind::NotFound));
    }
}

pub(super) fn a_query_describes_an_entry<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.file(Path::new("file"), b"hello");
    testbed.hard_link("file", "same");
    testbed.files(["directory/inner"]);
    let file = base.query("file", false).unwrap();
    assert_eq!((file.kind, file.size), (Kind::File, 5));
    assert!(file.known.contains(Fields::KIND | Fields::SIZE), "{file:?}");
    assert!(G::S::SOURCES.query.contains(file.known), "{file:?}");
    let stat = base.stat("file").unwrap();
    let same = file.known.intersection(stat.known);
    assert!(same.contains(Fields::KIND | Fields::SIZE));
    assert_eq!((file.id, file.links, file.device), (stat.id, stat.links, stat.device));
    assert_eq!(base.query("directory/inner", false).unwrap().kind, Kind::File);
    for path in ["nothing", "nothing/inner", "directory/nothing"] {
        for follow in [false, true] {
            assert_eq!(base.query(path, follow).err(), Some(ErrorKind::NotFound), "{path}");
        }
    }
    let directory = base.query("directory", true).unwrap();
    assert_eq!(directory.kind, Kind::Directory);
    let open = base.open("directory");
    let itself = base.sys.query_dir(&open.dir, all::<G::S>(false)).unwrap();
    let both = directory.known.intersection(itself.known).without(Fields::ALLOCATED);
    assert!(both.contains(Fields::KIND));
    assert_eq!(described(&itself, both), described(&directory, both));
    open.close();
}

pub(super) fn a_query_follows_links_on_request<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["directory/inner"]);
    let has_links = testbed.link("link", "directory") && testbed.link("broken", "nothing");
    for no_link in ["directory", "directory/inner", "nothing"] {
        assert!(base.target(no_link).is_err(), "{no_link}");
    }
    if !has_links {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    assert_eq!(base.query("link", false).unwrap().kind, Kind::Symlink);
    assert_eq!(base.query("broken", false).unwrap().kind, Kind::Symlink);
    let followed = base.query("link", true).unwrap();
    let directory = base.query("directory", false).unwrap();
    assert_eq!((followed.kind, followed.id), (Kind::Directory, directory.id));
    assert_eq!(base.query("broken", true).err(), Some(ErrorKind::NotFound));
    assert_eq!(base.query("link/inner", false).unwrap().kind, Kind::File);
    let targets = ["link", "broken"].map(|link| base.target(link).unwrap());
    assert_eq!(targets, ["directory", "nothing"].map(PathBuf::from));
}

pub(super) fn link_loops_are_recognized<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    let links = [("round", "round"), ("one", "other"), ("other", "one"), ("broken", "nothing")];
    testbed.files(["file"]);
    if !links.iter().all(|&(link, target)| testbed.link(link, target)) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    let loops = |path: &str| {
        let queried = base.sys.query(&base.dir, base.name(path).as_name(), all::<G::S>(true));
        is_loop(&queried.unwrap_err())
    };
    assert_eq!(["round", "one", "other/below"].map(loops), [true; 3]);
    assert_eq!(["broken", "nothing", "file/below"].map(loops), [false; 3]);
}

pub(super) fn listings_agree_with_queries<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    for (file, size) in [("top/empty", 0), ("top/small", 5), ("top/large", 70_000)] {
        testbed.file(Path::new(file), &vec![b'x'; size]);
    }
    // Vary the length of names, and so the length of records.
    for length in 1..=40 {
        testbed.file(&Path::new("top").join("n".repeat(length)), b"n");
    }
    testbed.dir("top/directory");
    testbed.link("top/link", "small");
    testbed.fifo("top/pipe");
    let (sys, top) = (base.sys, base.open("top"));
    let mut buf = <G::S as Sys>::DirBuf::default();
    let mut found = 0;
    loop {
        let batch = sys.read_entries(&top.dir, &mut buf).unwrap();
        let mut position = 0;
        while let Some((entry, next)) = buf.entry(position) {
            let mut facts = Facts::default();
            buf.facts(position, &entry, &mut facts);
            assert!(G::S::SOURCES.listing.contains(facts.known), "{facts:?}");
            assert_eq!(facts.known.contains(Fields::KIND), entry.kind != Kind::Unknown);
            let queried = sys.query(&top.dir, entry.name, all::<G::S>(false)).unwrap();
            let both = facts.known.intersection(queried.known);
            assert_eq!(both, facts.known, "{:?} is described by the listing alone", entry.name);
            assert_eq!(described(&facts, both), described(&queried, both), "{:?}", entry.name);
            position = next;
            found += 1;
        }
        if batch == Batch::End {
            break;
        }
    }
    assert!(found >= 44, "{found}");
    top.close();
}

pub(super) fn paths_are_located_without_a_call<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.file(Path::new("directory/file"), b"hello");
    let sys = testbed.start();
    let locate = |path: &str| sys.locate(&testbed.at(path)).unwrap();
    let (from, path) = locate("directory/file");
    assert_eq!(sys.calls().total(), 0, "{:?}", sys.calls());
    let found = sys.query(&from, path.as_name(), all::<G::S>(true)).unwrap();
    assert_eq!((found.kind, found.size), (Kind::File, 5));
    let allowed = sys.may(&from, path.as_name(), Fields::READABLE | Fields::WRITABLE).unwrap();
    assert_eq!(allowed, Fields::READABLE | Fields::WRITABLE);
    sys.owners(&from, path.as_name(), Fields::USER, &found).unwrap();
    sys.close(from);
    let child = base.query("directory/file", false).unwrap();
    let both = child.known.intersection(found.known);
    assert_eq!(described(&child, both), described(&found, both));
    let (from, path) = locate("directory/nothing");
    let queried = kind(sys.query(&from, path.as_name(), all::<G::S>(true)));
    assert_eq!(queried.err(), Some(ErrorKind::NotFound));
    let queried = kind(sys.may(&from, path.as_name(), Fields::READABLE));
    assert_eq!(queried.err(), Some(ErrorKind::NotFound));
    sys.close(from);
    assert_eq!(sys.locate(Path::new("a\0b")).err().unwrap().kind(), ErrorKind::InvalidInput);
}

pub(super) fn access_is_that_of_the_target<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["plain"]);
    testbed.dir("directory");
    testbed.program("program");
    let has_links = testbed.link("link", "program") && testbed.link("broken", "nothing");
    let all = Fields::READABLE | Fields::WRITABLE | Fields::EXECUTABLE;
    for child in ["plain", "directory", "program"] {
        for queried in [Fields::READABLE, Fields::WRITABLE, Fields::READABLE | Fields::WRITABLE] {
            assert_eq!(base.may(child, queried), Ok(queried), "{child}");
        }
    }
    assert_eq!(base.may("plain", Fields::NONE), Ok(Fields::NONE));
    if testbed.differences().has_content && !cfg!(windows) {
        assert_eq!(base.may("plain", all), Ok(Fields::READABLE | Fields::WRITABLE));
        assert_eq!(base.may("plain", Fields::EXECUTABLE), Ok(Fields::NONE));
        assert_eq!(["directory", "program"].map(|child| base.may(child, all)), [Ok(all); 2]);
        if has_links {
            assert_eq!(base.may("link", all), Ok(all));
            assert_eq!(base.may("broken", all), Err(ErrorKind::NotFound));
        }
    }
    assert_eq!(base.may("nothing", all), Err(ErrorKind::NotFound));
}

pub(super) fn directories_below_are_opened<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["a/b/c/file"]);
    let has_links = testbed.link("a/link", "b") && testbed.link("a/broken", "nothing");
    let sys = base.sys;
    let open = |from: &<G::S as Sys>::Dir, path: Name<'_, _>, follow| {
        let opened = sys.open_below(from, path, follow);
        let word = said(&opened);
        if let Opened::Dir(dir) = opened {
            let dir = Shorthand { sys, dir };
            assert!(!dir.rest().is_empty());
            dir.close();
        }
        word
    };
    let open_located = |path: &Path, follow| {
        let (from, located) = sys.locate(path).unwrap();
        let word = open(&from, located.as_name(), follow);
        sys.close(from);
        word
    };
    let is_plain = open_located(&testbed.base(), false) == "opened";
    let both = |path: &str, follow, expected: &str| {
        assert_eq!(open(&base.dir, base.name(path).as_name(), follow), expected, "{path}");
        if follow || is_plain {
            assert_eq!(open_located(&testbed.at(path), follow), expected, "{path}, {follow}");
        }
    };
    for follow in [false, true] {
        both("a", follow, "opened");
        both("a/b/c", follow, "opened");
        both("a/b/nothing", follow, "gone");
        both("a/b/c/file", follow, "not a directory");
    }
    if has_links {
        both("a/link", true, "opened");
        both("a/link/c", true, "opened");
        both("a/broken", true, "gone");
        both("a/link", false, "not a directory");
        both("a/link/c", false, "not a directory");
    }
}
