//! Reaching what lies deeper than a path may be long.
//!
//! A path that the system takes is given to it as it is. A longer one begins at an *anchor*: an
//! open directory on the way, one for each so many units of the path, each opened from the one
//! before. They stay open for the paths that follow. Neighbours follow each other on the way
//! through a tree, so an anchor serves thousands of directories.
//!
//! A *base* is a directory that was listed and stays open for what lies below it: the operand, and
//! each mount point on the way. From there no link is followed, and a mount is noticed.

use std::fmt;
use std::io;
use std::path::Path;

use super::{Directory, List, Stat};
use crate::calls::Calls;
use crate::error::Error;
use crate::fields::{Metadata, Plan};
use crate::name::{Name, Unit};
use crate::sys::{Features, Opened, Os, Setup, Sys, SystemUnit};

/// The longest path, in units, that is given to the system at once: below the limit of any.
pub(super) const LONGEST: usize = 2048;
/// How many anchors are open at most. Beyond, the one nearest to the root is closed.
pub(super) const MOST_ANCHORS: usize = 8;

/// Opens the directories of one tree, and asks about what lies in them, by paths of any length.
/// [`Descent::keep`] and [`Descent::open_below`] follow no link below the first of them.
///
/// The system takes paths of 4,096 bytes on Linux; a tree can be deeper. What is longer than 2,048
/// bytes (units on Windows) is reached from directories on the way that stay open meanwhile, at
/// most eight of them. Meant for going through a tree from the top down; links are followed as they
/// are typed.
///
/// Cost: nothing for shorter paths. Beyond, 1 call to open and 1 to close (1 more on Windows for
/// the first) for each 2,048 bytes that a path does not share with the one before it.
///
/// Races: a directory that was moved while it stays open is found where it was moved to. So a value
/// of this type is made for one listing of one tree, and not kept.
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
pub struct Descent {
    /// What directories are opened with.
    setup: Setup,
    anchors: Anchors<Os>,
}

impl fmt::Debug for Descent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descent").finish_non_exhaustive()
    }
}

impl Default for Descent {
    fn default() -> Self {
        Self::new()
    }
}

impl Descent {
    /// Nothing is open yet.
    pub fn new() -> Descent {
        let setup = Setup::default().for_reading(Features::default()).sharing_owners();
        let anchors = Anchors::new(Os::start(&setup));
        Descent { setup, anchors }
    }

    /// A way of asking for what the plan says. On Unix, what it looks up about owners is known to
    /// the listings that this opens, and the other way round.
    pub fn asking(&self, plan: Plan) -> Stat {
        Stat::started(Os::start(&self.setup), plan)
    }

    /// Opens a directory for listing, as [`Directory::open`] does. Where that one was listed, no
    /// link is followed any more and paths begin here again.
    pub fn open(&mut self, path: impl AsRef<Path>) -> Result<Directory, Error> {
        if self.anchors.has_base() {
            self.anchors.clear();
        }
        let (setup, sys) = self.start();
        let path = path.as_ref();
        let opened = self.anchors.open_dir(path, |from, name| sys.open_below(from, name, true));
        Directory::opened(setup, sys, path, opened)
    }

    /// Keeps the directory of a listing open, for [`Descent::open_below`]; no call.
    pub fn keep(&mut self, mut list: List) {
        if let Some(dir) = list.dir.take() {
            self.anchors.add_base(&list.path, dir);
        }
    }

    /// Opens a directory that lies below one that was [kept](Descent::keep), by its whole path. No
    /// link is followed on the way from there, so that nothing that is swapped meanwhile leads
    /// anywhere else.
    ///
    /// Says as well whether something is mounted on the way, which costs 1 call more, where a
    /// directory may be mounted below itself and has to be looked for among those above it (Linux).
    pub fn open_below(&mut self, path: impl AsRef<Path>) -> Result<(Directory, bool), Error> {
        let (setup, sys) = self.start();
        let path = path.as_ref();
        let mut opened =
            self.anchors.open_dir(path, |from, name| sys.open_within_mount(from, name));
        let is_mounted = matches!(opened, Ok(Opened::Mount));
        if is_mounted {
            opened = self.anchors.open_dir(path, |from, name| sys.open_below(from, name, false));
        }
        Directory::opened(setup, sys, path, opened).map(|directory| (directory, is_mounted))
    }

    /// Asks about a path, as [`Stat::path`] does.
    pub fn stat(&mut self, stat: &mut Stat, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        stat.ask(path, |asker, follow, into| {
            self.anchors.at_path(path, |dir, name| asker.tell_at(dir, name, path, follow, into))
        })
    }

    fn start(&self) -> (Setup, Os) {
        (self.setup.clone(), Os::start(&self.setup))
    }

    /// Closes what is open. The calls that were made beyond those of what it opened and was asked.
    pub fn finish(mut self) -> Calls {
        self.anchors.clear();
        self.anchors.sys.calls()
    }
}

/// Directories on the way to a path.
pub(super) struct Anchors<S: Sys> {
    pub(super) sys: S,
    /// The path that they lie on.
    path: Vec<S::Unit>,
    /// Each with how much of the path leads to it, the separators behind it included.
    pub(super) open: Vec<Anchor<S>>,
    /// How many there may be.
    most: usize,
}

/// An open directory on the way.
pub(super) struct Anchor<S: Sys> {
    /// How much of the path leads to it, the separators behind it included.
    end: usize,
    dir: S::Dir,
    is_base: bool,
}

impl<S: Sys> Anchors<S> {
    pub(super) fn new(sys: S) -> Self {
        Anchors { sys, path: Vec::new(), open: Vec::new(), most: MOST_ANCHORS }
    }

    /// Asks about a path, from where it can be reached.
    pub(super) fn at_path<T>(
        &mut self,
        path: &Path,
        ask: impl FnOnce(&S::Dir, Name<'_, S::Unit>) -> T,
    ) -> io::Result<T> {
        let units = S::Unit::units(path);
        if units.len() <= LONGEST && !self.has_base() {
            return self.sys.at_path(path, ask);
        }
        self.reach(units)?;
        let Some(Anchor { end, dir, .. }) = self.open.last() else {
            return self.sys.at_path(path, ask);
        };
        let rest = &self.path[*end..];
        let begin = rest.iter().take_while(|unit| unit.is_separator()).count();
        let rest = &rest[begin..];
        let here = [S::Unit::ascii(b'.')];
        let rest = if rest.is_empty() { &here } else { rest };
        let rest = [rest, &[S::Unit::NUL]].concat();
        let name = Name::until_nul(&rest).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(ask(dir, name))
    }

    /// Opens a directory by its path, if need be with fewer anchors.
    fn open_dir(
        &mut self,
        path: &Path,
        open: impl Fn(&S::Dir, Name<'_, S::Unit>) -> Opened<S::Dir>,
    ) -> io::Result<Opened<S::Dir>> {
        loop {
            match self.at_path(path, &open) {
                Ok(Opened::Shortage(_)) if self.close_one() => {}
                opened => return opened,
            }
        }
    }

    fn has_base(&self) -> bool {
        self.open.iter().any(|anchor| anchor.is_base)
    }

    /// Adds a directory that was listed, and from which no link is followed any more.
    fn add_base(&mut self, path: &Path, dir: S::Dir) {
        let mut path = S::Unit::units(path);
        while path.last().is_some_and(|last| last.is_separator()) {
            path.pop();
        }
        path.push(S::Unit::SEPARATOR);
        let end = path.len();
        self.go_to(path);
        self.add(Anchor { end, dir, is_base: true });
    }

    fn add(&mut self, anchor: Anchor<S>) {
        if self.open.len() >= self.most {
            self.close_one();
        }
        self.open.push(anchor);
    }

    /// Closes the anchor nearest to the root, but not the operand's directory or the last anchor.
    /// There will not be more of them from now on. Whether there was any.
    fn close_one(&mut self) -> bool {
        let first = usize::from(self.open.first().is_some_and(|anchor| anchor.is_base));
        if first + 1 >= self.open.len() {
            return false;
        }
        self.sys.close(self.open.remove(first).dir);
        self.most = self.most.min(self.open.len() + 1);
        true
    }

    /// Closes the anchors that do not lie on the way to a path.
    fn go_to(&mut self, path: Vec<S::Unit>) {
        while let Some(anchor) = self.open.pop() {
            if path.get(..anchor.end) == Some(&self.path[..anchor.end]) {
                self.open.push(anchor);
                break;
            }
            self.sys.close(anchor.dir);
        }
        self.path = path;
    }

    /// Opens anchors on the way to a path until the rest of it is short.
    fn reach(&mut self, path: Vec<S::Unit>) -> io::Result<()> {
        self.go_to(path);
        loop {
            let begin = self.open.last().map_or(0, |anchor| anchor.end);
            let Some(end) = next_anchor(&self.path, begin) else { return Ok(()) };
            let dir = loop {
                match self.open_anchor(begin, end)? {
                    Opened::Shortage(_) if self.close_one() => {}
                    opened => break opened.into_result()?,
                }
            };
            self.add(Anchor { end, dir, is_base: false });
        }
    }

    /// Opens an anchor from the one before, or the first from where paths begin.
    fn open_anchor(&self, begin: usize, end: usize) -> io::Result<Opened<S::Dir>> {
        let Some(Anchor { dir, .. }) = self.open.last() else {
            return self
                .sys
                .open_parent(&S::Unit::path(self.path[..end].to_vec()))
                .map(Opened::Dir);
        };
        let names = [&self.path[begin..end], &[S::Unit::NUL]].concat();
        let name = Name::until_nul(&names).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.sys.open_below(dir, name, !self.has_base()))
    }

    pub(super) fn clear(&mut self) {
        for anchor in self.open.drain(..) {
            self.sys.close(anchor.dir);
        }
    }
}

/// Where the part of a path ends that leads to the next anchor: behind the separators after the
/// last whole name that fits. `None` where the rest is short, or is one name, which the system is
/// to refuse.
pub(super) fn next_anchor<U: Unit>(path: &[U], begin: usize) -> Option<usize> {
    let fits = path[begin..].get(..LONGEST)?;
    let end = begin + fits.iter().rposition(|unit| unit.is_separator()).filter(|&at| at > 0)?;
    let behind = path[end..].iter().take_while(|unit| unit.is_separator()).count();
    Some(end + behind).filter(|&end| end < path.len())
}
