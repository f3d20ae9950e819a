//! While a copy gets the owner and the permissions of its source, nobody else may open it.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, lchown};

use curt_testkit::{Scratch, is_root, may_trace, skip};

use crate::calls::between;
use crate::{in_process, set_attribute};

const ENTRIES: [(&str, u32); 8] = [
    ("file", 0o600),
    ("shared", 0o640),
    ("set-id", 0o4711),
    ("listed", 0o604),
    ("open/file", 0o644),
    ("private/file", 0o666),
    ("private", 0o700),
    ("open", 0o2775),
];

/// Returns the mode of a call that creates an entry.
fn mode(line: &str) -> u32 {
    let call = line.split(" = ").next().unwrap();
    let mut words = call.rsplit(|end: char| !end.is_ascii_alphanumeric());
    let mode = words.find(|word| word.len() > 2 && word.starts_with('0')).unwrap();
    u32::from_str_radix(mode, 8).unwrap()
}

#[test]
fn no_copy_is_open_to_others_before_it_is_complete() {
    if !is_root() {
        return skip("acting as another user needs root");
    }
    if !may_trace() {
        return;
    }
    for (words, is_replaced) in [("all merge", false), ("p merge", false), ("all replace", true)] {
        let scratch = Scratch::new();
        for (name, mode) in ENTRIES {
            let path = scratch.at("s").join(name);
            if !path.exists() {
                scratch.file_with(format!("s/{name}"), b"secret");
                if is_replaced {
                    scratch.file(format!("t/{name}"));
                }
            }
            lchown(&path, Some(12_345), Some(12_345)).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        set_attribute(&scratch.at("s/listed"), "acl");
        // Copies inherit access for another user.
        set_attribute(&scratch.dir("t"), "default");
        let log = scratch.at("log");
        // With the path of each descriptor.
        let tracer = ["strace", "-f", "-qq", "-y", "-s", "200", "-o", log.to_str().unwrap()];
        let output = in_process(&tracer, words, &scratch.at("s"), &scratch.at("t")).output();
        assert!(output.unwrap().status.success(), "{words}");
        let top = format!("<{}/", scratch.at("t").display());
        let (mut owned, mut created, mut widened) = (BTreeSet::new(), 0, 0);
        for line in between(&log).iter().filter(|line| line.contains(&top[..top.len() - 1])) {
            let file = line.split(&top).nth(1).and_then(|path| path.split('>').next());
            if line.contains("O_CREAT") || line.contains(" mkdirat(") {
                assert_eq!(mode(line) & 0o077, 0, "{words}: {line}");
                created += 1;
            } else if line.contains(" fchown(") && line.contains(", 12345, 12345)") {
                owned.insert(file.unwrap_or_default());
            } else if line.contains(" fchmod(") || line.contains("posix_acl_access\", \"") {
                let is_top = file.is_none();
                assert!(is_top || owned.contains(file.unwrap()), "{words}: {line}");
                widened += 1;
            }
        }
        assert!(created >= 6 && widened >= 8, "{words}: {created} created, {widened} widened");
    }
}
