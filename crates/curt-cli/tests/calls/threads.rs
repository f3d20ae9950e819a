//! Call ceilings with several threads. They are upper bounds, because the number of hand-offs
//! depends on the machine. [`Traced::check`](crate::strace::Traced::check) is still exact.

use curt_testkit::Scratch;

use crate::strace::{curt, total, tracing};

const DIRECTORIES: u64 = 200;
const FILES: u64 = 3;

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for directory in 0..DIRECTORIES {
        let path = scratch.dir(format!("tree/d{directory}"));
        for file in 0..FILES {
            std::fs::File::create(path.join(format!("f{file}"))).unwrap();
        }
    }
    scratch
}

#[test]
fn handing_off_takes_at_most_one_call_for_a_directory() {
    let Some(()) = tracing() else { return };
    for command in [
        &["find", "-u", "."][..],
        &["find", "-u", "--fields=name,size", "."],
        &["find", "-uL", "."],
        &["du"],
        &["du", "-a"],
        &["ls", "-R"],
        &["ls", "-Rn"],
        &["rm", "-r"],
    ] {
        let run = |threads: &str| {
            let traced = curt(&tree(), &[command, &[threads, "tree"]].concat());
            traced.check();
            traced
        };
        let alone = total(&run("-j1").counted);
        let entries = DIRECTORIES * (FILES + 1) + 1;
        for threads in [2, 4] {
            let traced = run(&format!("-j{threads}"));
            let calls = total(&traced.counted);
            // Allow one `close` per directory that another thread finishes, one clock reading per
            // some hundred calls, and waits for work.
            let allowed = alone + DIRECTORIES + entries / 32 + 20 * threads;
            assert!(calls <= allowed, "{command:?} -j{threads}: {calls} calls, {alone} alone");
            let started = traced.seen.get("clone3").copied().unwrap_or_default();
            assert!(started < threads, "{command:?} -j{threads}: {started} threads");
        }
    }
}
