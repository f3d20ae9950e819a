//! `curt ls -R` in deep trees with few descriptors. GNU ls is the reference where it works: it
//! fails at `PATH_MAX`.

use curt_testkit::{Scratch, skip};

use crate::script;

fn list(scratch: &Scratch, descriptors: u32, words: &str) -> String {
    ls(scratch, &format!("ulimit -n {descriptors}; exec \"$CURT\" ls {words}"))
}

fn ls(scratch: &Scratch, line: &str) -> String {
    let output = script(scratch, line).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*messages), (Some(0), ""), "{line}");
    String::from_utf8(output.stdout).unwrap()
}

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
fn a_deep_tree_is_listed_whole_with_few_descriptors() {
    const LEVELS: usize = 1_500;
    let scratch = Scratch::new();
    scratch.deep("chain", LEVELS, "dd");
    scratch.chain_with_bushes("bushes", 300, 3, 2);
    let is_gnu = ls(&scratch, "ls --version 2>&1 | head -1").contains("GNU coreutils");
    if !is_gnu {
        skip("GNU ls is not installed");
    }
    for options in ["-R", "-RU", "-aR", "-LR", "-lRn", "-aRF", "-R --group-directories-first"] {
        // Eight descriptors leave hardly more than one for the listed directory and one for a
        // parent.
        let chain = list(&scratch, 8, &format!("{options} chain"));
        let headings = chain.lines().filter(|line| line.ends_with("dd:")).count();
        assert_eq!(headings, LEVELS, "{options}");
        if is_gnu {
            let line = format!("{options} bushes");
            assert_same(&list(&scratch, 8, &line), &ls(&scratch, &format!("ls {line}")), &line);
        }
    }
}

#[test]
fn owners_have_names_with_few_descriptors() {
    let scratch = Scratch::new();
    // Enough entries for a second thread, which needs a descriptor.
    for file in 0..3_000 {
        scratch.file(format!("t/{file}"));
    }
    let expected = list(&scratch, 32, "-l t");
    let owner = |line: &str| line.split_whitespace().nth(2).unwrap().parse::<u32>();
    assert!(expected.lines().nth(1).is_some_and(|line| owner(line).is_err()), "{expected:.200}");
    for threads in ["-j1", "-j2"] {
        assert_same(&list(&scratch, 5, &format!("-l {threads} t")), &expected, threads);
    }
}
