//! The calls of a copy, by slopes as in the tests of the command: the difference between two trees.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use curt_testkit::{Scratch, may_trace};

use crate::{MARKS, complete, in_process, options};

type Counts = BTreeMap<String, u64>;

/// Memory management, the keys of hash maps, the checks of debug builds before they close a
/// descriptor, and signal masks of the C library.
const UNCOUNTED: [&str; 8] =
    ["brk", "mmap", "munmap", "mremap", "madvise", "getrandom", "fcntl", "rt_sigprocmask"];

fn tree([directories, files, links]: [usize; 3]) -> Scratch {
    let scratch = Scratch::new();
    for directory in 0..directories {
        scratch.dir(format!("tree/d{directory}"));
    }
    for number in 0..files {
        scratch.file_with(format!("tree/d{}/f{number}", number % 64), b"content");
    }
    for number in 0..links {
        scratch.link(format!("tree/d{}/l{number}", number % 64), "target");
    }
    scratch
}

fn counted(words: &str, scratch: &Scratch) -> Counts {
    let report = options(words).run(scratch.at("tree"), scratch.at("copy"));
    complete(&report);
    report.calls.iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

fn seen(words: &str, scratch: &Scratch) -> Counts {
    let log = scratch.at("log");
    let tracer = ["strace", "-f", "-qq", "-o", log.to_str().unwrap()];
    let (from, to) = (scratch.at("tree"), scratch.at("seen"));
    let output = in_process(&tracer, words, &from, &to).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut counts = Counts::new();
    for line in between(&log).iter().filter_map(|line| line.split_once('(')) {
        let name = line.0.rsplit(' ').next().unwrap();
        let name = if matches!(name, "fstat" | "newfstatat") { "statx" } else { name };
        if !UNCOUNTED.contains(&name) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Returns the lines of a log for the copy itself.
pub(crate) fn between(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    let from = text.lines().skip_while(|line| !line.contains(MARKS[0])).skip(1);
    from.take_while(|line| !line.contains(MARKS[1])).map(str::to_owned).collect()
}

#[test]
fn copies_cost_as_in_their_snapshot() {
    let mut text = String::new();
    let is_traced = may_trace();
    for (words, label) in [
        ("", "by content"),
        ("hard-link", "by hard links"),
        ("all", "by content, preserving everything"),
    ] {
        writeln!(text, "{label}\n").unwrap();
        let less = counted(words, &tree([64, 64, 64]));
        for (more, sizes) in [
            ("64 empty directories more", [128, 64, 64]),
            ("64 files more", [64, 128, 64]),
            ("64 symlinks more", [64, 64, 128]),
        ] {
            let scratch = tree(sizes);
            let counts = counted(words, &scratch);
            writeln!(text, "{more}").unwrap();
            for (name, count) in &counts {
                let difference = count - less.get(name).copied().unwrap_or(0);
                if difference > 0 {
                    writeln!(text, "    {name:<16} {difference:>5} for 64").unwrap();
                }
            }
            if is_traced && sizes[2] == 128 {
                assert_eq!(seen(words, &scratch), counts, "{label}");
            }
        }
        text.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/copy/calls.snap");
    if std::env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, text, "{} is not what was measured", path.display());
}
