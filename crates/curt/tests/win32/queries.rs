use std::path::Path;

use curt::fields::Follow;
use curt::list::Stat;
use curt::{Fields, Kind, Plan};
use curt_testkit::Scratch;

#[test]
fn a_path_costs_one_call_or_three() {
    let scratch = Scratch::new();
    scratch.file_with("file", b"hello");
    let mut stat = Stat::new(Plan::new(Fields::KIND | Fields::SIZE | Fields::LINKS));
    for spelled in ["file", r".\file", "./file"] {
        let path = scratch.typed().join(spelled);
        let metadata = stat.path(&path).unwrap();
        assert_eq!(metadata.kind(), Kind::File, "{spelled}");
        assert_eq!(metadata.size().known(), Some(5));
    }
    let calls = stat.calls();
    assert!([3, 9].contains(&calls.total()), "{calls:?}");
    let error = stat.path(scratch.at("nothing")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(stat.path("").is_err());
}

#[test]
fn roots_and_the_working_directory_are_directories() {
    for path in [r"\", r"C:\", r"C:", ".", r"\\?\C:\"] {
        let plan = Plan::new(Fields::KIND | Fields::ID | Fields::DEVICE);
        let metadata = curt::stat(path, plan).unwrap();
        let kind = metadata.kind();
        if kind == Kind::Junction && curt_testkit::windows::is_wine() {
            curt_testkit::skip("Wine takes the root of a Unix file system for a mounted volume");
        } else {
            assert_eq!(kind, Kind::Directory, "{path}");
        }
        assert_eq!(metadata.failures().count(), 0);
    }
}

/// If the path does not determine the volume, the volume is queried. It must match the listing's.
#[test]
fn volumes_and_numbers_are_those_of_the_listing() {
    let scratch = Scratch::new();
    let file = scratch.file("top/file");
    let plan = Plan::new(Fields::ID | Fields::DEVICE);
    let stat = curt::stat(&file, plan).unwrap();
    let mut list = curt::list::Directory::open(scratch.at("top")).unwrap().list(plan);
    let listed = list.next().unwrap().unwrap().into_metadata();
    assert_eq!(listed.id().known(), stat.id().known());
    assert_eq!(listed.device().known(), stat.device().known());
    assert!(stat.id().known().is_some());
    assert_eq!(list.calls().of("NtQueryVolumeInformationFile"), 1);
}

#[test]
fn links_are_reported_or_followed() {
    let scratch = Scratch::new();
    scratch.file_with("directory/file", b"hello");
    let nowhere = scratch.typed().join("nowhere");
    let made = [
        (scratch.link_to_dir("to-dir", "directory"), Kind::Symlink, Some("directory")),
        (scratch.link_to_file("dangling", "nowhere"), Kind::Symlink, Some("nowhere")),
        (scratch.junction("junction", &scratch.typed().join("directory")), Kind::Junction, None),
        (scratch.junction("lost", &nowhere), Kind::Junction, None),
    ];
    let plan = Plan::new(Fields::KIND | Fields::TARGET | Fields::SIZE);
    for (path, kind, target) in made {
        let Some(path) = path else { continue };
        let itself = curt::stat(&path, plan).unwrap();
        assert_eq!(itself.kind(), kind, "{}", path.display());
        let held = itself.target().known().unwrap();
        assert!(target.is_none_or(|target| held == Path::new(target)), "{held:?}");
        let leads = matches!(path.file_name().unwrap().to_str(), Some("to-dir" | "junction"));
        let followed = curt::stat(&path, plan.follow(Follow::Links)).unwrap();
        let expected = if leads { Kind::Directory } else { kind };
        assert_eq!(followed.kind(), expected, "{}", path.display());
    }
    let mut list = curt::list::Directory::open(scratch.path()).unwrap().list(plan);
    let mut opened = 1;
    while let Some(entry) = list.next() {
        let is_link = entry.unwrap().metadata().kind().is_link();
        opened += u64::from(is_link);
    }
    assert_eq!(list.calls().of("NtOpenFile"), opened, "only links are opened");
}
