//! Removes any tree, with a different algorithm from the tested one: it moves each directory to the
//! top before listing it, so at most two are open.

use std::ffi::CStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, openat, renameat, statat, unlinkat,
};
use rustix::io::Result;

const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

pub(crate) fn empty(path: &Path) -> Result<()> {
    let top = openat(CWD, path, LIST, Mode::empty())?;
    let mut fresh = 0;
    // Each round empties the directories that the previous one moved to the top, until a round
    // moves none.
    loop {
        let before = fresh;
        for (name, _) in entries(&top)? {
            if unlinkat(&top, &*name, AtFlags::empty()).is_err() {
                let _ = hollow(&top, &name, &mut fresh);
            }
        }
        if fresh == before {
            return Ok(());
        }
    }
}

fn hollow(top: &OwnedFd, name: &CStr, fresh: &mut u64) -> Result<()> {
    permit(top, name);
    let dir = openat(top, name, LIST, Mode::empty())?;
    for (child, kind) in entries(&dir)? {
        if kind != FileType::Directory && unlinkat(&dir, &*child, AtFlags::empty()).is_ok() {
            continue;
        }
        // A directory must be writable to be moved, because moving it changes its `..`.
        permit(&dir, &child);
        if renameat(&dir, &*child, top, free_name(top, fresh)).is_err() {
            let _ = unlinkat(&dir, &*child, AtFlags::REMOVEDIR);
        }
    }
    drop(dir);
    unlinkat(top, name, AtFlags::REMOVEDIR)
}

/// Skips symlinks, because chmod would follow them.
fn permit(dir: &OwnedFd, name: &CStr) {
    let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
    if found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory) {
        let _ = chmodat(dir, name, Mode::RWXU, AtFlags::empty());
    }
}

fn free_name(top: &OwnedFd, fresh: &mut u64) -> String {
    loop {
        *fresh += 1;
        let name = format!(".torn-{fresh}");
        if statat(top, &name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return name;
        }
    }
}

fn entries(dir: &OwnedFd) -> Result<Vec<(Box<CStr>, FileType)>> {
    let mut found = Vec::new();
    let fd: BorrowedFd<'_> = std::os::fd::AsFd::as_fd(dir);
    for entry in Dir::read_from(fd)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            found.push((name.into(), entry.file_type()));
        }
    }
    Ok(found)
}
