//! Which entries pass: names, kinds, sizes, times and owners.

use std::fs::File;
use std::os::unix::fs::lchown;
use std::time::{Duration, SystemTime};

use curt_testkit::skip;

use super::{NOBODY, Place, is_root};

#[test]
fn kinds() {
    let Some(place) = Place::odd() else { return };
    for kind in ["f", "d", "l", "p", "s", "c", "b", "f,d", "p,s,l"] {
        place.same(&format!("t -type {kind}"), &format!("t --type {kind}"));
    }
    place.same("t -type s", "t --type socket");
    place.same("t -type p", "t --type fifo");
    if std::path::Path::new("/dev/null").exists() {
        place.same("/dev/null -type c", "/dev/null --type c");
    }
}

#[test]
fn names() {
    let Some(place) = Place::odd() else { return };
    for glob in [
        "*", "*.rs", ".*", "*i*", "?", "??", "[a-c]", "[!a-c]*", "bad-*", "dir-?", "t", "n*n",
        "*line", "plain.rs", "\\*", "\\[ab\\]", "größe", "nothing",
    ] {
        place.same(&format!("t -name {glob}"), &format!("t --name {glob}"));
    }
    // The name of an operand is its last part, however it was typed.
    place.same("t/a/ -name a", "t/a/ --name a");
    place.same(".//t//a// -name a", ".//t//a// --name a");
    place.same(". -name .", ". --name .");
    // Any of several.
    place.same("t ( -name *.rs -o -name five )", "t --name *.rs --name five");
    assert_eq!(place.curt("t --name {five,plain.rs}").paths, ["t/five", "t/plain.rs"]);
}

#[test]
fn paths() {
    let Some(place) = Place::odd() else { return };
    for re in ["a/b", "\\.rs$", "^t/.$", "/[.]", "k.*o"] {
        // The whole path for find; anywhere in it for curt.
        let from_start = re.strip_prefix('^');
        let inner = from_start.unwrap_or(re);
        let to_end = inner.strip_suffix('$');
        let whole = [
            if from_start.is_some() { "" } else { ".*" },
            to_end.unwrap_or(inner),
            if to_end.is_some() { "" } else { ".*" },
        ];
        let find = format!("t -regextype posix-extended -regex {}", whole.concat());
        let found = place.same(&find, &format!("t --regex {re}"));
        assert!(!found.paths.is_empty(), "{re}");
    }
    place.same("t -path t/a/*.rs", "t --path-glob t/a/**/*.rs");
    assert_eq!(place.curt("t --path-glob t/*.rs").paths, ["t/plain.rs"]);
    assert_eq!(place.curt("t --regex ^t/.$ --type d").paths, ["t/*", "t/a"]);
}

#[test]
fn sizes() {
    let Some(place) = Place::odd() else { return };
    for size in ["0", "5", "+5", "-5", "1024", "+1024", "-1025", "+0", "99999"] {
        place.same(&format!("t -size {size}c"), &format!("t --size={size}c"));
        place.same(&format!("t -type f -size {size}c"), &format!("t --type f --size={size}"));
    }
    place.same("t -type f -size +5c -size -1025c", "t --type f --size +5 --size=-1025");
    // Without find's rounding up to whole units: more than one KiB is more than 1,024 bytes.
    assert_eq!(place.curt("t --type f --size +1k").paths, ["t/a/b/more"]);
    assert_eq!(place.curt("t --type f --size 1k").paths, ["t/a/kilo"]);
    assert_eq!(place.curt("t --type f --size=-1k --name f*").paths, ["t/a/b/c/d/e/f.rs", "t/five"]);
}

#[test]
fn times() {
    let Some(place) = Place::odd() else { return };
    let now = SystemTime::now();
    for (path, ago) in [("t/five", 7200), ("t/plain.rs", 10), ("t/a", 3600), ("t/a/kilo", 3600)] {
        let file = File::open(place.scratch.at(path)).unwrap();
        file.set_modified(now - Duration::from_secs(ago)).unwrap();
    }
    for file in ["t/five", "t/plain.rs", "t/a", "t/a/kilo", "t/to-file"] {
        // A link that is named is followed, as with find's -newer under -H.
        place.same(&format!("-H t -newer {file}"), &format!("t --newer {file}"));
    }
    place.same("t -mmin +30 -newer t/five", "t --older 30min --newer t/five");
    place.same("t -mmin -30", "t --newer 30min");
}

#[test]
fn owners() {
    let Some(place) = Place::odd() else { return };
    if !is_root() {
        return skip("not root: everything has one owner");
    }
    lchown(place.scratch.at("t/five"), Some(NOBODY), Some(12345)).unwrap();
    lchown(place.scratch.at("t/dangling"), Some(4_000_000), None).unwrap();
    lchown(place.scratch.at("t/a"), None, Some(NOBODY)).unwrap();
    for (find, curt) in [
        ("-user root", "root"),
        ("-user root", "0"),
        ("-uid 65534", "65534"),
        ("-uid 4000000", "4000000"),
        ("-gid 12345", ":12345"),
        ("-group root", ":root"),
        ("-user root -gid 65534", "root:65534"),
        ("-uid 65534 -gid 12345", "65534:12345"),
        ("-user root -gid 12345", "0:12345"),
    ] {
        place.same(&format!("t {find}"), &format!("t --owner {curt}"));
    }
}

#[test]
fn excluded_directories_are_not_entered() {
    let Some(place) = Place::odd() else { return };
    for (find, curt) in [
        ("t -name a -prune -o", "t --exclude a"),
        ("t -name *.rs -prune -o", "t --exclude *.rs"),
        ("t -path t/a/b -prune -o", "t --exclude a/b"),
        ("t -path t/a/b -prune -o", "t --exclude /a/b/"),
        ("t -type d -name .* -prune -o", "t --exclude .*/"),
    ] {
        place.same(find, curt);
    }
}

#[test]
fn excluded_paths_may_be_written_as_the_operand_is_or_in_full() {
    let Some(place) = Place::odd() else { return };
    let find = "t -path t/a/b -prune -o";
    let here = place.scratch.path().join("t");
    let full = here.to_str().unwrap();
    for curt in ["t --exclude t/a/b", "t --exclude ./t//a/./b/", &format!("t --exclude {full}/a/b")]
    {
        place.same(find, curt);
    }
    for excluded in ["five", "t/five", "./t", &format!("{full}/five")] {
        let walk = format!("t/five --exclude {excluded}");
        assert!(place.curt(&walk).paths.is_empty(), "{excluded}");
    }
}
