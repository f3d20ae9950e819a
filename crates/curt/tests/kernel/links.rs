//! Symlinks inside the root that the kernel does not follow: those on a `nosymfollow` mount, and
//! those of other users in a world-writable directory.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown};
use std::process::Command;

use curt::paths::Aliases;
use curt_testkit::{Scratch, skip, threads};
use rustix::fs::{OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::table::{OPERATIONS, Operation, kernel, number};
use crate::{SCOPES, WAYS, has_openat2, root};

/// Compares curt's results with the kernel's. Returns how often the kernel failed with `counted`.
fn compare(scratch: &Scratch, paths: &[&str], counted: Errno) -> usize {
    let mut count = 0;
    let reads = |(_, flags, _): &Operation| !flags.intersects(OFlags::CREATE | OFlags::WRONLY);
    for (operation, flags, act) in OPERATIONS.into_iter().filter(reads) {
        for (scope, resolve) in SCOPES {
            for aliases in [Aliases::Open, Aliases::Strict] {
                let is_strict = aliases == Aliases::Strict;
                let links = if is_strict { ResolveFlags::NO_SYMLINKS } else { resolve };
                for path in paths {
                    let expected = kernel(scratch, path, flags, resolve | links);
                    count += usize::from(expected == Err(counted));
                    for (way, without) in WAYS {
                        let root = root(&scratch.at("root"), without).scope(scope).aliases(aliases);
                        let answer = act(scratch, &root, path).map_err(|error| number(&error));
                        let case = format!("{operation} {path:?} {scope:?} {aliases:?} by {way}");
                        assert_eq!(answer, expected, "{case}");
                    }
                }
            }
        }
    }
    count
}

/// Runs a test on its own thread, because it changes credentials or namespaces.
pub(crate) fn on_own_thread<T: Send>(test: impl FnOnce() -> T + Send) -> T {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    std::thread::scope(|threads| {
        let thread = std::thread::Builder::new().name(name).spawn_scoped(threads, test).unwrap();
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

pub(crate) fn mount(arguments: &[&str]) -> bool {
    Command::new("mount").args(arguments).status().is_ok_and(|status| status.success())
}

/// Unmounts on drop, because a tree that contains a mount cannot be removed.
struct Mounted(String);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy", &self.0]).status();
    }
}

#[test]
fn links_on_a_nosymfollow_mount_are_not_followed() {
    if !has_openat2() {
        return skip("this kernel, or a filter, has no openat2 to compare with");
    }
    if !rustix::process::geteuid().is_root() {
        return skip("mounting needs root");
    }
    on_own_thread(|| {
        if let Err(error) = threads::separate_mounts() {
            return skip(&format!("no mounts of a thread: {error}"));
        }
        let scratch = Scratch::new();
        scratch.file("root/file");
        let at = scratch.dir("root/mount").display().to_string();
        assert!(mount(&["-t", "tmpfs", "none", &at]));
        let _until_here = Mounted(at.clone());
        scratch.file("root/mount/dir/file");
        let tree = "in_dir->mount/dir in_link->mount/link in_way->mount/way/file \
             mount/link->dir/file mount/way->dir mount/out->../file \
             mount/dangling->nosuch mount/loop->loop";
        scratch.tree("root", tree);
        if !mount(&["-o", "remount,nosymfollow", &at]) {
            return skip("mounts cannot be told not to follow links");
        }
        let paths = "file in_dir in_dir/file in_link in_way mount/dir/file mount/link mount/link/ \
                     mount/way mount/way/ mount/way/. mount/way/file mount/way/../dir/file \
                     mount/out mount/dangling mount/dangling/x mount/loop mount/dir/../way/file";
        let paths: Vec<&str> = paths.split(' ').collect();
        assert!(compare(&scratch, &paths, Errno::LOOP) > 100, "links were followed there");
    });
}

struct Setting {
    path: &'static str,
    before: String,
}

impl Setting {
    fn set(path: &'static str, value: &str) -> Option<Setting> {
        let before = fs::read_to_string(path).ok()?;
        fs::write(path, value).ok()?;
        Some(Setting { path, before })
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        fs::write(self.path, &self.before).unwrap();
    }
}

const OWNER: u32 = 12345;
const OTHER: u32 = 11111;
const FOLLOWER: u32 = 22222;

fn tree() -> Scratch {
    let scratch = Scratch::new();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.tree("", "root/file root/dir/file");
    for (dir, mode) in [("shared", 0o1777), ("loose", 0o777), ("sticky", 0o1755)] {
        let at = scratch.dir(format!("root/{dir}"));
        for (name, owner) in [("owners", OWNER), ("others", OTHER), ("own", FOLLOWER), ("roots", 0)]
        {
            for (suffix, target) in [("", "../file"), ("_dir", "../dir"), ("_lost", "nosuch")] {
                let link = scratch.link(format!("root/{dir}/{name}{suffix}"), target);
                lchown(link, Some(owner), None).unwrap();
            }
        }
        scratch.link(format!("root/to_{dir}"), format!("{dir}/others"));
        scratch.link(format!("root/through_{dir}"), format!("{dir}/others_dir/file"));
        scratch.link(format!("root/{dir}/chain"), "others");
        chown(&at, Some(OWNER), None).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
    }
    scratch
}

#[test]
fn links_of_other_users_are_followed_as_the_kernel_does() {
    if !has_openat2() {
        return skip("this kernel, or a filter, has no openat2 to compare with");
    }
    if !rustix::process::geteuid().is_root() {
        return skip("links of others are made by root alone");
    }
    let scratch = tree();
    let names = ["owners", "others", "own", "roots"];
    let mut paths = vec!["file".to_owned(), "dir/file".to_owned()];
    for dir in ["shared", "loose", "sticky"] {
        for name in names {
            let link = format!("{dir}/{name}");
            paths.push(link.clone());
            for suffix in
                ["_dir", "_dir/", "_dir/.", "_dir/file", "_dir/../file", "_lost", "_lost/"]
            {
                paths.push(format!("{link}{suffix}"));
            }
        }
        let others = ["to_", "through_"].map(|name| format!("{name}{dir}"));
        paths.extend(others);
        paths.push(format!("{dir}/chain"));
        paths.push(format!("{dir}/others_dir/../{dir}/others"));
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for protects in ["1", "0"] {
        let setting = Setting::set("/proc/sys/fs/protected_symlinks", protects);
        let Some(_until_here) = setting else {
            return skip("fs.protected_symlinks cannot be set here");
        };
        let refused = compare(&scratch, &paths, Errno::ACCESS);
        assert_eq!(refused > 0, protects == "1");
        if protects == "1" {
            let refused = on_own_thread(|| {
                threads::become_user(FOLLOWER).unwrap();
                compare(&scratch, &paths, Errno::ACCESS)
            });
            assert!(refused > 0);
        }
    }
}
