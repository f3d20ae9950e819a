use std::io;

use super::options::Settings;
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::gone::Gone;
use crate::name::Name;
use crate::sys::{Mounts, Opened, Removed, Request, Sys, SystemUnit, os_error};

pub(super) struct Removal<U> {
    pub(super) gone: Gone<U>,
    /// In a dry run, the number of entries that would remain in the directory just left.
    pub(super) remaining: Option<usize>,
    pub(super) freed: u64,
}

impl<U: SystemUnit> Removal<U> {
    /// Removes an entry. A directory must be empty. Returns whether the entry existed.
    pub(super) fn remove<S: Sys<Unit = U>>(
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

    fn foresee<S: Sys<Unit = U>>(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        sys: &S,
    ) -> io::Result<bool> {
        let facts = sys.query(dir, name, Request::STAT)?;
        sys.check_removal(dir, name, &facts)?;
        // Assume that an unlistable directory has entries, like most directories.
        let lists = || self.is_empty(sys.open_child(dir, name, Mounts::Cross), sys);
        let is_full = || match self.remaining {
            Some(remaining) => remaining > 0,
            None => !lists().unwrap_or(false),
        };
        match (kind, facts.kind) {
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
        self.gone.add(dir, name, &facts, sys);
        self.freed += facts.freed();
        Ok(true)
    }

    pub(super) fn is_empty<S: Sys<Unit = U>>(
        &self,
        opened: Opened<S::Dir>,
        sys: &S,
    ) -> Result<bool, (Operation, Cause)> {
        let dir =
            opened.into_result().map_err(|error| (Operation::OpenDirectory, Cause::Os(error)))?;
        let empty = self.gone.is_empty(&dir, sys);
        sys.close(dir);
        empty.map_err(|error| (Operation::ReadDirectory, Cause::Os(error)))
    }
}
