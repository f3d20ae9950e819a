//! Compares what is preserved with GNU `cp`, for root and for a user who may give no files away.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;
use std::time::SystemTime;

use curt_testkit::{NOBODY, Scratch, is_root, skip, threads, version};

use curt::copy::Existing;

use crate::{
    age, assert_same, attributes, dump, gnu_cp, has_gnu_cp, on_thread, options, set_attribute,
};

/// Names, permissions, owners, and extended attributes.
const ENTRIES: [(&str, u32, u32, &str); 26] = [
    ("plain", 0o644, 0, ""),
    ("open", 0o666, 0, ""),
    ("executable", 0o755, NOBODY, "user empty"),
    ("set-user-id", 0o4755, NOBODY, ""),
    ("set-user-id-of-root", 0o4755, 0, "capability"),
    ("set-group-id", 0o2755, 12_345, ""),
    ("sticky", 0o1644, 12_345, ""),
    ("all-bits", 0o7777, 0, "trusted"),
    ("listed", 0o644, 12_345, "acl"),
    ("own-listed", 0o604, NOBODY, "acl user"),
    ("directory/", 0o755, 0, "user trusted"),
    ("directory/file", 0o640, NOBODY, ""),
    ("shared/", 0o2775, 12_345, ""),
    ("shared/file", 0o664, 12_345, ""),
    ("temporary/", 0o1777, 0, ""),
    ("own-temporary/", 0o3777, NOBODY, ""),
    ("read-only/", 0o555, NOBODY, "user"),
    ("read-only/file", 0o444, NOBODY, "user empty"),
    ("listed-below/", 0o755, 12_345, "default"),
    ("listed-below/file", 0o644, 12_345, ""),
    ("listed-below/directory/", 0o755, 0, ""),
    ("pipe", 0o640, 12_345, "acl"),
    ("own-pipe", 0o622, NOBODY, ""),
    ("link", 0o777, NOBODY, ""),
    ("link-of-another", 0o777, 12_345, ""),
    ("second", 0o644, 0, ""),
];

fn tree() -> Scratch {
    let scratch = Scratch::on_disk();
    for (name, mode, owner, attributes) in ENTRIES {
        let path = format!("s/{name}");
        let path = match name {
            "pipe" | "own-pipe" => scratch.fifo(path),
            "link" | "link-of-another" => scratch.link(path, "executable"),
            "second" => scratch.hard_link("s/plain", path),
            _ if name.ends_with('/') => scratch.dir(path),
            _ => scratch.file_with(path, name.as_bytes()),
        };
        lchown(&path, Some(owner), Some(owner)).unwrap();
        if !path.is_symlink() {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        for word in attributes.split_whitespace() {
            if !set_attribute(&path, word) {
                skip(&format!("attributes cannot be set here: {word}"));
            }
        }
    }
    age(&scratch, "s");
    // The destinations have permissions and access rules of their own.
    for (place, mode) in [("plain", 0o777), ("shared", 0o2777), ("listed", 0o777)] {
        fs::set_permissions(scratch.dir(place), Permissions::from_mode(mode)).unwrap();
    }
    fs::set_permissions(scratch.path(), Permissions::from_mode(0o755)).unwrap();
    set_attribute(&scratch.at("listed"), "default");
    scratch
}

/// Replaces the times of entries that are new, and removes lines that differ on purpose.
fn comparable(lines: &[String], place: &str, has_mode: bool, is_old: bool) -> Vec<String> {
    let is_new = |word: &str| word.split_once('.').is_some_and(|(time, _)| time > "1100000000");
    let is_compared = |line: &&String| match line.split(' ').next().unwrap_or_default() {
        "temporary" | "own-temporary" if has_mode => is_old,
        // GNU applies the umask to a new directory in spite of inherited access rules.
        "temporary" | "own-temporary" | "shared" => place != "listed" || has_mode,
        _ => true,
    };
    let line = |line: &String| {
        let words = line.split(' ').map(|word| if is_new(word) { "now" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    lines.iter().filter(is_compared).map(line).collect()
}

/// Returns the times of the last access to the files in a directory.
fn accessed(top: &Path) -> BTreeMap<OsString, SystemTime> {
    let entries = fs::read_dir(top).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let accessed = |entry: &fs::DirEntry| entry.metadata().unwrap().accessed().unwrap();
    files.map(|entry| (entry.file_name(), accessed(&entry))).collect()
}

/// Newer versions leave access rules that a copy has inherited when they set its mode, and remove
/// the sticky bit if they cannot set the owner.
fn is_old_gnu() -> bool {
    version("cp") < (9, 2)
}

fn compare(scratch: &Scratch, user: &str) {
    let (from, is_old) = (scratch.at("s"), is_old_gnu());
    for (words, gnu, has_mode) in [
        ("", "-r", false),
        ("mode", "-r --preserve=mode", true),
        ("times", "-r --preserve=timestamps", false),
        ("attributes", "-r --preserve=xattr", false),
        ("links", "-r --preserve=links", false),
        ("p", "-rp", true),
        ("all", "-a", true),
    ] {
        // With access rules, GNU changes no mode, and a set-group-ID bit remains that a directory
        // has inherited.
        let mut places = vec![if has_mode { "plain" } else { "shared" }];
        if !has_mode || is_old {
            places.push("listed");
        }
        for place in places {
            let [ours, theirs] = ["ours", "theirs"].map(|name| scratch.at(place).join(name));
            let output = gnu_cp(gnu, &from, &theirs);
            let before = accessed(&from);
            let report = options(words).run(&from, &ours);
            let case = format!("{words:?} by {user} into {place}");
            // Only with `--preserve=xattr`, GNU requires that all of them can be set.
            let is_complete = output.status.success() || words == "attributes";
            let failures = String::from_utf8_lossy(&output.stderr);
            assert_eq!(report.is_complete(), is_complete, "{case}: {report:?} {failures}");
            if words == "all" {
                assert_eq!(accessed(&ours), before, "{case}");
            }
            let [ours, theirs] =
                [ours, theirs].map(|top| comparable(&dump(&top), place, has_mode, is_old));
            assert_same(&ours, &theirs, &case);
            for name in ["ours", "theirs"] {
                scratch.remove(Path::new(place).join(name));
            }
        }
    }
}

#[test]
fn metadata_is_preserved_as_by_gnu_cp() {
    if !is_root() {
        return skip("acting as another user needs root");
    }
    if !has_gnu_cp() {
        return;
    }
    let scratch = tree();
    compare(&scratch, "root");
    on_thread(|| {
        threads::become_user(NOBODY).unwrap();
        compare(&scratch, "nobody");
    });
    if !is_old_gnu() {
        skip("GNU cp 9.2 and newer preserve modes otherwise, so some were not compared");
    }
}

#[test]
fn a_replaced_file_leaves_attributes_as_with_gnu_cp() {
    if !has_gnu_cp() {
        return;
    }
    let scratch = Scratch::on_disk();
    let [from, ours, theirs] = ["from", "ours", "theirs"].map(|name| scratch.file(name));
    set_attribute(&from, "empty");
    for (words, gnu) in [("", "-r"), ("p", "-rp"), ("all", "-a")] {
        for old in [&ours, &theirs] {
            fs::remove_file(old).unwrap();
            scratch.file(old.file_name().unwrap());
            if !set_attribute(old, "user") || is_root() && !set_attribute(old, "capability") {
                return skip("attributes cannot be set here");
            }
        }
        assert!(gnu_cp(gnu, &from, &theirs).status.success());
        let report = options(words).existing(Existing::Replace).run(&from, &ours);
        assert!(report.is_complete(), "{report:?}");
        let [ours, theirs] = [&ours, &theirs].map(|path| attributes(path));
        assert_eq!(ours, theirs, "{words:?}");
        assert!(ours.iter().any(|line| line.contains("user.one")), "{ours:?}");
    }
}
