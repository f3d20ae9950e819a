use std::path::Path;
use std::process::Command;

use curt_testkit::{Scratch, skip};
use rustix::fs::{XattrFlags, setxattr};

use crate::run_words as outcome;

/// An ACL that also lets user 1 read the file, in the format of acl(5), version 2.
const ACL: [u8; 44] = [
    2, 0, 0, 0, // version
    1, 0, 6, 0, 255, 255, 255, 255, // owner
    2, 0, 4, 0, 1, 0, 0, 0, // user 1
    4, 0, 4, 0, 255, 255, 255, 255, // group
    16, 0, 4, 0, 255, 255, 255, 255, // mask
    32, 0, 4, 0, 255, 255, 255, 255, // others
];

/// An effective `CAP_NET_RAW`, in the format of capabilities(7), version 2.
const CAPABILITY: [u8; 20] = [1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    let answer = setxattr(path, name, value, XattrFlags::empty());
    if let Err(error) = answer {
        skip(&format!("{name} cannot be set here: {error}"));
    }
    answer.is_ok()
}

/// All directories have the same file names, so only the values reveal an answer about the wrong
/// file.
#[test]
fn capabilities_and_lists_are_those_of_the_entry_with_any_number_of_threads() {
    let scratch = Scratch::new();
    let mut expected = Vec::new();
    for directory in 0..60 {
        for file in 0..60 {
            let name = format!("t/{directory}/{file}");
            let path = scratch.file(&name);
            let (has_capability, has_list) = (directory % 3 == 0, directory % 2 == 0);
            if has_capability && !set(&path, "security.capability", &CAPABILITY)
                || has_list && !set(&path, "system.posix_acl_access", &ACL)
            {
                return;
            }
            expected.push(format!("{name}\t{has_capability}\t{has_list}"));
        }
    }
    expected.sort_unstable();
    for threads in ["-j1", "-j2", "-j8"] {
        let format = "--format={path}\t{capability}\t{acl}";
        let (code, out, messages) = outcome(&scratch, &["find", threads, "-tf", format, ".", "t"]);
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{threads}");
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        assert!(
            lines == expected,
            "{threads}: {:?}",
            lines.iter().find(|line| !expected.iter().any(|known| known == *line))
        );
    }
}

#[test]
fn ls_marks_entries_with_an_access_control_list() {
    let scratch = Scratch::new();
    scratch.file("t/plain");
    let listed = scratch.file("t/listed");
    if !set(&listed, "system.posix_acl_access", &ACL) {
        return;
    }
    let (code, out, messages) = outcome(&scratch, &["ls", "-l", "--acl", "t"]);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    let mode = |name: &str| {
        let line = out.lines().find(|line| line.ends_with(name));
        line.and_then(|line| line.split_whitespace().next()).map(str::to_owned)
    };
    assert_eq!(mode("listed").as_deref(), Some("-rw-r--r--+"), "{out}");
    assert_eq!(
        mode("plain").as_deref().map(|mode| mode.trim_end_matches('.').len()),
        Some(10),
        "{out}"
    );
    let gnu = Command::new("ls").args(["-l", "t/listed"]).current_dir(scratch.path()).output();
    if let Ok(gnu) = gnu {
        assert!(gnu.stdout.starts_with(b"-rw-r--r--+"), "{}", String::from_utf8_lossy(&gnu.stdout));
    }
    let (_, out, _) =
        outcome(&scratch, &["stat", "--json", "--fields=name,acl", "t/listed", "t/plain"]);
    let marks: Vec<bool> = out.lines().map(|line| line.contains("\"acl\":true")).collect();
    assert_eq!(marks[..2], [true, false], "{out}");
}

#[test]
fn labels_of_security_modules_are_printed() {
    let scratch = Scratch::new();
    scratch.file("t/plain");
    for (name, attributes) in [
        ("smack", &[("security.SMACK64", &b"word\0"[..])][..]),
        ("long", &[("security.SMACK64", &[b'x'; 1500])]),
        (
            "both",
            &[
                ("security.SMACK64", b"word"),
                ("security.selinux", b"system_u:object_r:tmp_t:s0\0\0"),
            ],
        ),
        ("other", &[("security.other", b"word")]),
    ] {
        let path = scratch.file(format!("t/{name}"));
        if attributes.iter().any(|(attribute, value)| !set(&path, attribute, value)) {
            return;
        }
    }
    let line = ["ls", "--fields=name,label", "t"];
    let (code, out, messages) = outcome(&scratch, &line);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    let long = "x".repeat(1500);
    let expected = format!(
        "both\tsystem_u:object_r:tmp_t:s0\nlong\t{long}\nother\t-\nplain\t-\nsmack\tword\n"
    );
    assert_eq!(out, expected);
}
