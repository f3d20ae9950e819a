use std::fs::File;
use std::os::unix::fs::lchown;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use curt_testkit::{NOBODY, is_root, skip};

use super::{Setup, outcome};
use crate::harness::zone_with_leap_seconds;

#[test]
fn cases_rare_in_random_trees() {
    let Some(setup) = Setup::odd() else { return };
    for (find, curt) in [
        // GNU find matches the whole path, and curt any part of it.
        (r"t -regextype posix-extended -regex .*\.rs", r"-s -p \.rs$ t"),
        ("t -regextype posix-extended -regex .*b/.*m.*e.*", "-s -p b/.*m.*e t"),
        ("t -path t/a/*.rs", "-p -g **/t/a/**/*.rs t"),
        ("t/..//t/. t/to-dir/. t/a//b/", ". t/..//t/. t/to-dir/. t/a//b/"),
        ("t -type f -size +4c -size -1025c", "-S +5b -S -1ki . t"),
        ("t -type f -size -6c", "-S -5b . t"),
        ("t -name a -prune -o", "-E a . t"),
        ("t -path t/a/b -prune -o", "-E /a/b/ . t"),
        // Test single devices, because others might appear and disappear.
        ("/dev -maxdepth 1 -type c -name null", "-d1 -tc -g null /dev"),
        ("/dev -maxdepth 1 -type b -name loop0", "-d1 -tb -g loop0 /dev"),
        ("/dev -maxdepth 1 -type b -name vda", "-d1 -tb -g vda /dev"),
    ] {
        setup.same(find, curt);
    }
    assert_eq!(setup.curt("-p -g **/t/*.rs t").paths, ["t/plain.rs"]);
    assert_eq!(setup.curt("-- . -t").paths, ["-t/-f"]);
}

#[test]
fn times() {
    let Some(setup) = Setup::odd() else { return };
    let now = SystemTime::now();
    for (path, ago) in [("t/five", 7200), ("t/plain.rs", 10), ("t/a", 3600), ("t/a/kilo", 3600)] {
        let file = File::open(setup.scratch.at(path)).unwrap();
        file.set_modified(now - Duration::from_secs(ago)).unwrap();
    }
    for file in ["t/five", "t/plain.rs", "t/a", "t/a/kilo", "t/to-file"] {
        // curt follows a reference that is a symlink, as GNU find's -newer does with -H.
        setup.same(&format!("t -newer {file}"), &format!("--newer {file} . t"));
    }
    setup.same("t -mmin +30 -newer t/five", "--older 30min --newer t/five . t");
    setup.same("t -mmin -30", "--newer 30min . t");
}

#[test]
fn dates_are_those_of_the_zone() {
    let Some(setup) = Setup::new() else { return };
    let words = |text: &'static str| text.split('|').map(str::trim);
    let berlin = "2026-03-29 01:59:59 | 2026-03-29 02:00 | 2026-03-29 02:30 | 2026-03-29 03:00
        | 2026-10-25 01:59:59 | 2026-10-25 02:00 | 2026-10-25 02:30 | 2026-10-25 03:00";
    let leaps = setup.fixture.scratch.file_with("leaps", &zone_with_leap_seconds(b'2'));
    let mut pairs: Vec<(Option<&str>, String)> = Vec::new();
    for (zone, dates) in [
        (
            leaps.to_str().unwrap(),
            "1972-07-01 00:59:59 | 1972-07-01 00:59:60 | 1972-07-01 01:00 | 1972-07-01 00:58:60
            | 1973-01-01 00:59:59 | 1973-01-01 00:59:60 | 1973-01-01 | 2017-01-01 00:59:58
            | 2017-01-01 00:59:59 | 2017-01-01 01:00 | 2026-01-31 | 2026-01-31 11:00Z | @78796800",
        ),
        ("Europe/Berlin", berlin),
        ("CET-1CEST,M3.5.0,M10.5.0/3", berlin),
        ("America/New_York", "2026-03-08 02:30 | 2026-11-01 01:30 | 2026-11-01 02:00"),
        ("EST5EDT", "2026-03-08 02:30 | 2026-11-01 01:30"),
        ("America/Sao_Paulo", "2018-11-04 | 2018-11-04 01:00 | 2019-02-16 23:30"),
        ("Europe/Dublin", "2026-03-29 01:30 | 2026-10-25 01:30"),
        ("Africa/Casablanca", "2026-02-15 02:30 | 2026-03-22 02:30"),
        ("Asia/Pyongyang", "2015-08-14 23:45 | 2018-05-04 23:45"),
        ("Australia/Lord_Howe", "2026-04-05 01:45 | 2026-10-04 02:15"),
        ("Pacific/Apia", "2011-12-29 23:59 | 2011-12-30 12:00 | 2011-12-31"),
        (
            "Asia/Kolkata",
            "20260731 | 2026-07-31T10:30 | 2026-07-31 10:30:05.123456789 +0200 | 2026-07-31 10:30Z
            | 2026-07-31 10:30 -0330 | 2026-07-31 10:30 UTC | 2026-07-31 10:30+05:45 | 2026-02-30
            | 2026-07-31 24:00 | 2026-07-31 23:59:60 | 2026-07-31 10:30 +2500 | 2026-07-31 UTC
            | 2026-07-31T10:30:05,5 +01 | Fri, 31 Jul 2026 10:30:05 +0100 | @1785486605 | @1.5
            | @-1.5 | @-1 | 1901-01-01 12:00 | 2400-02-29 | 2026-07-31t10:30z",
        ),
    ] {
        pairs.extend(words(dates).map(|date| (Some(zone), date.to_owned())));
    }
    let zones = "| UTC | :UTC | :Europe/Berlin | /usr/share/zoneinfo/Asia/Kathmandu | CET | : | +1
        | America/St_Johns | Pacific/Kiritimati | <-03>3<-02>,M3.5.0/-2,M10.5.0/-1 | XYZ-13:45
        | AAA5BBB,J60/2,J300/2 | AAA5BBB4,60,300 | <+0330>-3:30 | Europe/Berlinn | no zone | XX3
        | CET-1CEST,M3.5.0 | CET-1CEST,nonsense | CET-1! | /does/not/exist";
    for (n, zone) in words(zones).map(Some).chain([None]).enumerate() {
        for n in 5 * n..5 * n + 5 {
            let (year, month, day) = (1972 + n * 37 % 128, n * 7 % 12 + 1, n * 11 % 28 + 1);
            let date = format!("{year}-{month:02}-{day:02} {:02}:{:02}", n * 5 % 24, n * 13 % 60);
            pairs.push((zone, date));
        }
    }
    let (mut refused, mut differences) = (0, Vec::new());
    for (zone, date) in pairs {
        let run = |program: &Path, args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).current_dir(setup.scratch.path()).env("LC_ALL", "C");
            match zone {
                Some(zone) => command.env("TZ", zone),
                None => command.env_remove("TZ"),
            };
            command.output().unwrap()
        };
        // GNU date only selects the times to test. GNU find is the authority.
        let seconds = run(Path::new("date"), &["-d", &date, "+%s %N"]).stdout;
        let seconds = String::from_utf8(seconds).unwrap();
        let (seconds, nanoseconds) = seconds.trim().split_once(' ').unwrap_or(("0", "0"));
        let since = Duration::from_secs(seconds.parse::<i64>().unwrap().unsigned_abs());
        let fraction = Duration::from_nanos(nanoseconds.parse().unwrap());
        let epoch = SystemTime::UNIX_EPOCH + fraction;
        let date_time = if seconds.starts_with('-') { epoch - since } else { epoch + since };
        let tick = Duration::from_nanos(1);
        for (name, time) in
            [("before", date_time - tick), ("at", date_time), ("after", date_time + tick)]
        {
            let file = File::create(setup.scratch.at(name)).unwrap();
            file.set_modified(time).unwrap();
        }
        let find = ["-type", "f", "-newermt", &date, "-printf", "%p\\0"];
        let found = run(Path::new("find"), &find);
        let printed = run(&setup.fixture.curt, &["find", "-0", "--newer", &date]);
        let result = |output: &Output| (output.status.success(), outcome(output).paths);
        if result(&found) != result(&printed) {
            differences.push((zone, date, found.stdout.len(), printed));
        }
        refused += u32::from(!found.status.success());
    }
    assert!(differences.is_empty(), "{differences:?}");
    assert_eq!(refused, 18);
}

#[test]
fn owners() {
    let Some(setup) = Setup::odd() else { return };
    if !is_root() {
        return skip("not root: everything has one owner");
    }
    lchown(setup.scratch.at("t/five"), Some(NOBODY), Some(12345)).unwrap();
    lchown(setup.scratch.at("t/dangling"), Some(4_000_000), None).unwrap();
    lchown(setup.scratch.at("t/a"), None, Some(NOBODY)).unwrap();
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
        setup.same(&format!("t {find}"), &format!("-o {curt} . t"));
    }
}
