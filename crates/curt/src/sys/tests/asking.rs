//! Questions about questions: by name, by path, of an open directory, and what a listing tells.

use std::io::ErrorKind;
use std::path::Path;

use super::asked::{Asked, base, name, number_or_kind, said, units, units_of};
use super::ground::Ground;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::{Ask, Batch, Listing, Opened, Sys, SystemUnit, is_loop};

/// Everything that one query tells.
fn all<S: Sys>(follow: bool) -> Ask {
    Ask { fields: S::SOURCES.query, follow }
}

/// A path below, with separators that every platform takes.
fn below<S: Sys>(_sys: &S, path: &str) -> Vec<S::Unit> {
    [S::Unit::units(Path::new(path)), S::Unit::units(Path::new("\0"))].concat()
}

fn query<S: Sys>(at: &Asked<'_, S>, path: &str, follow: bool) -> std::io::Result<Facts> {
    at.sys.query(&at.dir, name(&below(at.sys, path)), all::<S>(follow))
}

/// The values of the fields that both know, as text.
fn told(facts: &Facts, fields: Fields) -> Vec<(&'static str, String)> {
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

/// An empty path is no path, not even that of the working directory.
pub(super) fn an_empty_name_names_nothing<G: Ground>(ground: &G) {
    ground.files(["top/file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    for follow in [false, true] {
        let asked = sys.at_path(Path::new(""), |at, path| sys.query(at, path, all::<G::S>(follow)));
        let error = asked.and_then(|answer| answer).map(|facts| facts.kind).unwrap_err();
        assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
        // Windows opens a directory again so.
        if !cfg!(windows) {
            let error = query(&base, "", follow).map(|facts| facts.kind).unwrap_err();
            assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
        }
    }
    base.close();
}

pub(super) fn a_query_tells_what_an_entry_is<G: Ground>(ground: &G) {
    ground.file(Path::new("file"), b"hello");
    ground.hard_link("file", "same");
    ground.files(["directory/inner"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let file = query(&base, "file", false).unwrap();
    assert_eq!((file.kind, file.size), (Kind::File, 5));
    assert!(file.known.contains(Fields::KIND | Fields::SIZE), "{file:?}");
    assert!(G::S::SOURCES.query.contains(file.known), "{file:?}");
    let stat = sys.query(&base.dir, name(&units::<G::S>("file")), Ask::STAT).unwrap();
    let same = file.known.intersection(stat.known);
    assert!(same.contains(Fields::KIND | Fields::SIZE));
    assert_eq!((file.id, file.links, file.device), (stat.id, stat.links, stat.device));
    assert_eq!(query(&base, "directory/inner", false).unwrap().kind, Kind::File);
    for path in ["nothing", "nothing/inner", "directory/nothing"] {
        for follow in [false, true] {
            let error = query(&base, path, follow).unwrap_err();
            assert_eq!(number_or_kind(&error), ErrorKind::NotFound, "{path}");
        }
    }
    let directory = query(&base, "directory", true).unwrap();
    assert_eq!(directory.kind, Kind::Directory);
    let open = sys.query_dir(&base.open("directory").dir, all::<G::S>(false)).unwrap();
    let both = directory.known.intersection(open.known).without(Fields::ALLOCATED);
    assert!(both.contains(Fields::KIND));
    assert_eq!(told(&open, both), told(&directory, both));
}

pub(super) fn a_query_follows_links_if_it_is_asked_to<G: Ground>(ground: &G) {
    ground.files(["directory/inner"]);
    if !(ground.link("link", "directory") && ground.link("broken", "nothing")) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    let sys = ground.start();
    let base = base(ground, &sys);
    let ask = |path, follow| query(&base, path, follow);
    assert_eq!(ask("link", false).unwrap().kind, Kind::Symlink);
    assert_eq!(ask("broken", false).unwrap().kind, Kind::Symlink);
    let (followed, directory) = (ask("link", true).unwrap(), ask("directory", false).unwrap());
    assert_eq!((followed.kind, followed.id), (Kind::Directory, directory.id));
    assert_eq!(number_or_kind(&ask("broken", true).unwrap_err()), ErrorKind::NotFound);
    assert_eq!(ask("link/inner", false).unwrap().kind, Kind::File);
    let target = |link| {
        let mut target = Vec::new();
        sys.read_link(&base.dir, name(&units::<G::S>(link)), &mut target)?;
        Ok::<_, std::io::Error>(SystemUnit::path(target))
    };
    assert_eq!(target("link").unwrap(), Path::new("directory"));
    assert_eq!(target("broken").unwrap(), Path::new("nothing"));
    assert!(target("directory").is_err());
}

pub(super) fn links_in_a_circle_are_told_from_others<G: Ground>(ground: &G) {
    let links = [("round", "round"), ("one", "other"), ("other", "one"), ("broken", "nothing")];
    ground.files(["file"]);
    if !links.iter().all(|&(link, target)| ground.link(link, target)) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    let sys = ground.start();
    let base = base(ground, &sys);
    let loops = |path: &str| is_loop(&query(&base, path, true).unwrap_err());
    assert_eq!(["round", "one", "other/below"].map(loops), [true; 3]);
    assert_eq!(["broken", "nothing", "file/below"].map(loops), [false; 3]);
}

pub(super) fn what_is_no_link_holds_nothing<G: Ground>(ground: &G) {
    ground.files(["file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    for child in ["file", "nothing"] {
        let mut target = Vec::new();
        assert!(sys.read_link(&base.dir, name(&units_of(&sys, child)), &mut target).is_err());
        assert!(target.is_empty());
    }
    base.close();
}

pub(super) fn a_listing_tells_what_queries_tell<G: Ground>(ground: &G) {
    for (file, size) in [("top/empty", 0), ("top/small", 5), ("top/large", 70_000)] {
        ground.file(Path::new(file), &vec![b'x'; size]);
    }
    // Names of all lengths, because records end where names do.
    for length in 1..=40 {
        ground.file(&Path::new("top").join("n".repeat(length)), b"n");
    }
    ground.dir("top/directory");
    ground.link("top/link", "small");
    ground.fifo("top/pipe");
    let sys = ground.start();
    let top = base(ground, &sys).open("top");
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
            let asked = sys.query(&top.dir, entry.name, all::<G::S>(false)).unwrap();
            let both = facts.known.intersection(asked.known);
            assert_eq!(both, facts.known, "{:?} is told by the listing alone", entry.name);
            assert_eq!(told(&facts, both), told(&asked, both), "{:?}", entry.name);
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

pub(super) fn paths_are_located_without_a_call<G: Ground>(ground: &G) {
    ground.file(Path::new("directory/file"), b"hello");
    let sys = ground.start();
    let locate = |path: &str| sys.locate(&ground.at(path)).unwrap();
    let (from, path) = locate("directory/file");
    assert_eq!(sys.calls().total(), 0, "{:?}", sys.calls());
    let found = sys.query(&from, path.as_name(), all::<G::S>(true)).unwrap();
    assert_eq!((found.kind, found.size), (Kind::File, 5));
    let allowed = sys.may(&from, path.as_name(), Fields::READABLE | Fields::WRITABLE).unwrap();
    assert_eq!(allowed, Fields::READABLE | Fields::WRITABLE);
    sys.owners(&from, path.as_name(), Fields::USER, &found).unwrap();
    sys.close(from);
    let base = base(ground, &sys);
    let child = query(&base, "directory/file", false).unwrap();
    let both = child.known.intersection(found.known);
    assert_eq!(told(&child, both), told(&found, both));
    let (from, path) = locate("directory/nothing");
    let error = sys.query(&from, path.as_name(), all::<G::S>(true)).unwrap_err();
    assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
    let error = sys.may(&from, path.as_name(), Fields::READABLE).unwrap_err();
    assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
    sys.close(from);
    assert_eq!(sys.locate(Path::new("a\0b")).err().unwrap().kind(), ErrorKind::InvalidInput);
    base.close();
}

pub(super) fn access_is_that_of_the_target<G: Ground>(ground: &G) {
    ground.files(["plain"]);
    ground.dir("directory");
    ground.program("program");
    let has_links = ground.link("link", "program") && ground.link("broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    let all = Fields::READABLE | Fields::WRITABLE | Fields::EXECUTABLE;
    let may = |child: &str, asked| sys.may(&base.dir, name(&below(&sys, child)), asked);
    for child in ["plain", "directory", "program"] {
        for asked in [Fields::READABLE, Fields::WRITABLE, Fields::READABLE | Fields::WRITABLE] {
            assert_eq!(may(child, asked).unwrap(), asked, "{child}");
        }
    }
    assert_eq!(may("plain", Fields::NONE).unwrap(), Fields::NONE);
    // In memory, and on Windows, the bits of a mode are not there.
    if !cfg!(windows) && !std::any::type_name::<G::S>().contains("Memory") {
        assert_eq!(may("plain", all).unwrap(), Fields::READABLE | Fields::WRITABLE);
        assert_eq!(may("plain", Fields::EXECUTABLE).unwrap(), Fields::NONE);
        for child in ["directory", "program"] {
            assert_eq!(may(child, all).unwrap(), all, "{child}");
        }
        if has_links {
            assert_eq!(may("link", all).unwrap(), all);
            let error = may("broken", all).unwrap_err();
            assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
        }
    }
    let error = may("nothing", all).unwrap_err();
    assert_eq!(number_or_kind(&error), ErrorKind::NotFound);
    base.close();
}

pub(super) fn directories_below_are_opened<G: Ground>(ground: &G) {
    ground.files(["a/b/c/file"]);
    let has_links = ground.link("a/link", "b") && ground.link("a/broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    let check = |from: &<G::S as Sys>::Dir, path: Name<'_, _>, follow, expected: &str| {
        let opened = sys.open_below(from, path, follow);
        assert_eq!(said(&opened), expected, "{path:?}, following: {follow}");
        if let Opened::Dir(dir) = opened {
            let dir = Asked { sys: &sys, dir };
            assert!(!dir.rest().is_empty());
            dir.close();
        }
    };
    // Where links lead to the base itself, a full path cannot do without following.
    let (from, located) = sys.locate(&ground.base()).unwrap();
    let top = sys.open_below(&from, located.as_name(), false);
    let is_plain = matches!(top, Opened::Dir(_));
    if let Opened::Dir(dir) = top {
        sys.close(dir);
    }
    sys.close(from);
    let both = |path: &str, follow, expected: &str| {
        check(&base.dir, name(&below(&sys, path)), follow, expected);
        if !(follow || is_plain) {
            return;
        }
        let (from, located) = sys.locate(&ground.at(path)).unwrap();
        check(&from, located.as_name(), follow, expected);
        sys.close(from);
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
    base.close();
}
