use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use curt::beneath::OpenOptions;
use curt::{Fields, Plan, Walk};
use curt_testkit::{Scratch, skip};
use rustix::process::Uid;

use crate::{WAYS, root};

fn inherited() -> String {
    let listing = Command::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
    assert!(listing.status.success());
    String::from_utf8(listing.stdout).unwrap()
}

#[test]
fn child_processes_inherit_no_descriptor() {
    let scratch = Scratch::new();
    scratch.file("root/a/b/c/file");
    scratch.link("root/link", "a");
    let place = scratch.path().canonicalize().unwrap().display().to_string();
    let check = |when: &str| {
        let listing = inherited();
        assert!(!listing.contains(&place), "{when}: {listing}");
    };
    let plan = || Plan::new(Fields::KIND | Fields::SIZE);
    for (way, without) in WAYS {
        let root = root(&scratch.at("root"), without);
        let _file = root.open_file("link/b/c/file", OpenOptions::new().read(true)).unwrap();
        let _dir = root.open_dir("link/b").unwrap();
        let mut list = root.read_dir("link/b").unwrap().list(plan());
        assert!(list.next().is_some());
        check(way);
        let mut walk = Walk::new(scratch.at("root")).fields(Fields::SIZE);
        for &feature in without {
            walk = walk.without(feature);
        }
        let mut walking = walk.start();
        let mut entries = 0;
        while let Some(entry) = walking.next() {
            let path = entry.unwrap().path().display().to_string();
            check(&format!("{way}: walking at {path}"));
            entries += 1;
        }
        assert_eq!(entries, 6, "{way}");
    }
}

#[test]
fn permissions_are_those_of_the_effective_user() {
    if !rustix::process::geteuid().is_root() {
        return skip("acting as another user needs root");
    }
    let scratch = Scratch::new();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = scratch.script("program", "#!/bin/sh\n", 0o700);
    let allowed = || {
        let fields = Fields::READABLE | Fields::WRITABLE | Fields::EXECUTABLE;
        let known = curt::stat(&path, Plan::new(fields)).unwrap();
        [known.readable(), known.writable(), known.executable()].map(curt::fields::Value::known)
    };
    assert_eq!(allowed(), [Some(true); 3]);
    let as_another = || {
        let (real, effective) = (Uid::from_raw(0), Uid::from_raw(65534));
        rustix::thread::set_thread_res_uid(real, effective, real).unwrap();
        allowed()
    };
    let answer = std::thread::scope(|threads| threads.spawn(as_another).join().unwrap());
    assert_eq!(answer, [Some(false); 3]);
}
