//! The call ceilings of `curt rm` for M directories and N other entries.

use std::fmt::Write;

use curt_testkit::Scratch;

use crate::strace::{Traced, curt_rm, delayed_rm, difference, tracing};
use crate::{check_snapshot, slope};

fn flat_tree(scratch: &Scratch, directories: usize, files: usize) {
    for directory in 0..directories {
        let path = scratch.dir(format!("tree/d{directory}"));
        for file in 0..files {
            std::fs::File::create(path.join(format!("f{file}"))).unwrap();
        }
    }
}

fn check(scratch: &Scratch, traced: &Traced) {
    assert!(!scratch.exists("tree"));
    traced.check();
}

fn slopes(name: &str, args: &[&str]) {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let mut traces = Vec::new();
    for (directories, files) in [(256, 2), (512, 2), (256, 4)] {
        flat_tree(&scratch, directories, files);
        let traced = curt_rm(&scratch, args);
        check(&scratch, &traced);
        traces.push(traced.seen);
    }
    let mut text = String::new();
    writeln!(text, "curt rm {}\n", args.join(" ")).unwrap();
    slope(&mut text, "256 directories of 2 files more", &difference(&traces[1], &traces[0]), 256);
    slope(&mut text, "512 files more", &difference(&traces[2], &traces[0]), 512);
    check_snapshot(name, &text);
}

#[test]
fn removals_cost_as_in_their_snapshots() {
    slopes("rm-one-thread", &["-r", "-j1", "tree"]);
    slopes("rm-verbose", &["-r", "-j1", "-v", "tree"]);
    slopes("rm-older-kernel", &["-r", "-j1", "--without", "openat2", "tree"]);
}

#[test]
fn a_long_removal_takes_no_further_call_for_its_progress() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let mut queries = Vec::new();
    for delay in [0, 3000] {
        flat_tree(&scratch, 256, 2);
        let begun = std::time::Instant::now();
        let traced = delayed_rm(&scratch, delay, &["-r", "-j1", "tree"]);
        check(&scratch, &traced);
        queries.push(traced.seen["ioctl"]);
        let is_long = begun.elapsed() > std::time::Duration::from_secs(2);
        assert!(is_long || delay == 0, "it took {:?}", begun.elapsed());
    }
    assert_eq!(queries[0], queries[1]);
}

#[test]
fn entries_are_removed_by_their_names_alone() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    flat_tree(&scratch, 20, 2);
    scratch.deep("tree/deep", 60, "level");
    let traced = curt_rm(&scratch, &["-rf", "-j1", "tree"]);
    check(&scratch, &traced);
    let ours = traced.log.lines().skip_while(|line| !line.contains("CWD, \"tree\""));
    for line in ours.filter(|line| line.contains("at(") || line.contains("at2(")) {
        let name = line.split('"').nth(1).unwrap_or_default();
        assert!(!name.contains('/') && name != "..", "a path is resolved: {line}");
    }
    let stats = traced.counted.get("statx").copied().unwrap_or(0);
    assert!(stats <= 3, "the root, and the operand first and at its end: {stats}");
    assert!(!traced.seen.contains_key("clone3"), "no thread for a small tree");
}
