//! `curt du` makes one call per entry, and four more per directory.

use std::fmt::Write;

use curt_testkit::Scratch;

use crate::strace::{Counts, curt, difference, tracing};
use crate::{check_snapshot, slope};

fn tree(directories: usize, files: usize) -> Scratch {
    let scratch = Scratch::new();
    for directory in 0..directories {
        for file in 0..files {
            scratch.file(format!("tree/d{directory}/f{file}"));
        }
    }
    scratch
}

fn measured(directories: usize, files: usize, args: &[&str]) -> Counts {
    let scratch = tree(directories, files);
    let traced = curt(&scratch, &[&["du"], args].concat());
    traced.check();
    traced.seen
}

fn slopes(name: &str, args: &[&str]) {
    let Some(()) = tracing() else { return };
    let [less, wider, fuller] =
        [(64, 2), (128, 2), (64, 4)].map(|(directories, files)| measured(directories, files, args));
    let mut text = String::new();
    writeln!(text, "curt du {}\n", args.join(" ")).unwrap();
    slope(&mut text, "64 directories of 2 files more", &difference(&wider, &less), 64);
    slope(&mut text, "128 files more", &difference(&fuller, &less), 128);
    check_snapshot(name, &text);
}

#[test]
fn no_option_takes_a_further_call() {
    slopes("du-one-thread", &["-j1", "tree"]);
    slopes("du-one-file-system", &["-x", "-s", "-j1", "tree"]);
    slopes("du-files", &["-a", "-d", "1", "-j1", "tree"]);
}

#[test]
fn two_threads_make_no_more_calls_than_one() {
    let Some(()) = tracing() else { return };
    let scratch = tree(200, 3);
    let traced = curt(&scratch, &["du", "-s", "-j2", "tree"]);
    traced.check();
    let counted = |name: &str| traced.counted.get(name).copied().unwrap_or(0);
    // The operand is opened by its path, subdirectories relative to their parents.
    let opened = (counted("openat"), counted("openat2"));
    assert_eq!((counted("statx"), opened), (801, (1, 200)));
    assert_eq!(counted("close"), 201);
    for name in ["close_range", "unshare", "socketpair", "sendmsg", "recvmsg", "prctl"] {
        assert!(!traced.seen.contains_key(name), "{name}");
    }
    assert!(traced.seen.contains_key("clone3"), "one thread did it all");
}
