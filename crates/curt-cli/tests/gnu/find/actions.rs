use std::path::PathBuf;
use std::process::Command;

use curt_testkit::Scratch;

use super::{Setup, odd_tree, outcome};

type Effect = (Vec<String>, Option<i32>, Vec<String>);

fn effect(setup: &Setup, line: &str) -> Effect {
    let scratch = Scratch::new();
    odd_tree(&scratch);
    scratch.dir("outside/kept");
    scratch.file("outside/file");
    scratch.link("t/a/out", "../../outside");
    let mut shell = Command::new("sh");
    shell.args(["-f", "-c", line]).current_dir(scratch.path());
    shell.env("CURT", &setup.fixture.curt).env("LC_ALL", "C");
    let outcome = outcome(&shell.output().unwrap());
    assert!(scratch.exists("outside/kept") && scratch.exists("outside/file"), "{line}");
    (scratch.list(""), outcome.code, outcome.failures)
}

#[test]
fn nonempty_directories_remain() {
    let Some(setup) = Setup::new() else { return };
    // Exclude `dir-*`, because GNU find quotes invalid Unicode differently.
    let expected = effect(&setup, "find t -mindepth 1 -type d -not -name dir-* -delete");
    let printed = effect(&setup, "\"$CURT\" find -u -td -E dir-* --delete . t");
    assert_eq!(printed, expected);
    assert_eq!(printed.1, Some(1));
    assert!(printed.2.contains(&"'t/a': Directory not empty".to_owned()), "{printed:?}");
    let expected = effect(&setup, "cd t; find . -delete");
    assert_eq!(effect(&setup, "cd t; \"$CURT\" find -u --delete"), expected);
}

/// Emptying a directory changes its modification time.
#[test]
fn a_directory_has_the_time_from_before_its_contents_were_deleted() {
    let Some(setup) = Setup::new() else { return };
    let old = "find t -exec touch -hd 2020-01-01 {} +;";
    let expected =
        effect(&setup, &format!("{old} find t -mindepth 1 -not -newermt 2021-01-01 -delete"));
    let printed =
        effect(&setup, &format!("{old} \"$CURT\" find -u --older 2021-01-01 --delete . t"));
    assert_eq!(printed, expected);
    assert_eq!(printed.1, Some(0));
}

fn words(setup: &Setup) -> PathBuf {
    setup.scratch.script("words", "#!/bin/sh\nprintf '%s|' \"$@\"; echo\n", 0o755)
}

fn printed(setup: &Setup, line: &str) -> (Vec<String>, String, Option<i32>) {
    let mut shell = Command::new("sh");
    shell.args(["-f", "-c", line]).current_dir(setup.scratch.path()).env("LC_ALL", "C");
    let output = shell.env("CURT", &setup.fixture.curt).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    (lines, text(&output.stderr), output.status.code())
}

#[test]
fn commands_get_the_same_words_as_from_find() {
    let Some(setup) = Setup::odd() else { return };
    words(&setup);
    for (find, curt) in [
        ("-exec ./words {} \\;", ". t -x ./words {}"),
        ("-exec ./words a {} -b {} \\;", ". t -x ./words a {} -b {}"),
        ("-exec ./words x{}y \\;", ". t -x ./words x{}y \\;"),
        ("-name *.rs -exec ./words {} \\;", "-g *.rs t -j1 -x ./words {}"),
    ] {
        let expected = printed(&setup, &format!("find t -mindepth 1 {find}"));
        assert_eq!(printed(&setup, &format!("\"$CURT\" find -u {curt}")), expected);
        assert!(!expected.0.is_empty());
    }
    let (lines, ..) = printed(&setup, "\"$CURT\" find -u . t -X ./words -a {} -b");
    let whole = lines.concat();
    assert!(whole.contains("-a|t/*|t/*/?|t/-dash|t/-dash/-x|"), "{whole}");
    assert!(whole.contains("with space/a b|"), "{whole}");
    assert!(whole.ends_with("|-b|"), "{whole}");
    let none = "\"$CURT\" find -u nothing t -X ./words";
    assert_eq!(printed(&setup, none), (vec![], String::new(), Some(0)));
}

#[test]
fn a_command_line_is_filled_as_find_fills_it() {
    let Some(setup) = Setup::new() else { return };
    words(&setup);
    for number in 0..3_000 {
        setup.scratch.file(format!("t/{}-{number}", "long".repeat(9)));
    }
    let batch = "\"$CURT\" find -u . t -X ./words {}";
    // Arguments and variables may take a quarter of the stack limit, which the second case nearly
    // fills.
    let narrow = format!("ulimit -s 1024; V=$(printf %0100000d 0); W=$V; export V W; {batch}");
    for (line, most) in [(batch, 2), (&*narrow, 4)] {
        let (lines, messages, code) = printed(&setup, line);
        assert_eq!((messages.as_str(), code), ("", Some(0)));
        assert!((2..=most).contains(&lines.len()), "{}", lines.len());
        assert_eq!(lines.iter().map(|line| line.matches('|').count()).sum::<usize>(), 3_000);
    }
    let found = printed(&setup, "find t -exec ./words {} +").0.len();
    assert!(found <= 2, "{found}");
}

/// Otherwise one command could remove a file before an earlier command copies it.
#[test]
fn several_commands_share_each_batch() {
    let Some(setup) = Setup::new() else { return };
    let script = "#!/bin/sh\n[ ${#1} -gt 999 ] && shift\nprintf '%s ' \"$@\"; echo\n";
    setup.scratch.script("paths", script, 0o755);
    for number in 0..2_500 {
        setup.scratch.file(format!("t/{}-{number}", "long".repeat(9)));
    }
    let word = "w".repeat(100_000);
    let long = format!("./paths {word}");
    for (number, (size, commands, batches)) in [
        ("", [&*long, "./paths", "./paths"], 4..9),
        ("", ["./paths", &long, "./paths {}"], 4..9),
        ("", ["./paths", "./paths {}", &long], 4..9),
        ("", ["./paths {} {}", "./paths", "./paths {} {//}/{/}"], 2..5),
        ("--batch-size 700", ["./paths", &long, "./paths"], 4..9),
        ("--batch-size 7", ["./paths", "./paths {}", "./paths"], 358..359),
    ]
    .into_iter()
    .enumerate()
    {
        let all = commands.map(|command| format!("-X {command}")).join(" \\; ");
        let line = format!("\"$CURT\" find -u -tf . t {size} {all} >out; cat out >&2");
        let (_, lines, code) = printed(&setup, &line);
        assert_eq!(code, Some(0), "{number}: {lines}");
        let paths: Vec<Vec<&str>> = lines
            .lines()
            .map(|line| {
                let mut paths: Vec<&str> = line.split_whitespace().collect();
                paths.sort_unstable();
                paths.dedup();
                paths
            })
            .collect();
        for batch in paths.chunks(commands.len()) {
            assert!(batch.iter().all(|paths| *paths == batch[0]), "{number}");
        }
        let batches_run = paths.len() / commands.len();
        assert!(batches.contains(&batches_run), "{number}: {batches_run}");
        let all: usize = paths.iter().step_by(commands.len()).map(Vec::len).sum();
        assert_eq!(all, 2_500, "{number}");
        if size == "--batch-size 7" {
            assert!(paths[0].len() == 7 && paths.last().unwrap().len() == 2_500 % 7);
        }
    }
}
