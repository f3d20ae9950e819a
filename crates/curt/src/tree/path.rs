//! The path of the current entry, as the caller would write it.

use crate::name::{Name, Unit};

/// A path that grows and shrinks with the traversal.
#[derive(Clone, Debug)]
pub(crate) struct TreePath<U> {
    /// Terminated, so that the last name can be handed to the system where it lies.
    units: Vec<U>,
    /// How much of `units` is the operand itself.
    operand: usize,
}

impl<U: Unit> Default for TreePath<U> {
    fn default() -> Self {
        TreePath::operand(Vec::new())
    }
}

impl<U: Unit> TreePath<U> {
    /// Returns the path of an operand, as it was given.
    pub(crate) fn operand(mut units: Vec<U>) -> Self {
        let operand = units.len();
        units.push(U::NUL);
        TreePath { units, operand }
    }

    /// Returns the length to give to [`TreePath::truncate`] in order to come back here.
    pub(crate) fn len(&self) -> usize {
        self.units.len() - 1
    }

    /// Appends a name.
    pub(crate) fn push(&mut self, name: Name<'_, U>) {
        self.units.pop();
        if self.units.last().is_some_and(|last| !last.is_separator()) {
            self.units.push(U::SEPARATOR);
        }
        self.units.extend_from_slice(name.terminated());
    }

    /// Goes back to a shorter length.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.units.truncate(len);
            self.units.push(U::NUL);
        }
    }

    /// Returns all units of the path.
    pub(crate) fn units(&self) -> &[U] {
        &self.units[..self.len()]
    }

    /// Returns the units below the operand, without the separator between.
    pub(crate) fn relative(&self) -> &[U] {
        self.below(self.operand.min(self.len()))
    }

    /// Returns the units below the directory whose path has this length, without the separator
    /// between.
    pub(crate) fn below(&self, directory: usize) -> &[U] {
        let below = self.terminated_below(directory);
        &below[..below.len() - 1]
    }

    /// Returns the name of an entry of the directory whose path has this length. `None` would
    /// mean that the path does not end in a NUL.
    pub(crate) fn name_below(&self, directory: usize) -> Option<Name<'_, U>> {
        Name::until_nul(self.terminated_below(directory))
    }

    fn terminated_below(&self, directory: usize) -> &[U] {
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
        path.push(name(b"a\0"));
        let a = path.len();
        path.push(name(b"b\0"));
        assert_eq!(path.units(), b"dir/a/b");
        assert_eq!(path.relative(), b"a/b");
        assert_eq!(path.name_below(a), Some(name(b"b\0")));
        assert_eq!(path.name_below(operand), Some(name(b"a/b\0")));
        path.truncate(operand);
        assert_eq!(path.units(), b"dir/");
        assert_eq!(path.relative(), b"");
    }
}
