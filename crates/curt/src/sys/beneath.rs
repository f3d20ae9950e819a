//! The part of the contract that staying beneath a directory needs: one question for a whole path,
//! where the system has that, and single steps that follow nothing, where it has not.
//!
//! What is handed to the steps is one name without a separator, or [`Sys::ITSELF`] for the
//! directory.

use std::io;

use super::Sys;
use crate::name::Name;
use curt_paths::Flavor;

/// An open file of the standard library, which is what callers get. Nothing is called through it
/// here.
#[allow(clippy::disallowed_types, reason = "callers are handed its open files")]
pub(crate) type File = std::fs::File;

/// What happens to links and `..`, beyond that nothing leaves the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `..` stays at the root, and absolute paths begin there.
    pub(crate) in_root: bool,
    /// No link is followed.
    pub(crate) no_links: bool,
}

/// Whether a file is made that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Create {
    #[default]
    Never,
    Missing,
    /// It must be missing.
    New,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct How {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: Create,
    /// Whether a link at the end is followed.
    pub(crate) follow: bool,
    /// Whether opening and reading wait for nobody.
    pub(crate) nonblocking: bool,
    /// The permissions of what is made, where they are bits.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no bits there"))]
    pub(crate) mode: u32,
}

/// What a directory is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To begin from.
    Place,
    /// To be listed.
    Listing,
}

/// The answer to a whole path.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux tells an escape, and others have no such question")
)]
#[derive(Debug)]
pub(crate) enum Whole<T> {
    Opened(T),
    /// It would have left the root.
    Escape,
    /// The system does not follow a link on the way, or found too many; it does not say which.
    Unfollowed(io::Error),
    /// The system has no such question.
    Unanswered,
    Failed(io::Error),
}

/// The answer to one step.
#[derive(Debug)]
pub(crate) enum Step<T> {
    Done(T),
    /// There is something else: a link, or (where a directory was wanted) anything that is none.
    Otherwise,
    Failed(io::Error),
}

/// What a name is as a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Link<U> {
    /// It is none.
    No,
    To(Vec<U>),
    /// It leads where no text says: a magic link of Linux, a reparse point of an unknown kind.
    #[cfg_attr(
        not(any(target_os = "linux", windows)),
        allow(dead_code, reason = "others have no such links")
    )]
    Opaque,
    /// The system does not follow it, and gives this number for the reason.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "others follow every link"))]
    Refused(i32),
}

/// Failures that the portable part finds by itself, in the system's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotFound,
    NotDirectory,
    IsDirectory,
    Exists,
    Busy,
    TooManyLinks,
    TooLong,
    /// The tree kept changing under the walk.
    Again,
}

/// A platform that can stay beneath a directory.
pub(crate) trait Beneath: Sys {
    /// What is open: a file, or anything else that has only been looked up.
    type Handle;

    /// By whose rules text is checked.
    const FLAVOR: Flavor;
    /// Whether a path that leads through no link is spelled as the directories have it. Where case
    /// does not count, the system has to be asked.
    const SPELLING_IS_NAME: bool;
    /// The longest path that the system takes, its terminator included.
    const LONGEST: usize;
    /// How many links are followed before it is taken for a loop.
    const MOST_LINKS: usize = 40;

    /// Opens a file in one call.
    fn open_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        how: &How,
        rules: Rules,
    ) -> Whole<Self::Handle>;
    /// Opens a directory in one call.
    fn enter_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        purpose: Purpose,
        rules: Rules,
    ) -> Whole<Self::Dir>;
    /// Looks up whatever there is in one call, so that its name can be asked for. A link at the end
    /// is followed.
    fn find_whole(
        &self,
        root: &Self::Dir,
        path: Name<'_, Self::Unit>,
        rules: Rules,
    ) -> Whole<Self::Handle>;

    /// Opens a directory by its name in another one.
    fn enter(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        purpose: Purpose,
    ) -> Step<Self::Dir>;
    /// Opens a file by its name in a directory.
    fn open(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, how: &How) -> Step<Self::Handle>;
    /// What a name is as a link, and where it leads.
    fn link(&self, at: &Self::Dir, name: Name<'_, Self::Unit>) -> io::Result<Link<Self::Unit>>;
    /// Where a link leads that is about to be followed, by the rules that the system has for that.
    /// `is_last` says that the path ends with it.
    fn followed(
        &self,
        at: &Self::Dir,
        name: Name<'_, Self::Unit>,
        is_last: bool,
    ) -> io::Result<Link<Self::Unit>> {
        let _ = is_last;
        self.link(at, name)
    }
    /// Whether what a link holds names a place by more than names: a drive, a server, a device.
    fn leads_elsewhere(target: &[Self::Unit]) -> bool {
        let _ = target;
        false
    }
    /// Makes a directory.
    fn create_dir(&self, at: &Self::Dir, name: Name<'_, Self::Unit>, mode: u32) -> io::Result<()>;
    /// Renames, and replaces what has the new name, as the system does.
    fn rename(
        &self,
        from: &Self::Dir,
        name: Name<'_, Self::Unit>,
        to: &Self::Dir,
        fresh: Name<'_, Self::Unit>,
    ) -> io::Result<()>;

    /// The full path of what is open, as the directories have it now.
    fn path_of(&self, handle: &Self::Handle) -> io::Result<Vec<Self::Unit>>;
    /// The full path of an open directory.
    fn path_of_dir(&self, dir: &Self::Dir) -> io::Result<Vec<Self::Unit>>;
    /// The full path of what has a name in a directory, where its spelling is not its name.
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

    /// A failure in the system's words.
    fn error(fault: Fault) -> io::Error;
}
