//! Names in messages: byte for byte as GNU quotes them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::harness::gnu_rm;
use curt_testkit::Scratch;

/// Names that test a quoting: every byte for itself and between others, and some combinations.
fn names() -> Vec<OsString> {
    let bytes = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let mut names = vec![OsString::new()];
    for byte in (1..=255_u8).filter(|&byte| byte != b'/') {
        names.push(bytes(&[byte, b'x']));
        names.push(bytes(&[b'x', byte]));
        names.push(bytes(&[b'x', byte, b'y']));
        names.push(bytes(&[b'\'', byte]));
        names.push(bytes(&[b'i', b'\'', byte, b's']));
        names.push(bytes(&[byte, b'\'']));
        names.push(bytes(&[byte, byte]));
    }
    for name in [
        &b"it's a 'b' \"c\""[..],
        b"\n\n'\n",
        b"a\nb\nc",
        b"\t'\"$x`y`\\",
        b"#it's",
        b"~it's",
        b"it's {}",
        b"\xc3\xa9",
        b"\xc3",
        b"\xc3\xa9'\xc3",
        b"\xe2\x82",
        b"\xe2\x82\xac\xe2",
        b"\xf0\x9f\x98\x80 it's",
        b"\xff\xfe\n\xff",
        b"\xed\xa0\x80",
        b"\xc2\x85x",
        b"\xe2\x80\xa8",
        b"missing/it's/here",
    ] {
        names.push(bytes(name));
    }
    // They must not be taken for options or for the directory itself.
    names
        .into_iter()
        .filter(|name| name != ".." && name != ".x")
        .map(|name| in_missing(&name))
        .collect()
}

/// The name below a directory that does not exist, so that nothing is ever removed.
fn in_missing(name: &OsStr) -> OsString {
    let mut path = OsString::from("missing-directory/");
    path.push(name);
    path
}

#[test]
fn every_name_is_quoted_as_gnu_does() {
    if gnu_rm().is_none() {
        return;
    }
    let locale = Command::new("locale").arg("-a").output();
    let has_utf8 = locale.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout)
            .to_lowercase()
            .lines()
            .any(|name| name.starts_with("c.utf"))
    });
    if !has_utf8 {
        curt_testkit::skip("the locale C.UTF-8 is not installed");
        return;
    }
    let scratch = Scratch::new();
    let names = names();
    let said = |program: &str, first: &[&str]| {
        let mut command = Command::new(program);
        command.args(first).arg("--").args(&names);
        let output = command.current_dir(scratch.path()).env("LC_ALL", "C.UTF-8").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        output.stderr
    };
    let gnu = said("rm", &[]);
    let ours = said(env!("CARGO_BIN_EXE_curt"), &["rm", "-j1"]);
    let gnu = String::from_utf8(gnu).unwrap();
    let ours = String::from_utf8(ours).unwrap().replace("curt rm: ", "rm: ");
    for (gnu, ours) in gnu.lines().zip(ours.lines()) {
        // Some versions of GNU begin with an empty pair of quotes where the name has a single
        // quote and ends with an escape.
        let with_pair = ours.replacen("remove '", "remove '''", 1);
        assert!(gnu == ours || gnu == with_pair, "\nGNU:  {gnu}\ncurt: {ours}");
    }
    assert_eq!(gnu.lines().count(), names.len());
    assert_eq!(ours.lines().count(), names.len());
}
