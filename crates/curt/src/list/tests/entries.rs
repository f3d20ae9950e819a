//! Owned entries and second descriptors of a directory: they are about the directory that was
//! opened, whatever happens to its name.

use std::io;

use curt_testkit::Scratch;

use crate::fields::{Fields, Plan};
#[cfg(unix)]
use crate::fields::{Follow, Kind};
use crate::list::{Descent, Directory, ListEntry, Stat};
use crate::{Operation, list};

const SIZE: Plan = Plan::new(Fields::KIND.union(Fields::SIZE));

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for name in ["d/a", "d/b"] {
        scratch.file_with(name, b"four");
    }
    scratch.dir("d/sub");
    scratch
}

fn entries(scratch: &Scratch) -> Vec<ListEntry> {
    let mut entries: Vec<_> =
        list(scratch.at("d")).unwrap().into_iter().map(Result::unwrap).collect();
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries
}

fn names(directory: Directory) -> Vec<String> {
    let entries = directory.list(Fields::KIND).into_iter().map(Result::unwrap);
    let mut names: Vec<_> = entries.map(|entry| entry.path.display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn owned_entries_are_asked_about_after_the_listing_ended() {
    let scratch = scratch();
    let entries = entries(&scratch);
    let [file, gone, dir] = &entries[..] else { panic!("{entries:?}") };
    std::fs::remove_file(scratch.at("d/b")).unwrap();
    // An open directory cannot be renamed on Windows while others do not share that.
    if cfg!(unix) {
        std::fs::rename(scratch.at("d"), scratch.at("moved")).unwrap();
        scratch.file_with("d/a", b"another file");
    }
    let metadata = file.clone().stat(SIZE).unwrap();
    assert_eq!((metadata.size().known(), metadata.is_file()), (Some(4), true));
    assert_eq!(file.metadata.size().known(), None, "what the listing said stays");
    assert!(dir.stat(Fields::KIND).unwrap().is_dir());
    let error = gone.stat(Fields::NONE).unwrap_err();
    assert_eq!((error.kind(), error.operation()), (io::ErrorKind::NotFound, Operation::Stat));
    assert_eq!(error.path(), scratch.at("d/b"));
}

#[cfg(unix)]
#[test]
fn each_question_decides_whether_a_link_is_followed() {
    let scratch = scratch();
    std::os::unix::fs::symlink("a", scratch.at("d/link")).unwrap();
    let link = entries(&scratch).into_iter().find(|entry| entry.name() == "link").unwrap();
    assert_eq!(link.kind(), Kind::Symlink);
    let follow = SIZE.follow(Follow::Links);
    assert_eq!(link.stat(follow).unwrap().kind().known(), Some(Kind::File));
    assert_eq!(link.stat(SIZE).unwrap().kind().known(), Some(Kind::Symlink));
}

#[test]
fn an_owned_entry_costs_no_call_and_a_question_one() {
    let scratch = scratch();
    let mut one_by_one = list(scratch.at("d")).unwrap();
    while let Some(entry) = one_by_one.next() {
        entry.unwrap();
    }
    let mut list = list(scratch.at("d")).unwrap();
    let mut stat = Stat::new(SIZE);
    let mut kept = Vec::new();
    while let Some(entry) = list.next() {
        kept.push(entry.unwrap().into_owned());
    }
    assert_eq!(list.calls(), one_by_one.calls());
    for entry in &kept {
        entry.stat_by(&mut stat).unwrap();
    }
    if cfg!(unix) {
        assert_eq!(stat.calls().total(), 3, "{:?}", stat.calls());
    }
    // The entries keep the directory open.
    assert_eq!(list.close(), one_by_one.calls());
    let last = one_by_one.calls().total() + 1;
    assert_eq!(one_by_one.close().total(), last);
}

#[test]
fn a_descent_enters_a_directory_whose_entries_are_kept() {
    let scratch = scratch();
    scratch.file_with("d/sub/inner", b"");
    let mut descent = Descent::new();
    let mut list = descent.open(scratch.at("d")).unwrap().list(Fields::KIND);
    let mut kept = Vec::new();
    while let Some(entry) = list.next() {
        kept.push(entry.unwrap().into_owned());
    }
    descent.enter(list, ["sub"]).unwrap();
    let below = descent.next().unwrap().unwrap();
    assert_eq!(names(below), [scratch.at("d/sub/inner").display().to_string()]);
    assert_eq!(kept.iter().filter(|entry| entry.stat(SIZE).is_ok()).count(), 3);
}

#[test]
fn a_second_descriptor_lists_from_the_first_entry() {
    let scratch = scratch();
    let first = Directory::open(scratch.at("d")).unwrap();
    let second = first.try_clone().unwrap();
    let expected = ["a", "b", "sub"].map(|name| scratch.at("d").join(name).display().to_string());
    assert_eq!(names(first), expected);
    assert_eq!(names(second), expected);
}

/// Opens what the library can adopt.
#[cfg(unix)]
fn open(path: &std::path::Path) -> std::os::fd::OwnedFd {
    std::fs::File::open(path).unwrap().into()
}

/// Opens what the library can adopt.
#[cfg(windows)]
fn open(path: &std::path::Path) -> std::os::windows::io::OwnedHandle {
    use std::os::windows::fs::OpenOptionsExt;
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    std::fs::OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(path).unwrap().into()
}

#[test]
fn a_directory_is_made_from_a_descriptor_and_given_back() {
    let scratch = scratch();
    let directory = Directory::try_from(open(&scratch.at("d"))).unwrap();
    assert_eq!(names(directory), ["a", "b", "sub"]);
    let directory = Directory::try_from(open(&scratch.at("d"))).unwrap().named("there");
    let list = directory.try_clone().unwrap().list(Fields::KIND);
    let paths: Vec<_> = list.into_iter().map(|entry| entry.unwrap().path).collect();
    assert!(paths.iter().all(|path| path.starts_with("there")), "{paths:?}");
    #[cfg(unix)]
    let again = std::os::fd::OwnedFd::try_from(directory).unwrap();
    #[cfg(windows)]
    let again = std::os::windows::io::OwnedHandle::try_from(directory).unwrap();
    assert_eq!(names(Directory::try_from(again).unwrap()), ["a", "b", "sub"]);
}

#[test]
fn the_descriptor_of_a_file_is_no_directory() {
    let scratch = scratch();
    let adopted = Directory::try_from(open(&scratch.at("d/a")));
    let first = adopted.map(|directory| directory.list(Fields::KIND).into_iter().next());
    let error = first.map_or_else(Some, |first| first.and_then(Result::err)).unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
}

#[cfg(unix)]
#[test]
fn entries_and_descriptors_are_the_same_on_the_portable_platform() {
    for test in [
        owned_entries_are_asked_about_after_the_listing_ended,
        each_question_decides_whether_a_link_is_followed,
        an_owned_entry_costs_no_call_and_a_question_one,
        a_descent_enters_a_directory_whose_entries_are_kept,
        a_second_descriptor_lists_from_the_first_entry,
        a_directory_is_made_from_a_descriptor_and_given_back,
        the_descriptor_of_a_file_is_no_directory,
    ] {
        crate::sys::tests::without(crate::sys::Features::of_linux(), test);
    }
}

#[test]
fn a_visitor_sees_what_next_returns_and_stops_when_it_says_so() {
    let scratch = Scratch::new();
    // More than one buffer of 64 KiB.
    for number in 0..3_000 {
        scratch.file(format!("d/name-{number}"));
    }
    let mut all = Vec::new();
    let mut by_next = list(scratch.at("d")).unwrap();
    while let Some(entry) = by_next.next() {
        all.push(entry.unwrap().to_name());
    }
    assert_eq!(all.len(), 3_000);
    for stop in [1, 2, 2_000, 3_000, 4_000] {
        let mut listing = list(scratch.at("d")).unwrap();
        let mut seen = Vec::new();
        let visit = |seen: &mut Vec<_>, listing: &mut crate::list::List| {
            listing.visit(|entry| {
                assert_eq!(entry.kind(), crate::Kind::File);
                seen.push(entry.to_name());
                if seen.len() == stop { crate::Next::Stop } else { crate::Next::Continue }
            })
        };
        visit(&mut seen, &mut listing).unwrap();
        assert_eq!(seen, all[..stop.min(3_000)]);
        if let Some(next) = listing.next() {
            seen.push(next.unwrap().to_name());
        }
        visit(&mut seen, &mut listing).unwrap();
        assert_eq!(seen, all, "{stop}");
        assert!(listing.next().is_none());
    }
}

#[cfg(unix)]
#[test]
fn a_visit_reports_a_listing_that_fails() {
    let scratch = Scratch::new();
    let file = std::fs::File::open(scratch.file("no directory")).unwrap();
    let file = std::os::fd::OwnedFd::from(file);
    let mut listing = Directory::try_from(file).unwrap().list(Fields::KIND);
    let error = listing.visit(|_| unreachable!("it has no entries")).unwrap_err();
    assert_eq!(error.operation(), Operation::ReadDirectory);
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    assert!(listing.visit(|_| unreachable!("it has ended")).is_ok());
}
