//! Unreadable entries, accessed as an unprivileged user.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use curt_testkit::{NOBODY, Scratch, skip};

use super::{has, is_root, script};

fn open_scratch() -> Option<Scratch> {
    if !is_root() || !has("setpriv") {
        skip("to act as another user needs root");
        return None;
    }
    let scratch = Scratch::new();
    // Copy the program, because other users might not reach the build directory.
    scratch.program(super::curt(), "curt");
    give_to_other(&scratch, ".", 0o755);
    Some(scratch)
}

fn as_other(scratch: &Scratch, args: &str) -> Command {
    let user = format!("--reuid {NOBODY} --regid {NOBODY} --clear-groups");
    script(scratch, &format!("exec setpriv {user} ./curt {args}"))
}

fn give_to_other(scratch: &Scratch, path: &str, mode: u32) {
    let path = scratch.at(path);
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
}

/// The directory is empty and removable, but a dry run must not try.
#[test]
fn a_dry_run_removes_no_unreadable_directory() {
    let Some(scratch) = open_scratch() else { return };
    for options in ["-r", "-rf -j2", "-d", "-r --contents"] {
        scratch.dir("tree/shut");
        give_to_other(&scratch, "tree", 0o755);
        give_to_other(&scratch, "tree/shut", 0o000);
        for operand in ["tree", "tree/shut"] {
            let mut rm = as_other(&scratch, &format!("rm --dry-run {options} {operand}"));
            rm.output().unwrap();
            assert!(scratch.exists("tree/shut"), "{options} {operand}");
        }
        scratch.remove("tree");
    }
}

#[test]
fn fields_that_fail_are_reported_with_their_entry() {
    let Some(scratch) = open_scratch() else { return };
    // Other users can list this directory, but not read its symlinks.
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
