use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::windows::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use curt::fields::{Freshness, Time};
use curt::list::Directory;
use curt::{Fields, Kind, Plan};
use curt_testkit::Scratch;

const CARRIED: Fields = Fields::NAME
    .union(Fields::KIND)
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CHANGED)
    .union(Fields::CREATED)
    .union(Fields::ATTRIBUTES);

#[test]
fn thousands_of_files_with_sizes_and_times_take_a_dozen_calls() {
    let scratch = Scratch::new();
    for number in 0..3580 {
        scratch.file(format!("top/name-{number:04}.txt"));
    }
    let plan = Plan::new(CARRIED.without(Fields::DEVICE));
    let mut list = Directory::open(scratch.at("top")).unwrap().list(plan);
    let mut found = 0;
    while let Some(entry) = list.next() {
        let entry = entry.unwrap();
        let metadata = entry.metadata();
        assert_eq!(metadata.size().known(), Some(0));
        assert!(metadata.modified().known().is_some());
        assert_eq!(metadata.kind(), Kind::File);
        found += 1;
    }
    assert_eq!(found, 3580);
    let calls = list.calls();
    assert!(calls.total() <= 12, "{calls:?}");
    assert_eq!(calls.of("NtOpenFile"), 1, "the directory, and no file: {calls:?}");
    assert_eq!(calls.of("NtQueryInformationFile"), 0, "{calls:?}");
}

fn ticks(time: Time) -> u64 {
    let seconds = u64::try_from(time.seconds + 11_644_473_600).unwrap();
    seconds * 10_000_000 + u64::from(time.nanoseconds / 100)
}

#[test]
fn listings_agree_with_the_standard_library() {
    let scratch = Scratch::new();
    scratch.file_with("top/small", b"hello");
    scratch.file_with("top/large", &vec![b'x'; 100_000]);
    scratch.dir("top/directory");
    let old = std::fs::File::options().write(true).open(scratch.file("top/old")).unwrap();
    old.set_modified(SystemTime::UNIX_EPOCH - Duration::from_millis(500)).unwrap();
    drop(old);
    for freshness in [Freshness::FromListing, Freshness::Exact] {
        let plan = Plan::new(CARRIED).freshness(freshness);
        let mut list = Directory::open(scratch.at("top")).unwrap().list(plan);
        let mut names = BTreeMap::new();
        while let Some(entry) = list.next() {
            let entry = entry.unwrap();
            let metadata = entry.metadata();
            assert_eq!(metadata.failures().count(), 0, "{metadata:?}");
            let known = std::fs::symlink_metadata(scratch.at("top").join(entry.name())).unwrap();
            let is_directory = metadata.kind() == Kind::Directory;
            assert_eq!(is_directory, known.is_dir());
            assert_eq!(metadata.size().known(), Some(known.file_size()));
            assert_eq!(metadata.attributes().known(), Some(known.file_attributes().into()));
            assert_eq!(metadata.modified().known().map(ticks), Some(known.last_write_time()));
            assert_eq!(metadata.created().known().map(ticks), Some(known.creation_time()));
            names.insert(entry.to_name(), metadata.modified().known().unwrap());
        }
        assert_eq!(names.len(), 4);
        let old = names[&OsString::from("old")];
        assert_eq!(old, Time { seconds: -1, nanoseconds: 500_000_000 });
    }
}

/// Fields that a listing lacks cost one call if the system can query by name, and otherwise three.
#[test]
fn links_are_counted_for_one_call_or_three() {
    let scratch = Scratch::new();
    for number in 0..50 {
        scratch.file(format!("top/{number}"));
    }
    scratch.hard_link("top/7", "top/again");
    let mut list = Directory::open(scratch.at("top")).unwrap().list(Plan::new(Fields::LINKS));
    let mut twice = 0;
    while let Some(entry) = list.next() {
        twice += usize::from(entry.unwrap().metadata().links().known() == Some(2));
    }
    assert!([0, 2].contains(&twice), "{twice}");
    let calls = list.calls();
    let fixed = 8;
    let least = calls.of("NtQueryInformationByName") == 51;
    assert!(calls.total() <= fixed + 51 * if least { 1 } else { 3 }, "{calls:?}");
}
