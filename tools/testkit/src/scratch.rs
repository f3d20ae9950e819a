use std::fs;
#[cfg(unix)]
use std::io::Write;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::watchdog::{Watch, watch};

/// A fresh private directory, removed with its contents on drop.
///
/// Methods take relative paths, make missing parents of new entries, and panic if a path leads
/// outside through `..`, an absolute path or a symlink, so a faulty test cannot create or remove
/// anything elsewhere.
#[derive(Debug)]
pub struct Scratch {
    /// The canonical path. On Windows it begins with `\\?\`, which allows names of any length, and
    /// names such as `nul` and `a.`.
    root: PathBuf,
    pub(crate) watch: Arc<Watch>,
    _directory: tempfile::TempDir,
}

impl Scratch {
    /// Makes a scratch directory in `TMPDIR`, or else in `/dev/shm` if large enough: ten thousand
    /// nested directories take ten seconds on ext4, half a second on tmpfs.
    pub fn new() -> Scratch {
        let named = std::env::var_os("TMPDIR").is_some();
        let memory = Path::new("/dev/shm");
        let is_fit = !named && has_room_for_programs(memory);
        Scratch::new_in(if is_fit { memory.to_owned() } else { std::env::temp_dir() })
    }

    /// Makes a scratch directory in `/var/tmp` if that exists, because in-memory filesystems list
    /// entries in a different order and report different sizes.
    pub fn on_disk() -> Scratch {
        let disk = Path::new("/var/tmp");
        if disk.is_dir() { Scratch::new_in(disk) } else { Scratch::new() }
    }

    /// Makes a scratch directory in the given directory.
    pub fn new_in(place: impl AsRef<Path>) -> Scratch {
        let directory = tempfile::Builder::new()
            .prefix("curt-test-")
            .tempdir_in(place)
            .expect("a temporary directory can be made");
        let root = fs::canonicalize(directory.path()).expect("it has a true path");
        Scratch { root, watch: watch(), _directory: directory }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns the path without `\\?\`, which few programs accept in their working directory.
    pub fn typed(&self) -> &Path {
        #[cfg(windows)]
        if let Some(plain) = self.root.to_str().and_then(|root| root.strip_prefix(r"\\?\")) {
            return Path::new(plain);
        }
        &self.root
    }

    /// Returns a path inside. Its last component may be a symlink or missing.
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let normal = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        assert!(path.components().all(normal), "{} leads out of the scratch", path.display());
        let whole = self.root.join(path);
        // The nearest existing ancestor, with symlinks resolved, must be inside.
        if whole != self.root {
            let real = whole.ancestors().skip(1).find_map(|above| fs::canonicalize(above).ok());
            let inside = real.is_some_and(|real| real.starts_with(&self.root));
            assert!(inside, "{} leads out of the scratch through a link", path.display());
        }
        whole
    }

    /// Makes directories recursively.
    pub fn dir(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.at(path);
        self.watch.renew();
        fs::create_dir_all(&path).expect("the directory can be made");
        path
    }

    /// Makes an empty file.
    pub fn file(&self, path: impl AsRef<Path>) -> PathBuf {
        self.file_with(path, b"")
    }

    /// Makes a file with this content.
    pub fn file_with(&self, path: impl AsRef<Path>, content: &[u8]) -> PathBuf {
        let path = self.place(path);
        // `create_new` does not follow a symlink, which could lead outside.
        let mut file = fs::File::create_new(&path).expect("the file can be made");
        std::io::Write::write_all(&mut file, content).expect("the file can be written");
        path
    }

    /// Makes the entries listed in `text`: `name` is a file, `name/` a directory, `name->target` a
    /// symlink.
    pub fn tree(&self, below: &str, text: &str) {
        for word in text.split_whitespace() {
            let place = |name: &str| Path::new(below).join(name);
            match word.split_once("->") {
                #[cfg(unix)]
                Some((name, target)) => drop(self.link(place(name), target)),
                _ if word.ends_with('/') => drop(self.dir(place(word.trim_end_matches('/')))),
                _ => drop(self.file(place(word))),
            }
        }
    }

    /// Makes a hard link.
    pub fn hard_link(&self, original: impl AsRef<Path>, path: impl AsRef<Path>) -> PathBuf {
        let path = self.place(path);
        fs::hard_link(self.at(original), &path).expect("the hard link can be made");
        path
    }

    /// Copies a program, to be run from here. A separate process copies it, because a child forked
    /// meanwhile by another thread would inherit our writable descriptor, and running the program
    /// would fail with ETXTBSY.
    #[cfg(unix)]
    pub fn program(&self, original: impl AsRef<Path>, path: impl AsRef<Path>) -> PathBuf {
        let path = self.vacant(path);
        let copied = Command::new("cp").arg(original.as_ref()).arg(&path).status();
        assert!(copied.is_ok_and(|status| status.success()), "the program can be copied");
        path
    }

    /// Writes an executable script, replacing an existing one. A separate process writes it, as in
    /// [`program`](Self::program).
    #[cfg(unix)]
    pub fn script(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.vacant(path);
        let mut writer = Command::new("/bin/sh");
        writer.args(["-Cc", "exec cat >\"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
        let mut writer = writer.spawn().expect("a shell can be started");
        let mut input = writer.stdin.take().expect("it reads from a pipe");
        input.write_all(text.as_ref()).expect("the script can be written");
        drop(input);
        assert!(writer.wait().is_ok_and(|end| end.success()), "the script can be written");
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(&path, permissions).expect("permissions can be given");
        path
    }

    /// Makes a symlink, to any target.
    #[cfg(unix)]
    pub fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) -> PathBuf {
        let path = self.place(path);
        std::os::unix::fs::symlink(target, &path).expect("the link can be made");
        path
    }

    /// Makes a named pipe.
    #[cfg(unix)]
    pub fn fifo(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.place(path);
        // rustix has no `mkfifo` on macOS.
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        let made = made.expect("there is a mkfifo");
        assert!(made.success(), "the pipe can be made");
        path
    }

    /// Makes a chain of nested directories, with at most two open at a time.
    #[cfg(unix)]
    pub fn deep(&self, path: impl AsRef<Path>, levels: usize, name: &str) -> PathBuf {
        assert!(Path::new(name).components().eq([Component::Normal(name.as_ref())]));
        let top = self.dir(path);
        chain(&top, levels, name, 0, 0).expect("the chain can be made");
        top
    }

    /// Makes a chain like [`deep`](Self::deep), of directories named `chain`. Each also contains
    /// `bushes` directories of `files` files. Returns the number of files and directories.
    #[cfg(unix)]
    pub fn chain_with_bushes(
        &self,
        path: impl AsRef<Path>,
        levels: usize,
        bushes: usize,
        files: usize,
    ) -> (u64, u64) {
        chain(&self.dir(path), levels, "chain", bushes, files).expect("the chain can be made");
        ((levels * bushes * files) as u64, (1 + levels * (1 + bushes)) as u64)
    }

    /// Returns whether the path exists, even as a broken symlink.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        fs::symlink_metadata(self.at(path)).is_ok()
    }

    /// Removes a tree.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let path = self.at(path);
        self.watch.renew();
        tear_down(&path);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&path),
            Ok(_) => fs::remove_file(&path),
            Err(_) => Ok(()),
        }
        .expect("the tree can be removed");
    }

    /// Lists a tree as sorted lines: the kind as in `ls` (`-`, `d`, `l`, …), a space, and the
    /// relative path with `/` on every platform.
    pub fn list(&self, path: impl AsRef<Path>) -> Vec<String> {
        let top = self.at(path);
        let mut lines = Vec::new();
        let mut waiting = vec![top.clone()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).expect("a directory can be listed") {
                let entry = entry.expect("its entries can be read");
                let file_type = entry.file_type().expect("an entry has a kind");
                let path = entry.path();
                let below = path.strip_prefix(&top).expect("entries lie below");
                let below = below.display().to_string().replace(MAIN_SEPARATOR, "/");
                lines.push(format!("{} {below}", letter(file_type)));
                if file_type.is_dir() {
                    waiting.push(path);
                }
            }
        }
        lines.sort();
        lines
    }

    /// Removes the entry, because writing to it could follow a symlink.
    #[cfg(unix)]
    fn vacant(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.place(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            removed => removed.expect("what lies there can be removed"),
        }
        path
    }

    pub(crate) fn place(&self, path: impl AsRef<Path>) -> PathBuf {
        let above = path.as_ref().parent().filter(|above| !above.as_os_str().is_empty());
        if let Some(above) = above {
            self.dir(above);
        }
        self.watch.renew();
        self.at(path)
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        tear_down(&self.root);
    }
}

#[cfg(target_os = "linux")]
fn has_room_for_programs(place: &Path) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};
    statvfs(place).is_ok_and(|found| {
        let has_room = found.f_bavail.saturating_mul(found.f_frsize) > 2_000_000_000;
        has_room && !found.f_flag.contains(StatVfsMountFlags::NOEXEC)
    })
}

#[cfg(not(target_os = "linux"))]
fn has_room_for_programs(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn chain(
    top: &Path,
    levels: usize,
    name: &str,
    bushes: usize,
    files: usize,
) -> rustix::io::Result<()> {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let make = |at: &_, name: &str| {
        mkdirat(at, name, Mode::RWXU)?;
        openat(at, name, flags, Mode::empty())
    };
    let mut at = openat(CWD, top, flags, Mode::empty())?;
    for _ in 0..levels {
        for bush in 0..bushes {
            let bush = make(&at, &format!("{}{bush}", ["b", "z"][bush % 2]))?;
            for file in 0..files {
                openat(&bush, format!("f{file}"), new, Mode::RWXU)?;
            }
        }
        at = make(&at, name)?;
    }
    Ok(())
}

fn tear_down(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        let _ = crate::tear::empty(path);
    }
}

fn letter(file_type: fs::FileType) -> char {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        match () {
            () if file_type.is_fifo() => return 'p',
            () if file_type.is_socket() => return 's',
            () if file_type.is_char_device() => return 'c',
            () if file_type.is_block_device() => return 'b',
            () => {}
        }
    }
    match () {
        () if file_type.is_dir() => 'd',
        () if file_type.is_symlink() => 'l',
        () => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn a_tree_is_built_listed_and_removed() {
        let scratch = Scratch::new();
        scratch.file_with("a/b/file", b"content");
        scratch.hard_link("a/b/file", "a/same");
        scratch.dir("a/empty");
        assert_eq!(scratch.list("a"), ["- b/file", "- same", "d b", "d empty"]);
        assert!(scratch.exists("a/b"));
        scratch.remove("a");
        assert!(!scratch.exists("a"));
        assert!(scratch.list("").is_empty());
    }

    #[test]
    fn nothing_outside_can_be_named() {
        let scratch = Scratch::new();
        let drives: &[&str] =
            if cfg!(windows) { &["C:", "C:a", r"C:\a", r"\\?\C:\a"] } else { &[] };
        for path in ["..", "a/../..", "/", "/tmp"].iter().chain(drives) {
            let at = std::panic::catch_unwind(|| scratch.at(path));
            assert!(at.is_err(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_outside() {
        let (scratch, outside) = (Scratch::new(), Scratch::new());
        outside.file("kept");
        scratch.link("door", outside.path());
        for attempt in [
            std::panic::catch_unwind(|| drop(scratch.file("door/new"))),
            std::panic::catch_unwind(|| scratch.remove("door/kept")),
        ] {
            assert!(attempt.is_err());
        }
        scratch.remove("door");
        scratch.link("script", outside.at("kept"));
        scratch.link("program", outside.at("new"));
        scratch.script("script", "text", 0o600);
        scratch.program("/bin/sh", "program");
        assert_eq!(scratch.list(""), ["- program", "- script"]);
        assert_eq!(outside.list(""), ["- kept"]);
        assert_eq!(std::fs::read(outside.at("kept")).unwrap(), b"");
    }

    #[cfg(unix)]
    #[test]
    fn deep_and_forbidden_trees_are_torn_down() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        scratch.deep("deep", 10_000, "level");
        scratch.file("shut/inside");
        let nothing = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(scratch.at("shut"), nothing).unwrap();
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }
}
