//! The file systems a scenario runs on.

pub(crate) mod images;
mod mount;
pub(crate) mod sandbox;

use crate::named;
use mount::Mount;
use sandbox::Sandbox;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of ours on some file system.
#[derive(Debug)]
pub(crate) struct Place {
    /// As shown in the table.
    pub(crate) name: String,
    /// What kind of place, so that scenarios can choose.
    pub(crate) kind: Kind,
    /// The folder. Before `_mount`: it must be gone when that is taken away.
    pub(crate) sandbox: Sandbox,
    /// What it is mounted from, if we did that.
    _mount: Option<Mount>,
}

/// What kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In memory: nothing to write back.
    Memory,
    /// The temporary folder's own file system.
    Disk,
    /// Chosen by the user, or an image.
    Given,
}

impl Place {
    /// A place in `folder`, named after its file system.
    pub(crate) fn in_folder(folder: &Path, kind: Kind) -> io::Result<Self> {
        let sandbox = Sandbox::create(folder).map_err(|error| named(folder, &error))?;
        let system = file_system(sandbox.root());
        let name = match kind {
            Kind::Memory => system,
            Kind::Disk => format!("disk ({system})"),
            Kind::Given => format!("{} ({system})", folder.display()),
        };
        Ok(Self::new(name, kind, sandbox, None))
    }

    /// A place in a folder of ours, with the mount it is on if that is ours too.
    pub(crate) fn new(name: String, kind: Kind, sandbox: Sandbox, mount: Option<Mount>) -> Self {
        Self { name, kind, sandbox, _mount: mount }
    }

    /// Whether a tree that takes `bytes` and `entries` fits without filling it up.
    pub(crate) fn has_room(&self, bytes: u64, entries: u64) -> bool {
        has_room(self.sandbox.root(), bytes, entries)
    }

    /// Brings what was written to the device, so that a timed removal starts from a tree at rest
    /// and not from one that is still being written. Nothing to do in memory.
    pub(crate) fn settle(&self) {
        if self.kind != Kind::Memory {
            sync(self.sandbox.root());
        }
    }
}

/// The temporary folder, if it is not in memory; else the next best.
pub(crate) fn disk() -> Option<PathBuf> {
    let mut folders = vec![std::env::temp_dir()];
    folders.extend(["/tmp", "/var/tmp"].map(PathBuf::from));
    folders.extend(std::env::current_dir());
    folders.into_iter().find(|folder| folder.is_dir() && file_system(folder) != "tmpfs")
}

/// A file system in memory.
pub(crate) fn memory() -> Option<PathBuf> {
    let folder = PathBuf::from("/dev/shm");
    (folder.is_dir() && file_system(&folder) == "tmpfs").then_some(folder)
}

/// The name of a path's file system.
#[cfg(target_os = "linux")]
pub(crate) fn file_system(path: &Path) -> String {
    let Ok(answer) = rustix::fs::statfs(path) else {
        return "unknown".to_owned();
    };
    let name = match answer.f_type as u64 {
        0x0102_1994 => "tmpfs",
        0xef53 => "ext4",
        0x5846_5342 => "XFS",
        0x9123_683e => "btrfs",
        0x6573_5546 => "FUSE",
        0x794c_7630 => "overlayfs",
        0x2fc1_2fc1 => "ZFS",
        0x6969 => "NFS",
        0x0102_1997 => "9p",
        other => return format!("type {other:#x}"),
    };
    name.to_owned()
}

/// The name of a path's file system: not asked here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn file_system(_: &Path) -> String {
    std::env::consts::OS.to_owned()
}

/// Whether `bytes` and `entries` fit where `path` is, with as much again to spare.
#[cfg(unix)]
pub(crate) fn has_room(path: &Path, bytes: u64, entries: u64) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|answer| {
        let free = answer.f_bavail.saturating_mul(answer.f_frsize);
        // btrfs and others have no fixed number of inodes and say 0.
        let inodes = answer.f_files == 0 || answer.f_favail > 2 * entries;
        free > 2 * bytes && inodes
    })
}

/// Not asked here: building then fails with the system's own message.
#[cfg(not(unix))]
pub(crate) fn has_room(_: &Path, _: u64, _: u64) -> bool {
    true
}

#[cfg(target_os = "linux")]
fn sync(path: &Path) {
    // Best effort: without it times are noisier, not wrong.
    if let Ok(folder) = std::fs::File::open(path) {
        let _ = rustix::fs::syncfs(folder);
    }
}

#[cfg(not(target_os = "linux"))]
fn sync(_: &Path) {}

/// What drops caches on Linux.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Whether this process may drop the system's caches.
pub(crate) fn may_drop_caches() -> bool {
    cfg!(target_os = "linux") && std::fs::OpenOptions::new().write(true).open(DROP_CACHES).is_ok()
}

/// Forgets what the system keeps in memory of its file systems.
pub(crate) fn drop_caches() -> io::Result<()> {
    std::fs::write(DROP_CACHES, "3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_little_and_not_for_everything() {
        let folder = std::env::temp_dir();
        assert!(has_room(&folder, 4096, 1));
        if cfg!(unix) {
            assert!(!has_room(&folder, u64::MAX / 4, 1));
        }
    }

    #[test]
    fn a_place_is_named_after_its_file_system() {
        let place = Place::in_folder(&std::env::temp_dir(), Kind::Disk).unwrap();
        assert!(place.name.starts_with("disk ("), "{}", place.name);
        place.settle();
    }
}
