//! Records the entries that a dry run would have removed, so that later operands do not count them
//! again.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::{io, iter};

use crate::fields::{Facts, Kind};
use crate::name::{Name, NameBuf};
use crate::sys::{Identity, Listing, Request, Sys, SystemUnit};
use crate::tree::Reader;

/// The recorded entries, keyed by the identity of their directory. `None` if operands cannot
/// overlap.
#[derive(Debug)]
pub(crate) struct Gone<U>(Option<Box<RefCell<Directories<U>>>>);

type Directories<U> = HashMap<Identity, Entries<U>>;

/// The removed names of a directory, or `None` if the whole directory would be removed. So names
/// take memory only for directories that remain.
type Entries<U> = Option<BTreeSet<Vec<U>>>;

impl<U: SystemUnit> Gone<U> {
    pub(crate) fn new(records: bool) -> Self {
        Gone(records.then(Box::default))
    }

    pub(crate) fn add<S>(&self, dir: &S::Dir, name: Name<'_, U>, facts: &Facts, sys: &S)
    where
        S: Sys<Unit = U>,
    {
        let Some(mut gone) = self.0.as_ref().map(|gone| gone.borrow_mut()) else { return };
        if facts.kind == Kind::Directory {
            gone.extend(Identity::known(facts).map(|own| (own, None)));
        }
        let Some(dir) = identity(dir, sys) else { return };
        if let Some(names) = gone.entry(dir).or_insert_with(|| Some(BTreeSet::new())) {
            names.insert(name.units().to_vec());
        }
    }

    pub(crate) fn has<S: Sys<Unit = U>>(&self, dir: &S::Dir, name: Name<'_, U>, sys: &S) -> bool {
        let Some(gone) = self.0.as_ref().map(|gone| gone.borrow()) else { return false };
        let has =
            |names: &Entries<U>| names.as_ref().is_none_or(|names| names.contains(name.units()));
        !gone.is_empty() && identity(dir, sys).and_then(|dir| gone.get(&dir)).is_some_and(has)
    }

    pub(crate) fn is_empty<S: Sys<Unit = U>>(&self, dir: &S::Dir, sys: &S) -> io::Result<bool> {
        let mut reader = Reader::<S>::new(S::DirBuf::with_capacity(0));
        while !reader.is_at_end() {
            reader.read(dir, sys)?;
            if iter::from_fn(|| reader.next()).any(|(entry, _)| !self.has(dir, entry.name, sys)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether the recorded removals break this path: they removed a component of it, or an
    /// ancestor of its directory (of its target, if `follow` is set).
    pub(crate) fn breaks<S: Sys<Unit = U>>(&self, path: &Path, follow: bool, sys: &S) -> bool {
        let Some(gone) = self.0.as_ref().filter(|gone| !gone.borrow().is_empty()) else {
            return false;
        };
        let is_whole = |own: Option<Identity>| {
            own.is_some_and(|own| matches!(gone.borrow().get(&own), Some(None)))
        };
        let is_gone = |path: &Path| {
            let dir = sys.open_for_lookup(path.parent()?).ok()?;
            let is_gone = match path.file_name() {
                Some(name) => NameBuf::new(U::units(name.as_ref()))
                    .is_ok_and(|name| self.has(&dir, name.as_name(), sys)),
                None => is_whole(identity(&dir, sys)),
            };
            sys.close(dir);
            Some(is_gone)
        };
        if path.ancestors().any(|path| is_gone(path) == Some(true)) {
            return true;
        }
        let mut at = if follow { Some(path) } else { path.parent() }.map(Path::to_owned);
        let mut below = None;
        while let Some(dir) = at.as_ref().and_then(|at| sys.open_for_lookup(at).ok()) {
            let own = identity(&dir, sys);
            sys.close(dir);
            if is_whole(own) {
                return true;
            }
            if own == below {
                break;
            }
            below = own;
            at = at.map(|at| at.join(".."));
        }
        false
    }
}

fn identity<S: Sys>(dir: &S::Dir, sys: &S) -> Option<Identity> {
    Identity::known(&sys.query_dir(dir, Request::STAT).ok()?)
}
