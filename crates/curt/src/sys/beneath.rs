//! The contract for staying beneath a directory: one call for a whole path where the system has
//! one, and single steps that follow no link where it does not.
//!
//! A step takes one name without a separator, or [`Sys::ITSELF`] for the directory.

use std::fs::Permissions;
use std::io;

use super::Sys;
pub(crate) use super::os_error::Fault;
use crate::fields::Time;
use crate::name::Name;
use curt_paths::Flavor;

/// An open file of the standard library, which callers get. No call is made through it here.
#[allow(clippy::disallowed_types, reason = "callers are handed its open files")]
pub(crate) type File = std::fs::File;

/// How links and `..` are treated, besides that nothing leaves the root.
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

    /// Opens a file in one call.
    fn open_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        how: &How,
        rules: Rules,
    ) -> Whole<Self::Handle> {
        let _ = (root, path, how, rules);
        Whole::Unanswered
    }
    /// Opens a directory in one call.
    fn enter_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        purpose: Purpose,
        rules: Rules,
    ) -> Whole<Self::Dir> {
        let _ = (root, path, purpose, rules);
        Whole::Unanswered
    }
    /// Looks an entry up in one call, so that its name can be asked for. A link at the end is
    /// followed.
    fn find_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        rules: Rules,
    ) -> Whole<Self::Handle> {
        let _ = (root, path, rules);
        Whole::Unanswered
    }

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
    fn link(&self, at: &Self::Dir, name: Name<'_, Self::Unit>) -> io::Result<Link<Self::Unit>>;
    /// Returns the target of a link that is about to be followed, by the system's rules for
    /// following. `is_last` says whether the path ends with it.
    fn followed(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        is_last: bool,
    ) -> io::Result<Link<Self::Unit>> {
        let _ = is_last;
        self.link(at, name)
    }
    /// Whether the target of a link names a drive, a server or a device.
    fn leads_elsewhere(target: &[Self::Unit]) -> bool {
        let _ = target;
        false
    }
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
    /// Changes what a path leads to, looked up in one call.
    fn change_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        change: &Change,
        rules: Rules,
    ) -> Whole<()> {
        let _ = (root, path, change, rules);
        Whole::Unanswered
    }
    /// Changes an entry that is not a link.
    fn change(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, change: &Change) -> Step<()>;

    /// Returns the full path of an open file, as the directories have it now.
    fn path_of(&self, handle: &Self::Handle) -> io::Result<Vec<Self::Unit>>;
    /// Returns the full path of an open directory.
    fn path_of_dir(&self, dir: &Self::Dir) -> io::Result<Vec<Self::Unit>>;
    /// Whether a path without links leads from a directory to an open file. The text of full paths
    /// alone does not prove it where a system has several trees, or covers a part of its tree.
    fn is_at(
        &self,
        from: &Self::Dir,
        path: &[Self::Unit],
        handle: &Self::Handle,
    ) -> io::Result<bool> {
        let _ = (from, path, handle);
        Ok(true)
    }
    /// The same for an open directory.
    fn is_dir_at(
        &self,
        from: &Self::Dir,
        path: &[Self::Unit],
        dir: &Self::Dir,
    ) -> io::Result<bool> {
        let _ = (from, path, dir);
        Ok(true)
    }
    /// Returns the full path of an entry, where its spelling is not its name.
    fn full_name(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
    ) -> io::Result<Option<Vec<Self::Unit>>> {
        let _ = (at, name);
        Ok(None)
    }
    /// Closes what [`Beneath::find_whole`] opened.
    fn let_go(&self, handle: Self::Handle);

    /// Returns the system's error for a failure.
    fn error(fault: Fault) -> io::Error {
        fault.error()
    }
}
