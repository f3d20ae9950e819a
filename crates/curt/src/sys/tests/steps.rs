use std::cell::Cell;
use std::io::ErrorKind;
use std::path::Path;

use super::shorthand::{At, Shorthand, kind, kind_of};
use super::testbed::Testbed;
use crate::sys::beneath::{Beneath, Create, How, Link, Open, Purpose, Reading, Step};
use crate::sys::{Sys, SystemUnit};

fn word<T>(step: &Step<T>) -> String {
    match step {
        Step::Done(_) => "done".into(),
        Step::Other => "otherwise".into(),
        Step::Failed(error) => format!("{:?}", kind_of(error)),
    }
}

fn open<S: Beneath>(at: &Shorthand<'_, S>, child: &str, create: Create) -> String {
    let (read, write) = (true, create != Create::Never);
    let how = How { read, write, create, follow: true, mode: 0o600, ..How::default() };
    word(&at.sys.open(&at.dir, at.name(child).as_name(), &how))
}

pub(super) fn a_step_enters_only_directories<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["dir/inner", "file"]);
    let has_links = testbed.link("link", "dir") && testbed.link("broken", "nothing");
    let sys = base.sys;
    for purpose in [Purpose::Lookup, Purpose::Listing] {
        let enter = |child: &str| sys.enter(&base.dir, base.name(child).as_name(), purpose);
        let itself = || sys.enter(&base.dir, G::S::ITSELF, purpose);
        for (step, inner) in [(enter("dir"), "inner"), (itself(), "file")] {
            let Step::Done(dir) = step else { panic!("{}", word(&step)) };
            let dir = Shorthand { sys, dir };
            assert_eq!(open(&dir, inner, Create::Never), "done", "{purpose:?}");
            dir.close();
        }
        assert_eq!(word(&enter("file")), "otherwise");
        assert_eq!(word(&enter("nothing")), "NotFound");
        for link in ["link", "broken"].into_iter().filter(|_| has_links) {
            assert_eq!(word(&enter(link)), "otherwise", "{link}");
        }
    }
}

pub(super) fn a_step_opens_files_and_no_links<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["file"]);
    let has_links = testbed.link("link", "file") && testbed.link("broken", "made");
    for (child, create, expected) in [
        ("file", Create::Never, "done"),
        ("nothing", Create::Never, "NotFound"),
        ("file", Create::Missing, "done"),
        ("file", Create::New, "AlreadyExists"),
        ("new", Create::New, "done"),
        ("missing", Create::Missing, "done"),
    ] {
        assert_eq!(open(base, child, create), expected, "{child} {create:?}");
    }
    for link in ["link", "broken"].into_iter().filter(|_| has_links) {
        assert_eq!(open(base, link, Create::Never), "otherwise", "{link}");
        assert_eq!(open(base, link, Create::Missing), "otherwise", "{link}");
        assert_eq!(open(base, link, Create::New), "AlreadyExists", "{link}");
    }
    let mut made: Vec<String> = testbed.list("");
    made.retain(|line| line.starts_with('-'));
    assert_eq!(made, ["- file", "- missing", "- new"], "nothing is made through a link");
}

pub(super) fn a_step_reads_links<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["dir/inner", "file"]);
    // The last target looks like a magic link's, but only `/proc` has magic links.
    let mut links = vec![("link", "dir"), ("broken", "nothing")];
    links.extend(cfg!(unix).then_some(("pipe", "pipe:[1]")));
    let has_links = links.iter().all(|(child, target)| testbed.link(child, target));
    let link = |child: &str| base.sys.link(&base.dir, base.name(child).as_name(), Reading::Look);
    for child in ["file", "dir"] {
        assert!(matches!(link(child), Ok(Link::No)), "{child}");
    }
    let itself = base.sys.link(&base.dir, G::S::ITSELF, Reading::Look);
    assert!(matches!(itself, Ok(Link::No)));
    assert_eq!(kind(link("nothing")).err(), Some(ErrorKind::NotFound));
    for (child, target) in links.into_iter().filter(|_| has_links) {
        let Link::To(found) = link(child).unwrap() else { panic!("{child} is a link") };
        assert_eq!(SystemUnit::path(found), Path::new(target), "{child}");
    }
}

pub(super) fn a_step_makes_directories_and_renames<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    use ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
    testbed.files(["a/file", "a/other", "b/inner"]);
    let sys = base.sys;
    let make = |child: &str| kind(sys.create_dir(&base.dir, base.name(child).as_name(), 0o700));
    assert_eq!(["made", "made", "a"].map(make), [Ok(()), Err(AlreadyExists), Err(AlreadyExists)]);
    let (a, b) = (base.open("a"), base.open("b"));
    let replace = Cell::new(true);
    let rename = |from: &At<'_, G>, old: &str, to: &Shorthand<'_, G::S>, new: &str| {
        let (old, new) = (base.name(old), base.name(new));
        kind(sys.rename(&from.dir, old.as_name(), &to.dir, new.as_name(), replace.get()))
    };
    assert_eq!(rename(&a, "file", &b, "moved"), Ok(()));
    assert_eq!(rename(&a, "nothing", &b, "moved"), Err(NotFound));
    replace.set(false);
    assert_eq!(rename(&a, "other", &b, "moved"), Err(AlreadyExists));
    assert_eq!(rename(&a, "other", &a, "another"), Ok(()));
    replace.set(true);
    assert_eq!(rename(&a, "another", &b, "moved"), Ok(()));
    let mut left = vec!["- b/inner", "- b/moved", "d a", "d b"];
    if testbed.differences().queries_by_path {
        assert_eq!(rename(base, "made", base, "a"), Ok(()));
        assert_eq!(rename(base, "a", base, "b"), Err(DirectoryNotEmpty));
        assert!(rename(base, "b", &b, "below").is_err(), "a directory does not go below itself");
    } else {
        left.push("d made");
    }
    // Close both first: some systems cannot list a directory while another handle has it open for
    // removal.
    a.close();
    b.close();
    assert_eq!(testbed.list(""), left);
}

pub(super) fn an_open_directory_is_called_as_it_is_called_now<G: Testbed>(
    testbed: &G,
    base: &At<'_, G>,
) {
    testbed.files(["old/inner"]);
    let old = base.open("old");
    let is_called = |name: &str| match base.sys.path_of(Open::Dir(&old.dir)) {
        Ok(path) => assert_eq!(SystemUnit::path(path).file_name(), Some(name.as_ref())),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unsupported, "the system has no such question");
        }
    };
    is_called("old");
    if !testbed.differences().removes_by_handle {
        testbed.rename("old", "new");
        is_called("new");
    }
    old.close();
}
