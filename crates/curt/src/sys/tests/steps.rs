//! Questions about staying beneath a directory, one name at a time.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::asked::{Asked, base, name, number_or_kind, units};
use super::ground::Ground;
use crate::sys::beneath::{Beneath, Create, How, Link, Open, Purpose, Reading, Step};
use crate::sys::{Sys, SystemUnit};

/// What a step answered, in a word.
fn word<T>(step: &Step<T>) -> String {
    match step {
        Step::Done(_) => "done".into(),
        Step::Otherwise => "otherwise".into(),
        Step::Failed(error) => format!("{:?}", number_or_kind(error)),
    }
}

const READ: How = How {
    read: true,
    write: false,
    append: false,
    truncate: false,
    create: Create::Never,
    follow: true,
    nonblocking: false,
    mode: 0o600,
};

pub(super) fn a_step_enters_directories_and_nothing_else<G: Ground>(ground: &G) {
    ground.files(["dir/inner", "file"]);
    let has_links = ground.link("link", "dir") && ground.link("broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    for purpose in [Purpose::Place, Purpose::Listing] {
        let check = |child: &str, expected: &str| {
            let step = sys.enter(&base.dir, name(&units::<G::S>(child)), purpose);
            assert_eq!(word(&step), expected, "{child} {purpose:?}");
            let Step::Done(dir) = step else { return };
            // It is that directory, and what is in it can be opened.
            let inner = sys.open(&dir, name(&units::<G::S>("inner")), &READ);
            assert_eq!(word(&inner), "done", "{child} {purpose:?}");
            sys.close(dir);
        };
        check("dir", "done");
        check("file", "otherwise");
        check("nothing", "NotFound");
        if has_links {
            check("link", "otherwise");
            check("broken", "otherwise");
        }
        let itself = sys.enter(&base.dir, G::S::ITSELF, purpose);
        assert_eq!(word(&itself), "done");
        if let Step::Done(dir) = itself {
            let dir = Asked { sys: &sys, dir };
            assert_eq!(word(&dir.sys.open(&dir.dir, name(&units::<G::S>("file")), &READ)), "done");
            dir.close();
        }
    }
    base.close();
}

pub(super) fn a_step_opens_files_and_no_links<G: Ground>(ground: &G) {
    ground.files(["file"]);
    let has_links = ground.link("link", "file") && ground.link("broken", "made");
    let sys = ground.start();
    let base = base(ground, &sys);
    let open = |child: &str, create| {
        let how = How { write: create != Create::Never, create, ..READ };
        word(&sys.open(&base.dir, name(&units::<G::S>(child)), &how))
    };
    assert_eq!(open("file", Create::Never), "done");
    assert_eq!(open("nothing", Create::Never), "NotFound");
    assert_eq!(open("file", Create::Missing), "done");
    assert_eq!(open("file", Create::New), "AlreadyExists");
    assert_eq!(open("new", Create::New), "done");
    assert_eq!(open("missing", Create::Missing), "done");
    if has_links {
        for link in ["link", "broken"] {
            assert_eq!(open(link, Create::Never), "otherwise", "{link}");
            assert_eq!(open(link, Create::Missing), "otherwise", "{link}");
            assert_eq!(open(link, Create::New), "AlreadyExists", "{link}");
        }
    }
    base.close();
    drop(sys);
    ground.assert_nothing_open();
    let mut made: Vec<String> = ground.list("");
    made.retain(|line| line.starts_with('-'));
    assert_eq!(made, ["- file", "- missing", "- new"], "nothing is made through a link");
}

pub(super) fn a_step_reads_links<G: Ground>(ground: &G) {
    ground.files(["dir/inner", "file"]);
    let has_links = ground.link("link", "dir") && ground.link("broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    let link = |child: &str| sys.link(&base.dir, name(&units::<G::S>(child)), Reading::Look);
    for child in ["file", "dir"] {
        assert!(matches!(link(child), Ok(Link::No)), "{child}");
    }
    assert!(matches!(sys.link(&base.dir, G::S::ITSELF, Reading::Look), Ok(Link::No)));
    assert_eq!(number_or_kind(&link("nothing").unwrap_err()), ErrorKind::NotFound);
    if has_links {
        for (child, target) in [("link", "dir"), ("broken", "nothing")] {
            let Link::To(found) = link(child).unwrap() else { panic!("{child} is a link") };
            assert_eq!(SystemUnit::path(found), Path::new(target), "{child}");
        }
    }
    base.close();
}

pub(super) fn a_step_makes_directories_and_renames<G: Ground>(ground: &G) {
    ground.files(["a/file", "a/other", "b/inner"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let make = |child: &str| sys.create_dir(&base.dir, name(&units::<G::S>(child)), 0o700);
    make("made").unwrap();
    for child in ["made", "a"] {
        assert_eq!(number_or_kind(&make(child).unwrap_err()), ErrorKind::AlreadyExists, "{child}");
    }
    let (a, b) = (base.open("a"), base.open("b"));
    let replace = std::cell::Cell::new(true);
    let rename = |from: &Asked<'_, G::S>, old: &str, to: &Asked<'_, G::S>, new: &str| {
        let (old, new) = (units::<G::S>(old), units::<G::S>(new));
        sys.rename(&from.dir, name(&old), &to.dir, name(&new), replace.get())
    };
    let kind = |result: io::Result<()>| number_or_kind(&result.unwrap_err());
    rename(&a, "file", &b, "moved").unwrap();
    assert_eq!(kind(rename(&a, "nothing", &b, "moved")), ErrorKind::NotFound);
    // A file in the way is replaced, or stays.
    replace.set(false);
    assert_eq!(kind(rename(&a, "other", &b, "moved")), ErrorKind::AlreadyExists);
    rename(&a, "other", &a, "another").unwrap();
    replace.set(true);
    rename(&a, "another", &b, "moved").unwrap();
    let mut left = vec!["- b/inner", "- b/moved", "d a", "d b"];
    if ground.asks_by_path() {
        rename(&base, "made", &base, "a").unwrap();
        assert_eq!(kind(rename(&base, "a", &base, "b")), ErrorKind::DirectoryNotEmpty);
        assert!(rename(&base, "b", &b, "below").is_err(), "a directory does not go below itself");
    } else {
        left.push("d made");
    }
    a.close();
    b.close();
    base.close();
    // Others may not list a directory that is open for removal everywhere.
    assert_eq!(ground.list(""), left);
}

pub(super) fn an_open_directory_is_called_as_it_is_called_now<G: Ground>(ground: &G) {
    ground.files(["old/inner"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let old = base.open("old");
    let last = |path: Vec<<G::S as Sys>::Unit>| {
        SystemUnit::path(path).file_name().unwrap_or_default().to_owned()
    };
    match sys.path_of(Open::Dir(&old.dir)) {
        Ok(path) => assert_eq!(last(path), "old"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unsupported, "the system has no such question");
        }
    }
    if !ground.removes_by_handle() {
        ground.rename("old", "new");
        if let Ok(path) = sys.path_of(Open::Dir(&old.dir)) {
            assert_eq!(last(path), "new");
        }
    }
    old.close();
    base.close();
}
