//! The contract for untrusted paths: [`Beneath::whole`] resolves a whole path in one call if the
//! system can. Otherwise callers take single steps that follow no symlink.
//!
//! A step takes one name without a separator, or [`Sys::ITSELF`] for the directory.

use std::fs::Permissions;
use std::io;

use super::Sys;
pub(crate) use super::os_error::OsError;
use crate::fields::Time;
use crate::name::Name;
use curt_paths::Flavor;

#[allow(clippy::disallowed_types, reason = "callers are handed its open files")]
pub(crate) type File = std::fs::File;

/// `RESOLVE_IN_ROOT` and `RESOLVE_NO_SYMLINKS` of `openat2(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The root's `..` is the root, and absolute paths begin there.
    pub(crate) in_root: bool,
    pub(crate) no_links: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Create {
    #[default]
    Never,
    Missing,
    New,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct How {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: Create,
    /// Whether a symlink in the last component is followed.
    pub(crate) follow: bool,
    /// Whether opening and reading fail instead of blocking (`O_NONBLOCK`).
    pub(crate) nonblocking: bool,
    /// Whether opening does not block, although reading may.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no file blocks when it is opened there"))]
    pub(crate) nonblocking_open: bool,
    /// Further flags of `open(2)`.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no such flags there"))]
    pub(crate) system_flags: u32,
    #[cfg_attr(not(unix), allow(dead_code, reason = "no bits there"))]
    pub(crate) mode: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The permission bits; on Windows, only the read-only attribute.
    Permissions(Permissions),
    /// `None` leaves a time unchanged.
    Times { accessed: Option<Time>, modified: Option<Time> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Lookup,
    Listing,
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux resolves a path in one call for all of them")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want<'a> {
    File(&'a How),
    Directory(Purpose),
    /// Looks up any entry, and follows a symlink in the last component.
    Name,
    /// Follows symlinks as `Name` does.
    Change(&'a Change),
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux tells an escape, and others have no such question")
)]
#[derive(Debug)]
pub(crate) enum Whole<T> {
    Opened(T),
    Escape,
    /// Either a symlink was refused, or there were too many; the system does not say which.
    Unfollowed(io::Error),
    /// The system cannot resolve this path in one call.
    Unanswered,
    Failed(io::Error),
}

#[derive(Debug)]
pub(crate) enum Step<T> {
    Done(T),
    /// The entry is a symlink, or not a directory although the step needs one.
    Other,
    Failed(io::Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Look,
    /// Returns the target if the system would follow the symlink. `is_last` marks the last
    /// component of the path.
    Follow {
        is_last: bool,
    },
}

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

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Link<U> {
    No,
    To(Vec<U>),
    /// A symlink without a target path: a magic link, or an unknown reparse point.
    #[cfg_attr(
        not(any(target_os = "linux", windows)),
        allow(dead_code, reason = "others have no such links")
    )]
    Opaque,
    /// The system refuses to follow the symlink, with this error number.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "others follow every link"))]
    Refused(i32),
}

pub(crate) trait Beneath: Sys {
    /// An open file, or an entry that was only looked up.
    type Handle;

    const FLAVOR: Flavor;
    /// Whether a path without symlinks is spelled as stored. False if case is ignored.
    const SPELLING_IS_NAME: bool;
    /// The length of the longest path, including its NUL.
    const LONGEST: usize;
    const MAX_LINKS: usize = 40;

    fn whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        want: Want<'_>,
        rules: Rules,
    ) -> Whole<Self::Handle>;
    /// Converts a handle from [`Beneath::whole`] with the same `root` and `purpose`.
    fn dir_from(
        &self,
        handle: Self::Handle,
        root: &Self::Dir,
        purpose: Purpose,
    ) -> io::Result<Self::Dir>;
    fn close_handle(&self, handle: Self::Handle);

    fn enter(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        purpose: Purpose,
    ) -> Step<Self::Dir>;
    fn open(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, how: &How) -> Step<Self::Handle>;
    fn link(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        reading: Reading,
    ) -> io::Result<Link<Self::Unit>>;
    fn create_dir(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, mode: u32) -> io::Result<()>;
    /// Unless `replace` is set, an existing entry is an error.
    fn rename(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
        replace: bool,
    ) -> io::Result<()>;

    fn symlink(
        &self,
        target: Name<'_, Self::Unit>,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
    ) -> io::Result<()>;
    /// Does not follow a symlink.
    fn hard_link(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
    ) -> io::Result<()>;
    /// Returns [`Step::Other`] for a symlink, and leaves it unchanged.
    fn change(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, change: &Change) -> Step<()>;

    fn path_of(&self, open: Open<'_, Self>) -> io::Result<Vec<Self::Unit>>;
    /// Whether a path without symlinks leads to an open file. Equal full paths do not prove this: a
    /// mount may be detached, or covered by a later one.
    fn is_at(
        &self,
        from: &Self::Dir,
        path: &[Self::Unit],
        open: Open<'_, Self>,
    ) -> io::Result<bool>;
    /// Returns the stored spelling if [`Beneath::SPELLING_IS_NAME`] is false.
    fn full_name(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
    ) -> io::Result<Option<Vec<Self::Unit>>> {
        let _ = (at, name);
        Ok(None)
    }
}
