use std::io;

use curt_testkit::Scratch;

use crate::fields::Fields;
use crate::list::{Directory, List};
#[cfg(unix)]
use crate::os::unix::Units;
#[cfg(windows)]
use crate::os::windows::Units;
#[cfg(unix)]
use crate::sys::{Setup, fault::Faults, tests::failing_as};
use crate::{Next, Operation, list};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for name in ["d/a", "d/b"] {
        scratch.file_with(name, b"four");
    }
    scratch.dir("d/sub");
    scratch
}

fn names(directory: Directory) -> Vec<String> {
    let (mut list, mut names) = (directory.list(Fields::KIND), Vec::new());
    while let Some(entry) = list.next() {
        names.push(entry.unwrap().path().display().to_string());
    }
    names.sort();
    names
}

#[cfg(unix)]
fn open(path: &std::path::Path) -> std::os::fd::OwnedFd {
    std::fs::File::open(path).unwrap().into()
}

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
    let directory = Directory::try_from(open(&scratch.at("d"))).unwrap();
    #[cfg(unix)]
    let again = std::os::fd::OwnedFd::try_from(directory).unwrap();
    #[cfg(windows)]
    let again = std::os::windows::io::OwnedHandle::try_from(directory).unwrap();
    assert_eq!(names(Directory::try_from(again).unwrap()), ["a", "b", "sub"]);
}

#[cfg(unix)]
#[test]
fn a_listing_that_cannot_begin_again_says_so() {
    let scratch = scratch();
    let call = if cfg!(target_os = "linux") { "lseek" } else { "rewinddir" };
    let faults = std::sync::Arc::new(Faults::default().fail(call, 0, libc::EIO));
    let setup = Setup { faults: Some(faults), ..Setup::default() };
    let mut list = failing_as(&setup, || list::list(scratch.at("d")).unwrap());
    let count = |list: &mut List| std::iter::from_fn(|| list.next().map(drop)).count();
    assert_eq!(count(&mut list), 3);
    let error = list.reset().unwrap_err();
    assert_eq!(error.operation(), Operation::ReadDirectory);
    list.reset().unwrap();
    assert_eq!(count(&mut list), 3);
}

#[test]
fn the_descriptor_of_a_file_is_no_directory() {
    let scratch = scratch();
    let error = Directory::try_from(open(&scratch.at("d/a"))).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
}

#[cfg(unix)]
#[test]
fn entries_and_descriptors_are_the_same_on_the_portable_platform() {
    for test in [
        a_directory_is_made_from_a_descriptor_and_given_back,
        the_descriptor_of_a_file_is_no_directory,
    ] {
        crate::sys::tests::without(crate::sys::Features::all(), test);
    }
}

#[test]
fn names_that_were_read_together_can_be_kept_together() {
    let scratch = Scratch::new();
    for number in 0..3_000 {
        scratch.file(format!("d/name-{number}"));
    }
    let open = || list(scratch.at("d")).unwrap().fields(Fields::SIZE);
    let mut one_by_one = open();
    let mut all = Vec::new();
    while let Some(entry) = one_by_one.next() {
        all.push(entry.unwrap().to_name());
    }
    for most in [1, 7, 2_000, usize::MAX] {
        let (mut listing, mut seen, mut batches) = (open(), Vec::new(), 0);
        loop {
            let mut names = Vec::new();
            let more = listing.visit_batch(|name, entry| {
                assert_eq!((name.get(), entry.metadata().size().known()), (entry.name(), Some(0)));
                assert_eq!((name.units(), name.units().len()), (entry.units(), name.get().len()));
                names.push(name);
                if names.len() == most { Next::Stop } else { Next::Continue }
            });
            assert_eq!(more.unwrap(), !names.is_empty());
            if names.is_empty() {
                break;
            }
            batches += 1;
            seen.extend(names.into_iter().map(|name| name.get().into_owned()));
        }
        assert_eq!(seen, all, "at most {most} at a time");
        assert_eq!(listing.calls(), one_by_one.calls());
        assert!(batches > 1 && batches >= all.len() / most, "{batches}");
    }
}

#[cfg(unix)]
#[test]
fn a_visit_reports_a_listing_that_fails() {
    let scratch = scratch();
    let call = if cfg!(target_os = "linux") { "getdents64" } else { "readdir" };
    let faults = std::sync::Arc::new(Faults::default().fail(call, 0, libc::EIO));
    let setup = Setup { faults: Some(faults), ..Setup::default() };
    let mut listing = failing_as(&setup, || list::list(scratch.at("d")).unwrap());
    let error = listing.visit_batch(|_, _| unreachable!("nothing was read")).unwrap_err();
    assert_eq!(error.operation(), Operation::ReadDirectory);
    assert_eq!(error.raw_os_error(), Some(libc::EIO));
    assert!(!listing.visit_batch(|_, _| unreachable!("it has ended")).unwrap());
}
