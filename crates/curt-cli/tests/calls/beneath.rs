//! The call ceilings of `curt beneath`, for a file six directories deep.

use std::collections::BTreeMap;

use curt_testkit::Scratch;

use crate::strace::{count, curt, difference, trace, tracing};
use crate::{check_snapshot, slope};

const DEEP: &str = "a/b/c/d/e/f/file";

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with(format!("root/{DEEP}"), b"content");
    scratch.link("root/link", "a/b");
    scratch.link("root/a/b/up", "../../a");
    scratch
}

fn costs(scratch: &Scratch, args: &[&str], before: &[&str], path: &str) -> BTreeMap<String, i64> {
    let args = [&["beneath", "--root", "root"], args].concat();
    // The minimum of three runs, because a rename by any process can make `openat2` fail with
    // EAGAIN at `..`.
    let least = |words: &[&str]| {
        let runs = (0..3).map(|_| curt(scratch, words));
        runs.min_by_key(|run| run.seen.values().sum::<u64>()).unwrap()
    };
    let less = least(&[&args[..], before].concat());
    let more = least(&[&args[..], before, &[path]].concat());
    more.check();
    difference(&more.seen, &less.seen)
}

/// An empty path, which curt refuses without a system call.
const REFUSED: &str = "";

#[test]
fn each_form_of_a_path_has_its_ceiling() {
    let Some(()) = tracing() else { return };
    let scratch = tree();
    let mut text = String::new();
    let linked = "link/up/b/c";
    let new = "a/b/c/d/e/f/new";
    for (what, args, before, path) in [
        ("the name of what is seven names deep", &[][..], REFUSED, DEEP),
        ("the same through links", &[], REFUSED, linked),
        ("the last name missing", &["--name"], REFUSED, new),
        ("the same through links", &["--name"], REFUSED, "link/up/new"),
        ("the same asked for again", &[], DEEP, DEEP),
        ("what is known of it", &["--stat"], DEEP, DEEP),
        ("the name, by single steps", &["--without=openat2"], DEEP, DEEP),
        ("the same through links", &["--without=openat2"], linked, linked),
        ("a refusal", &[], REFUSED, "../secret"),
        ("a refusal where links are refused", &["--mode=strict"], REFUSED, "link/c"),
    ] {
        let costs = costs(&scratch, args, &[before], path);
        slope(&mut text, &format!("{what} ({} {path})", args.join(" ")), &costs, 1);
    }
    check_snapshot("beneath", &text);
}

#[test]
fn an_open_takes_one_call_and_a_close() {
    let Some(()) = tracing() else { return };
    let scratch = tree();
    let opened = |paths: &[&str]| {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_curt"));
        let args = [&["beneath", "--root", "root", "--cat"], paths].concat();
        let (out, log) = trace(&scratch, program, &args);
        assert_eq!(out, "content".repeat(paths.len()));
        // A terminal must not become the controlling terminal.
        let mut opened = log.lines().filter(|line| line.contains(DEEP) && line.contains(" open"));
        assert!(opened.all(|line| line.contains("O_NOCTTY")), "{log}");
        count(&log)
    };
    let more = difference(&opened(&[DEEP, DEEP]), &opened(&[DEEP]));
    let mut text = String::new();
    slope(&mut text, "one file more", &more, 1);
    check_snapshot("beneath-open", &text);
}

/// After EPERM, curt calls `openat2` on the root itself. If this call fails, too, a filter refuses
/// `openat2`, and curt does not use it again for this root.
#[test]
fn absence_and_refusal_are_remembered() {
    let Some(()) = tracing() else { return };
    let scratch = tree();
    for (error, calls) in [("ENOSYS", 1), ("EPERM", 2)] {
        let log = scratch.at("log");
        let mut command = std::process::Command::new("strace");
        command.args(["-f", "-qq", "-e", "trace=openat2", "-e"]);
        command.arg(format!("inject=openat2:error={error}")).arg("-o").arg(&log);
        command.arg(env!("CARGO_BIN_EXE_curt")).args(["beneath", "--root", "root", "--cat"]);
        command.args([DEEP; 6]).current_dir(scratch.path());
        let output = command.output().unwrap();
        assert_eq!(output.stdout, b"content".repeat(6), "{error}");
        let log = std::fs::read_to_string(&log).unwrap();
        assert_eq!(count(&log)["openat2"], calls, "{error}");
    }
}
