//! The path of the entry at hand, as the caller would write it.

use std::sync::Arc;

use crate::name::{Name, Unit};

/// A path that grows and shrinks with the traversal. What lies above a directory that was moved
/// upwards (see `hoist.rs`) is shared with the others from the same place, so that the paths of a
/// tree of 100,000 levels take memory once, and not once per moved directory.
#[derive(Clone, Debug)]
pub(super) struct LogicalPath<U> {
    above: Option<Arc<Above<U>>>,
    units: Vec<U>,
    /// How much of `units` is the operand itself.
    operand: usize,
}

#[derive(Debug)]
pub(super) struct Above<U> {
    further: Option<Arc<Above<U>>>,
    units: Vec<U>,
    operand: usize,
}

impl<U> Drop for Above<U> {
    /// Lets go of a long chain link by link: the derived way would recurse.
    fn drop(&mut self) {
        let mut next = self.further.take();
        while let Some(mut above) = next.and_then(Arc::into_inner) {
            next = above.further.take();
        }
    }
}

impl<U: Unit> LogicalPath<U> {
    /// The path of an operand, as it was given.
    pub(super) fn operand(units: Vec<U>) -> Self {
        LogicalPath { above: None, operand: units.len(), units }
    }

    /// The length to give to [`LogicalPath::truncate`] in order to come back here.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// Appends a name.
    pub(super) fn push(&mut self, name: Name<'_, U>) {
        // What lies above a shared point never ends with a separator.
        if self.units.last().map_or(self.above.is_some(), |&last| !last.is_separator()) {
            self.units.push(U::SEPARATOR);
        }
        self.units.extend_from_slice(name.units());
    }

    /// Goes back to a shorter length.
    pub(super) fn truncate(&mut self, len: usize) {
        self.units.truncate(len);
    }

    /// All units of the path.
    pub(super) fn units(&self) -> Vec<U> {
        let mut parts = vec![&self.units];
        let mut next = &self.above;
        while let Some(above) = next {
            parts.push(&above.units);
            next = &above.further;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }

    /// The units below the operand, without the separator between.
    pub(super) fn relative(&self) -> Vec<U> {
        let operand = match &self.above {
            None => self.operand,
            Some(above) => above.first().operand,
        };
        let mut units = self.units();
        let start =
            (operand..units.len()).find(|&at| !units[at].is_separator()).unwrap_or(units.len());
        units.drain(..start);
        units
    }

    /// A point that paths can go on from: this path, to be shared.
    pub(super) fn share(&self) -> Arc<Above<U>> {
        Arc::new(Above {
            further: self.above.clone(),
            units: self.units.clone(),
            operand: self.operand,
        })
    }

    /// Goes on from a shared point.
    pub(super) fn from_shared(above: &Arc<Above<U>>) -> Self {
        LogicalPath { above: Some(Arc::clone(above)), units: Vec::new(), operand: 0 }
    }
}

impl<U> Above<U> {
    fn first(&self) -> &Above<U> {
        let mut first = self;
        while let Some(above) = &first.further {
            first = above;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::LogicalPath;
    use crate::name::Name;

    fn name(text: &[u8]) -> Name<'_, u8> {
        Name::until_nul(text).unwrap()
    }

    #[test]
    fn names_are_joined_and_taken_off() {
        let mut path = LogicalPath::operand(b"dir/".to_vec());
        let operand = path.len();
        path.push(name(b"a\0"));
        path.push(name(b"b\0"));
        assert_eq!(path.units(), b"dir/a/b");
        assert_eq!(path.relative(), b"a/b");
        path.truncate(operand);
        assert_eq!(path.units(), b"dir/");
        assert_eq!(path.relative(), b"");
    }

    #[test]
    fn shared_points_keep_the_whole_path() {
        let mut path = LogicalPath::operand(b"x".to_vec());
        path.push(name(b"a\0"));
        let mut below = LogicalPath::from_shared(&path.share());
        below.push(name(b"b\0"));
        let mut further = LogicalPath::from_shared(&below.share());
        further.push(name(b"c\0"));
        assert_eq!(further.units(), b"x/a/b/c");
        assert_eq!(further.relative(), b"a/b/c");
    }

    #[test]
    fn a_long_chain_is_dropped_without_recursion() {
        let mut path = LogicalPath::<u8>::operand(b"x".to_vec());
        for _ in 0..1_000_000 {
            path = LogicalPath::from_shared(&path.share());
        }
        drop(path);
    }
}
