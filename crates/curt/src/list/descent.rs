//! Reaching what lies deeper than a path may be long.
//!
//! A path that the system takes is given to it as it is. A longer one begins at an *anchor*: an open
//! directory on the way, one for each so many units of the path, each opened from the one before. They
//! stay open for the paths that follow. Who goes through a tree from the top down asks for neighbours, so
//! an anchor serves thousands of directories.

use std::io;
use std::path::Path;

use super::{Directory, Stat};
use crate::calls::Calls;
use crate::error::Error;
use crate::fields::Metadata;
use crate::name::{Name, Unit};
use crate::sys::{Features, Os, Settings, Setup, Sys};

/// The longest path, in units, that is given to the system at once: below the limit of any.
pub(super) const LONGEST: usize = 2048;
/// How many anchors are open at most. Beyond, the one nearest to the root is closed.
pub(super) const MOST_ANCHORS: usize = 8;

/// Opens the directories of one tree, and asks about what lies in them, by paths of any length.
///
/// The system takes paths of 4,096 bytes on Linux; a tree can be deeper. What is longer than 2,048 bytes
/// (units on Windows) is reached from directories on the way that stay open meanwhile, at most eight of
/// them. Meant for going through a tree from the top down; links are followed as they are typed.
///
/// Cost: nothing for shorter paths. Beyond, 1 call to open and 1 to close (1 more on Windows for the
/// first) for each 2,048 bytes that a path does not share with the one before it.
///
/// Races: a directory that was moved while it stays open is found where it was moved to. So a value of
/// this type is made for one listing of one tree, and not kept.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-descent-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a"))?;
/// use curt::{Descent, Fields, Plan};
/// let mut descent = Descent::new();
/// let mut list = descent.open(&scratch)?.list(Plan::new(Fields::NAME));
/// assert_eq!(&*list.next().expect("it holds a directory")?.name(), "a");
/// assert!(descent.open(scratch.join("a"))?.list(Plan::new(Fields::NAME)).next().is_none());
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Descent(Anchors<Os>);

impl Default for Descent {
    fn default() -> Self {
        Self::new()
    }
}

impl Descent {
    /// Nothing is open yet.
    pub fn new() -> Descent {
        Descent(Anchors::new(Os::start(&Setup::default().for_reading(Features::default()))))
    }

    /// Opens a directory for listing, as [`Directory::open`] does.
    pub fn open(&mut self, path: impl AsRef<Path>) -> Result<Directory, Error> {
        let path = path.as_ref();
        let setup = Setup::default().for_reading(Features::default());
        let sys = Os::start(&setup);
        let opened = self.0.at_path(path, |from, name| sys.open_below(from, name, true));
        Directory::opened(setup, sys, path, opened)
    }

    /// Asks about a path, as [`Stat::path`] does.
    pub fn stat(&mut self, stat: &mut Stat, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        stat.ask(path, |asker, follow, into| {
            self.0.at_path(path, |dir, name| asker.tell_at(dir, name, path, follow, into))
        })
    }

    /// Closes what is open. The calls that were made beyond those of what it opened and was asked.
    pub fn finish(mut self) -> Calls {
        self.0.clear();
        self.0.sys.calls()
    }
}

/// Directories on the way to a path.
pub(super) struct Anchors<S: Sys> {
    pub(super) sys: S,
    /// The path that they lie on.
    path: Vec<S::Unit>,
    /// Each with how much of the path leads to it, the separators behind it included.
    pub(super) open: Vec<(usize, S::Dir)>,
}

impl<S: Sys> Anchors<S> {
    pub(super) fn new(sys: S) -> Self {
        Anchors { sys, path: Vec::new(), open: Vec::new() }
    }

    /// Asks about a path, from where it can be reached.
    pub(super) fn at_path<T>(
        &mut self,
        path: &Path,
        ask: impl FnOnce(&S::Dir, Name<'_, S::Unit>) -> T,
    ) -> io::Result<T> {
        let units = S::units(path);
        if units.len() <= LONGEST {
            return self.sys.at_path(path, ask);
        }
        self.reach(units)?;
        let Some((end, dir)) = self.open.last() else {
            return self.sys.at_path(path, ask);
        };
        let rest = [&self.path[*end..], &[S::Unit::NUL]].concat();
        let name = Name::until_nul(&rest).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(ask(dir, name))
    }

    /// Opens anchors on the way to a path until the rest of it is short.
    fn reach(&mut self, path: Vec<S::Unit>) -> io::Result<()> {
        while let Some((end, dir)) = self.open.pop() {
            if path.get(..end) == Some(&self.path[..end]) {
                self.open.push((end, dir));
                break;
            }
            self.sys.close(dir);
        }
        self.path = path;
        loop {
            let begin = self.open.last().map_or(0, |(end, _)| *end);
            let Some(end) = next_anchor(&self.path, begin) else { return Ok(()) };
            let dir = self.open_anchor(begin, end)?;
            if self.open.len() >= MOST_ANCHORS {
                let (_, first) = self.open.remove(0);
                self.sys.close(first);
            }
            self.open.push((end, dir));
        }
    }

    /// Opens an anchor from the one before, or the first from where paths begin.
    fn open_anchor(&self, begin: usize, end: usize) -> io::Result<S::Dir> {
        let Some((_, from)) = self.open.last() else {
            return self.sys.open_parent(&S::path(self.path[..end].to_vec()));
        };
        let names = [&self.path[begin..end], &[S::Unit::NUL]].concat();
        let name = Name::until_nul(&names).ok_or(io::ErrorKind::InvalidInput)?;
        self.sys.open_below(from, name, true).into_result()
    }

    pub(super) fn clear(&mut self) {
        for (_, dir) in self.open.drain(..) {
            self.sys.close(dir);
        }
    }
}

/// Where the part of a path ends that leads to the next anchor: behind the separators after the last
/// whole name that fits. `None` where the rest is short, or is one name, which the system is to refuse.
pub(super) fn next_anchor<U: Unit>(path: &[U], begin: usize) -> Option<usize> {
    let fits = path[begin..].get(..LONGEST)?;
    let end = begin + fits.iter().rposition(|unit| unit.is_separator()).filter(|&at| at > 0)?;
    let behind = path[end..].iter().take_while(|unit| unit.is_separator()).count();
    Some(end + behind).filter(|&end| end < path.len())
}
