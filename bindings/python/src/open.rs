//! A directory that is listed, and asked about its entries while it is open.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use curt::list::{Directory, List, Stat};
use curt::{Error, Fields, Kind, Metadata};

use crate::stat::plan;

/// The most entries that are read at once.
const MOST: usize = 1024;

/// A directory that is open.
pub(crate) struct Open {
    list: List,
    /// One that does not follow links and one that does, made when they are needed.
    stats: [Option<Stat>; 2],
}

/// Entries in the order of the system.
#[derive(Default)]
pub(crate) struct Entries {
    names: Vec<u8>,
    entries: Vec<Listed>,
}

/// One entry, with what the listing says.
pub(crate) struct Listed {
    name: Range<usize>,
    pub(crate) kind: Kind,
    pub(crate) inode: u128,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<(&[u8], &Listed)> {
        let listed = self.entries.get(index)?;
        Some((self.names.get(listed.name.clone())?, listed))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Listed)> {
        (0..self.entries.len()).filter_map(|index| self.get(index))
    }

    pub(crate) fn add(&mut self, name: &[u8], kind: Kind, inode: u128) {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        self.entries.push(Listed { name: start..self.names.len(), kind, inode });
    }
}

impl Open {
    pub(crate) fn path(path: &Path) -> Result<Open, Error> {
        Ok(Open::of(Directory::open(path)?))
    }

    /// Lists the directory of a caller's descriptor, from its position.
    pub(crate) fn descriptor(fd: OwnedFd) -> Result<Open, Error> {
        Ok(Open::of(Directory::try_from(fd)?))
    }

    fn of(directory: Directory) -> Open {
        Open { list: directory.list(Fields::KIND | Fields::ID), stats: [None, None] }
    }

    /// Reads the next entries. None are left if it returns none and no error.
    pub(crate) fn read(&mut self, most: usize, into: &mut Entries) -> Result<(), Error> {
        while into.len() < most {
            let Some(entry) = self.list.next() else { break };
            let entry = entry?;
            let inode = entry.metadata().id().known().unwrap_or(0);
            into.add(entry.name().as_bytes(), entry.kind(), inode);
        }
        Ok(())
    }

    /// Reads a batch.
    pub(crate) fn batch(&mut self) -> (Entries, Option<Error>) {
        let mut entries = Entries::default();
        let error = self.read(MOST, &mut entries).err();
        (entries, error)
    }

    /// Asks about an entry.
    pub(crate) fn stat(&mut self, name: &Path, follow: bool) -> Result<Metadata, Error> {
        let stat = self.stats[usize::from(follow)].get_or_insert_with(|| Stat::new(plan(follow)));
        self.list.stat(stat, name)
    }

    /// Goes back to the first entry, for the next listing of a caller's descriptor.
    pub(crate) fn rewind(&mut self) {
        // The caller would see the error in that listing.
        let _ = self.list.reset();
    }
}

/// Duplicates a caller's descriptor; it is closed when a program is started.
pub(crate) fn duplicate(fd: i32) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the descriptor is only used for this call, which fails if it is not open.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()
}

/// Duplicates a caller's descriptor, of a directory. The library would notice others when it lists
/// them, and `os.scandir` does at once.
pub(crate) fn duplicate_directory(fd: i32) -> io::Result<OwnedFd> {
    let file = File::from(duplicate(fd)?);
    if !file.metadata()?.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
    }
    Ok(file.into())
}
