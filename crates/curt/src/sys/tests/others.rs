use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

use super::shorthand::{At, Shorthand, said};
use super::testbed::Testbed;
use crate::fields::Kind;
use crate::sys::fault::Faults;
use crate::sys::{Identity, Last, Mounts, Sys, SystemUnit};

pub(super) fn metadata_is_of_the_entry_itself<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.file(Path::new("file"), b"hello");
    testbed.hard_link("file", "same");
    testbed.dir("directory");
    let may_write = |child: &str, kind| {
        base.sys.may_write(&base.dir, base.name(child).as_name(), kind).unwrap()
    };
    let identity = |child: &str| Identity::of(&base.stat(child).unwrap());
    let (file, directory) = (base.stat("file").unwrap(), base.stat("directory").unwrap());
    assert_eq!((file.kind, file.size), (Kind::File, 5));
    assert!(!cfg!(unix) || (file.links, identity("file")) == (2, identity("same")));
    assert_eq!(directory.kind, Kind::Directory);
    let opened = base.open("directory");
    assert_eq!(opened.identity(), identity("directory"));
    assert_ne!(opened.identity(), base.identity());
    let is_root = base.sys.is_root(&opened.dir, opened.identity(), &OnceLock::new());
    assert!(!is_root.unwrap());
    opened.close();
    assert_eq!(base.stat("nothing").err(), Some(ErrorKind::NotFound));
    assert!(may_write("file", Kind::File));
    if testbed.link("link", "directory") {
        assert_eq!(base.stat("link").unwrap().kind, Kind::Symlink);
        assert_ne!(identity("link"), identity("directory"));
        assert!(may_write("link", Kind::Symlink));
    }
}

pub(super) fn the_working_directory_needs_no_opening<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    let sys = testbed.start();
    let here = Shorthand { sys: &sys, dir: sys.open_for_lookup(Path::new("")).unwrap() };
    assert!(cfg!(windows) || sys.calls().total() == 0);
    here.open(testbed.differences().known.0).close();
    let dot = Shorthand { sys: &sys, dir: sys.open_for_lookup(Path::new(".")).unwrap() };
    assert_eq!(here.identity(), dot.identity());
    let closed = sys.calls().of("close");
    here.close();
    assert!(cfg!(windows) || sys.calls().of("close") == closed, "and no closing");
    assert!(sys.open_for_lookup(Path::new("no/such/directory")).is_err());
}

pub(super) fn mounts_are_refused_or_crossed<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    let Some(mount) = testbed.differences().known.1 else {
        return curt_testkit::skip("no mount point that is the same everywhere is known here");
    };
    // A security filter refuses `openat2` with `EPERM` (1).
    for faults in [Faults::default(), Faults::default().fail("openat2", 0, 1)] {
        let sys = G::S::start(&testbed.setup_with(faults));
        let root = Shorthand { sys: &sys, dir: sys.open_for_lookup(Path::new("/")).unwrap() };
        let open = |mounts| sys.open_child(&root.dir, root.name(mount).as_name(), mounts);
        assert_eq!(said(&open(Mounts::Refuse)), "a mount point");
        assert_eq!(said(&open(Mounts::Cross)), "opened");
        root.close();
    }
}

pub(super) fn a_shortage_is_no_failure<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.dir("top");
    for &number in testbed.differences().shortages {
        let faults = Faults::default().fail(testbed.differences().opening, 0, number);
        let sys = G::S::start(&testbed.setup_with(faults));
        let top = sys.open_child(&base.dir, base.name("top").as_name(), Mounts::Refuse);
        assert_eq!(said(&top), "shortage", "{number}");
    }
}

pub(super) fn operands_are_split_by_text<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    let apart = |text: &str| {
        let operand = <G::S as Sys>::Unit::operand(Path::new(text));
        let last = match operand.last {
            Last::Name(name) => {
                SystemUnit::path(name.as_name().units().to_vec()).display().to_string()
            }
            other => format!("{other:?}"),
        };
        (operand.parent.display().to_string(), last, operand.directory_only)
    };
    for (text, parent, last, directory_only) in [
        ("a", "", "a", false),
        ("a/", "", "a", true),
        ("x//a//", "x//", "a", true),
        ("/a", "/", "a", false),
        ("../a", "../", "a", false),
        ("a/.", "a/", "DotOrDotDot", false),
        ("a/.//", "a/", "DotOrDotDot", true),
        ("/..", "/", "DotOrDotDot", false),
        ("..", "", "DotOrDotDot", false),
        ("./", "", "DotOrDotDot", true),
        ("//", "", "Root", true),
        ("", "", "Invalid(NotFound)", false),
        ("a\0b", "", "Invalid(InvalidInput)", false),
    ] {
        assert_eq!(apart(text), (parent.to_owned(), last.to_owned(), directory_only), "{text:?}");
    }
    let base = testbed.base();
    assert_eq!(SystemUnit::path(<G::S as Sys>::Unit::units(&base)), base);
}
