//! The budgets of `curt ls` and `curt stat`: N entries, L links.

use std::fmt::Write;
use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{Counts, count, difference, total, trace, tracing};
use crate::{check_snapshot, slope};

const ENTRIES: u64 = 3580;

/// What starting the command, and asking about the operand and the terminal, takes.
const STARTING: u64 = 16;

/// What a command calls in a scratch directory.
fn calls(scratch: &Scratch, args: &[&str]) -> (Counts, String) {
    let (_, log) = trace(scratch, Path::new(env!("CARGO_BIN_EXE_curt")), args);
    (count(&log), log)
}

/// A directory of files and a few links.
fn flat(scratch: &Scratch, links: u64) {
    let folder = scratch.dir("flat");
    for file in 0..ENTRIES - links {
        std::fs::File::create(folder.join(format!("file-{file}"))).unwrap();
    }
    for link in 0..links {
        scratch.link(format!("flat/link-{link}"), "file-0");
    }
}

#[test]
fn names_take_no_call_for_an_entry() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    flat(&scratch, 30);
    let budget = STARTING + 12;
    for args in [&["ls", "flat"][..], &["ls", "-Ar", "flat"], &["ls", "--color=always", "flat"]] {
        let (seen, log) = calls(&scratch, args);
        let total = total(&seen);
        assert!(total <= budget, "{args:?}: {total} calls, {budget} allowed\n{log}");
        let ours: Vec<&str> = log.lines().skip_while(|line| !line.contains("\"flat\"")).collect();
        let stats = ours.iter().filter(|line| line.contains("statx(")).count();
        assert!(stats <= 1, "only the operand may be asked about: {stats}");
    }
}

#[test]
fn the_long_format_takes_one_call_for_each_entry() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    flat(&scratch, 30);
    let budget = STARTING + ENTRIES + 30 + 70;
    let long = ["ls", "-l", "flat"];
    let all = [
        &long[..],
        &["ls", "-l", "-j1", "flat"],
        &["ls", "-l", "-j4", "flat"],
        &["ls", "-laihst", "flat"],
        &["ls", "--json", "flat"],
    ];
    for args in all {
        let (seen, log) = calls(&scratch, args);
        let total = total(&seen);
        let tail: Vec<&str> = log.lines().rev().take(30).collect();
        let of = |name: &str| seen.get(name).copied().unwrap_or(0);
        // The budget has the start of a thread for each of two buffers; with more processors, or
        // where more threads are asked for, more may be started.
        let budget = budget + 17 * (of("clone") + of("clone3")).saturating_sub(2);
        assert!(total <= budget, "{args:?}: {total} calls, {budget} allowed\n{tail:#?}");
        assert!(of("statx") <= ENTRIES + 12, "{} times statx", of("statx"));
        assert!(of("readlinkat") <= 30, "{} times readlinkat", of("readlinkat"));
        let threads = of("clone") + of("clone3");
        assert!(threads == 0 || !args.contains(&"-j1"), "{threads} threads were started");
    }
}

/// What more entries and more directories cost, exactly.
#[test]
fn each_option_has_its_calls_per_entry() {
    let Some(()) = tracing() else { return };
    let seen = |args: &[&str], directories: u64, files: u64| {
        let scratch = Scratch::new();
        for directory in 0..directories {
            for file in 0..files {
                scratch.file(format!("tree/d{directory}/f{file}"));
            }
            scratch.link(format!("tree/d{directory}/link"), "f0");
        }
        calls(&scratch, &[args, &["tree"]].concat()).0
    };
    let mut text = String::new();
    for args in [
        &["ls", "-R"][..],
        &["ls", "-RF", "--color=always"],
        &["ls", "--tree"],
        &["ls", "--tree", "-l", "-j1"],
        &["ls", "-Rn", "-j1"],
        &["ls", "-Rl", "-j1"],
        &["ls", "-R", "--json", "-j1"],
    ] {
        let less = seen(args, 16, 2);
        let more = [(32, 2), (16, 4)]
            .map(|(directories, files)| difference(&seen(args, directories, files), &less));
        writeln!(text, "curt {}", args.join(" ")).unwrap();
        slope(&mut text, "16 directories of 2 files and a link more", &more[0], 16);
        slope(&mut text, "32 files more", &more[1], 32);
    }
    let scratch = Scratch::new();
    let files: Vec<String> = (0..64).map(|file| format!("f{file}")).collect();
    for file in &files {
        scratch.file(file);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let stat = |files: &[&str]| calls(&scratch, &[&["stat", "--json"], files].concat()).0;
    text.push_str("curt stat --json\n");
    slope(&mut text, "32 files more", &difference(&stat(&files), &stat(&files[..32])), 32);
    check_snapshot("ls", &text);
}

#[test]
fn small_directories_start_no_thread() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    for file in 0..1_000 {
        scratch.file(format!("d/{file}"));
        scratch.file(format!("d/.{file}"));
    }
    let (seen, _) = calls(&scratch, &["ls", "-l", "d"]);
    let of = |name: &str| seen.get(name).copied().unwrap_or(0);
    assert_eq!(of("clone") + of("clone3"), 0, "threads for a thousand entries");
    assert!(
        of("statx") <= 1_000 + 12,
        "{} times statx: what is hidden was asked about",
        of("statx")
    );
}

#[test]
fn owners_are_looked_up_once_for_a_whole_tree() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    for folder in 0..40 {
        scratch.file(format!("tree/{folder}/file"));
    }
    let options: [&[&str]; 4] =
        [&["-lR"], &["-laR"], &["-lR", "--json"], &["-R", "--fields=user,name"]];
    for options in options {
        let (seen, log) = calls(&scratch, &[&["ls"], options, &["tree"]].concat());
        let databases = log.lines().filter(|line| line.contains("\"/etc/passwd\"")).count();
        assert_eq!(databases, 1, "{options:?}: how often the names of users were read");
        let total = total(&seen);
        let dots = if options[0].contains('a') { 2 * 41 } else { 0 };
        let budget = STARTING + 5 * 41 + 40 + 60 + dots;
        assert!(total <= budget, "{options:?}: {total} calls, {budget} allowed");
    }
}

#[test]
fn stat_of_a_path_takes_one_call() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    scratch.file("file");
    let (seen, log) = calls(&scratch, &["stat", "--json", "file"]);
    let total = total(&seen);
    let budget = STARTING + 1;
    assert!(total <= budget, "{total} calls, {budget} allowed\n{log}");
    let asked = log.lines().filter(|line| line.contains("\"file\", AT_")).count();
    assert_eq!(asked, 1, "{log}");
    // A failure is an answer: nothing more is asked because of it.
    let (_, log) = calls(&scratch, &["stat", "missing"]);
    assert_eq!(log.lines().filter(|line| line.contains("statx(")).count(), 1, "{log}");
}

#[test]
fn a_directory_beyond_path_max_takes_no_more_calls() {
    let Some(()) = tracing() else { return };
    let slope = |levels: usize| {
        let scratch = Scratch::new();
        scratch.deep("t", levels, "name");
        total(&calls(&scratch, &["ls", "-RU", "t"]).0)
    };
    // Opening, two times listing, and closing; the rest is output.
    let (few, many) = (slope(400), slope(2_400));
    let output: usize = (400..2_400).map(|level| "/name".len() * level + "t:nname".len()).sum();
    let writes = (output >> 16) as u64 + 2;
    let anchors = 2 * ("/name".len() as u64 * 2_000 / 2_048 + 1);
    let allowed = 4 * 2_000 + anchors + writes;
    assert!(many - few <= allowed, "{} calls, {allowed} allowed", many - few);
}
