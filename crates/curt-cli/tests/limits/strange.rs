//! What may not be removed, by whom; and names of every kind.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};

use curt_testkit::{Scratch, skip};

use super::{Run, has, is_root, may_mount, run, script};

/// Nobody, to the system.
const OTHER: u32 = 65534;

/// The command as somebody without rights, in a directory where that somebody may do everything.
fn as_other(scratch: &Scratch, args: &str) -> Run {
    // The folder of the build, and that of the scratch, may be closed to others.
    if !scratch.exists("curt") {
        scratch.program(super::curt(), "curt");
    }
    let text = format!(
        "exec setpriv --reuid {OTHER} --regid {OTHER} --clear-groups \
                        ./curt rm --stats --json {args}"
    );
    run(script(scratch, &text))
}

fn open_scratch() -> Option<Scratch> {
    if !is_root() || !has("setpriv") {
        skip("to act as another user needs root");
        return None;
    }
    let scratch = Scratch::new();
    give(&scratch, ".", 0o755);
    Some(scratch)
}

/// Makes somebody else the owner.
fn give(scratch: &Scratch, path: &str, mode: u32) {
    let path = scratch.at(path);
    chown(&path, Some(OTHER), Some(OTHER)).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn forbidden_entries_are_reported_and_the_rest_is_removed() {
    let Some(scratch) = open_scratch() else { return };
    for threads in [1, 4] {
        for directory in
            ["tree", "tree/shut", "tree/fixed", "tree/sticky", "tree/theirs", "tree/in"]
        {
            scratch.dir(directory);
            scratch.file(format!("{directory}/file"));
            if directory != "tree/sticky" {
                give(&scratch, &format!("{directory}/file"), 0o600);
            }
        }
        scratch.dir("tree/fixed/below");
        scratch.file("tree/fixed/below/file");
        for directory in ["tree", "tree/in", "tree/fixed/below"] {
            give(&scratch, directory, 0o755);
        }
        give(&scratch, "tree/shut", 0o000);
        give(&scratch, "tree/fixed", 0o555);
        // Anybody may write to these two; what is sticky is the owner's.
        for (directory, mode) in [("tree/sticky", 0o1777), ("tree/theirs", 0o777)] {
            let mode = Permissions::from_mode(mode);
            std::fs::set_permissions(scratch.at(directory), mode).unwrap();
        }
        let run = as_other(&scratch, &format!("-rf -j{threads} tree"));
        assert_eq!(run.code, Some(1), "{run:?}");
        // `fixed/file`, `fixed/below` (emptied), `shut`, `sticky/file`.
        assert_eq!(run.number("errors"), 4, "{run:?}");
        let left = scratch.list("tree");
        let shut = left.contains(&String::from("- shut/file"));
        assert!(shut && left.len() == 7, "{left:?}");
        for path in ["- fixed/file", "d fixed/below", "- sticky/file"] {
            assert!(left.contains(&String::from(path)), "{left:?}");
        }
        scratch.remove("tree");
    }
}

/// Deeper than descriptors reach, below or above a directory that nothing can be moved out of or
/// into.
#[test]
fn deep_trees_that_cannot_be_moved() {
    let Some(scratch) = open_scratch() else { return };
    let levels = 80;
    for (fixed, mode) in [(0, 0o555), (40, 0o555), (70, 0o555), (40, 0o1777), (0, 0o1777)] {
        for threads in [1, 3] {
            scratch.dir("tree");
            let mut path = String::from("tree");
            for level in 0..levels {
                give(&scratch, &path, 0o755);
                scratch.file(format!("{path}/file"));
                if level == fixed {
                    let mode = Permissions::from_mode(mode);
                    std::fs::set_permissions(scratch.at(&path), mode).unwrap();
                    // Sticky directories and what is in them are root's, but what is below not.
                    if level > 0 || scratch.exists("nothing") {
                        let owner = if fixed == 0 { OTHER } else { 0 };
                        chown(scratch.at(&path), Some(owner), Some(owner)).unwrap();
                    }
                } else {
                    give(&scratch, &format!("{path}/file"), 0o644);
                }
                path.push_str("/d");
                scratch.dir(&path);
            }
            give(&scratch, &path, 0o755);
            let text = format!("-rf -j{threads} tree");
            let limited = format!(
                "ulimit -n 16; exec setpriv --reuid {OTHER} --regid {OTHER} --clear-groups \
                 ./curt rm --stats --json {text}"
            );
            if !scratch.exists("curt") {
                scratch.program(super::curt(), "curt");
            }
            let run = run(script(&scratch, &limited));
            let case = format!("{fixed} {mode:o} {threads}: {run:?}");
            if fixed == 0 && mode == 0o1777 {
                // Its owner may do everything there.
                assert_eq!(run.code, Some(0), "{case}");
            } else {
                assert_eq!(run.code, Some(1), "{case}");
                // The file in it, and the directory in it, which is empty by now.
                let errors = if mode == 0o1777 { 1 } else { 2 };
                assert!(run.number("errors") <= 2, "{case}");
                assert!(run.number("errors") >= errors, "{case}");
                let left = scratch.list("tree").len();
                assert!(left <= fixed + 2, "{case}: {left} left");
            }
            scratch.remove("tree");
        }
    }
}

/// Every other file is somebody else's, more of them than one thread takes at a time.
#[test]
fn every_failure_in_a_large_directory_is_reported() {
    let Some(scratch) = open_scratch() else { return };
    for threads in [2, 8] {
        let tree = scratch.dir("tree");
        super::fill(&tree, 6_000);
        for number in (0..6_000).step_by(2) {
            chown(tree.join(format!("f{number}")), Some(OTHER), Some(OTHER)).unwrap();
        }
        std::fs::set_permissions(&tree, Permissions::from_mode(0o1777)).unwrap();
        let run = as_other(&scratch, &format!("-rf -j{threads} tree"));
        assert_eq!(run.code, Some(1));
        let counts = (run.number("errors"), run.number("files"));
        assert_eq!(counts, (3_000, 3_000), "-j{threads}");
        assert_eq!(scratch.list("tree").len(), 3_000);
        scratch.remove("tree");
    }
}

/// An empty directory that may not be read can be removed, but not for a trial.
#[test]
fn a_dry_run_removes_no_unreadable_directory() {
    let Some(scratch) = open_scratch() else { return };
    for options in ["-r", "-rf -j2", "-d", "-r --contents"] {
        scratch.dir("tree/shut");
        give(&scratch, "tree", 0o755);
        give(&scratch, "tree/shut", 0o000);
        for operand in ["tree", "tree/shut"] {
            let _ = as_other(&scratch, &format!("--dry-run {options} {operand}"));
            assert!(scratch.exists("tree/shut"), "{options} {operand}");
        }
        scratch.remove("tree");
    }
}

/// Names of one inode: the removal of one changes the times of all others, and somebody else
/// changes them, too.
#[test]
fn contents_with_many_hard_links_are_removed() {
    let scratch = Scratch::new();
    for threads in [1, 8] {
        let tree = scratch.dir("tree");
        let first = scratch.file("tree/first");
        for number in 0..40_000 {
            std::fs::hard_link(&first, tree.join(format!("link {number}"))).unwrap();
        }
        let over = std::sync::atomic::AtomicBool::new(false);
        let run = std::thread::scope(|scope| {
            let _at_last = curt_testkit::Over(&over);
            scope.spawn(|| {
                let file = std::fs::File::open(&first).unwrap();
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    file.set_modified(std::time::SystemTime::now()).unwrap();
                }
            });
            run(script(&scratch, &format!("exec $RM -r --contents -j{threads} tree")))
        });
        run.assert_all(40_001, 0);
        assert!(scratch.list("tree").is_empty());
    }
}

#[test]
fn immutable_files_stay_and_are_reported() {
    if !may_mount() || !has("chattr") || !has("mkfs.ext4") {
        return;
    }
    let scratch = Scratch::new();
    let text = "set -e; PATH=$PATH:/usr/sbin:/sbin; mkdir place; truncate -s 8m image; \
        mkfs.ext4 -q image; mount -o loop image place; cd place; \
        mkdir -p tree/a/fixed tree/b tree/c; touch tree/a/f tree/a/fixed/f tree/b/f tree/c/f; \
        chattr +i tree/b/f tree/a/fixed; set +e; $RM -rf tree >out 2>err; code=$?; \
        find tree >left; chattr -i tree/b/f tree/a/fixed; cat left err >&2; cat out; exit $code";
    let mut command = crate::mounting_script(&scratch, text);
    let run = run({
        command.current_dir(scratch.path());
        command
    });
    assert_eq!((run.code, run.number("errors")), (Some(1), 2), "{run:?}");
    assert_eq!((run.number("files"), run.number("directories")), (2, 1), "{run:?}");
    for path in ["\"tree/b/f\"", "\"tree/a/fixed/f\""] {
        assert!(run.messages.contains(path), "{run:?}");
    }
    assert_eq!(run.messages.matches("Operation not permitted").count(), 2, "{run:?}");
}

#[test]
fn names_of_every_byte_and_length_are_removed() {
    let scratch = Scratch::new();
    for directory in ["tree/files", "tree/directories"] {
        let place = scratch.dir(directory);
        let mut names: Vec<Vec<u8>> = (1..=255)
            .filter(|&byte| byte != b'/')
            .flat_map(|byte| [vec![byte], vec![byte, b'a', byte], vec![byte; 255]])
            .collect();
        names.extend((3..255).map(|length| vec![b'.'; length]));
        names.extend([&b"-rf"[..], b"not \xff\xfe\x80 valid"].map(<[u8]>::to_vec));
        for name in names.iter().filter(|name| *name != b".") {
            let path = place.join(OsStr::from_bytes(name));
            if directory.ends_with("files") {
                std::fs::File::create_new(path).map(drop).unwrap();
            } else {
                std::fs::create_dir(path).unwrap();
            }
        }
    }
    let found = std::fs::read_dir(scratch.at("tree/files")).unwrap().count() as u64;
    assert!(found > 1000, "{found}");
    let run = run(script(&scratch, "exec $RM -rf tree"));
    run.assert_all(found, found + 3);
}

/// In the JSON of a search, a field that fails is in its entry and is reported, sorted or not.
#[test]
fn fields_that_fail_are_reported_with_their_entry() {
    let Some(scratch) = open_scratch() else { return };
    scratch.program(super::curt(), "curt");
    // Others may list this directory, and not read its links.
    let find = "find -u --json --fields=target -tl -d1 . /proc/1";
    for sort in ["--sort=name", "-j1"] {
        let text = format!(
            "exec setpriv --reuid {OTHER} --regid {OTHER} --clear-groups ./curt {find} {sort}"
        );
        let output = script(&scratch, &text).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let objects = |text: &str| -> Vec<serde_json::Value> {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (entries, errors) = (objects(&out), objects(&errors));
        assert!(entries.len() >= 3 && entries.len() == errors.len(), "{out} {errors:?}");
        for entry in entries {
            assert_eq!(entry["path"], entry["target"]["error"]["path"], "{out}");
            assert!(errors.contains(&entry["target"]), "{out}");
        }
    }
}
