//! The questions. Each is a function that a platform must get through.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;

use super::ground::Ground;
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::fault::Faults;
use crate::sys::{Batch, Finished, Last, Listing, Mounts, Opened, Removed, Sys};

/// A platform, a directory of it and what is asked there, less wordy than by the contract.
struct Asked<'a, S: Sys> {
    sys: &'a S,
    dir: S::Dir,
}

/// A name as the platform takes it.
fn units<S: Sys>(name: impl AsRef<OsStr>) -> Vec<S::Unit> {
    match S::operand(Path::new(name.as_ref())).last {
        Last::Name(units) => units,
        other => panic!("{} is no name: {other:?}", name.as_ref().display()),
    }
}

fn name<U: Unit>(units: &[U]) -> Name<'_, U> {
    Name::until_nul(units).unwrap()
}

/// The base directory, opened as the parent of an operand.
fn base<'a, G: Ground>(ground: &G, sys: &'a G::S) -> Asked<'a, G::S> {
    Asked { sys, dir: sys.open_parent(&ground.base()).unwrap() }
}

impl<'a, S: Sys> Asked<'a, S> {
    fn try_open(&self, child: &str) -> Opened<S::Dir> {
        self.sys.open_child(&self.dir, name(&units::<S>(child)), Mounts::Refuse)
    }

    fn open(&self, child: &str) -> Asked<'a, S> {
        match self.try_open(child) {
            Opened::Dir(dir) => Asked { sys: self.sys, dir },
            other => panic!("{child}: {}", said(&other)),
        }
    }

    fn remove(&self, child: &str, kind: Kind) -> Removed {
        self.sys.remove_child(&self.dir, name(&units::<S>(child)), kind)
    }

    fn finish(&self, child: &str, dir: Asked<'a, S>) -> Finished<S::Dir> {
        self.sys.finish_dir(&self.dir, name(&units::<S>(child)), dir.dir)
    }

    /// What the rest of the listing holds.
    fn rest(&self) -> Vec<(OsString, Kind)> {
        let mut buf = S::DirBuf::default();
        let mut found = Vec::new();
        loop {
            let batch = self.sys.read(&self.dir, &mut buf).unwrap();
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                assert!(next > position && next <= buf.end());
                position = next;
                found.push((S::path(entry.name.units().to_vec()).into(), entry.kind));
            }
            if batch == Batch::End {
                return found;
            }
        }
    }

    fn close(self) {
        self.sys.close(self.dir);
    }
}

fn said<D>(opened: &Opened<D>) -> &'static str {
    match opened {
        Opened::Dir(_) => "opened",
        Opened::NotDirectory => "not a directory",
        Opened::Gone => "gone",
        Opened::Mount => "a mount point",
        Opened::Shortage(_) => "shortage",
        Opened::Failed(_) => "failed",
    }
}

pub(super) fn only_directories_are_opened(ground: &impl Ground) {
    ground.dir("directory");
    ground.files(["file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    assert_eq!(said(&base.try_open("directory")), "opened");
    assert_eq!(said(&base.try_open("file")), "not a directory");
    assert_eq!(said(&base.try_open("nothing")), "gone");
    if ground.link("link", "directory") && ground.link("broken", "nothing") {
        assert_eq!(said(&base.try_open("link")), "not a directory");
        assert_eq!(said(&base.try_open("broken")), "not a directory");
    }
    if ground.fifo("pipe") {
        assert_eq!(said(&base.try_open("pipe")), "not a directory", "and nobody waits for a writer");
    }
}

pub(super) fn what_is_being_listed_need_not_fit_one_page(ground: &impl Ground) {
    let mut odd: Vec<OsString> = ["...", "-f", "ünïcödé", "a b"].map(OsString::from).to_vec();
    if cfg!(unix) {
        odd.extend([" ", "new\nline", "back\\slash", "*", "~"].map(OsString::from));
        odd.push("x".repeat(255).into());
    }
    #[cfg(target_os = "linux")]
    odd.push(std::os::unix::ffi::OsStringExt::from_vec(vec![0xff, b'n', 0x80]));
    for count in [0, 1, 3000] {
        let top = format!("of-{count}");
        ground.dir(&top);
        let mut expected = BTreeSet::new();
        for index in 0..count {
            // Names of every length up to 250, so that records end everywhere in a page.
            let name: OsString = format!("{index:0width$}", width = 4 + index % 247).into();
            expected.insert(name);
        }
        if count == 3000 {
            expected.extend(odd.iter().cloned());
        }
        for name in &expected {
            ground.file(&Path::new(&top).join(name), b"");
        }
        ground.dir(&format!("{top}/inner"));
        expected.insert("inner".into());

        let sys = ground.start();
        let dir = base(ground, &sys).open(&top);
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

pub(super) fn listings_begin_again(ground: &impl Ground) {
    ground.files(["top/a", "top/b", "top/c"]);
    let sys = ground.start();
    let dir = base(ground, &sys).open("top");
    assert_eq!(dir.rest().len(), 3);
    ground.files(["top/d"]);
    assert!(matches!(dir.remove("a", Kind::File), Removed::Done));
    sys.rewind(&dir.dir).unwrap();
    let again: BTreeSet<_> = dir.rest().into_iter().map(|(name, _)| name).collect();
    assert_eq!(again, ["b", "c", "d"].map(OsString::from).into());
    dir.close();
}

pub(super) fn entries_are_removed_while_the_listing_goes_on<G: Ground>(ground: &G) {
    let names: Vec<String> = (0..2000).map(|index| format!("file-{index:04}")).collect();
    for name in &names {
        ground.file(&Path::new("top").join(name), b"");
    }
    let setup = ground.setup();
    let sys = G::S::start(&setup);
    let top = base(ground, &sys);
    let dir = top.open("top");
    let open = &dir.dir;
    // Two helpers, each with a door of its own, remove what the owner lists.
    std::thread::scope(|scope| {
        for half in names.chunks(1000) {
            let setup = &setup;
            scope.spawn(move || {
                let helper = G::S::start(setup);
                for file in half {
                    let removed =
                        helper.remove_child(open, name(&units::<G::S>(file)), Kind::File);
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
    assert!(matches!(top.finish("top", dir), Finished::Done));
}

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

/// [`units`] for where the platform is known only by a value.
fn units_of<S: Sys>(_sys: &S, name: &str) -> Vec<S::Unit> {
    units::<S>(name)
}

/// The kind of an error; the numbers of the tree in memory are those of Linux everywhere.
fn number_or_kind(error: &std::io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(2) => ErrorKind::NotFound,
        Some(17) => ErrorKind::AlreadyExists,
        Some(39) => ErrorKind::DirectoryNotEmpty,
        _ => error.kind(),
    }
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
    assert!(matches!(base.finish("top", top), Finished::Done));
    assert!(ground.list("").is_empty());
}

pub(super) fn a_directory_with_entries_is_handed_back(ground: &impl Ground) {
    ground.files(["top/file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    top.rest();
    let Finished::NotEmpty(dir) = base.finish("top", top) else { panic!("it is not empty") };
    // What is handed back can be worked on.
    let top = Asked { sys: &sys, dir };
    sys.rewind(&top.dir).unwrap();
    assert_eq!(top.rest().len(), 1);
    assert!(matches!(top.remove("file", Kind::File), Removed::Done));
    assert!(matches!(base.finish("top", top), Finished::Done));
}

pub(super) fn a_directory_that_went_away_is_gone(ground: &impl Ground) {
    ground.dir("top");
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    ground.rename("top", "elsewhere");
    assert!(matches!(base.finish("top", top), Finished::Gone));
    assert_eq!(ground.list(""), ["d elsewhere"]);
}

pub(super) fn directories_move_and_replace_nothing<G: Ground>(ground: &G) {
    ground.files(["top/deep/file", "taken/file"]);
    ground.dir("other");
    let sys = ground.start();
    let base = base(ground, &sys);
    let top = base.open("top");
    let deep = units::<G::S>("deep");
    let to = |fresh: &str| {
        let fresh = units::<G::S>(fresh);
        sys.move_dir(&top.dir, name(&deep), &base.dir, name(&fresh))
    };
    assert_eq!(number_or_kind(&to("taken").unwrap_err()), ErrorKind::AlreadyExists);
    to("fresh").unwrap();
    assert_eq!(number_or_kind(&to("fresher").unwrap_err()), ErrorKind::NotFound);
    assert_eq!(base.open("fresh").rest().len(), 1);
    let expected = ["- fresh/file", "- taken/file", "d fresh", "d other", "d taken", "d top"];
    assert_eq!(ground.list(""), expected);
}

pub(super) fn metadata_is_of_the_entry_itself<G: Ground>(ground: &G) {
    ground.file(Path::new("file"), b"hello");
    ground.hard_link("file", "same");
    ground.dir("directory");
    let sys = ground.start();
    let base = base(ground, &sys);
    let stat = |child: &str| sys.stat_child(&base.dir, name(&units::<G::S>(child))).unwrap();
    let (file, directory) = (stat("file"), stat("directory"));
    assert_eq!((file.kind, file.size), (Kind::File, 5));
    assert!(!cfg!(unix) || (file.links, file.identity) == (2, stat("same").identity));
    assert_eq!(directory.kind, Kind::Directory);
    let opened = sys.stat_dir(&base.open("directory").dir).unwrap();
    assert_eq!((opened.identity, opened.kind), (directory.identity, Kind::Directory));
    assert_ne!(directory.identity, sys.stat_dir(&base.dir).unwrap().identity);
    assert_ne!(directory.identity, sys.root_identity().unwrap());
    let gone = sys.stat_child(&base.dir, name(&units::<G::S>("nothing"))).unwrap_err();
    assert_eq!(number_or_kind(&gone), ErrorKind::NotFound);
    assert!(sys.may_write(&base.dir, name(&units::<G::S>("file")), Kind::File));
    if ground.link("link", "directory") {
        assert_eq!(stat("link").kind, Kind::Symlink);
        assert_ne!(stat("link").identity, directory.identity);
        assert!(sys.may_write(&base.dir, name(&units::<G::S>("link")), Kind::Symlink));
    }
}

pub(super) fn the_working_directory_needs_no_opening<G: Ground>(ground: &G) {
    let sys = ground.start();
    let here = Asked { sys: &sys, dir: sys.open_parent(Path::new("")).unwrap() };
    if !cfg!(windows) {
        assert_eq!(sys.calls().total(), 0);
    }
    here.open(ground.known().0).close();
    let dot = sys.open_parent(Path::new(".")).unwrap();
    let identity = |dir| sys.stat_dir(dir).unwrap().identity;
    assert_eq!(identity(&here.dir), identity(&dot));
    let open = sys.calls().of("close");
    here.close();
    if !cfg!(windows) {
        assert_eq!(sys.calls().of("close"), open, "and no closing");
    }
    assert!(sys.open_parent(Path::new("no/such/directory")).is_err());
}

pub(super) fn mounts_are_refused_or_crossed<G: Ground>(ground: &G) {
    let Some(mount) = ground.known().1 else {
        return curt_testkit::skip("no mount point that is the same everywhere is known here");
    };
    let sys = ground.start();
    let root = sys.open_parent(Path::new("/")).unwrap();
    let open = |mounts| sys.open_child(&root, name(&units::<G::S>(mount)), mounts);
    assert_eq!(said(&open(Mounts::Refuse)), "a mount point");
    assert_eq!(said(&open(Mounts::Cross)), "opened");
    // What is refused is let go of.
    sys.close(root);
    ground.assert_nothing_open();
}

pub(super) fn a_shortage_is_no_failure<G: Ground>(ground: &G) {
    ground.dir("top");
    let numbers: &[i32] = if cfg!(windows) { &[4, 8] } else { &[24, 23, 12] };
    for &number in numbers {
        let faults = Faults::default().fail(ground.opening(), 0, number);
        // The parent may be opened by the same kind of call, which then must fail aloud.
        let sys = G::S::start(&ground.setup_with(faults.fail(ground.opening(), 1, number)));
        let Ok(dir) = sys.open_parent(&ground.base()) else { continue };
        let base = Asked { sys: &sys, dir };
        assert_eq!(said(&base.try_open("top")), "shortage", "{number}");
        sys.close(base.dir);
    }
    ground.assert_nothing_open();
}

pub(super) fn planned_errors_are_the_answers<G: Ground>(ground: &G) {
    ground.files(["top/file"]);
    let faults = ["unlinkat", "remove_file", "remove_dir"]
        .into_iter()
        .fold(Faults::default(), |faults, kind| faults.fail(kind, 0, 5).fail(kind, 1, 2));
    let sys = G::S::start(&ground.setup_with(faults));
    let base = base(ground, &sys);
    let top = base.open("top");
    assert!(matches!(top.remove("file", Kind::File), Removed::Failed(e) if e.raw_os_error() == Some(5)));
    assert!(matches!(top.remove("file", Kind::File), Removed::Gone));
    assert!(matches!(top.remove("file", Kind::File), Removed::Done));
    // Platforms with one call for both have none left to fail.
    match base.finish("top", top) {
        Finished::Done => {}
        Finished::Failed(dir, error) => {
            assert_eq!(error.raw_os_error(), Some(5));
            let top = Asked { sys: &sys, dir };
            assert!(matches!(base.finish("top", top), Finished::Gone));
        }
        Finished::Gone | Finished::NotEmpty(_) => panic!("nobody planned that"),
    }
    base.close();
    // What is kept to be closed together is closed with the worker.
    drop(sys);
    ground.assert_nothing_open();
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
        match top.finish(child, dir) {
            Finished::NotEmpty(dir) | Finished::Failed(dir, _) => sys.close(dir),
            Finished::Done | Finished::Gone => {}
        }
    }
    drop(top.open("a"));
    top.close();
    base.close();
    // Looking at the calls closes what was kept to be closed together.
    let calls = sys.calls();
    let closings = calls.of("close") + calls.of("close_range");
    assert!(closings > 0 && closings <= 5, "{calls:?}");
    ground.assert_nothing_open();
    assert_eq!(ground.list(""), ["- top/a/file", "- top/b/file", "d top", "d top/a", "d top/b"]);
}

pub(super) fn operands_are_taken_apart_by_text<G: Ground>(ground: &G) {
    let apart = |text: &str| {
        let operand = G::S::operand(Path::new(text));
        let last = match operand.last {
            Last::Name(mut units) => {
                assert_eq!(units.pop(), Some(Unit::NUL));
                G::S::path(units).display().to_string()
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
    assert_eq!(G::S::path(G::S::units(&base)), base);
}
