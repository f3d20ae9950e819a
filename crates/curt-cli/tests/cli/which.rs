use std::process::{Command, Stdio};

use curt_testkit::Scratch;

/// Under Windows rules, names are tried one by one in an unlistable directory. Case is then ignored
/// only on Windows itself.
#[test]
fn another_user_finds_programs_in_unlistable_directories() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let scratch = Scratch::new();
    let copy = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
    for file in ["listed/tool.cmd", "unlisted/tool.CMD", "unlisted/other.exe", "closed/tool.exe"] {
        scratch.file(file);
    }
    for (path, mode) in [(".", 0o755), ("unlisted", 0o711), ("closed", 0o700)] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(scratch.at(path), mode).unwrap();
    }
    let search = |path: &str, name: &str| {
        let mut command = Command::new(&copy);
        command.args(["which", "--rules", "windows", "--pathext", ".COM;.EXE;.BAT;.CMD"]);
        command.args(["--path", path, name]).current_dir(scratch.typed());
        command.uid(curt_testkit::NOBODY).gid(curt_testkit::NOBODY).output()
    };
    match search("listed", "tool") {
        Ok(output) if output.status.success() => {}
        other => return curt_testkit::skip(&format!("another user cannot be taken: {other:?}")),
    }
    let found = |path: &str, name: &str| {
        let output = search(path, name).unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        (line.trim_end().rsplit('/').next().unwrap_or_default().to_owned(), printed)
    };
    assert_eq!(found("closed;unlisted;listed", "tool").0, "tool.CMD");
    assert_eq!(found("unlisted;listed", "other").0, "");
    let (_, printed) = found("closed", "tool");
    assert!(printed.contains("could not search") && printed.contains("closed"), "{printed}");
    let mut command = Command::new(&copy);
    command.args(["which", "closed/tool.exe"]).current_dir(scratch.typed());
    let (_, _, printed) = crate::outcome(
        &command.uid(curt_testkit::NOBODY).gid(curt_testkit::NOBODY).output().unwrap(),
    );
    let closed = scratch.typed().join("closed");
    let expected =
        format!("curt which: closed/tool.exe: no permission to search '{}'\n", closed.display());
    assert_eq!(printed, expected);
}

/// A pipe might replace the program between the search and the inspection.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_with_the_name_of_a_program_does_not_block() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let scratch = Scratch::new();
    scratch.script("dir/program", "#!/bin/sh\n", 0o755);
    scratch.fifo("dir/pipe");
    let (program, pipe) = (scratch.at("dir/program"), scratch.at("dir/pipe"));
    let is_over = AtomicBool::new(false);
    let mut found = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !is_over.load(Ordering::Relaxed) {
                if renameat_with(CWD, &program, CWD, &pipe, RenameFlags::EXCHANGE).is_err() {
                    return curt_testkit::skip("two names cannot be exchanged here");
                }
            }
        });
        for _ in 0..100 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
            command.args(["which", "--json", "dir/program"]).current_dir(scratch.path());
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            found += i32::from(status.success());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(found > 0, "no program was ever found");
}
