//! The floor: the calls that removing a tree cannot do without, in the plainest loop, in one thread,
//! with nothing around them. What is faster than this has found parallelism, not better code.
//!
//! And the standard library's removal, so that one rival is always there. Both run in a process of
//! their own (`curt bench --role …`), because a user starts a process too.

use super::sandbox::check_from_child;
use crate::exit::Exit;
use std::io;
use std::path::Path;

/// What the bench's own child processes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// The bare loop of calls.
    Floor,
    /// `std::fs::remove_dir_all`.
    Std,
}

/// Plays the role on `tree`, which must lie in a folder that the bench made.
pub(crate) fn play(role: Role, tree: &Path) -> Exit {
    let done = check_from_child(tree).and_then(|()| match role {
        Role::Floor => bare::remove(tree),
        Role::Std => std::fs::remove_dir_all(tree),
    });
    match done {
        Ok(()) => Exit::SUCCESS,
        Err(error) => {
            let text = format!("curt bench: {error}\n");
            let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
            Exit::FAILURE
        }
    }
}

/// Whether this system has a floor.
pub(crate) const HAS_FLOOR: bool = cfg!(target_os = "linux");

/// Per directory open, list, remove, close; per other entry remove.
#[cfg(target_os = "linux")]
mod bare {
    use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
    use rustix::fs::{
        AtFlags, CWD, FileType, Mode, OFlags, RawDir, SeekFrom, openat, seek, unlinkat,
    };
    use rustix::io::Errno;
    use std::ffi::{CStr, CString};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    pub(super) fn remove(tree: &Path) -> io::Result<()> {
        let name = CString::new(tree.as_os_str().as_bytes())?;
        let mut buffer = vec![MaybeUninit::uninit(); 64 * 1024];
        Ok(remove_directory(CWD, &name, &mut buffer)?)
    }

    fn remove_directory(
        parent: BorrowedFd<'_>,
        name: &CStr,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(parent, name, flags, Mode::empty())?;
        loop {
            let seen = remove_listed(&directory, buffer)?;
            // Before the descriptor is closed: the kernel then frees the directory in `close`,
            // without holding its parent's lock.
            match unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY) if seen => {}
                Err(Errno::NOTEMPTY) if rewind(&directory, buffer)? => {}
                done => return done,
            }
        }
    }

    /// Removes what one listing call tells of. Whether it told of anything.
    fn remove_listed(directory: &OwnedFd, buffer: &mut [MaybeUninit<u8>]) -> Result<bool, Errno> {
        let mut below: Vec<CString> = Vec::new();
        let mut seen = false;
        let mut list = RawDir::new(directory.as_fd(), &mut *buffer);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                seen = true;
                if entry.file_type() == FileType::Directory {
                    below.push(name.to_owned());
                } else {
                    unlinkat(directory, name, AtFlags::empty())?;
                }
            }
            if list.is_buffer_empty() {
                break;
            }
        }
        for name in &below {
            remove_directory(directory.as_fd(), name, buffer)?;
        }
        Ok(seen)
    }

    /// Some file systems skip entries while others are removed: look once more from the start.
    fn rewind(directory: &OwnedFd, buffer: &mut [MaybeUninit<u8>]) -> Result<bool, Errno> {
        seek(directory, SeekFrom::Start(0))?;
        remove_listed(directory, buffer)
    }
}

#[cfg(not(target_os = "linux"))]
mod bare {
    use std::io;
    use std::path::Path;

    pub(super) fn remove(_: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sandbox::Sandbox;
    use super::super::tree::{Content, Tree};
    use super::*;

    #[test]
    fn roles_remove_the_tree_and_leave_its_neighbours() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        for role in [Role::Floor, Role::Std] {
            if role == Role::Floor && !HAS_FLOOR {
                continue;
            }
            for tree in [Tree::react(16, Content::Empty), Tree::flat(5_000, Content::Empty)] {
                let path = sandbox.entry("tree");
                tree.build(&path, &sandbox.canary()).unwrap();
                assert_eq!(play(role, &path), Exit::SUCCESS);
                assert!(!path.exists());
                assert!(sandbox.canary_lives());
            }
        }
    }

    #[test]
    fn roles_refuse_what_is_not_in_a_bench_folder() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        let precious = sandbox.entry("precious");
        std::fs::create_dir_all(precious.join("tree")).unwrap();
        for role in [Role::Floor, Role::Std] {
            assert_eq!(play(role, &precious.join("tree")), Exit::FAILURE);
        }
        assert!(precious.join("tree").is_dir());
    }
}
