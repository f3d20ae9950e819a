//! Removing a child: a file, an empty directory, a link of any sort.

use std::os::windows::io::AsHandle;

use super::dir::Dir;
use super::info::{self, target};
use super::status::{Result, Status};
use super::{ABOUT, DELETE, DIRECTORY, FILE, READ_ATTRIBUTES, Windows};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::Removed;

impl Windows {
    /// Removes what is no directory.
    pub(super) fn remove_file(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        kind: Kind,
    ) -> Result<Removed> {
        // A link may be a file or a directory; its own handle is of both.
        let options = if kind.is_link() { ABOUT } else { FILE };
        match self.remove(parent, name, options) {
            Ok(()) => Ok(Removed::Done),
            Err(Status::FILE_IS_A_DIRECTORY) => self.remove_directory_link(parent, name),
            // It was a link when it was listed.
            Err(Status::DIRECTORY_NOT_EMPTY) => Ok(Removed::IsDirectory),
            Err(status) => Err(status),
        }
    }

    /// Opens, marks and closes: 3 calls.
    pub(super) fn remove(&self, parent: &Dir, name: Name<'_, u16>, options: u32) -> Result<()> {
        let handle = self.door.open(target(parent, name), DELETE, options)?;
        let marked = info::dispose(&self.door, handle.as_handle(), parent.volume);
        self.door.close(handle);
        match marked {
            Err(Status::CANNOT_DELETE) => info::dispose_readonly(&self.door, parent, name, options),
            answer => answer,
        }
    }

    /// Removes a directory that stands for another one: a link, a junction, a mounted volume.
    pub(super) fn remove_directory_link(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
    ) -> Result<Removed> {
        let access = DELETE | READ_ATTRIBUTES;
        let handle = self.door.open(target(parent, name), access, DIRECTORY)?;
        let removed = match info::kind_of(&self.door, handle.as_handle()) {
            Ok(kind) if kind.is_link() => {
                info::dispose(&self.door, handle.as_handle(), parent.volume).map(|()| Removed::Done)
            }
            Ok(_) => Ok(Removed::IsDirectory),
            Err(status) => Err(status),
        };
        self.door.close(handle);
        match removed {
            Err(Status::CANNOT_DELETE) => {
                info::dispose_readonly(&self.door, parent, name, DIRECTORY)?;
                Ok(Removed::Done)
            }
            answer => answer,
        }
    }
}
