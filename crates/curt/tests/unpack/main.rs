//! Runs the unpack example on an archive that tries every way to escape.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../examples/unpack.rs"]
#[allow(dead_code, reason = "its `main` is not run here")]
mod unpack;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use curt::Root;
use curt_testkit::Scratch;
use tar::EntryType::{self, Block, Char, Directory, Fifo, Link, Regular, Symlink};
use tar::{Builder, Header};

const MODIFIED: u64 = 1_000_000_000;

/// Writes the name directly: the crate's own functions refuse such names.
fn add(archive: &mut Builder<Vec<u8>>, kind: EntryType, mode: u32, name: &str, content: &str) {
    let mut header = Header::new_gnu();
    let is_link = matches!(kind, Symlink | Link);
    let fields = header.as_gnu_mut().unwrap();
    fields.name[..name.len()].copy_from_slice(name.as_bytes());
    let content = if is_link {
        fields.linkname[..content.len()].copy_from_slice(content.as_bytes());
        ""
    } else {
        content
    };
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(MODIFIED);
    header.set_size(content.len() as u64);
    header.set_cksum();
    archive.append(&header, content.as_bytes()).unwrap();
}

fn listed(at: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut waiting = vec![at.to_owned()];
    while let Some(dir) = waiting.pop() {
        let about = fs::metadata(&dir).unwrap();
        lines.push(format!("{} {:o} {}", dir.display(), about.mode(), about.mtime()));
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let (path, about) = (entry.path(), entry.metadata().unwrap());
            let content = match (about.is_dir(), about.is_file()) {
                (true, _) => {
                    waiting.push(path);
                    continue;
                }
                (_, true) => fs::read_to_string(&path).unwrap(),
                _ => fs::read_link(&path).unwrap().display().to_string(),
            };
            let (name, mode, links) = (path.display(), about.mode(), about.nlink());
            lines.push(format!("{name} {mode:o} {} {links} {content}", about.mtime()));
        }
    }
    lines.sort();
    lines
}

#[test]
fn a_hostile_archive_changes_nothing_outside_the_folder() {
    let scratch = Scratch::new();
    scratch.file_with("out/secret", b"secret");
    scratch.tree("", "out/dir/ folder/");
    let (out, secret) = (scratch.at("out"), scratch.at("out/secret"));
    let (out, secret) = (out.to_str().unwrap(), secret.to_str().unwrap());

    let mut archive = Builder::new(Vec::new());
    let mut entry = |kind, mode, name: &str, content: &str| {
        add(&mut archive, kind, mode, name, content);
    };
    entry(Directory, 0o500, "good/", "");
    entry(Regular, 0o640, "good/deep/file", "content");
    entry(Link, 0o640, "good/second", "good/deep/file");
    entry(Symlink, 0o777, "good/link", "deep/file");
    entry(Regular, 0o6755, "good/setuid", "");
    entry(Regular, 0o000, "good/locked", "");
    entry(Regular, 0o666, "../out/made", "");
    entry(Regular, 0o666, "../out/secret", "changed");
    entry(Directory, 0o777, "good/../../out/made/", "");
    entry(Regular, 0o666, &format!("{out}/made"), "");
    entry(Directory, 0o777, "..", "");
    entry(Symlink, 0o777, "up", "../out");
    entry(Symlink, 0o777, "absolute", out);
    entry(Symlink, 0o777, "good/chain", "../up");
    for link in ["up", "absolute", "good/chain"] {
        entry(Regular, 0o666, &format!("{link}/made"), "");
        entry(Regular, 0o666, &format!("{link}/secret"), "changed");
        entry(Directory, 0o777, &format!("{link}/dir"), "");
        entry(Directory, 0o777, &format!("{link}/made/deep"), "");
        entry(Link, 0o666, &format!("{link}/linked"), "good/deep/file");
        entry(Symlink, 0o777, &format!("{link}/linked"), "x");
        entry(Link, 0o666, "stolen", &format!("{link}/secret"));
    }
    entry(Directory, 0o777, "up", "");
    entry(Link, 0o666, "stolen", "../out/secret");
    entry(Link, 0o666, "stolen", secret);
    entry(Symlink, 0o777, "to_file", secret);
    entry(Link, 0o777, "to_file_too", "to_file");
    entry(Link, 0o777, "kept", "to_file");
    entry(Regular, 0o644, "to_file", "inside");
    entry(Regular, 0o644, "to_file_too", "inside");
    entry(Symlink, 0o777, "to_made", "../out/made");
    entry(Regular, 0o644, "to_made", "inside");
    for kind in [Char, Block, Fifo] {
        entry(kind, 0o666, "device", "");
    }
    let archive = archive.into_inner().unwrap();

    let before = listed(&scratch.at("out"));
    let root = Root::open(scratch.at("folder")).unwrap();
    let failed = unpack::unpack(&root, &*archive).unwrap();
    assert_eq!(listed(&scratch.at("out")), before);

    let failed: Vec<_> = failed.iter().map(|(path, _)| path.display().to_string()).collect();
    let of_link = ["made", "secret", "dir", "made/deep", "linked", "linked"];
    let mut expected: Vec<String> =
        ["../out/made", "../out/secret", "good/../../out/made/"].map(str::to_owned).to_vec();
    expected.extend([format!("{out}/made"), "..".to_owned()]);
    for link in ["up", "absolute", "good/chain"] {
        expected.extend(of_link.map(|name| format!("{link}/{name}")));
        expected.push("stolen".to_owned());
    }
    expected.extend(["up", "stolen", "stolen", "device", "device", "device"].map(str::to_owned));
    assert_eq!(failed, expected);

    let about = |name: &str| {
        let about = fs::symlink_metadata(scratch.at("folder").join(name)).unwrap();
        (about.mode() & 0o7777, about.mtime().unsigned_abs() == MODIFIED, about.nlink())
    };
    assert_eq!(about("good").0, 0o500);
    assert!(about("good").1);
    assert_eq!(about("good/deep/file"), (0o640, true, 2));
    assert_eq!(about("good/setuid"), (0o755, true, 1));
    assert_eq!(about("good/locked"), (0o000, true, 1));
    for name in ["to_file", "to_file_too", "to_made"] {
        assert_eq!(about(name), (0o644, true, 1), "{name}");
        assert_eq!(fs::read_to_string(scratch.at("folder").join(name)).unwrap(), "inside");
    }
    assert_eq!(fs::read_link(scratch.at("folder/good/link")).unwrap(), Path::new("deep/file"));
    fs::set_permissions(scratch.at("folder/good"), Permissions::from_mode(0o700)).unwrap();
    assert!(!scratch.at("folder/stolen").exists() && !scratch.at("folder/device").exists());
}
