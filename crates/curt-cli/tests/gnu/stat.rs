//! Compares `curt stat`, called as `stat`, with GNU stat.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use curt_testkit::{Scratch, cells};

use crate::harness::Pair;

fn pair<'a>(scratch: &'a Scratch, dir: &'a Path) -> Option<Pair<'a>> {
    let variables = &[("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")];
    let curt = scratch.path().join("stat");
    Some(Pair { curt: Box::leak(curt.into_boxed_path()), variables, ..Pair::new("stat", dir)? })
}

fn same<S: AsRef<OsStr>>(pair: &Pair<'_>, words: &[S]) {
    assert_eq!(pair.difference(words), None);
}

fn sample() -> Scratch {
    let scratch = Scratch::new();
    scratch.link("stat", env!("CARGO_BIN_EXE_curt"));
    scratch.file_with("here/file", &[b'x'; 5000]);
    scratch.file("here/empty");
    scratch.file("here/it's a \"name\"");
    scratch.file(Path::new("here").join(OsStr::from_bytes(b"odd\n\xff")));
    scratch.hard_link("here/file", "here/again");
    scratch.dir("here/dir/sub");
    scratch.link("here/link", "file");
    scratch.link("here/to-dir", "dir");
    scratch.link("here/broken", "nowhere");
    scratch.link("here/loop", "loop");
    // Read each symlink once: the first read changes an access time that is not later than the
    // other times.
    std::thread::sleep(std::time::Duration::from_millis(20));
    for link in ["link", "to-dir", "broken", "loop"] {
        fs::read_link(scratch.at("here").join(link)).unwrap();
    }
    scratch.fifo("here/pipe");
    let _socket = std::os::unix::net::UnixListener::bind(scratch.at("here/socket")).unwrap();
    fs::set_permissions(
        scratch.at("here/empty"),
        std::os::unix::fs::PermissionsExt::from_mode(0o6751),
    )
    .unwrap();
    scratch
}

fn names(scratch: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(scratch.at("here")).unwrap();
    let names = entries.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    for name in ["to-dir/", ".", "..", "/", "/dev/null", "/dev/tty", "/proc/uptime", "-"] {
        names.push(name.to_owned());
    }
    names
}

#[test]
fn every_directive_is_that_of_gnu() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    let names = names(&scratch);
    for letter in ('a'..='z').chain('A'..='Z') {
        // For labels, messages name standard input differently, and curt does not distinguish a
        // filesystem without labels from a file without one.
        let is_excluded = |name: &str| letter == 'C' && (name == "-" || name.starts_with("/proc"));
        let names: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !is_excluded(name)).collect();
        let flags = format!("[%020{letter}|%#{letter}|%+{letter}|% {letter}|%'{letter}]");
        let formats = [
            format!("[%{letter}|%20{letter}|%-20{letter}|%.3{letter}|%16.2{letter}]"),
            format!("[%H{letter}|%L{letter}|%8H{letter}]"),
            flags,
        ];
        // With flags, GNU stat appends an `s` to the target of a symlink.
        for format in formats.iter().take(if letter == 'N' { 2 } else { 3 }) {
            same(&pair, &[&["-c", format], &names[..]].concat());
            same(&pair, &[&["-L", "-c", format], &names[..]].concat());
        }
    }
}

#[test]
fn default_and_terse_forms_are_those_of_gnu() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    for name in names(&scratch) {
        for options in [&[][..], &["-L"], &["-t"], &["-Lt"], &["--terse", "--dereference"]] {
            same(&pair, &[options, &[&*name]].concat());
        }
    }
    let all = ["file", "missing", "link", "broken", "dir/missing", "file/x", ""];
    same(&pair, &all);
    same(&pair, &[&["-L"], &all[..]].concat());
}

#[test]
fn file_systems_are_those_of_gnu() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    let format = "%n %i %l %t %T %s %S %b %c %10T|%-10t|%#t|%#i|%5l|%05l|%Q";
    let mut places: Vec<PathBuf> = vec![".".into(), "file".into(), "link".into()];
    places.extend(["/", "/proc", "/sys", "/dev", "/dev/shm", "/dev/pts"].map(PathBuf::from));
    for dir in places {
        same(&pair, &["-f", "-c", format, dir.to_str().unwrap()]);
    }
    for words in [&["-f", "/proc"][..], &["-ft", "/proc"], &["-f", "missing", "broken", "-"]] {
        same(&pair, words);
    }
    let free = String::from_utf8(pair.ours(&["-f", "-c", "%f %a %d", "."]).out).unwrap();
    let numbers: Vec<i64> = free.split_whitespace().map(|it| it.parse().unwrap()).collect();
    assert!(numbers.len() == 3 && numbers[1] <= numbers[0], "{numbers:?}");
}

#[test]
fn formats_have_escapes_and_ends_as_in_gnu() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    for format in cells(
        r#"
        '' | % | %% | 100%%%n% | \n | \\%n | %n\ | \x41\101\q | é%nü | %9% | %- | %.5 | %H | %L
        %Hd,%Ld | %Hr,%Lr | %HH | %y%%%z | %.Y|%.0Y|%.12Y|%30.3Y|%-30.3Y|%030.12Y
        %04a|%#07a|%#.5a|%+5a|%06.4s|%-05s|%.n|%4.1n|%05n | %5Lr|%Hx | %-.3%x
        \a\b\e\f\n\r\t\v\012\377\1234 | \x34\xf\x18p\xfq\\\" | \x | a\c
    "#,
    ) {
        same(&pair, &["-c", format, "file"]);
        same(&pair, &[&format!("--printf={format}"), "file"]);
    }
    same(&pair, &["--format=%n", "--printf=<%n>", "file", "dir"]);
    same(&pair, &["--printf=<%n>", "-c%n", "file", "dir"]);
    same(&pair, &["-c", "-%n", "--", "file"]);
}

#[test]
fn times_before_1970_and_far_away() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    let times = "-1.25 | -0.000000001 | 0 | 1000000000.5 | 4102444800.999999999 | -86400 | -0.25
        67413.023456789";
    for time in cells(times) {
        let mut touch = Command::new("touch");
        touch.args(["-d", &format!("@{time}"), "when"]).current_dir(&dir);
        assert!(touch.status().unwrap().success());
        let format = "%y %Y %.Y %.1Y %.3Y %16.3Y %-18.3Y| %018.3Y %+.2Y %X";
        same(&pair, &["-c", format, "when"]);
    }
    // Only this short time, because GNU stat adds blanks to longer ones if the width is too small.
    for format in ["%13.6Y|%013.6Y|%-13.6Y|%8Y|%+Y", "%I18.10Y|%18.10Y|%018.10Y|%-18.10Y|"] {
        same(&pair, &["-c", format, "when"]);
    }
}

#[test]
fn names_are_quoted_as_set_in_the_environment() {
    let scratch = sample();
    let dir = scratch.at("here");
    let Some(pair) = pair(&scratch, &dir) else { return };
    for style in ["literal", "shell", "shell-always", "shell-escape", "c", "escape", "locale"] {
        let variables = &[("QUOTING_STYLE", style)];
        let pair = Pair { variables, ..pair.clone() };
        for name in ["file", "link", "it's a \"name\"", "missing"] {
            same(&pair, &["-c", "%N %40N %-40N %.3N", name]);
            same(&pair, &[name]);
        }
    }
    let pair = Pair { variables: &[("QUOTING_STYLE", "odd")], ..pair };
    let (ours, gnu) = (pair.ours(&["-c%N", "file"]), pair.gnu(&["-c%N", "file"]));
    assert_eq!((ours.code, &ours.out), (gnu.code, &gnu.out));
    assert!(ours.messages.contains("QUOTING_STYLE: 'odd'"), "{ours:?}");
}

#[test]
fn curt_stat_has_both_forms() {
    let scratch = sample();
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
        command.arg("stat").args(words).current_dir(scratch.at("here"));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert!(run(&["file"]).1.starts_with("path: file\nkind: file\nsize: 5000\n"));
    assert_eq!(run(&["-c", "%s", "file"]), (Some(0), "5000\n".to_owned()));
    assert_eq!(run(&["--printf", "%s", "file"]), (Some(0), "5000".to_owned()));
    assert!(run(&["-t", "file"]).1.starts_with("file 5000 "));
    assert!(run(&["-f", "file"]).1.starts_with("  File: \"file\"\n"));
    for other in ["--json", "--fields=size"] {
        assert_eq!(run(&["-c", "%s", other, "file"]).0, Some(2), "{other}");
    }
    let mut named = Command::new(scratch.at("stat"));
    named.args(["--fields", "size", "file"]).current_dir(scratch.at("here"));
    assert_eq!(named.output().unwrap().stdout, b"path: file\nsize: 5000\n");
}
