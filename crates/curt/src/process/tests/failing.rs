//! Starts that fail, each with its reason, and leave nothing behind.

use std::io::ErrorKind;

use super::in_every_way;
use crate::error::{Cause, StartFailure};
use crate::process::Command;

/// Why a start fails.
fn reason(command: &Command) -> (StartFailure, ErrorKind) {
    let error = command.spawn().map(drop).unwrap_err();
    let kind = error.kind();
    match error.cause() {
        Cause::Start(why, _) => (why.clone(), kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_nul_in_an_argument_is_refused() {
    let not_text = (StartFailure::InvalidText, ErrorKind::InvalidInput);
    // A program of every system.
    let program = std::env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    in_every_way(program, |way, mut command| {
        command.arg("a\0b");
        assert_eq!(reason(&command), not_text, "{way}");
    });
    for name in ["", "A=B", "A\0"] {
        in_every_way(program, |way, mut command| {
            command.env(name, "");
            assert_eq!(reason(&command), not_text, "{way}: {name:?}");
        });
    }
}

/// On Windows the look-up refuses it first.
#[cfg(unix)]
#[test]
fn a_nul_in_a_path_is_refused() {
    let not_text = (StartFailure::InvalidText, ErrorKind::InvalidInput);
    in_every_way("/bin/tr\0ue", |way, command| assert_eq!(reason(&command), not_text, "{way}"));
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    #[cfg(target_os = "linux")]
    use std::{sync::Arc, time::Duration};

    use curt_testkit::Scratch;

    use super::super::in_every_way;
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::{control::Cancel, process::tests::running::LONG, sys::fault::Faults};

    fn script(scratch: &Scratch, name: &str, text: impl AsRef<[u8]>, mode: u32) -> String {
        scratch.script(name, text, mode).to_str().unwrap().to_owned()
    }

    /// Asserts that this thread has no child, not even a zombie.
    fn assert_no_children(way: &str) {
        if let Ok(children) = std::fs::read_to_string("/proc/thread-self/children") {
            assert_eq!(children, "", "{way}");
        }
    }

    #[test]
    fn the_missing_file_is_named() {
        let scratch = Scratch::new();
        let lost = scratch.at("lost").to_str().unwrap().to_owned();
        in_every_way(&lost, |way, command| {
            let missing = (StartFailure::ProgramMissing, ErrorKind::NotFound);
            assert_eq!(reason(&command), missing, "{way}");
            assert_no_children(way);
        });
        for (text, interpreter, carriage_return) in
            [("#!/no/such -x\n", "/no/such", false), ("#!/bin/sh\r\necho\r\n", "/bin/sh", true)]
        {
            let path = script(&scratch, "script", text, 0o755);
            in_every_way(&path, |way, command| {
                let interpreter = interpreter.into();
                let why = StartFailure::InterpreterMissing { interpreter, carriage_return };
                assert_eq!(reason(&command), (why, ErrorKind::NotFound), "{way}");
                assert_no_children(way);
            });
        }
        in_every_way("/bin/true", |way, mut command| {
            command.current_dir(scratch.at("nowhere"));
            let error = command.spawn().unwrap_err();
            assert_eq!(error.path(), scratch.at("nowhere"), "{way}");
            assert_eq!(reason(&command), (StartFailure::Directory, ErrorKind::NotFound), "{way}");
            assert_no_children(way);
        });
        // A relative path is relative to the directory of the child.
        let path = script(&scratch, "script", "#!/no/such\n", 0o755);
        in_every_way("./script", |way, mut command| {
            command.current_dir(Path::new(&path).parent().unwrap());
            let why = reason(&command).0;
            assert!(matches!(why, StartFailure::InterpreterMissing { .. }), "{way}: {why:?}");
        });
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_reported_with_the_reason() {
        let scratch = Scratch::new();
        let refused = (StartFailure::NotExecutable, ErrorKind::PermissionDenied);
        let plain = script(&scratch, "plain", "#!/bin/sh\n", 0o644);
        in_every_way(&plain, |way, command| assert_eq!(reason(&command), refused, "{way}"));
        let directory = scratch.path().to_str().unwrap();
        in_every_way(directory, |way, command| assert_eq!(reason(&command), refused, "{way}"));
        let junk = script(&scratch, "junk", "neither\n", 0o755);
        in_every_way(&junk, |way, command| {
            assert_eq!(reason(&command).0, StartFailure::BadFormat, "{way}");
            assert_no_children(way);
        });
        let inside = format!("{plain}/inside");
        in_every_way(&inside, |way, command| {
            assert_eq!(reason(&command).0, StartFailure::ProgramMissing, "{way}");
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_that_is_being_written_is_busy() {
        let scratch = Scratch::new();
        let copy = scratch.program("/bin/true", "copy");
        let writer = std::fs::File::options().append(true).open(&copy).unwrap();
        in_every_way(copy.to_str().unwrap(), |way, command| {
            let busy = (StartFailure::TextBusy, ErrorKind::ExecutableFileBusy);
            assert_eq!(reason(&command), busy, "{way}");
        });
        drop(writer);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_that_is_being_written_is_waited_for() {
        let scratch = Scratch::new();
        let copy = scratch.program("/bin/true", "copy");
        let writer = std::fs::File::options().append(true).open(&copy).unwrap();
        in_every_way(copy.to_str().unwrap(), |way, mut command| {
            let faults = Arc::new(Faults::default());
            command.setup.faults = Some(faults.clone());
            command.retries(3, LONG);
            assert_eq!(reason(&command).0, StartFailure::TextBusy, "{way}");
            // Pauses of 1, 2 and 4 ms, one sleep each.
            assert_eq!(faults.seen("clock_nanosleep"), 3, "{way}");
            command.retries(u32::MAX, Duration::from_millis(3));
            assert_eq!(reason(&command).0, StartFailure::TextBusy, "{way}");
            assert_eq!(faults.seen("clock_nanosleep"), 5, "{way}: 1 and 2 ms more");
            let cancel = Arc::new(Cancel::new());
            cancel.cancel();
            command.retries(u32::MAX, LONG).cancel(cancel);
            assert_eq!(reason(&command).0, StartFailure::TextBusy, "{way}");
            assert_eq!(faults.seen("clock_nanosleep"), 5, "{way}: none more");
            assert_no_children(way);
        });
        let waits = std::thread::spawn(move || {
            Command::new(&copy).retries(u32::MAX, LONG).status().unwrap().success()
        });
        std::thread::sleep(Duration::from_millis(20));
        drop(writer);
        assert!(waits.join().unwrap());
    }

    /// A start that fails once is tried so often, and ends with this result.
    #[test]
    #[cfg(target_os = "linux")]
    fn one_failed_call_is_retried_or_reported() {
        in_every_way("/bin/true", |way, mut command| {
            if way != "clone3" {
                return;
            }
            for (errno, again) in [(26, true), (8, false), (5, false)] {
                let faults = Arc::new(Faults::default().fail("execve", 0, errno));
                command.setup.faults = Some(faults.clone());
                command.retries(1, LONG);
                assert_eq!(command.status().is_ok(), again, "{errno}");
                assert_eq!(faults.seen("execve"), 1 + u64::from(again), "{errno}");
                assert_no_children(way);
            }
        });
    }

    #[test]
    fn a_shell_runs_files_of_unknown_format() {
        let scratch = Scratch::new();
        let plain = script(&scratch, "plain", "echo \"$0:$#:$1\"; exit 6\n", 0o755);
        in_every_way(&plain, |way, mut command| {
            command.arg("a b").arg0("other").shell_fallback(true);
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(6), "{way}");
            assert_eq!(output.stdout, format!("{plain}:1:a b\n").as_bytes(), "{way}");
            command.shell_fallback(false);
            assert_eq!(reason(&command).0, StartFailure::BadFormat, "{way}");
            assert_no_children(way);
        });
        // The path contains the directory, so it is not an option.
        script(&scratch, "-c", "exit 7\n", 0o755);
        in_every_way("plain", |way, mut command| {
            command.current_dir(scratch.path()).env("PATH", ".:/bin").shell_fallback(true);
            assert_eq!(command.output().unwrap().status.code(), Some(6), "{way}: by its name");
        });
        std::fs::create_dir(scratch.at("-d")).unwrap();
        script(&scratch, "-d/plain", "exit 8\n", 0o755);
        in_every_way("-d/plain", |way, mut command| {
            command.current_dir(scratch.path()).shell_fallback(true);
            assert_eq!(command.status().unwrap().code(), Some(8), "{way}: no option");
        });
    }

    #[test]
    fn arguments_have_a_limit() {
        in_every_way("/bin/true", |way, mut command| {
            command.args(std::iter::repeat_n("x".repeat(100_000), 100));
            let long = (StartFailure::TooLong, ErrorKind::ArgumentListTooLong);
            assert_eq!(reason(&command), long, "{way}");
            assert_no_children(way);
        });
    }

    #[test]
    fn messages_say_what_and_why() {
        let scratch = Scratch::new();
        let path = script(&scratch, "script", "#!/bin/sh\r\n", 0o755);
        let error = Command::new(&path).spawn().unwrap_err();
        let text = "its interpreter '/bin/sh' is missing; its first line ends in a carriage return";
        assert_eq!(error.to_string(), format!("cannot start '{path}': {text}"));
        assert_eq!(error.raw_os_error(), Some(2));
    }
}
