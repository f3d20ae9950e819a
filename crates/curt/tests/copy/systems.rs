//! Copies on other filesystems and between them, on full ones, and across mounts, in a mount
//! namespace that protects the machine.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, lchown};

use curt::SameFileSystem;
use curt_testkit::{Scratch, is_root, skip, threads};

use crate::content::{assert_same_files, sparse_files};
use crate::{age, assert_same, complete, dump, gnu_cp, has_gnu_cp, on_thread, options};
use crate::{set_attribute, shell};

/// Runs a test that may mount filesystems.
fn with_mounts(test: impl FnOnce(&Scratch) + Send) {
    if !is_root() {
        return skip("mounting needs root");
    }
    let scratch = Scratch::new();
    on_thread(|| match threads::separate_mounts() {
        Ok(()) => test(&scratch),
        Err(error) => skip(&format!("no mounts of a thread: {error}")),
    });
}

/// Runs commands in the scratch directory. Returns whether they succeed.
fn mounts(scratch: &Scratch, script: &str) -> bool {
    let output = shell(&format!("set -e; cd '{}'; {script}", scratch.path().display()));
    output.status.success()
}

/// Filesystems, and how to mount them at `$1`.
const SYSTEMS: [(&str, &str); 6] = [
    ("tmpfs", "mount -t tmpfs none $1"),
    ("ext4", "mkfs.ext4 -q $1.image 64m; mount -o loop $1.image $1"),
    (
        "xfs",
        "truncate -s 320m $1.image; mkfs.xfs -q -m reflink=1 $1.image; mount -o loop $1.image $1",
    ),
    ("btrfs", "truncate -s 160m $1.image; mkfs.btrfs -q $1.image; mount -o loop $1.image $1"),
    (
        "overlay",
        "mkdir $1.d; mount -t tmpfs none $1.d; cd $1.d; mkdir lower upper work; cd ..; \
         mount -t overlay -o lowerdir=$1.d/lower,upperdir=$1.d/upper,workdir=$1.d/work none $1",
    ),
    ("fuse", "mkdir $1.d; bindfs -o attr_timeout=0 $1.d $1"),
];

/// Ends the server of a FUSE filesystem, which the end of the namespace does not end.
struct Served<'s>(&'s Scratch);

impl Drop for Served<'_> {
    fn drop(&mut self) {
        mounts(self.0, "umount fuse");
    }
}

fn fill(scratch: &Scratch, top: &str) {
    for (name, size) in
        [("empty", 0), ("small", 20), ("d/pages", 8192), ("d/odd", 100_003), ("d/e/f/deep", 1)]
    {
        let content: Vec<u8> = (0..size).map(|at: u32| (at / 3) as u8).collect();
        scratch.file_with(format!("{top}/{name}"), &content);
    }
    scratch.dir(format!("{top}/d/none"));
    scratch.link(format!("{top}/d/link"), "../small");
    scratch.hard_link(format!("{top}/small"), format!("{top}/d/e/second"));
    let at = |name: &str| scratch.at(top).join(name);
    for (name, mode) in [("small", 0o604), ("d/odd", 0o2751), ("d/e", 0o1700)] {
        lchown(at(name), Some(12_345), Some(54_321)).unwrap();
        fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        set_attribute(&at(name), "user");
        set_attribute(&at(name), "trusted");
    }
    age(scratch, top);
}

#[test]
fn trees_are_copied_on_and_between_filesystems() {
    if !has_gnu_cp() {
        return;
    }
    with_mounts(|scratch| {
        let _served = Served(scratch);
        let mut mounted = Vec::new();
        for (name, script) in SYSTEMS {
            scratch.dir(name);
            if mounts(scratch, &script.replace("$1", name)) {
                fill(scratch, &format!("{name}/s"));
                // Where holes are unknown, they are filled.
                sparse_files(scratch, &format!("{name}/sparse"), 8 << 20);
                mounted.push(name);
            } else {
                skip(&format!("cannot be mounted here: {name}"));
            }
        }
        for from in &mounted {
            for to in &mounted {
                let case = format!("{from} to {to}");
                let source = scratch.at(from).join("s");
                let [ours, theirs] = ["ours", "theirs"].map(|name| scratch.at(to).join(name));
                let report = options("all").run(&source, &ours);
                complete(&report);
                assert!(gnu_cp("-a", &source, &theirs).status.success(), "{case}");
                assert_same(&dump(&ours), &dump(&theirs), &case);
                let may_share = from == to && ["xfs", "btrfs"].contains(from);
                // One of the 7 other entries is a symlink, and one another name.
                let expected = if may_share { (5, 5) } else { (0, 1) };
                assert_eq!((report.reflinks, report.calls.of("ioctl")), expected, "{case}");
                assert_eq!((report.files, report.directories), (7, 5), "{case}");
                let report =
                    options("j2").run(scratch.at(from).join("sparse"), ours.join("sparse"));
                complete(&report);
                let copies = format!("{to}/ours/sparse");
                assert_same_files(scratch, &format!("{from}/sparse"), &copies);
                if !may_share {
                    assert!(report.calls.of("ioctl") <= report.threads as u64, "{case}");
                }
                for name in ["ours", "theirs"] {
                    scratch.remove(format!("{to}/{name}"));
                }
            }
        }
    });
}

/// Copies more than there is space for.
fn overfill(scratch: &Scratch, kind: ErrorKind) {
    for number in 0..12 {
        let size = if number % 3 == 0 { 400_000 } else { 4000 };
        scratch.file_with(format!("s/{}/{number}", number % 2), &vec![number; size]);
    }
    let report = options("").run(scratch.at("s"), scratch.at("small/t"));
    let is_mixed = report.files > 0 && report.error_count > 0;
    assert!(is_mixed && report.files + report.error_count == 12, "{report:?}");
    for error in &report.errors {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(fs::symlink_metadata(error.path()).is_err(), "{error}");
    }
    let copied = scratch.list("small/t");
    assert_eq!(copied.len() as u64, report.files + 2, "{report:?}");
    for line in copied.iter().filter(|line| line.starts_with('-')) {
        let [from, to] = ["s", "small/t"].map(|top| scratch.at(top).join(&line[2..]));
        assert_eq!(fs::read(from).unwrap(), fs::read(to).unwrap(), "{line}");
    }
}

#[test]
fn files_without_space_are_reported_and_removed() {
    with_mounts(|scratch| {
        scratch.dir("small");
        assert!(mounts(scratch, "mount -t tmpfs -o size=1m none small"));
        overfill(scratch, ErrorKind::StorageFull);
    });
    with_mounts(|scratch| {
        scratch.dir("small");
        let quota = "truncate -s 160m image; mkfs.btrfs -q image; mount -o loop image small; \
                     btrfs quota enable small; btrfs qgroup limit 1m small";
        if !mounts(scratch, quota) {
            return skip("no btrfs with a quota can be mounted here");
        }
        overfill(scratch, ErrorKind::QuotaExceeded);
    });
}

#[test]
fn a_read_only_filesystem_is_reported() {
    with_mounts(|scratch| {
        fill(scratch, "s");
        scratch.dir("fixed");
        let script = "mount -t tmpfs none fixed; mkdir -p fixed/t; mount -o remount,ro fixed";
        assert!(mounts(scratch, script));
        // The existing directory has 3 entries.
        for (words, path, errors) in [("all", "fixed/new", 1), ("merge", "fixed/t", 3)] {
            let report = options(words).run(scratch.at("s"), scratch.at(path));
            let mut kinds = report.errors.iter().map(curt::Error::kind);
            assert!(kinds.all(|kind| kind == ErrorKind::ReadOnlyFilesystem), "{report:?}");
            assert_eq!(report.error_count, errors, "{report:?}");
        }
    });
}

#[test]
fn mounts_in_the_source_are_left_out_as_by_gnu_cp() {
    if !has_gnu_cp() {
        return;
    }
    with_mounts(|scratch| {
        fill(scratch, "s");
        scratch.tree("", "s/other/ s/same/ bound/inside bound/deep/inside");
        assert!(mounts(
            scratch,
            "mount -t tmpfs -o mode=751 none s/other; touch s/other/file; \
             mount --bind bound s/same; mount --bind s/small s/d/pages"
        ));
        let (from, to) = (scratch.at("s"), scratch.at("t"));
        let copied = || {
            let lines = dump(&to);
            scratch.remove("t");
            lines
        };
        let by_gnu = |option: &str| {
            assert!(gnu_cp(option, &from, &to).status.success());
            copied()
        };
        let by_us = |same: SameFileSystem| {
            complete(&options("all").same_file_system(same).run(&from, &to));
            copied()
        };
        assert_same(&by_us(SameFileSystem::No), &by_gnu("-a"), "all filesystems");
        assert_same(&by_us(SameFileSystem::Device), &by_gnu("-ax"), "one device");
        let lines = by_us(SameFileSystem::Mount);
        let below = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
        assert_eq!((below("same"), below("other"), below("d/")), (1, 1, 8), "{lines:#?}");
    });
}
