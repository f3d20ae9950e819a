use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::os_error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mounts {
    Cross,
    Refuse,
}

#[derive(Debug)]
pub(crate) enum Opened<D> {
    Dir(D),
    /// It may be a symlink.
    NotDirectory,
    Gone,
    /// Windows: the entry disappears when the last process closes it.
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    #[cfg_attr(windows, allow(dead_code, reason = "mount points are links on Windows"))]
    Mount,
    Failed(io::Error),
}

impl<D> Opened<D> {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    More,
    End,
}

#[derive(Debug)]
pub(crate) enum Removed {
    Done,
    IsDirectory,
    Gone,
    #[cfg_attr(not(windows), allow(dead_code, reason = "no other system has it"))]
    Pending,
    Failed(io::Error),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a, U> {
    pub(crate) name: Name<'a, U>,
    pub(crate) kind: Kind,
    /// The file number, or 0 if the listing has none.
    pub(crate) id: u64,
}

/// Identifies a file while any process has it open. Packed, because a traversal keeps one per
/// ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, packed(8))]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) file: u128,
}

impl Identity {
    /// Requires [`Fields::ID`] and [`Fields::DEVICE`].
    pub(crate) fn of(facts: &Facts) -> Identity {
        Identity { device: facts.device, file: facts.id }
    }

    /// Returns `None` on filesystems without file numbers.
    #[inline]
    pub(crate) fn known(facts: &Facts) -> Option<Identity> {
        let is_known = facts.known.contains(Fields::ID | Fields::DEVICE);
        is_known.then(|| Identity::of(facts))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    pub(crate) listing: Fields,
    pub(crate) query: Fields,
    pub(crate) extended: Fields,
    /// Fields from the security descriptor on Windows.
    pub(crate) secured: Fields,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(any(target_os = "linux", windows)),
    allow(dead_code, reason = "the portable call always answers everything it can")
)]
pub(crate) struct Request {
    pub(crate) fields: Fields,
    pub(crate) follow: bool,
}

impl Request {
    /// The fields that a removal needs.
    pub(crate) const STAT: Request = Request {
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

#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    pub(crate) user: Option<Arc<OsString>>,
    pub(crate) group: Option<Arc<OsString>>,
    pub(crate) acl: Option<bool>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Extended {
    /// Which of [`Fields::ACL`] and [`Fields::CAPABILITY`] the entry has.
    pub(crate) present: Fields,
    pub(crate) label: Option<OsString>,
}
