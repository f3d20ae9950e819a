//! How a walk removes entries or, in a dry run, finds out what would become of them.

use std::io;

use super::options::Settings;
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::{Ask, Listing, Mounts, Opened, Removed, Sys, os_error};
use crate::tree::Reader;

/// What a walk knows about removing the current entry.
#[derive(Default)]
pub(super) struct Removal {
    /// In a dry run, how many entries would remain in the directory that was just left.
    pub(super) remaining: Option<usize>,
    /// In a dry run, the bytes that the removals so far would have freed.
    pub(super) freed: u64,
}

impl Removal {
    /// Removes an entry, unless this is a dry run; a directory only if it is empty. Returns whether
    /// it was there.
    pub(super) fn remove<S: Sys>(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        settings: &Settings,
        sys: &S,
    ) -> io::Result<bool> {
        let removed = match kind {
            _ if settings.dry_run => self.foresee(dir, name, kind, sys),
            Kind::Directory => sys.remove_empty_dir(dir, name).map(|()| true),
            kind => match sys.remove_child(dir, name, kind) {
                Removed::Done | Removed::Pending => Ok(true),
                Removed::Gone => Ok(false),
                Removed::IsDirectory => Err(os_error(io::ErrorKind::IsADirectory)),
                Removed::Failed(error) => Err(error),
            },
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed,
        }
    }

    fn foresee<S: Sys>(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        sys: &S,
    ) -> io::Result<bool> {
        let facts = sys.query(dir, name, Ask::STAT)?;
        sys.check_removal(dir, name, &facts)?;
        let is_full = || match self.remaining {
            Some(remaining) => remaining > 0,
            // One that cannot be listed is taken for full, as most are.
            None => !is_empty(sys.open_child(dir, name, Mounts::Cross), sys).unwrap_or(false),
        };
        match (kind, facts.kind) {
            // A link that was followed.
            (Kind::Directory, other) if other != Kind::Directory => {
                return Err(os_error(io::ErrorKind::NotADirectory));
            }
            (Kind::Directory, _) if is_full() => {
                return Err(os_error(io::ErrorKind::DirectoryNotEmpty));
            }
            (Kind::Directory, _) => {}
            (_, Kind::Directory) => return Err(os_error(io::ErrorKind::IsADirectory)),
            _ => {}
        }
        self.freed += facts.freed();
        Ok(true)
    }
}

/// Returns whether a directory has no entries, and closes it.
pub(super) fn is_empty<S: Sys>(
    opened: Opened<S::Dir>,
    sys: &S,
) -> Result<bool, (Operation, Cause)> {
    let dir = opened.into_result().map_err(|error| (Operation::OpenDirectory, Cause::Os(error)))?;
    let mut reader = Reader::<S>::new(S::DirBuf::with_capacity(0));
    let empty = loop {
        match reader.read(&dir, sys) {
            Err(error) => break Err((Operation::ReadDirectory, Cause::Os(error))),
            Ok(_) if reader.has_next() => break Ok(false),
            Ok(_) if reader.is_at_end() => break Ok(true),
            Ok(_) => {}
        }
    };
    sys.close(dir);
    empty
}
