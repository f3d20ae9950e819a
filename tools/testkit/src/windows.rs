//! Windows features for tests. If Wine lacks a feature, a function reports a skip and returns
//! `None` or `false`.

use std::fs::{self, File, OpenOptions};
use std::os::windows::fs::{OpenOptionsExt, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use crate::sys::console::{has_own_console, press_ctrl_break, press_ctrl_c};
pub use crate::sys::paths::{full_path_name, set_drive_directory};
use crate::{Scratch, skip, sys};

/// Sharing modes: how others may use an open file.
const SHARE_READ_WRITE: u32 = 3;
const SHARE_ALL: u32 = 7;
const DELETE: u32 = 0x0001_0000;
const DELETE_ON_CLOSE: u32 = 0x0400_0000;

/// File attributes, which can be combined.
pub const READ_ONLY: u32 = 1;
/// Files that `dir` does not show.
pub const HIDDEN: u32 = 2;
/// Files that are part of the system.
pub const SYSTEM: u32 = 4;

impl Scratch {
    /// Makes a directory symlink, one of the two kinds on Windows.
    pub fn link_to_dir(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) -> Option<PathBuf> {
        let path = self.place(path);
        made(&path, symlink_dir(target, &path).is_ok(), "symbolic links")
    }

    /// Makes a file symlink.
    pub fn link_to_file(
        &self,
        path: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Option<PathBuf> {
        let path = self.place(path);
        made(&path, symlink_file(target, &path).is_ok(), "symbolic links")
    }

    /// Makes a junction. The target must be in a scratch directory or not exist.
    pub fn junction(&self, path: impl AsRef<Path>, target: &Path) -> Option<PathBuf> {
        let below = path.as_ref().to_owned();
        let path = self.place(path);
        let mut command = Command::new("cmd");
        command.args(["/c", "mklink", "/J"]).arg(self.typed().join(below)).arg(target);
        let status =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        if !is_link {
            // Wine's `mklink` leaves an ordinary directory behind.
            let _ = fs::remove_dir(&path);
        }
        made(&path, status.is_ok(), "junctions")
    }

    /// Sets the attributes of a file or directory.
    pub fn set_attributes(&self, path: impl AsRef<Path>, attributes: u32) {
        sys::attributes::set(&self.at(path), attributes).expect("attributes can be set");
    }

    /// Opens a file so that others cannot delete it.
    pub fn hold(&self, path: impl AsRef<Path>) -> File {
        let mut options = OpenOptions::new();
        options.read(true).share_mode(SHARE_READ_WRITE).open(self.at(path)).expect("it can be held")
    }

    /// Removes an open file with classic, non-POSIX semantics: until the returned handle is
    /// dropped, the name remains, but cannot be opened.
    pub fn leave_pending(&self, path: impl AsRef<Path>) -> File {
        let path = self.at(path);
        let open = |options: &mut OpenOptions| options.share_mode(SHARE_ALL).open(&path);
        let holder = open(OpenOptions::new().read(true)).expect("it can be held");
        let mut last = OpenOptions::new();
        last.access_mode(DELETE).custom_flags(DELETE_ON_CLOSE);
        drop(open(&mut last).expect("it can be removed"));
        holder
    }

    /// Maps a drive letter to a directory until dropped. Until then, and a second longer on Wine,
    /// canonical paths inside may begin with that drive.
    pub fn drive(&self, path: impl AsRef<Path>) -> Option<Drive> {
        let below = path.as_ref().to_owned();
        let name = self.path().file_name().expect("it has a name");
        let marker = self.dir(&below).join(name);
        fs::write(&marker, "").expect("the directory can be written to");
        let drive = Drive::new(&self.typed().join(below), Path::new(name));
        fs::remove_file(marker).expect("and its files removed");
        if drive.is_none() {
            skip("no drive letter can be had here");
        }
        drive
    }
}

/// Returns whether the tests run on Wine.
pub fn is_wine() -> bool {
    Path::new(r"C:\windows\system32\winecfg.exe").exists()
}

/// Returns the path if the entry exists, because failures are not always reported.
fn made(path: &Path, is_said: bool, what: &str) -> Option<PathBuf> {
    if is_said && fs::symlink_metadata(path).is_ok() {
        return Some(path.to_owned());
    }
    skip(&format!("{what} cannot be made here"));
    None
}

/// A drive letter reserved for one test.
#[derive(Debug)]
pub struct Drive {
    letter: char,
    link: Option<String>,
    /// One test at a time: letters are few, and allocating one is not atomic.
    _turn: MutexGuard<'static, ()>,
}

impl Drive {
    /// Returns the drive letter.
    pub fn letter(&self) -> char {
        self.letter
    }

    fn new(target: &Path, marker: &Path) -> Option<Drive> {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |letter: char| Path::new(&format!(r"{letter}:\")).exists();
        let letter = "XWVUTSRQPONM".chars().find(|&letter| !is_there(letter))?;
        let mut drive = Drive { letter, link: None, _turn: turn };
        run(Command::new("subst").arg(format!("{letter}:")).arg(target));
        if drive.shows(marker) {
            return Some(drive);
        }
        // Wine's drives are symlinks in its prefix, which only a Unix program can create.
        let prefix = std::env::var("WINEPREFIX").ok()?;
        let unix_target = format!("dosdevices/c:{}", target.to_str()?.get(2..)?.replace('\\', "/"));
        let link = format!("{prefix}/dosdevices/{}:", letter.to_ascii_lowercase());
        run(Command::new(r"\\?\unix\bin\ln").args(["-sn", &format!("../{unix_target}"), &link]));
        drive.link = Some(link);
        drive.shows(marker).then_some(drive)
    }

    fn shows(&self, marker: &Path) -> bool {
        let marker = Path::new(&format!(r"{}:\", self.letter)).join(marker);
        eventually(|| marker.exists())
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        match &self.link {
            Some(link) => run(Command::new(r"\\?\unix\bin\rm").args(["-f", link])),
            None => run(Command::new("subst").args([&format!("{}:", self.letter), "/d"])),
        }
        let root = format!(r"{}:\", self.letter);
        eventually(|| !Path::new(&root).exists());
    }
}

fn eventually(is_true: impl Fn() -> bool) -> bool {
    (0..20).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        is_true()
    })
}

/// Runs a command, ignoring failures: Wine reports one even if it has started a Unix program.
fn run(command: &mut Command) {
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::{HIDDEN, READ_ONLY, SYSTEM, has_own_console, press_ctrl_c};
    use crate::Scratch;

    #[test]
    fn whatever_is_in_it_is_torn_down() {
        let (scratch, outside) = (Scratch::new(), Scratch::new());
        outside.file("kept");
        for name in ["nul", "con.txt", "aux", "dot.", "space ", "dots...", "d/com1/prn"] {
            scratch.file(name);
        }
        let name = "n".repeat(200);
        scratch.file(format!("{name}/{name}/{name}/file"));
        scratch.file("odd/file");
        for path in ["odd/file", "odd", "nul"] {
            scratch.set_attributes(path, READ_ONLY | HIDDEN | SYSTEM);
        }
        let _ = scratch.link_to_dir("odd/link", outside.path());
        let _ = scratch.link_to_file("odd/to-file", outside.at("kept"));
        let _ = scratch.junction("odd/junction", outside.typed());
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
        assert_eq!(outside.list(""), ["- kept"]);
    }

    #[test]
    fn who_holds_a_file_keeps_it() {
        let scratch = Scratch::new();
        let remove = |path| std::fs::remove_file(scratch.at(path));
        scratch.file("held");
        let holder = scratch.hold("held");
        assert!(remove("held").is_err());
        drop(holder);
        scratch.file("d/pending");
        let holder = scratch.leave_pending("d/pending");
        assert!(std::fs::remove_dir(scratch.at("d")).is_err());
        drop(holder);
        remove("held").unwrap();
        std::fs::remove_dir(scratch.at("d")).unwrap();
    }

    #[test]
    fn a_drive_letter_shows_its_directory() {
        let scratch = Scratch::new();
        scratch.file("root/file");
        let Some(drive) = scratch.drive("root") else { return };
        let letter = drive.letter();
        assert!(std::path::Path::new(&format!(r"{letter}:\file")).exists());
        drop(drive);
        assert!(scratch.path().join("root").join("file").exists());
    }

    #[test]
    fn what_is_pressed_in_a_console_is_not_for_the_test() {
        let name = "windows::tests::what_is_pressed_in_a_console_is_not_for_the_test";
        if has_own_console(name) {
            press_ctrl_c().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
}
