//! The contract for copying: what it needs beyond [`Sys`](super::Sys) and [`Beneath`].

use std::io;
use std::path::Path;

use super::beneath::{Beneath, Open, Step};
use crate::error::Operation;
use crate::fields::{Facts, Fields};
use crate::name::Name;

/// Everything that a copy asks about a source.
pub(crate) const COPIED: Fields = Fields::KIND
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::LINKS)
    .union(Fields::MODE)
    .union(Fields::USER_ID)
    .union(Fields::GROUP_ID)
    .union(Fields::DEVICE_NUMBER);

/// What a copy takes over from its source besides the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) owner: bool,
    /// The extended attributes, except access rules.
    pub(crate) attributes: bool,
    /// The permission bits and access rules.
    pub(crate) mode: bool,
    pub(crate) times: bool,
}

/// Extended attributes that were read: names and values.
pub(crate) type Attributes = Vec<(Vec<u8>, Vec<u8>)>;

pub(crate) enum Target<'a, S: Beneath> {
    Open(Open<'a, S>),
    /// A symlink or a special file, which is not opened.
    Named(&'a S::Dir, Name<'a, S::Unit>),
}

/// Which end of a copy failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Source,
    Target,
}

pub(crate) trait Copying: Beneath {
    /// What every copy takes over.
    const ALWAYS: Kept = Kept { owner: false, attributes: false, mode: false, times: false };

    /// Opens an entry for reading, without blocking. `name` may contain separators, as in
    /// [`Sys::locate`](super::Sys::locate). Returns [`Step::Other`] for a symlink, unless `follow`
    /// is set.
    fn open_source(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        follow: bool,
    ) -> Step<Self::Handle>;
    /// Returns the fields of [`COPIED`].
    fn query_file(&self, file: &Self::Handle) -> io::Result<Facts>;
    /// Lets an empty file share the content of another one. `Unsupported` and `CrossesDevices` hold
    /// for all files of these two file systems.
    fn reflink(&self, from: &Self::Handle, to: &Self::Handle, size: u64) -> io::Result<()>;
    /// Copies the content into an empty file, and returns its size. Calls `goes_on` with the bytes
    /// of each piece, and fails with `Interrupted` if it returns `false`.
    fn copy_data(
        &self,
        from: &Self::Handle,
        to: &Self::Handle,
        facts: &Facts,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<u64, (End, io::Error)>;
    /// Closes a file that was written. Some network file systems report errors only now.
    fn finish_file(&self, file: Self::Handle) -> io::Result<()>;
    /// Copies a symlink as it is. With a `base`, the copy of a relative target is absolute: `base`
    /// and the target, without `.` and `..`. Fails with `AlreadyExists` if the new name is taken.
    fn copy_link(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
        base: Option<&Path>,
    ) -> Result<(), (Operation, io::Error)>;
    /// Creates a device, a named pipe or a socket.
    fn create_special(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        facts: &Facts,
        mode: u32,
    ) -> io::Result<()>;
    /// Reads what [`Copying::keep`] will need besides the facts.
    fn attributes(&self, of: Open<'_, Self>, kept: Kept) -> io::Result<Attributes>;
    /// The same for an entry that is not opened: a special file, or one without read permission.
    fn attributes_by_name(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        follow: bool,
        kept: Kept,
    ) -> io::Result<Attributes> {
        let _ = (at, name, follow, kept);
        Ok(Attributes::new())
    }
    /// Whether new entries belong to the same user as this one.
    fn is_own(&self, facts: &Facts) -> bool {
        let _ = facts;
        true
    }
    /// Gives an entry metadata of its source, and calls `failed` for each part that fails. Ignores
    /// that only root may give files away, but then clears the set-id bits, as `cp` does.
    fn keep(
        &self,
        target: &Target<'_, Self>,
        facts: &Facts,
        attributes: &Attributes,
        kept: Kept,
        failed: &mut dyn FnMut(Operation, io::Error),
    );
    /// Renames an entry onto an existing one that is no directory, even if that is read-only.
    fn replace(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        old: Name<'_, Self::Unit>,
    ) -> io::Result<()> {
        self.rename(at, name, at, old, true)
    }
}
