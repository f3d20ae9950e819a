use std::collections::HashMap;

use curt_paths::windows::is_verbatim;

use super::directory::{Context, Directory, ListedKind};
use crate::name::{Unit as _, is_dot_or_dot_dot};
use crate::sys::{Sys, SystemUnit};

/// The order in which candidates are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// Tries the first extension in all roots, then the second, as in Ruby.
    #[default]
    ExtensionFirst,
    /// Tries all extensions in the first root, then in the second, as in Python and Node.
    RootFirst,
}

struct Candidate<U> {
    path: Vec<U>,
    last: usize,
    first: Option<usize>,
    /// Whether absence from a listing proves that the file does not exist.
    is_plain: bool,
}

impl<U: SystemUnit> Candidate<U> {
    fn new(relative: &[U], extension: &[U]) -> Candidate<U> {
        let path = [relative, extension].concat();
        let slash = U::ascii(b'/');
        Candidate {
            last: U::rposition(&path, slash).map_or(0, |slash| slash + 1),
            first: U::position(&path, [b'/']),
            is_plain: path.split(|&unit| unit == slash).all(is_plain),
            path,
        }
    }

    fn parent(&self) -> &[U] {
        &self.path[..self.last.saturating_sub(1)]
    }

    fn last(&self) -> &[U] {
        &self.path[self.last..]
    }

    fn first(&self) -> Option<&[U]> {
        self.first.map(|first| &self.path[..first])
    }
}

/// Returns whether the name has no alternative spellings, apart from case.
fn is_plain<U: SystemUnit>(name: &[U]) -> bool {
    let is_plain = |unit: &U| matches!(unit.to_ascii(), b' '..=b'}') && !is_special(unit);
    let is_trimmed = |unit: &U| matches!(unit.to_ascii(), b'.' | b' ');
    name.iter().all(is_plain) && !is_dot_or_dot_dot(name) && !name.last().is_none_or(is_trimmed)
}

fn is_special<U: SystemUnit>(unit: &U) -> bool {
    matches!(unit.to_ascii(), b'\\' | b':')
}

struct Root<S: Sys> {
    path: Vec<S::Unit>,
    top: Directory<S>,
    below: HashMap<Vec<S::Unit>, Directory<S>>,
}

impl<S: Sys> Root<S> {
    fn new(path: Vec<S::Unit>, sys: &S) -> Root<S> {
        Root { top: Directory::new(&path, sys), path, below: HashMap::new() }
    }

    fn join(&self, relative: &[S::Unit]) -> Vec<S::Unit> {
        let is_closed = self.path.last().is_some_and(|unit| unit.is_separator());
        let separator = (!is_closed).then_some(S::Unit::SEPARATOR);
        let mut path = [&self.path, separator.as_slice(), relative].concat();
        // In a verbatim path a slash is part of a name.
        if S::Unit::SEPARATOR != S::Unit::ascii(b'/') && is_verbatim(&path) {
            let slashes = path.iter_mut().filter(|unit| **unit == S::Unit::ascii(b'/'));
            slashes.for_each(|slash| *slash = S::Unit::SEPARATOR);
        }
        path
    }

    fn has(&mut self, candidate: &Candidate<S::Unit>, context: &mut Context<S>) -> bool {
        if !candidate.is_plain {
            return context.is_file(&self.join(&candidate.path));
        }
        if let Some(first) = candidate.first() {
            // Even a stale listing will do if it may have `first`: the file's own directory is
            // checked next.
            let lacks = |top: &Directory<S>| {
                matches!(top.kind_of(first), ListedKind::Absent | ListedKind::File)
            };
            if lacks(&self.top) {
                self.top.refresh(context);
                if lacks(&self.top) {
                    return false;
                }
            }
        }
        match self.directory(candidate.parent(), context).kind_of(candidate.last()) {
            ListedKind::File => true,
            ListedKind::Absent | ListedKind::Directory => false,
            ListedKind::Unclear => context.is_file(&self.join(&candidate.path)),
        }
    }

    fn directory(&mut self, parent: &[S::Unit], context: &mut Context<S>) -> &Directory<S> {
        if !parent.is_empty() && !self.below.contains_key(parent) {
            let directory = Directory::new(&self.join(parent), &context.sys);
            self.below.insert(parent.to_vec(), directory);
        }
        let directory = self.below.get_mut(parent).unwrap_or(&mut self.top);
        directory.refresh(context);
        directory
    }
}

pub(super) struct Roots<S: Sys> {
    pub(super) order: Order,
    all: Vec<Root<S>>,
    context: Context<S>,
}

impl<S: Sys> Roots<S> {
    pub(super) fn new(sys: S) -> Roots<S> {
        Roots { order: Order::default(), all: Vec::new(), context: Context::new(sys) }
    }

    pub(super) fn set(&mut self, paths: impl Iterator<Item = Vec<S::Unit>>) {
        let known = self.all.drain(..).map(|root| (root.path.clone(), root));
        let mut known: HashMap<_, _> = known.collect();
        let sys = &self.context.sys;
        let root = |path| known.remove(&path).unwrap_or_else(|| Root::new(path, sys));
        self.all = paths.map(root).collect();
    }

    pub(super) fn find(
        &mut self,
        relative: &[S::Unit],
        extensions: impl Iterator<Item = Vec<S::Unit>>,
    ) -> Option<Vec<S::Unit>> {
        let candidate = |extension: Vec<_>| Candidate::new(relative, &extension);
        let candidates: Vec<_> = extensions.map(candidate).collect();
        let Roots { order, all, context } = self;
        let mut find = |candidate: &Candidate<_>, all: &mut [Root<S>]| {
            let root = all.iter_mut().find_map(|root| root.has(candidate, context).then_some(root));
            root.map(|root| root.join(&candidate.path))
        };
        match order {
            Order::ExtensionFirst => candidates.iter().find_map(|one| find(one, all)),
            Order::RootFirst => {
                let mut in_root =
                    |root: &mut [Root<S>]| candidates.iter().find_map(|one| find(one, root));
                all.chunks_mut(1).find_map(&mut in_root)
            }
        }
    }

    pub(super) fn revalidate(&mut self) {
        self.context.round += 1;
    }

    #[cfg(test)]
    pub(super) fn calls(&self) -> crate::Calls {
        self.context.sys.calls()
    }
}
