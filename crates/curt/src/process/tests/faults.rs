//! Every call fails once, with every way to start: the start then fails as a whole or takes another
//! way, and leaves neither an open descriptor nor a zombie.

use std::sync::Arc;
use std::time::Duration;

use super::in_every_way;
use crate::error::Error;
use crate::process::{Command, Stream};
use crate::sys::Feature;
use crate::sys::fault::Faults;

const EIO: i32 = 5;
const EMFILE: i32 = 24;

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn children() -> Option<String> {
    std::fs::read_to_string("/proc/thread-self/children").ok()
}

/// Sets all that costs a call.
fn prepare(command: &mut Command) {
    command.args(["-c", "echo out; echo err >&2; cat"]);
    command.current_dir("/").own_tree(true).close_others(true).kill_on_drop(true);
    command.stdin(Stream::pipe()).stdout(Stream::pipe()).stderr(Stream::pipe());
}

/// Runs the whole life of a child.
fn live(command: &Command) -> Result<(), Error> {
    let mut child = command.spawn()?;
    let first = child.wait_timeout(Duration::from_millis(1)).map(drop);
    let output = child.communicate(b"in", Some(Duration::from_secs(60)))?;
    assert_eq!(output.stdout, b"out\nin");
    first
}

#[test]
fn every_call_fails_once() {
    // Other tests of this binary open descriptors meanwhile.
    if curt_testkit::ran_apart("process::tests::faults::every_call_fails_once") {
        return;
    }
    if children().is_none() {
        curt_testkit::skip("the kernel does not list the children of a thread");
    }
    in_every_way("/bin/sh", |way, mut command| {
        prepare(&mut command);
        command.setup.faults = Some(Arc::new(Faults::default()));
        let mut child = command.spawn().unwrap();
        child.wait_timeout(Duration::from_millis(1)).unwrap();
        let _ = child.communicate(b"in", Some(Duration::from_secs(60))).unwrap();
        let calls = child.calls();
        drop(child);
        let mut failed = 0;
        for (kind, count) in calls.iter() {
            for nth in 0..=count {
                for errno in [EIO, EMFILE] {
                    let before = open_descriptors();
                    let faults = Arc::new(Faults::default().fail(kind, nth, errno));
                    command.setup.faults = Some(faults.clone());
                    let case = format!("{way}: {kind} {nth}");
                    if let Err(error) = live(&command) {
                        failed += 1;
                        assert_eq!(faults.hits(), 1, "{case}: {error}");
                        assert_eq!(error.raw_os_error(), Some(errno), "{case}: {error}");
                    }
                    assert_eq!(open_descriptors(), before, "{case}");
                    // A wait that fails leaves a zombie.
                    if !matches!(kind, "wait4" | "waitid" | "pidfd_send_signal") {
                        assert_eq!(children().unwrap_or_default(), "", "{way}: {kind} {nth}");
                    }
                    reap_all();
                }
            }
        }
        assert!(failed > 8, "{way}: {failed}");
    });
}

/// Waits for what a failed wait left.
fn reap_all() {
    for pid in children().unwrap_or_default().split_whitespace() {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
    }
}

/// A signal handler without `SA_RESTART` can interrupt any call.
#[test]
fn waiting_and_reading_go_on_after_a_signal() {
    const EINTR: i32 = 4;
    in_every_way("/bin/sh", |way, mut command| {
        prepare(&mut command);
        let mut met = Vec::new();
        for kind in ["wait4", "waitid", "ppoll", "read"] {
            for nth in 0..3 {
                let faults = Arc::new(Faults::default().fail(kind, nth, EINTR));
                command.setup.faults = Some(faults.clone());
                if let Err(error) = live(&command) {
                    panic!("{way}: {kind} {nth}: {error}");
                }
                met.extend((faults.hits() > 0).then_some(kind));
            }
        }
        assert!(met.contains(&"waitid") && met.contains(&"read"), "{way}: {met:?}");
    });
    // Without handles on children.
    let mut command = Command::new("/bin/true");
    command.without(Feature::Clone3);
    let faults = Faults::default().fail("pidfd_open", 0, EIO).fail("wait4", 0, EINTR);
    command.setup.faults = Some(Arc::new(faults));
    assert!(command.spawn().unwrap().wait().unwrap().success());
    let faults = Faults::default().fail("pidfd_open", 0, EIO).fail("wait4", 0, EINTR);
    command.setup.faults = Some(Arc::new(faults));
    let ended = command.spawn().unwrap().wait_timeout(super::running::LONG).unwrap();
    assert!(ended.unwrap().success());
}

/// After the wait another group may have the number: if the handle cannot reach the group, no
/// signal is sent.
#[test]
fn a_group_is_not_killed_by_a_number_that_was_released() {
    const EINVAL: i32 = 22;
    const EOPNOTSUPP: i32 = 95;
    in_every_way("/bin/sh", |way, mut command| {
        command.args(["-c", "sleep 100 </dev/null >/dev/null 2>&1 & echo $!"]);
        command.own_tree(true).stdout(Stream::pipe());
        let faults = Faults::default().fail("pidfd_send_signal", 0, EINVAL);
        command.setup.faults = Some(Arc::new(faults));
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut line).unwrap();
        let sleeper: u32 = line.trim().parse().unwrap();
        assert!(child.wait().unwrap().success());
        let error = child.kill_tree().unwrap_err();
        assert_eq!(error.raw_os_error(), Some(EOPNOTSUPP), "{way}: {error}");
        assert!(!super::running::is_gone(sleeper), "{way}");
        // The next call is not affected.
        child.kill_tree().unwrap();
        super::running::assert_goes(sleeper, way);
    });
}

/// A child may get a signal before it executes the program. The handlers of this process must not
/// run there, least of all with shared memory.
#[test]
fn signal_handlers_do_not_run_in_children() {
    use rustix::process::{Signal, kill_current_process_group, setpgid};
    use std::sync::atomic::{AtomicBool, Ordering};
    if curt_testkit::ran_apart("process::tests::faults::signal_handlers_do_not_run_in_children") {
        return;
    }
    setpgid(None, None).unwrap();
    let signal = Signal::USR1;
    let noted = curt_testkit::handlers::note_strangers(signal.as_raw()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let _at_last = curt_testkit::Over(&is_over);
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                kill_current_process_group(signal).unwrap();
            }
        });
        in_every_way("/bin/true", |way, command| {
            let mut ended = 0;
            for _ in 0..300 {
                let status = command.spawn().unwrap().wait().unwrap();
                ended += usize::from(!status.success());
            }
            assert!(ended > 0, "{way}: no signal reached a child");
            let mut bytes = [0; 1];
            let read = rustix::io::read(&noted, &mut bytes);
            assert_eq!(read, Err(rustix::io::Errno::AGAIN), "{way}: a handler ran in a child");
        });
    });
}
