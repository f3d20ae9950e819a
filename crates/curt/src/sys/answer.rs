//! Questions and answers of the platform contract: plain values, the same for all platforms.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::os_error;

/// Whether mount points are crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mounts {
    Cross,
    Refuse,
}

/// The answer to opening a child directory.
#[derive(Debug)]
pub(crate) enum Opened<D> {
    Dir(D),
    /// Something else has the name, perhaps a symbolic link.
    NotDirectory,
    Gone,
    /// It disappears when the last process that has it open closes it.
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    /// A mount point, where mounts are refused.
    #[cfg_attr(windows, allow(dead_code, reason = "mount points are links on Windows"))]
    Mount,
    Failed(io::Error),
}

impl<D> Opened<D> {
    /// Returns the directory, or the system's error.
    pub(crate) fn into_result(self) -> io::Result<D> {
        match self {
            Opened::Dir(dir) => Ok(dir),
            Opened::Gone | Opened::Pending => Err(os_error(io::ErrorKind::NotFound)),
            Opened::NotDirectory => Err(os_error(io::ErrorKind::NotADirectory)),
            Opened::Mount => Err(os_error(io::ErrorKind::CrossesDevices)),
            Opened::Failed(error) => Err(error),
        }
    }
}

/// What a call that lists says about the end of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// There may be more entries.
    More,
    /// There are no more entries.
    End,
}

/// The answer to removing a child that should not be a directory.
#[derive(Debug)]
pub(crate) enum Removed {
    Done,
    IsDirectory,
    Gone,
    /// It disappears when the last process that has it open closes it.
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    Failed(io::Error),
}

/// One entry of a listing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a, U> {
    pub(crate) name: Name<'a, U>,
    pub(crate) kind: Kind,
    /// The file number; 0 where the listing has none.
    pub(crate) id: u64,
}

/// The identity of a file, valid while it is open somewhere. Packed, because a traversal keeps one
/// for each ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, packed(8))]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) file: u128,
}

impl Identity {
    /// Returns the identity in facts that have [`Fields::ID`] and [`Fields::DEVICE`].
    pub(crate) fn of(facts: &Facts) -> Identity {
        Identity { device: facts.device, file: facts.id }
    }

    /// Returns the identity in facts, if they have one: some file systems have no file numbers.
    #[inline]
    pub(crate) fn known(facts: &Facts) -> Option<Identity> {
        let is_known = facts.known.contains(Fields::ID | Fields::DEVICE);
        is_known.then(|| Identity::of(facts))
    }
}

/// Where a platform gets fields from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    /// Fields that a listing carries.
    pub(crate) listing: Fields,
    /// Fields that one query gives, in one call.
    pub(crate) query: Fields,
    /// Fields that extended attributes give, from one list of their names, in one call.
    pub(crate) extended: Fields,
    /// Fields that the security descriptor of an entry gives.
    pub(crate) secured: Fields,
}

/// A question about one entry.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(any(target_os = "linux", windows)),
    allow(dead_code, reason = "the portable call always answers everything it can")
)]
pub(crate) struct Ask {
    pub(crate) fields: Fields,
    /// Whether a link is followed.
    pub(crate) follow: bool,
}

impl Ask {
    /// What a removal needs to know about an entry: kind, identity, link count, sizes, and times of
    /// its last change and its creation. Others use a part of it. A link is not followed.
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
    };
}

/// The names of owners, and what else the security descriptor of an entry says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    pub(crate) user: Option<Arc<OsString>>,
    pub(crate) group: Option<Arc<OsString>>,
    pub(crate) acl: Option<bool>,
}

/// What extended attributes say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extended {
    /// Those of [`Fields::ACL`] and [`Fields::CAPABILITY`] that are present.
    pub(crate) present: Fields,
    pub(crate) label: Option<OsString>,
}
