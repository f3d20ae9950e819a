//! Questions about metadata, the edges of a tree, and text.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

use super::asked::{Asked, base, name, number_or_kind, said, units};
use super::ground::Ground;
use crate::fields::Kind;
use crate::sys::fault::Faults;
use crate::sys::{Ask, Identity, Last, Mounts, Sys, SystemUnit};

pub(super) fn metadata_is_of_the_entry_itself<G: Ground>(ground: &G) {
    ground.file(Path::new("file"), b"hello");
    ground.hard_link("file", "same");
    ground.dir("directory");
    let sys = ground.start();
    let base = base(ground, &sys);
    let stat = |child: &str| sys.query(&base.dir, name(&units::<G::S>(child)), Ask::STAT).unwrap();
    let (file, directory) = (stat("file"), stat("directory"));
    assert_eq!((file.kind, file.size), (Kind::File, 5));
    assert!(!cfg!(unix) || (file.links, Identity::of(&file)) == (2, Identity::of(&stat("same"))));
    assert_eq!(directory.kind, Kind::Directory);
    let identity = |dir| Identity::of(&sys.query_dir(dir, Ask::STAT).unwrap());
    let opened = base.open("directory");
    assert_eq!(identity(&opened.dir), Identity::of(&directory));
    assert_eq!(sys.query_dir(&opened.dir, Ask::STAT).unwrap().kind, Kind::Directory);
    assert_ne!(identity(&opened.dir), identity(&base.dir));
    let is_root = sys.is_root(&opened.dir, identity(&opened.dir), &OnceLock::new());
    assert!(!is_root.unwrap());
    opened.close();
    let gone = sys.query(&base.dir, name(&units::<G::S>("nothing")), Ask::STAT).unwrap_err();
    assert_eq!(number_or_kind(&gone), ErrorKind::NotFound);
    assert!(sys.may_write(&base.dir, name(&units::<G::S>("file")), Kind::File));
    if ground.link("link", "directory") {
        assert_eq!(stat("link").kind, Kind::Symlink);
        assert_ne!(Identity::of(&stat("link")), Identity::of(&directory));
        assert!(sys.may_write(&base.dir, name(&units::<G::S>("link")), Kind::Symlink));
    }
}

pub(super) fn the_working_directory_needs_no_opening<G: Ground>(ground: &G) {
    let sys = ground.start();
    let here = Asked { sys: &sys, dir: sys.open_place(Path::new("")).unwrap() };
    if !cfg!(windows) {
        assert_eq!(sys.calls().total(), 0);
    }
    here.open(ground.known().0).close();
    let dot = sys.open_place(Path::new(".")).unwrap();
    let identity = |dir| Identity::of(&sys.query_dir(dir, Ask::STAT).unwrap());
    assert_eq!(identity(&here.dir), identity(&dot));
    let open = sys.calls().of("close");
    here.close();
    if !cfg!(windows) {
        assert_eq!(sys.calls().of("close"), open, "and no closing");
    }
    assert!(sys.open_place(Path::new("no/such/directory")).is_err());
}

pub(super) fn mounts_are_refused_or_crossed<G: Ground>(ground: &G) {
    let Some(mount) = ground.known().1 else {
        return curt_testkit::skip("no mount point that is the same everywhere is known here");
    };
    // `EPERM` is what a security filter answers.
    for faults in [Faults::default(), Faults::default().fail("openat2", 0, 1)] {
        let sys = G::S::start(&ground.setup_with(faults));
        let root = sys.open_place(Path::new("/")).unwrap();
        let open = |mounts| sys.open_child(&root, name(&units::<G::S>(mount)), mounts);
        assert_eq!(said(&open(Mounts::Refuse)), "a mount point");
        assert_eq!(said(&open(Mounts::Cross)), "opened");
        // What is refused is let go of.
        sys.close(root);
    }
    ground.assert_nothing_open();
}

pub(super) fn a_shortage_is_no_failure<G: Ground>(ground: &G) {
    ground.dir("top");
    for &number in ground.shortages() {
        let dir = G::S::start(&ground.setup()).open_place(&ground.base()).unwrap();
        let faults = Faults::default().fail(ground.opening(), 0, number);
        let sys = G::S::start(&ground.setup_with(faults));
        let base = Asked { sys: &sys, dir };
        assert_eq!(said(&base.try_open("top")), "shortage", "{number}");
        sys.close(base.dir);
    }
    ground.assert_nothing_open();
}

pub(super) fn operands_are_split_by_text<G: Ground>(ground: &G) {
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
    // A path and its units are the same thing.
    let base = ground.base();
    assert_eq!(SystemUnit::path(<G::S as Sys>::Unit::units(&base)), base);
}
