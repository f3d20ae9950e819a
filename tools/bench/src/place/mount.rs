//! A mount that goes away with its owner.

use super::sandbox::Sandbox;
use crate::programs::quiet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// A mount of ours, taken away when dropped.
#[derive(Debug)]
pub(crate) struct Mount {
    point: PathBuf,
    /// Keeps the image file until the mount is gone.
    _backing: Rc<Sandbox>,
}

impl Mount {
    /// Takes over what is mounted at `point` from a file in `backing`.
    pub(crate) fn new(point: PathBuf, backing: Rc<Sandbox>) -> Self {
        Self { point, _backing: backing }
    }

    /// Where it is.
    pub(crate) fn point(&self) -> &Path {
        &self.point
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // A file system may be busy for a moment after its last file is closed.
        for _ in 0..20 {
            if run(Command::new("umount").arg(&self.point)).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let _ = run(Command::new("umount").arg("--lazy").arg(&self.point));
    }
}

/// Runs a program that says on standard error why it failed.
pub(crate) fn run(command: &mut Command) -> io::Result<()> {
    quiet(command);
    command.stderr(std::process::Stdio::piped());
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("failed").to_owned();
    Err(io::Error::other(format!("{}: {said}", program.to_string_lossy())))
}
