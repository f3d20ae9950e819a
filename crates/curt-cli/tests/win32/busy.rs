use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use curt_testkit::{Scratch, skip};

use crate::{SHARING_VIOLATION, run};

fn release(holder: impl Send + 'static) -> JoinHandle<()> {
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(holder);
    })
}

#[test]
fn a_file_in_use_is_reported_once() {
    for operand in ["t", r"t\sub\held"] {
        let scratch = Scratch::new();
        scratch.file("t/sub/held");
        scratch.file("t/other/free");
        let holder = scratch.hold("t/sub/held");
        let begun = Instant::now();
        let outcome = run(&scratch, ["-r", operand]);
        outcome.assert_failed(r"t\sub\held", SHARING_VIOLATION);
        assert!(outcome.messages.contains("in use"), "{outcome:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "it waits for long");
        assert_eq!(scratch.exists("t/other"), operand != "t", "the rest goes");
        drop(holder);
        run(&scratch, ["-r", "t"]).assert_quiet();
    }
}

#[test]
fn a_file_closed_within_the_retry_time_is_removed() {
    for operand in ["t", r"t\sub\held"] {
        let scratch = Scratch::new();
        scratch.file("t/sub/held");
        let holder = scratch.hold("t/sub/held");
        let release = release(holder);
        run(&scratch, ["-r", operand]).assert_quiet();
        assert!(!scratch.exists("t/sub/held"));
        release.join().unwrap();
    }
}

#[test]
fn a_file_opened_with_delete_sharing_is_removed() {
    use std::os::windows::fs::OpenOptionsExt;
    let scratch = Scratch::new();
    let path = scratch.file("t/shared");
    let holder = std::fs::OpenOptions::new().read(true).share_mode(7).open(path).unwrap();
    let release = release(holder);
    run(&scratch, ["-r", "t"]).assert_quiet();
    assert!(!scratch.exists("t"));
    release.join().unwrap();
}

#[test]
fn pending_removals_are_awaited() {
    for tree in ["t", "t/sub"] {
        let scratch = Scratch::new();
        scratch.file(format!("{tree}/pending"));
        scratch.file(format!("{tree}/other"));
        let holder = scratch.leave_pending(format!("{tree}/pending"));
        let release = release(holder);
        run(&scratch, ["-r", "t"]).assert_quiet();
        assert!(!scratch.exists("t"), "{tree}");
        release.join().unwrap();
    }
}

#[test]
fn waiting_for_a_pending_removal_has_a_limit() {
    let scratch = Scratch::new();
    scratch.file("t/sub/pending");
    scratch.file("t/other");
    let holder = scratch.leave_pending("t/sub/pending");
    let begun = Instant::now();
    let outcome = run(&scratch, ["-r", "t"]);
    if !scratch.exists("t") {
        return skip("Wine lets a file be opened, and removed, whose removal is pending");
    }
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert_eq!(outcome.messages.lines().count(), 1, "{outcome:?}");
    assert!(outcome.messages.starts_with(r"curt rm: cannot remove 't\sub"), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "it waits for long");
    assert!(!scratch.exists("t/other"));
    drop(holder);
    run(&scratch, ["-r", "t"]).assert_quiet();
}

#[test]
fn a_working_directory_of_a_program_is_explained() {
    let scratch = Scratch::new();
    scratch.file("t/place/file");
    let mut program = Command::new("cmd");
    program.args(["/c", "pause"]).current_dir(scratch.typed().join("t").join("place"));
    let program =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut program = program.unwrap();
    std::io::Read::read_exact(program.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
    let outcome = run(&scratch, ["-r", "t"]);
    program.kill().unwrap();
    program.wait().unwrap();
    outcome.assert_failed(r"t\place", SHARING_VIOLATION);
    assert!(outcome.messages.contains("working directory of a program"), "{outcome:?}");
    assert_eq!(scratch.list("."), ["d t", "d t/place"]);
    run(&scratch, ["-r", "t"]).assert_quiet();
}
