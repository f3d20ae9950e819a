use crate::named;
use crate::sandbox::Sandbox;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) sandbox: Sandbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Disk,
    Given,
}

impl Place {
    pub(crate) fn in_folder(folder: &Path, kind: Kind) -> io::Result<Self> {
        let sandbox = Sandbox::create(folder).map_err(|error| named(folder, &error))?;
        let system = file_system(sandbox.root());
        let name = match kind {
            Kind::Memory => system,
            Kind::Disk => format!("disk ({system})"),
            Kind::Given => format!("{} ({system})", folder.display()),
        };
        Ok(Self { name, kind, sandbox })
    }

    /// Waits for the end of writeback, which would slow down a timed removal.
    pub(crate) fn settle(&self) {
        #[cfg(target_os = "linux")]
        if let (true, Ok(folder)) =
            (self.kind != Kind::Memory, std::fs::File::open(self.sandbox.root()))
        {
            // If this fails, times are noisier but not wrong.
            let _ = rustix::fs::syncfs(folder);
        }
    }
}

pub(crate) fn disk() -> Option<PathBuf> {
    let mut folders = vec![std::env::temp_dir()];
    folders.extend(["/tmp", "/var/tmp"].map(PathBuf::from));
    folders.extend(std::env::current_dir());
    folders.into_iter().find(|folder| folder.is_dir() && file_system(folder) != "tmpfs")
}

pub(crate) fn memory() -> Option<PathBuf> {
    let folder = PathBuf::from("/dev/shm");
    (folder.is_dir() && file_system(&folder) == "tmpfs").then_some(folder)
}

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

#[cfg(not(target_os = "linux"))]
pub(crate) fn file_system(_: &Path) -> String {
    std::env::consts::OS.to_owned()
}

#[cfg(unix)]
pub(crate) fn has_room(path: &Path, bytes: u64, entries: u64) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|answer| {
        let free = answer.f_bavail.saturating_mul(answer.f_frsize);
        // btrfs and some other filesystems report 0 inodes.
        let inodes = answer.f_files == 0 || answer.f_favail > 2 * entries;
        free > 2 * bytes && inodes
    })
}

#[cfg(not(unix))]
pub(crate) fn has_room(_: &Path, _: u64, _: u64) -> bool {
    true
}

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

pub(crate) fn may_drop_caches() -> bool {
    cfg!(target_os = "linux") && std::fs::OpenOptions::new().write(true).open(DROP_CACHES).is_ok()
}

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
