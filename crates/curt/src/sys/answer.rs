//! What a platform is asked, and what it answers: plain values, the same for all of them.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::os_error;

/// What to do at a mount point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mounts {
    Cross,
    Refuse,
}

/// The answer to opening a child directory.
#[derive(Debug)]
pub(crate) enum Opened<D> {
    Dir(D),
    /// It is something else, a symbolic link included.
    NotDirectory,
    Gone,
    /// It is gone as soon as somebody else who has it open closes it.
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    /// It is a mount point, and mounts were to be refused.
    #[cfg_attr(windows, allow(dead_code, reason = "mount points are links there"))]
    Mount,
    /// No descriptor or no kernel memory was left for it. The caller holds fewer and tries again.
    Shortage(io::Error),
    Failed(io::Error),
}

impl<D> Opened<D> {
    /// The directory, or the system's error for why there is none.
    pub(crate) fn into_result(self) -> io::Result<D> {
        match self {
            Opened::Dir(dir) => Ok(dir),
            Opened::Gone | Opened::Pending => Err(os_error(io::ErrorKind::NotFound)),
            Opened::NotDirectory => Err(os_error(io::ErrorKind::NotADirectory)),
            Opened::Mount => Err(os_error(io::ErrorKind::CrossesDevices)),
            Opened::Shortage(error) | Opened::Failed(error) => Err(error),
        }
    }
}

/// What a listing call said beyond its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// There may be more.
    More,
    /// There is probably no more: much of the buffer stayed empty. Removing the directory is the
    /// test.
    ProbablyLast,
    /// There is no more.
    End,
}

/// The answer to removing a child that is not meant to be a directory.
#[derive(Debug)]
pub(crate) enum Removed {
    Done,
    IsDirectory,
    Gone,
    /// It is gone as soon as somebody else who has it open closes it.
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    Failed(io::Error),
}

/// The answer to removing an emptied directory. Where it could not be removed it is handed back.
#[derive(Debug)]
pub(crate) enum Finished<D> {
    Done,
    /// It was no longer there under its name.
    Gone,
    NotEmpty(D),
    Failed(D, io::Error),
}

/// One entry of a listing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a, U> {
    pub(crate) name: Name<'a, U>,
    pub(crate) kind: Kind,
    /// The file number, or 0 where the listing has none.
    pub(crate) id: u64,
}

/// Which directory it is, as long as it is open somewhere. Packed, since a traversal keeps one for
/// each directory on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, packed(8))]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) file: u128,
}

impl Identity {
    /// The identity among the answers to [`Ask::STAT`].
    pub(crate) fn of(facts: &Facts) -> Identity {
        Identity { device: facts.device, file: facts.id }
    }
}

/// Where a platform has fields from, and what that costs in calls when nothing is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    /// A listing carries them.
    pub(crate) listing: Fields,
    /// One query gives all of them.
    pub(crate) query: Fields,
    pub(crate) query_calls: u32,
    /// Listing a directory of one buffer.
    pub(crate) directory_calls: u32,
    /// Reading what a link holds.
    pub(crate) target_calls: u32,
    /// What extended attributes tell, from one list of their names.
    pub(crate) extended: Fields,
    pub(crate) extended_calls: u32,
    /// What the security of an entry tells.
    pub(crate) secured: Fields,
    pub(crate) secured_calls: u32,
}

/// What is asked about one entry.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(any(target_os = "linux", windows)),
    allow(dead_code, reason = "the portable call tells all that it can")
)]
pub(crate) struct Ask {
    pub(crate) fields: Fields,
    /// Whether a link is followed.
    pub(crate) follow: bool,
    /// Whether a network file system may answer from its cache.
    #[cfg_attr(windows, allow(dead_code, reason = "nobody can be told so there"))]
    pub(crate) cached: bool,
}

impl Ask {
    /// What a removal wants to know of an entry: its kind, its identity, its links, what it takes, and when it
    /// was made. A link is not followed.
    pub(crate) const STAT: Ask = Ask {
        fields: Fields::KIND
            .union(Fields::ID)
            .union(Fields::DEVICE)
            .union(Fields::LINKS)
            .union(Fields::SIZE)
            .union(Fields::ALLOCATED)
            .union(Fields::CHANGED)
            .union(Fields::CREATED),
        follow: false,
        cached: false,
    };
}

/// Names of owners, and what else the security of an entry tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    pub(crate) user: Option<Arc<OsString>>,
    pub(crate) group: Option<Arc<OsString>>,
    pub(crate) acl: Option<bool>,
}

/// What extended attributes tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extended {
    /// Of [`Fields::ACL`] and [`Fields::CAPABILITY`], those that are present.
    pub(crate) present: Fields,
    pub(crate) label: Option<OsString>,
}
