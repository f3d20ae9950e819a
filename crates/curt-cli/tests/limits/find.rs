//! `curt find` where descriptors are scarce and trees deep.

use curt_testkit::Scratch;

use crate::{Run, chain_with_bushes, run, script};

/// Searches `t` with few descriptors, prints nothing, and says what it came to.
fn find(scratch: &Scratch, options: &str) -> Run {
    let line = format!("ulimit -n 32; exec \"$CURT\" find --stats --json {options} none t");
    let run = run(script(scratch, &line));
    assert_eq!((run.code, run.number("errors")), (Some(0), 0), "{options}: {run:?}");
    run
}

#[test]
fn a_long_chain_takes_five_calls_for_a_directory() {
    const LEVELS: u64 = 4_096;
    let scratch = Scratch::new();
    scratch.deep("t", LEVELS as usize, "d");
    for options in ["-u", "-u --contents-first", "-u -j2", "-H"] {
        let run = find(&scratch, options);
        assert_eq!(run.number("visited"), LEVELS + 1, "{options}");
        assert!(run.calls() <= 5 * (LEVELS + 1), "{options}: {}", run.calls());
    }
}

#[test]
fn every_branch_of_a_deep_tree_is_searched() {
    let scratch = Scratch::new();
    let (files, directories) = chain_with_bushes(&scratch, "t", 500);
    for options in ["-u", "-u --contents-first", "-u -j3", "-H", "-uL"] {
        let run = find(&scratch, options);
        assert_eq!(run.number("visited"), files + directories, "{options}");
        assert!(run.calls() <= 7 * directories, "{options}: {}", run.calls());
    }
}

/// There is room for the stack of one thread or of none, and enough for everything else.
#[test]
fn commands_run_on_as_many_threads_as_there_can_be() {
    let scratch = Scratch::new();
    scratch.tree("t", "a b c");
    for stack in ["300000000", "900000000"] {
        let line = "ulimit -v 500000; exec \"$CURT\" find -j3 . t -x sh -c 'echo ran {} >&2'";
        let output = script(&scratch, line).env("RUST_MIN_STACK", stack).output().unwrap();
        let mut ran: Vec<_> = std::str::from_utf8(&output.stderr).unwrap().lines().collect();
        ran.sort_unstable();
        assert_eq!(ran, ["ran t/a", "ran t/b", "ran t/c"], "{stack}: {output:?}");
        assert!(output.status.success(), "{stack}: {output:?}");
    }
}
