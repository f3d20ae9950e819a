//! The contract for staying beneath a directory: one call for a whole path where the system has
//! one, and single steps that follow no link where it does not.
//!
//! A step takes one name without a separator, or [`Sys::ITSELF`] for the directory.

use std::fs::Permissions;
use std::io;

use super::Sys;
pub(crate) use super::os_error::OsError;
use crate::fields::Time;
use crate::name::Name;
use curt_paths::Flavor;

/// An open file of the standard library, which callers get. No call is made through it here.
#[allow(clippy::disallowed_types, reason = "callers are handed its open files")]
pub(crate) type File = std::fs::File;

/// How links and `..` are treated: `RESOLVE_IN_ROOT` and `RESOLVE_NO_SYMLINKS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `..` of the root is the root, and absolute paths begin there.
    pub(crate) in_root: bool,
    /// Links are not followed.
    pub(crate) no_links: bool,
}

/// Whether a missing file is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Create {
    #[default]
    Never,
    Missing,
    /// The file must be missing.
    New,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct How {
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// Whether writes append, if there are any.
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: Create,
    /// Whether a link at the end of the path is followed.
    pub(crate) follow: bool,
    /// Whether opening and reading do not block.
    pub(crate) nonblocking: bool,
    /// Whether opening does not block, and reading is as `nonblocking` says.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no file blocks when it is opened there"))]
    pub(crate) nonblocking_open: bool,
    /// Flags of `open(2)` that only the system interprets.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no such flags there"))]
    pub(crate) system_flags: u32,
    /// The permission bits of a new file.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no bits there"))]
    pub(crate) mode: u32,
}

/// What is changed about an entry.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The permission bits; on Windows, whether it is read-only.
    Permissions(Permissions),
    /// The times; one that is `None` stays as it is.
    Times { accessed: Option<Time>, modified: Option<Time> },
}

/// The purpose that a directory is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To resolve names in it.
    Place,
    /// To be listed.
    Listing,
}

/// What a whole path is resolved for.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux resolves a path in one call for all of them")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want<'a> {
    /// To open a file.
    File(&'a How),
    /// To open a directory.
    Directory(Purpose),
    /// To ask for the name of an entry. A link at the end is followed.
    Name,
    /// To change an entry. A link at the end is followed.
    Change(&'a Change),
}

/// The answer for a whole path.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux tells an escape, and others have no such question")
)]
#[derive(Debug)]
pub(crate) enum Whole<T> {
    Opened(T),
    /// The path would leave the root.
    Escape,
    /// A link in the path was not followed, or there were too many; the system does not say which.
    Unfollowed(io::Error),
    /// The system has no such call.
    Unanswered,
    Failed(io::Error),
}

/// The answer for one step.
#[derive(Debug)]
pub(crate) enum Step<T> {
    Done(T),
    /// Something else has the name: a link or, where a directory is wanted, any other entry.
    Otherwise,
    Failed(io::Error),
}

/// What the target of a link is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// To know it.
    Look,
    /// To follow it, by the system's rules for that. `is_last`: the path ends with the link.
    Follow { is_last: bool },
}

/// Something open, to ask for its name.
pub(crate) enum Open<'a, S: Beneath> {
    File(&'a S::Handle),
    Dir(&'a S::Dir),
}

impl<S: Beneath> Clone for Open<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Beneath> Copy for Open<'_, S> {}

/// Whether a name is a link, and its target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Link<U> {
    /// Not a link.
    No,
    To(Vec<U>),
    /// A link without a target in text: a magic link of Linux, a reparse point of an unknown kind.
    #[cfg_attr(
        not(any(target_os = "linux", windows)),
        allow(dead_code, reason = "others have no such links")
    )]
    Opaque,
    /// A link that the system does not follow, with its error number.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "others follow every link"))]
    Refused(i32),
}

/// A platform that can stay beneath a directory.
pub(crate) trait Beneath: Sys {
    /// An open file, or anything else that was only looked up.
    type Handle;

    /// The rules by which paths are checked.
    const FLAVOR: Flavor;
    /// Whether a path without links is spelled as the directories have it. Where case is ignored,
    /// the system must be asked.
    const SPELLING_IS_NAME: bool;
    /// The longest path that the system accepts, with its NUL.
    const LONGEST: usize;
    /// The number of links that are followed before a loop is assumed.
    const MOST_LINKS: usize = 40;

    /// Resolves a whole path in one call.
    fn whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        want: Want<'_>,
        rules: Rules,
    ) -> Whole<Self::Handle>;
    /// Makes a directory of what [`Beneath::whole`] opened beneath `root` for this purpose.
    fn dir_from(
        &self,
        handle: Self::Handle,
        root: &Self::Dir,
        purpose: Purpose,
    ) -> io::Result<Self::Dir>;
    /// Closes what [`Beneath::whole`] opened.
    fn close_handle(&self, handle: Self::Handle);

    /// Opens a directory by its name in another one.
    fn enter(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        purpose: Purpose,
    ) -> Step<Self::Dir>;
    /// Opens a file by its name in a directory.
    fn open(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, how: &How) -> Step<Self::Handle>;
    /// Returns whether a name is a link, and its target.
    fn link(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        reading: Reading,
    ) -> io::Result<Link<Self::Unit>>;
    /// Creates a directory.
    fn create_dir(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, mode: u32) -> io::Result<()>;
    /// Renames an entry. If `replace` is set, replaces the one that has the new name, as the system
    /// does; otherwise that is an error.
    fn rename(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
        replace: bool,
    ) -> io::Result<()>;

    /// Creates a symbolic link with this target.
    fn symlink(
        &self,
        target: Name<'_, Self::Unit>,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
    ) -> io::Result<()>;
    /// Gives an entry a second name. A link gets one itself, and not its target.
    fn hard_link(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
    ) -> io::Result<()>;
    /// Changes an entry that is not a link.
    fn change(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, change: &Change) -> Step<()>;

    /// Returns the full path of something open, as the directories have it now.
    fn path_of(&self, open: Open<'_, Self>) -> io::Result<Vec<Self::Unit>>;
    /// Whether a path without links leads from a directory to something open. The text of full
    /// paths alone does not prove it where a system has several trees, or covers a part of its
    /// tree.
    fn is_at(
        &self,
        from: &Self::Dir,
        path: &[Self::Unit],
        open: Open<'_, Self>,
    ) -> io::Result<bool>;
    /// Returns the full path of an entry, where its spelling is not its name.
    fn full_name(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
    ) -> io::Result<Option<Vec<Self::Unit>>> {
        let _ = (at, name);
        Ok(None)
    }
}
