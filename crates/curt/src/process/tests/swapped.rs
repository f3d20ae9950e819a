//! Files are swapped between the look-up and the start; a refused program must not run.

use std::fs::{Permissions, create_dir, remove_dir, rename, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use curt_testkit::{Over, Scratch, skip};

use crate::process::Command;
use crate::which::Search;

const NAME: &str = "curt-test";

const ENOUGH: u32 = 20;
const MOST: u32 = 20_000;

/// Creates `b`, which is in `PATH`, with a program that succeeds, and `here`, the working
/// directory, with a program of the same name that fails. Both are binaries, because an interpreter
/// would open its script again by path. Returns `None` if `true` is a multi-call binary, which does
/// not run under a new name.
fn ground() -> Option<(Scratch, PathBuf)> {
    let scratch = Scratch::new();
    let program = copy_of("true", &scratch, &format!("b/{NAME}"));
    copy_of("false", &scratch, &format!("here/{NAME}"));
    if std::process::Command::new(&program).status().is_ok_and(|end| end.success()) {
        return Some((scratch, program));
    }
    skip("'true' does not run under another name");
    None
}

/// Another thread keeps moving the program away and back. Meanwhile its name belongs to a
/// non-executable file, a directory or no file.
#[test]
fn nothing_else_is_started() {
    let Some((scratch, program)) = ground() else { return };
    let refused = copy_of("false", &scratch, "b/refused");
    set_permissions(&refused, Permissions::from_mode(0o644)).unwrap();
    let meanwhile: [&(dyn Fn() + Sync); 3] = [
        &std::thread::yield_now,
        &|| {
            rename(&refused, &program).unwrap();
            std::thread::yield_now();
            rename(&program, &refused).unwrap();
        },
        &|| {
            create_dir(&program).unwrap();
            std::thread::yield_now();
            remove_dir(&program).unwrap();
        },
    ];
    let path = format!(":{}", scratch.at("b").display());
    let mut command = Command::new(NAME);
    command.env("PATH", &path).current_dir(scratch.at("here"));
    for meanwhile in meanwhile {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let _at_last = Over(&is_over);
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    rename(&program, scratch.at("b/aside")).unwrap();
                    meanwhile();
                    rename(scratch.at("b/aside"), &program).unwrap();
                    std::thread::yield_now();
                }
            });
            let (started, failed) = tries(&command);
            assert!(started > 0 && failed > 0, "{started} and {failed}");
        });
    }
}

fn copy_of(name: &str, scratch: &Scratch, path: &str) -> PathBuf {
    scratch.program(Search::new().find(name).unwrap().into_path(), path)
}

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
fn the_next_candidate_is_one_of_the_policy() {
    use crate::error::StartFailure;
    use crate::process::program::start_first;

    let Some((scratch, program)) = ground() else { return };
    let next = copy_of("true", &scratch, &format!("c/{NAME}"));
    let directories = ["here-is-none", "b", "c"].map(|name| scratch.at(name));
    let path = directories.map(|directory| directory.display().to_string()).join(":");
    let search = Search::new().path(format!(":{path}:")).base(scratch.at("here"));
    let mut paths = Vec::new();
    let started = start_first(&search, NAME.as_ref(), |path| {
        std::fs::remove_file(path).unwrap();
        paths.push(path.to_owned());
        Err::<(), _>((StartFailure::ProgramMissing, std::io::ErrorKind::NotFound.into()))
    });
    assert!(started.is_err());
    assert_eq!(paths, [program, next], "by their full paths, and nothing else");
}
