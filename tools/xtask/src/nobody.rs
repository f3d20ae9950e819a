//! Runs the library's unit tests again as an unprivileged user: what root may do hides failures.

use crate::host::{self, Failure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The user and the group `nobody`.
const NOBODY: u32 = 65534;

/// A temporary folder that anybody may write to, removed when dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in a temporary folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How the tests are run, which were built before.
pub(crate) struct Suite {
    /// A copy of the program in the folder: what was built may lie where `nobody` cannot go.
    program: PathBuf,
    folder: Folder,
}

impl Suite {
    /// Finds the program.
    pub(crate) fn find() -> Result<Self, Failure> {
        let mut cargo = host::cargo();
        // All of the workspace, so that it is the program that was just run.
        cargo.args(["test", "--workspace", "--lib", "--no-run", "--locked", "--quiet"]);
        let output = cargo.arg("--message-format=json").stderr(Stdio::inherit()).output()?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let program = messages.lines().find_map(program);
        let program = program.ok_or_else(|| Failure::new("Cargo names no tests of the library"))?;
        let folder = folder()?;
        let copy = folder.0.join(program.file_name().unwrap_or_default());
        fs::copy(&program, &copy)?;
        // Some tests ask about a folder that the working directory of Cargo's tests has.
        fs::create_dir(folder.0.join("src"))?;
        Ok(Self { program: copy, folder })
    }

    /// The tests, with the environment that Cargo gives to them.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--show-output").env("TMPDIR", &self.folder.0).env("HOME", &self.folder.0);
        command.env("CARGO_PKG_NAME", "curt");
        command.env("CARGO_MANIFEST_DIR", host::checkout().join("crates/curt"));
        become_nobody(command.current_dir(&self.folder.0).stdin(Stdio::null()));
        command
    }
}

fn folder() -> Result<Folder, Failure> {
    let path = host::output_of("mktemp", &["-d"]);
    let path = path.ok_or_else(|| Failure::new("cannot make a temporary folder"))?;
    let folder = Folder(path.trim().into());
    open_to_all(&folder.0)?;
    Ok(folder)
}

/// The program in one of Cargo's messages, where it is that of the library's unit tests.
fn program(message: &str) -> Option<PathBuf> {
    let is_it = [r#""name":"curt","#, r#""kind":["lib"]"#, r#""test":true"#];
    // `test` is what a target may be, and in its profile what it is.
    let (target, profile) = message.split_once(r#""profile":"#)?;
    if !(target.contains(is_it[0]) && target.contains(is_it[1]) && profile.contains(is_it[2])) {
        return None;
    }
    let (_, path) = profile.split_once(r#""executable":""#)?;
    Some(path.split_once('"')?.0.into())
}

#[cfg(unix)]
fn become_nobody(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // The other groups of root go, too.
    command.uid(NOBODY).gid(NOBODY);
}

#[cfg(unix)]
fn open_to_all(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))
}

/// Nobody is root here.
#[cfg(not(unix))]
fn become_nobody(_: &mut Command) {
    let _ = NOBODY;
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_the_library_are_found_among_the_messages() {
        let message = |name: &str, kind: &str, is_test: bool, program: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"kind":["{kind}"],"name":"{name}","test":true}},"profile":{{"test":{is_test}}},"executable":{program}}}"#
            )
        };
        let found = program(&message("curt", "lib", true, r#""/t/curt-1""#));
        assert_eq!(found, Some("/t/curt-1".into()));
        assert_eq!(program(&message("curt", "lib", false, "null")), None);
        assert_eq!(program(&message("curt", "bin", true, r#""/t/curt-2""#)), None);
        assert_eq!(program(&message("curt_testkit", "lib", true, r#""/t/x""#)), None);
        assert_eq!(program(r#"{"reason":"build-finished"}"#), None);
    }
}
