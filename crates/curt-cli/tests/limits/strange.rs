//! Unreadable entries, as an unprivileged user.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use curt_testkit::{NOBODY, Scratch, skip};

use super::{has, is_root, script};

/// A scratch directory with a copy of the command for all users.
fn open_scratch() -> Option<Scratch> {
    if !is_root() || !has("setpriv") {
        skip("to act as another user needs root");
        return None;
    }
    let scratch = Scratch::new();
    // The folder of the build may be closed to others.
    scratch.program(super::curt(), "curt");
    give(&scratch, ".", 0o755);
    Some(scratch)
}

/// A command as `nobody`.
fn as_other(scratch: &Scratch, args: &str) -> Command {
    let user = format!("--reuid {NOBODY} --regid {NOBODY} --clear-groups");
    script(scratch, &format!("exec setpriv {user} ./curt {args}"))
}

/// Makes somebody else the owner.
fn give(scratch: &Scratch, path: &str, mode: u32) {
    let path = scratch.at(path);
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
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
            let mut rm = as_other(&scratch, &format!("rm --dry-run {options} {operand}"));
            rm.output().unwrap();
            assert!(scratch.exists("tree/shut"), "{options} {operand}");
        }
        scratch.remove("tree");
    }
}

/// In the JSON of a search, a field that fails is in its entry and is reported, sorted or not.
#[test]
fn fields_that_fail_are_reported_with_their_entry() {
    let Some(scratch) = open_scratch() else { return };
    // Others may list this directory, and not read its links.
    let find = "find -u --json --fields=target -tl -d1 . /proc/1";
    for sort in ["--sort=name", "-j1"] {
        let output = as_other(&scratch, &format!("{find} {sort}")).output().unwrap();
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
