//! How the questions are put: the contract with fewer words.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::ground::Ground;
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{Batch, Last, Listing, Mounts, Opened, Removed, Sys, SystemUnit, is_shortage};

/// A platform, a directory of it and what is asked there, less wordy than by the contract.
pub(super) struct Asked<'a, S: Sys> {
    pub(super) sys: &'a S,
    pub(super) dir: S::Dir,
}

/// A name as the platform takes it.
pub(super) fn units<S: Sys>(name: impl AsRef<OsStr>) -> Vec<S::Unit> {
    match S::Unit::operand(Path::new(name.as_ref())).last {
        Last::Name(name) => name.as_name().terminated().to_vec(),
        other => panic!("{:?} is no name: {other:?}", name.as_ref()),
    }
}

pub(super) fn name<U: Unit>(units: &[U]) -> Name<'_, U> {
    Name::until_nul(units).unwrap()
}

/// The base directory, opened as the parent of an operand.
pub(super) fn base<'a, G: Ground>(ground: &G, sys: &'a G::S) -> Asked<'a, G::S> {
    Asked { sys, dir: sys.open_place(&ground.base()).unwrap() }
}

impl<'a, S: Sys> Asked<'a, S> {
    pub(super) fn try_open(&self, child: &str) -> Opened<S::Dir> {
        self.sys.open_child(&self.dir, name(&units::<S>(child)), Mounts::Refuse)
    }

    pub(super) fn open(&self, child: &str) -> Asked<'a, S> {
        match self.try_open(child) {
            Opened::Dir(dir) => Asked { sys: self.sys, dir },
            other => panic!("{child}: {}", said(&other)),
        }
    }

    pub(super) fn remove(&self, child: &str, kind: Kind) -> Removed {
        self.sys.remove_child(&self.dir, name(&units::<S>(child)), kind)
    }

    /// Removes an open directory. What is handed back can be worked on.
    pub(super) fn finish(
        &self,
        child: &str,
        dir: Asked<'a, S>,
    ) -> Result<(), (Asked<'a, S>, io::Error)> {
        let sys = self.sys;
        let handed_back = |(dir, error)| (Asked { sys, dir }, error);
        sys.remove_open_dir(&self.dir, name(&units::<S>(child)), dir.dir).map_err(handed_back)
    }

    /// What the rest of the listing holds.
    pub(super) fn rest(&self) -> Vec<(OsString, Kind)> {
        let mut buf = S::DirBuf::default();
        let mut found = Vec::new();
        loop {
            let batch = self.sys.read_entries(&self.dir, &mut buf).unwrap();
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                assert!(next > position, "a position must advance");
                position = next;
                found.push((S::Unit::path(entry.name.units().to_vec()).into(), entry.kind));
            }
            if batch == Batch::End {
                return found;
            }
        }
    }

    pub(super) fn close(self) {
        self.sys.close(self.dir);
    }
}

pub(super) fn said<D>(opened: &Opened<D>) -> &'static str {
    match opened {
        Opened::Dir(_) => "opened",
        Opened::NotDirectory => "not a directory",
        Opened::Gone => "gone",
        Opened::Pending => "pending",
        Opened::Mount => "a mount point",
        Opened::Failed(error) if is_shortage(error) => "shortage",
        Opened::Failed(_) => "failed",
    }
}

/// [`units`] for where the platform is known only by a value.
pub(super) fn units_of<S: Sys>(_sys: &S, name: &str) -> Vec<S::Unit> {
    units::<S>(name)
}

/// The kind of an error; the numbers of the tree in memory are those of Linux everywhere.
pub(super) fn number_or_kind(error: &std::io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(2) => ErrorKind::NotFound,
        Some(17) => ErrorKind::AlreadyExists,
        Some(39) => ErrorKind::DirectoryNotEmpty,
        _ => error.kind(),
    }
}
