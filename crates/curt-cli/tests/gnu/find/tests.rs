//! Which entries pass: names, kinds, sizes, times and owners.

use std::fs::File;
use std::os::unix::fs::lchown;
use std::time::{Duration, SystemTime};

use curt_testkit::{NOBODY, is_root, skip};

use super::Place;

#[test]
fn kinds() {
    let Some(place) = Place::odd() else { return };
    for kind in ["f", "d", "l", "p", "s", "c", "b", "f,d", "p,s,l"] {
        place.same(&format!("t -type {kind}"), &format!("-t {kind} . t"));
    }
    place.same("t -type s", "-t socket . t");
    place.same("t -type p", "-t fifo . t");
    place.same("t -empty -type f", "--empty -t f . t");
    place.same("t -empty -type d", "-t empty,d . t");
    if std::path::Path::new("/dev/null").exists() {
        place.same("/dev -maxdepth 1 -name null -type c", "-d1 -t c ^null$ /dev");
    }
}

#[test]
fn names() {
    let Some(place) = Place::odd() else { return };
    for glob in [
        "*", "*.rs", ".*", "*i*", "?", "??", "[a-c]", "[!a-c]*", "bad-*", "dir-?", "t", "n*n",
        "*line", "plain.rs", "\\*", "\\[ab\\]", "größe", "nothing",
    ] {
        place.same(&format!("t -name {glob}"), &format!("-s -g {glob} t"));
    }
    place.same("t -iname *.RS", "-i -g *.RS t");
    place.same("t ( -name *.rs -o -name five )", "-g {*.rs,five} t");
}

#[test]
fn paths() {
    let Some(place) = Place::odd() else { return };
    for re in ["t/a/b", "\\.rs$", "t/[.]", "b/.*m.*e"] {
        // The whole path for find; anywhere in it for curt.
        let whole = re.strip_suffix('$').map_or(format!(".*{re}.*"), |re| format!(".*{re}"));
        let find = format!("t -regextype posix-extended -regex {whole}");
        let found = place.same(&find, &format!("-s -p {re} t"));
        assert!(!found.paths.is_empty(), "{re}");
    }
    place.same("t -path t/a/*.rs", "-p -g **/t/a/**/*.rs t");
    assert_eq!(place.curt("-p -g **/t/*.rs t").paths, ["t/plain.rs"]);
}

#[test]
fn sizes() {
    let Some(place) = Place::odd() else { return };
    // At least and at most, where find has more and less.
    for (find, curt) in [
        ("0c", "0b"),
        ("5c", "5b"),
        ("+4c", "+5b"),
        ("-6c", "-5b"),
        ("1024c", "1ki"),
        ("+1024c", "+1025b"),
        ("+0c", "+1b"),
        ("99999c", "99999b"),
    ] {
        place.same(&format!("t -type f -size {find}"), &format!("-S {curt} . t"));
    }
    place.same("t -type f -size +4c -size -1025c", "-S +5b -S -1ki . t");
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
        place.same(&format!("t -newer {file}"), &format!("--newer {file} . t"));
    }
    place.same("t -mmin +30 -newer t/five", "--older 30min --newer t/five . t");
    place.same("t -mmin -30", "--newer 30min . t");
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
        place.same(&format!("t {find}"), &format!("-o {curt} . t"));
    }
}

#[test]
fn excluded_directories_are_not_entered() {
    let Some(place) = Place::odd() else { return };
    for (find, curt) in [
        ("t -name a -prune -o", "-E a . t"),
        ("t -name *.rs -prune -o", "-E *.rs . t"),
        ("t -path t/a/b -prune -o", "-E a/b . t"),
        ("t -path t/a/b -prune -o", "-E /a/b/ . t"),
        ("t -type d -name .* -prune -o", "-E .*/ . t"),
    ] {
        place.same(find, curt);
    }
}
