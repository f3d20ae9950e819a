//! The path of the entry at hand, as the caller would write it.

use crate::name::{Name, Unit};

/// A path that grows and shrinks with the traversal.
#[derive(Clone, Debug)]
pub(crate) struct TreePath<U> {
    units: Vec<U>,
    /// How much of `units` is the operand itself.
    operand: usize,
}

impl<U> Default for TreePath<U> {
    fn default() -> Self {
        TreePath { units: Vec::new(), operand: 0 }
    }
}

impl<U: Unit> TreePath<U> {
    /// The path of an operand, as it was given.
    pub(crate) fn operand(units: Vec<U>) -> Self {
        TreePath { operand: units.len(), units }
    }

    /// The length to give to [`TreePath::truncate`] in order to come back here.
    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }

    /// Appends a name. Returns where the name begins.
    pub(crate) fn push(&mut self, name: Name<'_, U>) -> usize {
        if self.units.last().is_some_and(|last| !last.is_separator()) {
            self.units.push(U::SEPARATOR);
        }
        let at = self.units.len();
        self.units.extend_from_slice(name.units());
        at
    }

    /// Goes back to a shorter length.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.units.truncate(len);
    }

    /// All units of the path.
    pub(crate) fn units(&self) -> &[U] {
        &self.units
    }

    /// The units below the operand, without the separator between.
    pub(crate) fn relative(&self) -> &[U] {
        self.below(self.operand.min(self.units.len()))
    }

    /// The units below the directory whose path has this length, without the separator between.
    pub(crate) fn below(&self, directory: usize) -> &[U] {
        let below = &self.units[directory..];
        let separators = below.iter().take_while(|unit| unit.is_separator()).count();
        &below[separators..]
    }
}

#[cfg(test)]
mod tests {
    use super::TreePath;
    use crate::name::Name;

    fn name(text: &[u8]) -> Name<'_, u8> {
        Name::until_nul(text).unwrap()
    }

    #[test]
    fn names_are_joined_and_taken_off() {
        let mut path = TreePath::operand(b"dir/".to_vec());
        let operand = path.len();
        assert_eq!(path.push(name(b"a\0")), 4);
        assert_eq!(path.push(name(b"b\0")), 6);
        assert_eq!(path.units(), b"dir/a/b");
        assert_eq!(path.relative(), b"a/b");
        path.truncate(operand);
        assert_eq!(path.units(), b"dir/");
        assert_eq!(path.relative(), b"");
    }
}
