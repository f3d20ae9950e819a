//! Swaps directories that a walk has closed at its descriptor limit. When the walk reopens the
//! path, it must notice the different directory and leave it alone.

use std::fs;
use std::path::Path;

use curt::{Cause, Error, Fields, Kind, Walk};
use curt_testkit::Scratch;

const LEVELS: usize = 40;
const FILES: usize = 3;

fn chain(scratch: &Scratch, root: &str) {
    let mut path = root.to_owned();
    for _ in 0..LEVELS {
        for file in 0..FILES {
            scratch.file(format!("{path}/z{file}"));
        }
        path += "/d";
    }
    scratch.file(format!("{path}/bottom"));
}

/// Removes a tree like `find -delete`, with few descriptors. Calls `swap` at the bottom of the
/// tree.
fn remove(operand: &Path, swap: impl FnOnce()) -> Vec<Error> {
    let walk = Walk::new(operand).sort_by_name(true).contents_first(true);
    let mut walking = walk.descriptors(8).start();
    let (mut swap, mut errors) = (Some(swap), Vec::new());
    while let Some(entry) = walking.next() {
        match entry {
            Ok(mut entry) => {
                if entry.path().ends_with("bottom") {
                    swap.take().unwrap()();
                }
                let is_own = entry.fetch(Fields::SIZE).size().known() != Some(4);
                assert!(is_own, "{} lies outside", entry.path().display());
                errors.extend(entry.remove().err());
            }
            Err(error) => errors.push(error),
        }
    }
    assert!(swap.is_none(), "nobody came to the bottom");
    errors
}

fn mark(path: &Path) {
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            mark(&entry.path());
        } else {
            fs::write(entry.path(), b"mine").unwrap();
        }
    }
}

#[test]
fn swapped_directories_are_left_alone() {
    // Each row: the tree, its operand, the directory to replace (on the operand's path or below
    // it), the replacement (a tree of the same shape, or a symlink to one), and the reported path.
    for (tree, operand, replaced, other, by_link, reported) in [
        ("attacked/x/cache", "attacked/x/cache", "attacked/x", "victim/cache", true, None),
        ("old/cache", "old/cache", "old", "new/cache", false, None),
        ("old", "old", "old", "new", false, Some("old")),
        ("tree", "tree", "tree/d/d", "other", true, Some("replaced")),
        ("tree", "tree", "tree/d/d", "other", false, Some("replaced")),
    ] {
        let scratch = Scratch::new();
        chain(&scratch, tree);
        chain(&scratch, other);
        let victim = other.split('/').next().unwrap();
        mark(&scratch.at(victim));
        let before = scratch.list(victim);
        let errors = remove(&scratch.at(operand), || {
            fs::rename(scratch.at(replaced), scratch.at("aside")).unwrap();
            if by_link {
                let up = "../".repeat(replaced.matches('/').count());
                scratch.link(replaced, format!("{up}{victim}"));
            } else {
                fs::rename(scratch.at(victim), scratch.at(replaced)).unwrap();
            }
        });
        let case = format!("{operand}, {replaced}, {by_link}: {errors:?}");
        assert_eq!(scratch.list(if by_link { victim } else { replaced }), before, "{case}");
        if reported == Some("replaced") {
            let is_replaced = |error: &&Error| matches!(error.cause(), Cause::Replaced);
            assert!(errors.iter().filter(is_replaced).count() > 0, "{case}");
            let below = scratch.at("tree/d");
            let is_near = |path: &Path| below.starts_with(path) || path.starts_with(&below);
            assert!(errors.iter().all(|error| is_near(error.path())), "{case}");
            continue;
        }
        assert_eq!(scratch.list("aside"), [""; 0], "{case}");
        let paths = errors.iter().map(|error| error.path().to_owned());
        assert!(paths.eq(reported.map(|path| scratch.at(path))), "{case}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn equal_inode_numbers_on_two_filesystems_are_distinguished() {
    use std::os::unix::fs::MetadataExt;
    if !curt_testkit::is_root() {
        return curt_testkit::skip("mounting needs root");
    }
    let scratch = Scratch::new();
    let at = scratch.dir("tree/m");
    let mount = || {
        let mut command = std::process::Command::new("mount");
        let status = command.args(["-t", "tmpfs", "none"]).arg(&at).status();
        assert!(status.unwrap().success());
        chain(&scratch, "tree/m");
        let found = fs::metadata(scratch.at("tree/m/d/d")).unwrap();
        (found.ino(), found.dev())
    };
    let test = || {
        if let Err(error) = curt_testkit::threads::separate_mounts() {
            return curt_testkit::skip(&format!("no mounts of a thread: {error}"));
        }
        let (number, device) = mount();
        let mut before = Vec::new();
        let errors = remove(&scratch.at("tree"), || {
            let (other_number, other_device) = mount();
            assert!(other_number == number && other_device != device);
            before = scratch.list("tree/m");
        });
        let replaced = errors.iter().filter(|error| matches!(error.cause(), Cause::Replaced));
        assert!(replaced.count() > 0, "{errors:?}");
        assert_eq!(scratch.list("tree/m"), before);
    };
    std::thread::scope(|threads| threads.spawn(test).join().unwrap());
}

#[test]
fn swapped_directories_are_not_listed() {
    let scratch = Scratch::new();
    chain(&scratch, "tree");
    let mut path = String::from("tree");
    for level in 0..LEVELS {
        scratch.file(format!("{path}/branch-{level}/leaf"));
        scratch.file(format!("other/{}/branch-{level}/secret", &path["tree".len()..]));
        path += "/d";
    }
    for walk in [
        Walk::new(scratch.at("tree")),
        Walk::new(scratch.at("tree")).fields(Fields::SIZE).sort_by_name(true),
    ] {
        let mut walking = walk.descriptors(8).start();
        let (mut entries, mut is_swapped) = (0, false);
        while let Some(entry) = walking.next() {
            let entry = entry.unwrap();
            let name = entry.name().into_owned();
            assert_ne!(name, "secret", "{}", entry.path().display());
            entries += usize::from(entry.kind() == Kind::File);
            if name == "bottom" {
                is_swapped = true;
                fs::rename(scratch.at("tree"), scratch.at("aside")).unwrap();
                scratch.link("tree", "other");
            }
        }
        assert!(is_swapped);
        assert_eq!(entries, LEVELS * (FILES + 1) + 1);
        fs::remove_file(scratch.path().join("tree")).unwrap();
        fs::rename(scratch.at("aside"), scratch.at("tree")).unwrap();
    }
}
