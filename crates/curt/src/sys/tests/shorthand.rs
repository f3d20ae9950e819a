use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::testbed::Testbed;
use crate::fields::{Facts, Fields, Kind};
use crate::name::NameBuf;
use crate::sys::{
    Batch, Identity, Listing, Mounts, Opened, Removed, Request, Sys, SystemUnit, is_shortage,
};

pub(super) struct Shorthand<'a, S: Sys> {
    pub(super) sys: &'a S,
    pub(super) dir: S::Dir,
}

pub(super) type At<'a, G> = Shorthand<'a, <G as Testbed>::S>;

pub(super) fn all<S: Sys>(follow: bool) -> Request {
    Request { fields: S::SOURCES.query, follow }
}

pub(super) fn base<'a, G: Testbed>(testbed: &G, sys: &'a G::S) -> At<'a, G> {
    Shorthand { sys, dir: sys.open_for_lookup(&testbed.base()).unwrap() }
}

impl<'a, S: Sys> Shorthand<'a, S> {
    #[allow(clippy::unused_self, reason = "it knows whose names they are")]
    pub(super) fn name(&self, path: impl AsRef<Path>) -> NameBuf<S::Unit> {
        NameBuf::new(S::Unit::units(path.as_ref())).unwrap()
    }

    pub(super) fn try_open(&self, child: &str) -> Opened<S::Dir> {
        self.sys.open_child(&self.dir, self.name(child).as_name(), Mounts::Refuse)
    }

    pub(super) fn open(&self, child: &str) -> Shorthand<'a, S> {
        match self.try_open(child) {
            Opened::Dir(dir) => Shorthand { sys: self.sys, dir },
            other => panic!("{child}: {}", said(&other)),
        }
    }

    pub(super) fn remove(&self, child: &str, kind: Kind) -> String {
        match self.sys.remove_child(&self.dir, self.name(child).as_name(), kind) {
            Removed::Failed(error) => format!("failed {}", error.raw_os_error().unwrap()),
            other => format!("{other:?}"),
        }
    }

    pub(super) fn remove_empty(&self, child: &str) -> Result<(), ErrorKind> {
        kind(self.sys.remove_empty_dir(&self.dir, self.name(child).as_name()))
    }

    pub(super) fn finish(
        &self,
        child: &str,
        dir: Shorthand<'a, S>,
    ) -> Result<(), (Shorthand<'a, S>, io::Error)> {
        let removed = self.sys.remove_open_dir(&self.dir, self.name(child).as_name(), dir.dir);
        removed.map_err(|(dir, error)| (Shorthand { sys: self.sys, dir }, error))
    }

    pub(super) fn query(&self, path: &str, follow: bool) -> Result<Facts, ErrorKind> {
        kind(self.sys.query(&self.dir, self.name(path).as_name(), all::<S>(follow)))
    }

    pub(super) fn stat(&self, child: &str) -> Result<Facts, ErrorKind> {
        kind(self.sys.query(&self.dir, self.name(child).as_name(), Request::STAT))
    }

    pub(super) fn identity(&self) -> Identity {
        Identity::of(&self.sys.query_dir(&self.dir, Request::STAT).unwrap())
    }

    pub(super) fn target(&self, child: &str) -> io::Result<PathBuf> {
        let mut target = Vec::new();
        let read = self.sys.read_link(&self.dir, self.name(child).as_name(), &mut target);
        assert!(read.is_ok() || target.is_empty());
        read.map(|()| S::Unit::path(target))
    }

    pub(super) fn may(&self, child: &str, access: Fields) -> Result<Fields, ErrorKind> {
        kind(self.sys.may(&self.dir, self.name(child).as_name(), access))
    }

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

pub(super) fn kind<T>(answer: io::Result<T>) -> Result<T, ErrorKind> {
    answer.map_err(|error| kind_of(&error))
}

/// The in-memory tree has Linux error numbers on every system.
pub(super) fn kind_of(error: &io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(2) => ErrorKind::NotFound,
        Some(17) => ErrorKind::AlreadyExists,
        Some(39) => ErrorKind::DirectoryNotEmpty,
        _ => error.kind(),
    }
}
