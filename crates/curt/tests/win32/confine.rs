use std::io::{ErrorKind, Read, Write};
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use curt::beneath::{OpenOptions, Scope};
use curt::fields::Follow;
use curt::paths::{Aliases, Refusal};
use curt::{Cause, Fields, Kind, Plan, Root};
use curt_testkit::{Scratch, skip};

fn tree() -> (Scratch, Root) {
    let scratch = Scratch::new();
    scratch.file_with(r"root\Pub\Sub Folder\Page.txt", b"a page");
    scratch.file_with("secret", b"secret");
    let root = Root::open(scratch.at("root")).unwrap();
    (scratch, root)
}

fn text(root: &Root, path: &str) -> Result<String, Refusal> {
    match root.open_file(path, OpenOptions::new().read(true)) {
        Ok(mut file) => {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            Ok(text)
        }
        Err(error) => match error.cause() {
            Cause::Refused(refusal) => Err(*refusal),
            cause => panic!("{path}: {cause}"),
        },
    }
}

#[test]
fn paths_are_interpreted_as_by_win32() {
    let (_scratch, root) = tree();
    for path in [
        r"Pub\Sub Folder\Page.txt",
        "Pub/Sub Folder/Page.txt",
        r"pub\SUB folder\PAGE.TXT",
        r".\Pub\\Sub Folder\.\Page.txt",
        r"nosuch\..\Pub\Sub Folder\x\..\Page.txt",
        r"Pub\Sub Folder\Page.txt. ",
    ] {
        assert_eq!(text(&root, path).as_deref(), Ok("a page"), "{path}");
    }
    let missing = root.open_file("nosuch", OpenOptions::new().read(true)).unwrap_err();
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
    let directory = root.open_file("Pub", OpenOptions::new().read(true)).unwrap_err();
    assert_eq!(directory.kind(), std::io::ErrorKind::IsADirectory);
    let below = root.open_file(r"Pub\Sub Folder\Page.txt\x", OpenOptions::new().read(true));
    assert!(below.is_err());
}

#[test]
fn ambiguous_and_escaping_paths_are_refused() {
    let (_scratch, root) = tree();
    for (path, reason) in [
        (r"\\?\C:\secret", Refusal::Device),
        (r"\secret", Refusal::Absolute),
        (r"C:\secret", Refusal::Drive),
        (r"Pub\Sub Folder\Page.txt::$DATA", Refusal::Stream),
        (r"Pub\COM1", Refusal::Device),
        (r"Pub/../../secret", Refusal::Escape),
    ] {
        assert_eq!(text(&root, path), Err(reason), "{path}");
    }
    let strict = root.clone().aliases(Aliases::Strict);
    for (path, reason) in [
        (r"Pub\Sub Folder\Page.txt.", Refusal::Trailing),
        (r"Pub\SUBFOL~1\Page.txt", Refusal::ShortName),
    ] {
        assert_eq!(text(&strict, path), Err(reason), "{path}");
    }
    let kept = root.clone().scope(Scope::InRoot);
    for path in [r"\Pub\Sub Folder\Page.txt", r"..\..\Pub\Sub Folder\Page.txt"] {
        assert_eq!(text(&kept, path).as_deref(), Ok("a page"), "{path}");
    }
}

/// An open costs one call if the system honors `OBJ_DONT_REPARSE`. Wine ignores it, so there each
/// directory on the path is opened, queried and closed.
#[test]
fn an_open_is_one_call_or_a_few_for_each_name() {
    let (_scratch, mut root) = tree();
    let page = r"Pub\Sub Folder\Page.txt";
    let mut read = OpenOptions::new();
    read.read(true);
    drop(root.open_file(page, &read).unwrap());
    let before = root.calls();
    drop(root.open_file(page, &read).unwrap());
    let after = root.calls();
    let more: Vec<(&'static str, u64)> = after
        .iter()
        .map(|(name, count)| (name, count - before.of(name)))
        .filter(|&(_, count)| count > 0)
        .collect();
    let mut expected = vec![("NtCreateFile", 1)];
    if curt_testkit::windows::is_wine() {
        expected.extend([("NtClose", 2), ("NtOpenFile", 2), ("NtQueryInformationFile", 3)]);
    }
    let sorted = |mut calls: Vec<(&'static str, u64)>| {
        calls.sort_unstable();
        calls
    };
    assert_eq!(sorted(more), sorted(expected));
}

#[test]
fn names_are_those_that_the_directories_have() {
    let (scratch, root) = tree();
    let canonical = |path: &str| {
        let found = root.canonical(path).unwrap();
        (found.path, found.missing)
    };
    let page = PathBuf::from(r"Pub\Sub Folder\Page.txt");
    assert_eq!(canonical("pub/sub folder/page.TXT"), (page.clone(), false));
    assert_eq!(canonical("."), (PathBuf::from("."), false));
    assert_eq!(canonical("Pub/.."), (PathBuf::from("."), false));
    assert_eq!(canonical(r"Pub\new.txt"), (PathBuf::from(r"Pub\new.txt"), true));
    let file = root.open_file(&page, OpenOptions::new().read(true)).unwrap();
    assert_eq!(root.name_of(&file).unwrap(), page);
    drop(file);
    match std::fs::rename(scratch.at("root"), scratch.at("moved")) {
        Ok(()) => {
            if curt_testkit::windows::is_wine() {
                skip("Wine looks for an open directory under the name that it had");
            } else {
                assert_eq!(canonical("pub/sub folder/page.TXT"), (page, false));
            }
            std::fs::rename(scratch.at("moved"), scratch.at("root")).unwrap();
        }
        Err(error) => skip(&format!("an open directory cannot be renamed here: {error}")),
    }
}

#[test]
fn entries_are_made_changed_and_removed() {
    let (scratch, root) = tree();
    let create = |path| {
        root.open_file(path, OpenOptions::new().write(true).create(true).truncate(true)).unwrap()
    };
    create(r"Pub\made").write_all(b"first").unwrap();
    assert_eq!(text(&root, r"Pub\made").as_deref(), Ok("first"));
    drop(create(r"Pub\made"));
    assert_eq!(text(&root, r"Pub\made").as_deref(), Ok(""), "emptied");
    let new = root.open_file(r"Pub\made", OpenOptions::new().write(true).create_new(true));
    let there = new.unwrap_err();
    assert_eq!(there.kind(), std::io::ErrorKind::AlreadyExists);
    for word in ["one ", "two"] {
        let mut file = root.open_file(r"Pub\made", OpenOptions::new().append(true)).unwrap();
        file.write_all(word.as_bytes()).unwrap();
    }
    root.rename(r"Pub\made", "renamed").unwrap();
    assert_eq!(text(&root, "renamed").as_deref(), Ok("one two"));
    create("other");
    root.rename("renamed", "other").unwrap();
    assert_eq!(text(&root, "other").as_deref(), Ok("one two"), "replaced");
    let make = || root.create_dir_with_mode(r"Pub\dir", 0);
    make().unwrap();
    assert_eq!(make().unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    assert!(root.remove_file(r"Pub\dir").is_err());
    root.remove_file("other").unwrap();
    let plan = Plan::new(Fields::SIZE).follow(Follow::Links);
    let metadata = root.stat("Pub/Sub Folder/Page.txt", plan).unwrap();
    assert_eq!(metadata.size().known(), Some(6));
    assert_eq!(root.stat("Pub", plan).unwrap().kind(), Kind::Directory);
    let mut names = Vec::new();
    let mut list =
        root.open_dir("Pub").unwrap().read_dir(".").unwrap().list(Plan::new(Fields::NAME));
    while let Some(entry) = list.next() {
        names.push(entry.unwrap().to_name());
    }
    names.sort();
    assert_eq!(names, ["Sub Folder", "dir"]);
    drop(list);
    let report = root.remove_tree("Pub", &curt::Remove::new());
    assert!(report.is_complete(), "{:?}", report.errors);
    assert_eq!(scratch.list("root"), [""; 0]);
    assert!(scratch.exists("secret"));
}

#[test]
fn links_are_followed_within_the_root_only() {
    let (scratch, root) = tree();
    scratch.dir("out");
    scratch.file_with(r"out\secret", b"secret");
    let Some(_) = scratch.junction(r"root\out", &scratch.at("out")) else {
        return skip("junctions cannot be made here");
    };
    for path in [r"out\secret", "out", r"OUT\secret"] {
        let answer = root.open_dir(path).map(drop).unwrap_err();
        assert!(matches!(answer.cause(), Cause::Refused(Refusal::Escape)), "{path}: {answer}");
    }
    assert_eq!(text(&root, r"out\secret"), Err(Refusal::Escape));
    if scratch.link_to_dir(r"root\in", r"Pub\Sub Folder").is_none() {
        return skip("links cannot be made here");
    }
    assert_eq!(text(&root, r"in\Page.txt").as_deref(), Ok("a page"));
    let canonical = root.canonical(r"in\page.txt").unwrap();
    assert_eq!(canonical.path, Path::new(r"Pub\Sub Folder\Page.txt"));
    let strict = root.clone().aliases(Aliases::Strict);
    assert_eq!(text(&strict, r"in\Page.txt"), Err(Refusal::Link));
    scratch.link_to_dir(r"root\up", r"..\out");
    assert_eq!(text(&root, r"up\secret"), Err(Refusal::Escape));
}

#[test]
fn trees_second_names_and_times_are_made_beneath_the_root() {
    let (scratch, root) = tree();
    root.create_dir_all(r"Pub\new\deep\er").unwrap();
    root.create_dir_all("pub/NEW/deep").unwrap();
    assert!(scratch.at(r"root\Pub\new\deep\er").is_dir());
    root.remove_dir(r"Pub\new\deep\er").unwrap();
    let full = root.remove_dir(r"Pub\new").unwrap_err();
    assert_eq!(full.kind(), ErrorKind::DirectoryNotEmpty, "{full}");
    let file = root.create_dir_all(r"Pub\Sub Folder\Page.txt").unwrap_err();
    assert_eq!(file.kind(), ErrorKind::AlreadyExists, "{file}");

    let page = r"Pub\Sub Folder\Page.txt";
    root.hard_link(page, "second").unwrap();
    assert_eq!(text(&root, "second").as_deref(), Ok("a page"));
    let exists = root.hard_link(page, "second").unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::AlreadyExists, "{exists}");
    let out = root.hard_link(r"..\secret", "stolen").unwrap_err();
    assert!(matches!(out.cause(), Cause::Refused(Refusal::Escape)), "{out}");

    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    root.set_times("second", None, Some(time)).unwrap();
    let about = || std::fs::metadata(scratch.at("root").join(page)).unwrap();
    assert_eq!(about().modified().unwrap(), time);
    for readonly in [true, false] {
        let mut permissions = about().permissions();
        permissions.set_readonly(readonly);
        root.set_permissions(page, permissions).unwrap();
        assert_eq!(about().permissions().readonly(), readonly);
    }
    assert_eq!(about().modified().unwrap(), time);

    let link = root.symlink("second", "link").unwrap_err();
    assert_eq!(link.kind(), ErrorKind::Unsupported, "{link}");
}

#[test]
fn roots_are_made_of_handles() {
    let (_scratch, root) = tree();
    let handle = root.as_handle().try_clone_to_owned().unwrap();
    let again = Root::try_from(handle).unwrap();
    assert_eq!(text(&again, r"Pub\Sub Folder\Page.txt").as_deref(), Ok("a page"));
    let page = again.open_file(r"Pub\Sub Folder\Page.txt", OpenOptions::new().read(true));
    assert!(Root::try_from(OwnedHandle::from(page.unwrap())).is_err());
}
