//! `curt ls -R` where descriptors are scarce and trees deep: all of it, in the order of GNU ls,
//! which ends where paths become longer than the system takes.

use std::fmt::Write;

use curt_testkit::Scratch;

use crate::{chain_with_bushes, script};

/// Lists `t` with 32 descriptors, which must succeed.
fn list(scratch: &Scratch, options: &str) -> String {
    list_within(scratch, 32, options)
}

/// Lists `t` with this many descriptors, which must succeed.
fn list_within(scratch: &Scratch, descriptors: u32, options: &str) -> String {
    let line = format!("ulimit -n {descriptors}; exec \"$CURT\" ls {options} t");
    let output = script(scratch, &line).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*messages), (Some(0), ""), "{options}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether two long texts are equal; where not, around what differs first.
fn assert_same(seen: &str, expected: &str, options: &str) {
    let at = seen.lines().zip(expected.lines()).position(|(seen, expected)| seen != expected);
    let tail = |text: &str, line: usize| {
        let line = text.lines().nth(line).unwrap_or_default();
        line[line.len().saturating_sub(60)..].to_owned()
    };
    let around = at.map(|at| (at, tail(seen, at), tail(expected, at)));
    assert_eq!(around, None, "{options}");
    assert_eq!(seen.len(), expected.len(), "{options}");
}

#[test]
fn a_chain_longer_than_any_path_is_listed_whole() {
    const LEVELS: usize = 1_500;
    let scratch = Scratch::new();
    scratch.deep("t", LEVELS, "dd");
    for (options, dots, mark) in [
        ("-R", "", ""),
        ("-RU", "", ""),
        ("-aR", ".\n..\n", ""),
        ("-LR", "", ""),
        ("-aRF", "./\n../\n", "/"),
        ("-R --group-directories-first", "", ""),
    ] {
        let mut expected = String::new();
        let mut path = String::from("t");
        for level in 0..=LEVELS {
            let gap = if level == 0 { "" } else { "\n" };
            let name = if level == LEVELS { String::new() } else { format!("dd{mark}\n") };
            let _ = write!(expected, "{gap}{path}:\n{dots}{name}");
            path += "/dd";
        }
        // One for the directory that is listed, one on the way, and hardly more.
        assert_same(&list_within(&scratch, 8, options), &expected, options);
    }
}

#[test]
fn every_branch_of_a_deep_tree_is_listed_in_order() {
    const LEVELS: u64 = 300;
    let scratch = Scratch::new();
    chain_with_bushes(&scratch, "t", LEVELS);
    let mut expected = String::new();
    let mut ends = Vec::new();
    let mut path = String::from("t");
    for _ in 0..LEVELS {
        let _ = write!(expected, "{path}:\na\nb\nchain\nz\n\n");
        for name in ["a", "b"] {
            let _ = write!(expected, "{path}/{name}:\none\ntwo\n\n");
        }
        ends.push(format!("\n{path}/z:\none\ntwo\n"));
        path += "/chain";
    }
    let _ = writeln!(expected, "{path}:");
    expected.extend(ends.into_iter().rev());
    assert_same(&list(&scratch, "-R"), &expected, "-R");
    // What the long form asks lies as deep.
    let long = list(&scratch, "-lRn");
    let lines = long.lines().filter(|line| line.starts_with(['d', '-'])).count() as u64;
    assert_eq!(lines, LEVELS * (4 + 6));
}

#[test]
fn owners_have_names_where_descriptors_are_few() {
    let scratch = Scratch::new();
    // Enough that a second thread works, with its own descriptor.
    for file in 0..3_000 {
        scratch.file(format!("t/{file}"));
    }
    let expected = list(&scratch, "-l");
    let owner = |line: &str| line.split_whitespace().nth(2).unwrap().parse::<u32>();
    assert!(expected.lines().nth(1).is_some_and(|line| owner(line).is_err()), "{expected:.200}");
    for threads in ["-j1", "-j2"] {
        assert_same(&list_within(&scratch, 5, &format!("-l {threads}")), &expected, threads);
    }
}
