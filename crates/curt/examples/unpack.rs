//! Unpacks an untrusted tar archive. No name or link in it can make this program read, create or
//! change a file outside the folder.
//!
//! `cargo run -p curt --example unpack -- FOLDER < ARCHIVE`
//!
//! Entries that would leave the folder (by `..` or through an unpacked symlink), devices and FIFOs
//! are reported and skipped. Files lose their set-user-ID bits. A symlink keeps a target outside
//! the folder, which other programs might follow.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use curt::Root;
use curt::beneath::OpenOptions;
use tar::{Archive, Entry, EntryType, Header};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.ok_or_else(|| io::Error::other("usage: unpack FOLDER < ARCHIVE"))?;
    for (path, error) in unpack(&Root::open(folder)?, io::stdin().lock())? {
        writeln!(io::stderr(), "not unpacked: {}: {error}", path.display())?;
    }
    Ok(())
}

/// Returns the skipped entries, each with the reason.
pub(crate) fn unpack(root: &Root, archive: impl Read) -> io::Result<Vec<(PathBuf, io::Error)>> {
    let (mut failed, mut directories) = (Vec::new(), Vec::new());
    for entry in Archive::new(archive).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        match unpack_entry(root, &path, &mut entry) {
            Err(error) => failed.push((path, error)),
            Ok(()) if entry.header().entry_type() == EntryType::Directory => {
                directories.push((path, entry.header().clone()));
            }
            Ok(()) => {}
        }
    }
    // Set the metadata of directories last, inner ones first, because it can make them read-only.
    directories.sort_by(|(one, _), (other, _)| other.cmp(one));
    for (path, header) in directories {
        if let Err(error) = set_metadata(root, &path, &header) {
            failed.push((path, error));
        }
    }
    Ok(failed)
}

fn unpack_entry(root: &Root, path: &Path, entry: &mut Entry<'_, impl Read>) -> io::Result<()> {
    let kind = entry.header().entry_type();
    if kind == EntryType::Directory {
        return Ok(root.create_dir_all(path)?);
    }
    if let Some(parent) = path.parent() {
        root.create_dir_all(parent)?;
    }
    // Like tar, replace an existing file or symlink. Never write through it.
    match root.remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let target = entry.link_name()?.unwrap_or_default();
    match kind {
        EntryType::Symlink => Ok(root.symlink(target, path)?),
        EntryType::Link => Ok(root.hard_link(target, path)?),
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
            let file = root.open_file(path, OpenOptions::new().write(true).create_new(true));
            io::copy(entry, &mut file?)?;
            set_metadata(root, path, entry.header())
        }
        other => Err(io::Error::other(format!("no file, directory or link: {other:?}"))),
    }
}

/// Clears set-user-ID and similar bits, which would let others act as this user.
fn set_metadata(root: &Root, path: &Path, header: &Header) -> io::Result<()> {
    let modified = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(header.mtime()?));
    root.set_times(path, None, modified)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(header.mode()? & 0o777);
        root.set_permissions(path, permissions)?;
    }
    Ok(())
}
