//! Files are exchanged between the look-up and the start: nothing runs that the policy refused.

use std::fs::{Permissions, create_dir, remove_dir, rename, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use curt_testkit::{Scratch, skip};

use crate::process::Command;
use crate::which::Search;

/// The program, and its directories.
const NAME: &str = "curt-test";

/// How many starts of each outcome the tests wait for, and how many they make at most.
const ENOUGH: u32 = 20;
const MOST: u32 = 20_000;

/// Two directories: `b` is in `PATH` and contains a program that succeeds; `here` is the working
/// directory and contains one of the same name that fails. Both are images, as the interpreter of a
/// script would open it again.
struct Ground {
    scratch: Scratch,
    program: PathBuf,
}

impl Ground {
    /// `None` if the programs do not run under another name, as in a multi-call binary.
    fn new() -> Option<Ground> {
        let scratch = Scratch::new();
        let program = copy_of("true", &scratch, &format!("b/{NAME}"));
        copy_of("false", &scratch, &format!("here/{NAME}"));
        let Ok(true) = std::process::Command::new(&program).status().map(|end| end.success())
        else {
            skip("'true' does not run under another name");
            return None;
        };
        Some(Ground { scratch, program })
    }

    fn aside(&self) -> PathBuf {
        self.scratch.at("b/aside")
    }

    /// Starts the program by its name while another thread moves it away, puts something else there
    /// for a moment, and moves it back. Only the right program ever runs.
    fn hold(&self, mut meanwhile: impl FnMut() + Send) {
        // The working directory is refused, although the child runs in it.
        let path = format!(":{}", self.scratch.at("b").display());
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    rename(&self.program, self.aside()).unwrap();
                    meanwhile();
                    rename(self.aside(), &self.program).unwrap();
                    std::thread::yield_now();
                }
            });
            let end = Ends(&is_over);
            let mut command = Command::new(NAME);
            command.env("PATH", &path).current_dir(self.scratch.at("here"));
            let (started, failed) = tries(&command);
            assert!(started > 0 && failed > 0, "{started} and {failed}");
            drop(end);
        });
    }
}

/// Ends the other thread, even if an assertion fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn copy_of(name: &str, scratch: &Scratch, path: &str) -> PathBuf {
    scratch.program(Search::new().find(name).unwrap().into_path(), path)
}

/// How many starts succeeded and how many failed.
fn tries(command: &Command) -> (u32, u32) {
    let (mut started, mut failed) = (0, 0);
    while started.min(failed) < ENOUGH && started + failed < MOST {
        match command.status() {
            Ok(status) => {
                assert!(status.success(), "the other one was started");
                started += 1;
            }
            Err(_) => failed += 1,
        }
    }
    (started, failed)
}

#[test]
fn no_program_in_the_working_directory_is_started() {
    let Some(ground) = Ground::new() else { return };
    ground.hold(std::thread::yield_now);
}

#[test]
fn a_file_that_may_not_be_executed_is_never_started() {
    let Some(ground) = Ground::new() else { return };
    let refused = copy_of("false", &ground.scratch, "b/refused");
    set_permissions(&refused, Permissions::from_mode(0o644)).unwrap();
    ground.hold(|| {
        rename(&refused, &ground.program).unwrap();
        std::thread::yield_now();
        rename(&ground.program, &refused).unwrap();
    });
}

#[test]
fn a_directory_in_place_of_the_program_is_never_started() {
    let Some(ground) = Ground::new() else { return };
    ground.hold(|| {
        create_dir(&ground.program).unwrap();
        std::thread::yield_now();
        remove_dir(&ground.program).unwrap();
    });
}

/// The file is gone when it is started: the next candidate in `PATH` is started, never one in the
/// working directory.
#[test]
fn the_next_candidate_is_one_of_the_policy() {
    use crate::error::StartFailure;
    use crate::process::program::start_first;

    let Some(ground) = Ground::new() else { return };
    let next = copy_of("true", &ground.scratch, &format!("c/{NAME}"));
    let directories = ["here-is-none", "b", "c"].map(|name| ground.scratch.at(name));
    let path = directories.map(|directory| directory.display().to_string()).join(":");
    let search = Search::new().path(format!(":{path}:")).base(ground.scratch.at("here"));
    let mut asked = Vec::new();
    let started = start_first(&search, NAME.as_ref(), |path| {
        // The moment between the look-up and the start.
        std::fs::remove_file(path).unwrap();
        asked.push(path.to_owned());
        Err::<(), _>((StartFailure::ProgramMissing, std::io::ErrorKind::NotFound.into()))
    });
    assert!(started.is_err());
    assert_eq!(asked, [ground.program, next], "by their full paths, and nothing else");
}
