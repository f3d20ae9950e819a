use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use curt::process::{StartFailure, Stream};
use curt::{Cause, Command};
use curt_testkit::{Scratch, skip};

const LONG: Duration = Duration::from_secs(60);

fn cmd() -> PathBuf {
    Path::new(&std::env::var_os("SystemRoot").unwrap()).join(r"system32\cmd.exe")
}

fn printed(command: &Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
}

fn failure(command: &Command) -> StartFailure {
    match command.spawn().unwrap_err().cause() {
        Cause::Start(failure, _) => failure.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn waiting_has_a_limit_and_trees_are_ended() {
    for has_tree in [true, false] {
        let mut waiting = Command::new(cmd());
        waiting.arg("/c").arg("pause").stdin(Stream::Pipe).stdout(Stream::Null);
        let mut child = waiting.own_tree(has_tree).spawn().unwrap();
        assert_eq!(child.wait_timeout(Duration::from_millis(50)).unwrap(), None);
        child.kill().unwrap();
        assert_eq!(child.wait_timeout(LONG).unwrap().unwrap().code(), Some(1));
        child.kill().unwrap();
    }
}

#[test]
fn processes_left_by_a_program_are_ended() {
    let mut command = Command::new(cmd());
    command.args(["/c", "start", "/b", "cmd", "/c", "pause"]).own_tree(true);
    let mut child = command.stdin(Stream::Pipe).stdout(Stream::Pipe).spawn().unwrap();
    let _input = child.stdin.take();
    let mut output = child.stdout.take().unwrap();
    child.wait().unwrap();
    child.kill().unwrap();
    std::io::Read::read_to_end(&mut output, &mut Vec::new()).unwrap();
}

#[test]
fn output_is_read_until_the_limit() {
    let mut command = Command::new(cmd());
    command.args(["/c", "echo out& echo err 1>&2"]);
    for output in [command.output_timeout(LONG).unwrap(), {
        let mut endless = Command::new(cmd());
        endless.args(["/c", "echo err 1>&2 & for /L %i in (1,0,2) do @echo out"]).own_tree(true);
        endless.output_timeout(Duration::from_secs(1)).unwrap()
    }] {
        assert_eq!(output.status.code(), Some(i32::from(output.timed_out)));
        assert!(output.stdout.starts_with(b"out") && output.stderr.starts_with(b"err"));
    }
    let output = command.output().unwrap();
    assert!(output.stdout.starts_with(b"out") && output.stderr.starts_with(b"err"), "{output:?}");
}

#[test]
fn failed_starts_report_a_reason() {
    let scratch = Scratch::new();
    let error = Command::new(scratch.at("lost.exe")).spawn().unwrap_err();
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
    std::fs::write(scratch.at("junk.exe"), "no image").unwrap();
    for has_tree in [false, true] {
        let mut junk = Command::new(scratch.at("junk.exe"));
        assert_eq!(failure(junk.own_tree(has_tree)), StartFailure::BadFormat);
    }
    let mut elsewhere = Command::new(cmd());
    assert_eq!(failure(elsewhere.current_dir(scratch.at("nowhere"))), StartFailure::Directory);
    let batch = scratch.at("b.bat");
    std::fs::write(&batch, "@echo off\r\n").unwrap();
    let mut command = Command::new(&batch);
    assert_eq!(failure(command.arg("a\nb")), StartFailure::InvalidText);
}

#[test]
fn a_command_line_that_is_too_long_is_refused() {
    if curt_testkit::windows::is_wine() {
        return skip("Wine starts programs with command lines of any length");
    }
    let mut command = Command::new(cmd());
    command.arg("x".repeat(40_000));
    assert_eq!(failure(&command), StartFailure::TooLong);
}

#[test]
fn names_are_searched_for_in_the_path_of_the_child() {
    let scratch = Scratch::new();
    scratch.file_with(r"bin\show.bat", b"@echo one=%1\r\n");
    let mut command = Command::new("SHOW");
    command.arg("x").env("PATH", scratch.at("bin")).env("PATHEXT", ".EXE;.BAT");
    assert_eq!(printed(&command), "one=x\n");
    let error = Command::new("no-such-program").spawn().unwrap_err();
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
}

/// The standard library would start `show.bat.exe`.
#[test]
fn only_the_found_program_is_started() {
    let scratch = Scratch::new();
    scratch.file_with("show.bat", b"@echo batch\r\n");
    std::fs::copy(cmd(), scratch.at("show.bat.exe")).unwrap();
    let mut command = Command::new("show.bat");
    command.env("PATH", scratch.path());
    assert_eq!(failure(&command), StartFailure::System);
    std::fs::remove_file(scratch.at("show.bat.exe")).unwrap();
    assert_eq!(printed(&command), "batch\n");
}

struct Swaps {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swaps {
    fn of(file: &Path) -> Swaps {
        let is_over = Arc::new(AtomicBool::new(false));
        let (file, aside) = (file.to_owned(), file.with_extension("aside"));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                if std::fs::rename(&file, &aside).is_ok() {
                    std::thread::yield_now();
                    while std::fs::rename(&aside, &file).is_err() {}
                }
                std::thread::yield_now();
            }
        });
        Swaps { is_over, thread: Some(thread) }
    }
}

impl Drop for Swaps {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// If a program vanishes before its start, curt must not search for it elsewhere: the child's
/// working directory has a file of the same name, which the policy refuses to run.
#[test]
fn refused_programs_are_never_started() {
    let scratch = Scratch::new();
    for (folder, word) in [("b", "good"), ("here", "evil")] {
        scratch.file_with(format!("{folder}/swapped.bat"), format!("@echo {word}\r\n").as_bytes());
    }
    let mut command = Command::new("swapped");
    command.env("PATH", scratch.at("b")).env("PATHEXT", ".COM;.EXE;.BAT;.CMD");
    command.current_dir(scratch.at("here"));
    assert_eq!(printed(&command).trim(), "good");
    let swaps = Swaps::of(&scratch.at("b").join("swapped.bat"));
    for _ in 0..30 {
        if let Ok(output) = command.output() {
            // cmd.exe opens the file again, which can be gone by then.
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(!text.contains("evil"), "{text}");
        }
    }
    drop(swaps);
    assert_eq!(printed(&command).trim(), "good");
}
