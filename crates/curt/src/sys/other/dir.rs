//! Directories by path, and listings through the standard library.

use std::fs::{FileType, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::text::{self, Unit};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::Batch;
use crate::sys::records::Records;

/// The buffer of one worker.
pub(crate) type DirBuf = Records<Unit>;

/// A directory: its path, and a listing of it while one is under way.
#[derive(Debug)]
pub(crate) struct Dir {
    /// Empty for the working directory.
    path: PathBuf,
    stream: Mutex<Option<Stream>>,
    /// The device it lies on, asked once; `None` in it where the library does not say.
    pub(super) device: OnceLock<Option<u64>>,
}

impl Dir {
    pub(super) fn new(path: PathBuf, stream: Option<Stream>) -> Dir {
        Dir { path, stream: Mutex::new(stream), device: OnceLock::new() }
    }

    /// The path for calls on the directory itself.
    pub(super) fn path(&self) -> &Path {
        if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path }
    }

    pub(super) fn child(&self, name: Name<'_, Unit>) -> PathBuf {
        self.path.join(text::path(name.units().to_vec()))
    }

    /// Uses the listing, or the place for one.
    pub(super) fn with_stream<T>(&self, with: impl FnOnce(&mut Option<Stream>) -> T) -> T {
        with(&mut self.stream.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A listing under way.
#[derive(Debug)]
pub(super) struct Stream {
    entries: ReadDir,
    /// An error that came behind entries which were already taken: reported by the next reading.
    failed: Option<io::Error>,
}

impl Stream {
    pub(super) fn new(entries: ReadDir) -> Stream {
        Stream { entries, failed: None }
    }

    /// Takes entries until the buffer is full or the listing ends.
    pub(super) fn fill(&mut self, buf: &mut DirBuf) -> io::Result<Batch> {
        buf.clear();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        while !buf.is_full() {
            let Some(entry) = self.entries.next() else {
                return Ok(Batch::End);
            };
            let added = entry.and_then(|entry| {
                let name = text::units(Path::new(&entry.file_name()))?;
                buf.push(&name, entry.file_type().map_or(Kind::Unknown, kind), number(&entry));
                Ok(())
            });
            if let Err(error) = added {
                if buf.is_empty() {
                    return Err(error);
                }
                self.failed = Some(error);
                break;
            }
        }
        Ok(Batch::More)
    }
}

#[cfg(unix)]
fn number(entry: &std::fs::DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn number(_entry: &std::fs::DirEntry) -> u64 {
    0
}

/// The kind; a junction or another stand-in of Windows counts as a link.
pub(super) fn kind(file_type: FileType) -> Kind {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        match () {
            () if file_type.is_fifo() => return Kind::Fifo,
            () if file_type.is_socket() => return Kind::Socket,
            () if file_type.is_char_device() => return Kind::CharacterDevice,
            () if file_type.is_block_device() => return Kind::BlockDevice,
            () => {}
        }
    }
    if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Unknown
    }
}
