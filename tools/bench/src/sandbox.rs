//! The bench's own directory, and the guard before every removal.
//!
//! A dozen programs delete trees here. Before each removal, by this program or a rival,
//! [`Sandbox::check`] requires that the path is inside a marked directory made by this process, and
//! that no symlink leads out.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const MARK: &str = ".curt-bench";

static COUNTER: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub(crate) struct Sandbox {
    root: PathBuf,
}

/// Makes ext4 put each tree into a different part of the disk. Near recently freed inodes, which
/// ext4 skips for some seconds, creating a file takes up to half a millisecond.
#[cfg(target_os = "linux")]
fn spread(folder: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    if let Ok(folder) = std::fs::File::open(folder) {
        let _ = ioctl_getflags(&folder)
            .and_then(|flags| ioctl_setflags(&folder, flags | IFlags::TOPDIR));
    }
}

#[cfg(not(target_os = "linux"))]
fn spread(_: &Path) {}

impl Sandbox {
    pub(crate) fn create(parent: &Path) -> io::Result<Self> {
        let parent = parent.canonicalize()?;
        let name = format!(
            "curt-bench-{}-{}",
            std::process::id(),
            COUNTER.fetch_add(1, Ordering::Relaxed)
        );
        let root = parent.join(name);
        // Fails if the directory exists: another process's directory is never used.
        create_private(&root)?;
        spread(&root);
        let sandbox = Self { root };
        std::fs::write(sandbox.root.join(MARK), "removed by curt-bench\n")?;
        sandbox.place_canary()?;
        Ok(sandbox)
    }

    pub(crate) fn place_canary(&self) -> io::Result<()> {
        std::fs::create_dir_all(self.canary().join("below"))?;
        std::fs::write(self.canary().join("file"), "canary")?;
        std::fs::write(self.canary().join("below").join("file"), "below")
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn entry(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Each tree has a symlink to this sibling, which must survive.
    pub(crate) fn canary(&self) -> PathBuf {
        self.root.join("canary")
    }

    pub(crate) fn canary_lives(&self) -> bool {
        let holds = |path: PathBuf, text: &str| {
            std::fs::read_to_string(path).is_ok_and(|found| found == text)
        };
        holds(self.canary().join("file"), "canary")
            && holds(self.canary().join("below").join("file"), "below")
    }

    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        let plain = path.is_absolute()
            && path
                .components()
                .all(|part| !matches!(part, Component::ParentDir | Component::CurDir));
        if !plain || path == self.root || !path.starts_with(&self.root) {
            return Err(refusal(path, "it is not inside the bench's own folder"));
        }
        if !self.root.join(MARK).is_file() {
            return Err(refusal(path, "the folder around it lost its mark"));
        }
        let parent = path.parent().unwrap_or(path).canonicalize()?;
        if !parent.starts_with(&self.root) {
            return Err(refusal(path, "a link leads out of the bench's own folder"));
        }
        Ok(())
    }

    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
            Ok(_) => std::fs::remove_file(path),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !self.root.join(MARK).is_file() {
            return;
        }
        std::thread::scope(|scope| {
            let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            for folder in folders.map(|entry| entry.path()) {
                if std::fs::remove_dir(&folder).is_err() {
                    scope.spawn(|| std::fs::remove_dir_all(folder));
                }
            }
        });
        // Remove the root last: its mark must exist while trees are removed.
        if std::fs::remove_dir_all(&self.root).is_err() {
            let text = format!("curt-bench: left behind, delete it: {}\n", self.root.display());
            let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
        }
    }
}

/// The check in a child process, which knows only the tree's path: its parent must have the mark.
pub(crate) fn check_from_child(tree: &Path) -> io::Result<()> {
    let parent = tree.parent().unwrap_or(tree);
    let named = matches!(tree.components().next_back(), Some(Component::Normal(_)));
    if tree.is_absolute() && named && parent.join(MARK).is_file() {
        return Ok(());
    }
    Err(refusal(tree, "it is not inside a bench folder"))
}

fn refusal(path: &Path, reason: &str) -> io::Error {
    let text = format!("refusing to remove {}: {reason}", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox() -> Sandbox {
        Sandbox::create(&std::env::temp_dir()).unwrap()
    }

    #[test]
    fn only_paths_inside_may_be_removed() {
        let sandbox = sandbox();
        let root = sandbox.root().to_path_buf();
        sandbox.check(&root.join("tree")).unwrap();
        let outside = [
            root.clone(),
            root.join("x").join("..").join("..").join("y"),
            root.parent().unwrap().to_path_buf(),
            root.parent().unwrap().join("curt-bench-somebody-else"),
            PathBuf::from("/"),
            PathBuf::from("tree"),
            PathBuf::new(),
        ];
        for refused in outside {
            assert!(sandbox.check(&refused).is_err(), "{}", refused.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let sandbox = sandbox();
        let outside = self::sandbox();
        std::fs::create_dir(outside.entry("tree")).unwrap();
        std::os::unix::fs::symlink(outside.root(), sandbox.entry("link")).unwrap();
        assert!(sandbox.check(&sandbox.entry("link").join("tree")).is_err());
        sandbox.remove(&sandbox.entry("link")).unwrap();
        assert!(outside.entry("tree").is_dir());
    }

    #[test]
    fn without_its_mark_nothing_is_removed() {
        let sandbox = sandbox();
        std::fs::create_dir(sandbox.entry("tree")).unwrap();
        std::fs::remove_file(sandbox.entry(MARK)).unwrap();
        assert!(sandbox.remove(&sandbox.entry("tree")).is_err());
        assert!(check_from_child(&sandbox.entry("tree")).is_err());
        std::fs::write(sandbox.entry(MARK), "").unwrap();
        check_from_child(&sandbox.entry("tree")).unwrap();
        sandbox.remove(&sandbox.entry("tree")).unwrap();
        assert!(!sandbox.entry("tree").exists());
    }

    #[test]
    fn the_folder_goes_when_dropped_and_the_canary_notices_a_loss() {
        let sandbox = sandbox();
        let root = sandbox.root().to_path_buf();
        assert!(sandbox.canary_lives());
        std::fs::remove_file(sandbox.canary().join("below").join("file")).unwrap();
        assert!(!sandbox.canary_lives());
        drop(sandbox);
        assert!(!root.exists());
    }
}
