use crate::name::{Name, Unit};

/// The path of the current entry, as the caller would write it.
#[derive(Clone, Debug)]
pub(crate) struct TreePath<U> {
    /// The path, with a NUL at the end, so that its last component can be passed to the system
    /// without copying.
    units: Vec<U>,
    operand: usize,
}

impl<U: Unit> Default for TreePath<U> {
    fn default() -> Self {
        TreePath::operand(Vec::new())
    }
}

impl<U: Unit> TreePath<U> {
    pub(crate) fn operand(mut units: Vec<U>) -> Self {
        let operand = units.len();
        units.push(U::NUL);
        TreePath { units, operand }
    }

    pub(crate) fn len(&self) -> usize {
        self.units.len() - 1
    }

    pub(crate) fn push(&mut self, name: Name<'_, U>) {
        self.units.pop();
        if self.units.last().is_some_and(|last| !last.is_separator()) {
            self.units.push(U::SEPARATOR);
        }
        self.units.extend_from_slice(name.terminated());
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.units.truncate(len);
            self.units.push(U::NUL);
        }
    }

    pub(crate) fn units(&self) -> &[U] {
        &self.units[..self.len()]
    }

    pub(crate) fn relative(&self) -> &[U] {
        self.below(self.operand.min(self.len()))
    }

    /// Returns the part of the path below the directory whose path has this length.
    pub(crate) fn below(&self, directory: usize) -> &[U] {
        let below = self.terminated_below(directory);
        &below[..below.len() - 1]
    }

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
