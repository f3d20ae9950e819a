//! Names as the system stores them, converted only on request.

use std::cmp::Ordering;
use std::ffi::CStr;
use std::io;
use std::ops::Range;

pub(crate) use curt_paths::Unit;

/// A name without NUL, followed by a NUL, so that system calls can use it in place (in a listing or
/// in [`Names`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Name<'a, U>(&'a [U]);

impl<'a, U: Unit> Name<'a, U> {
    pub(crate) fn until_nul(units: &'a [U]) -> Option<Self> {
        let end = U::position(units, [0])?;
        Some(Name(&units[..=end]))
    }

    pub(crate) fn units(self) -> &'a [U] {
        &self.0[..self.0.len() - 1]
    }

    pub(crate) fn terminated(self) -> &'a [U] {
        self.0
    }

    pub(crate) fn is_dot_or_dot_dot(self) -> bool {
        is_dot_or_dot_dot(self.units())
    }
}

impl<'a> Name<'a, u8> {
    #[allow(dead_code, reason = "names of bytes are those of Unix")]
    pub(crate) const fn from_c(text: &'a CStr) -> Self {
        Name(text.to_bytes_with_nul())
    }
}

impl Name<'static, u16> {
    /// The empty name, which means the directory itself on Windows.
    #[allow(dead_code, reason = "only Windows has names of such units")]
    pub(crate) const EMPTY: Self = Name(&[0]);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameBuf<U>(Vec<U>);

impl<U: Unit> NameBuf<U> {
    pub(crate) fn new(mut units: Vec<U>) -> io::Result<Self> {
        if U::position(&units, [0]).is_some() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        units.push(U::NUL);
        Ok(NameBuf(units))
    }

    pub(crate) fn part(name: Name<'_, U>, part: Range<usize>) -> Self {
        let mut units = name.units().get(part).unwrap_or_default().to_vec();
        units.push(U::NUL);
        NameBuf(units)
    }

    pub(crate) fn into_buffer(self) -> Vec<U> {
        self.0
    }

    /// Sets the name to the concatenation of these parts, reusing memory. If they contain NUL, the
    /// name becomes empty and the result is `InvalidInput`.
    pub(crate) fn set(&mut self, parts: &[&[U]]) -> io::Result<()> {
        self.0.clear();
        for part in parts {
            self.0.extend_from_slice(part);
        }
        let is_name = U::position(&self.0, [0]).is_none();
        if !is_name {
            self.0.clear();
        }
        self.0.push(U::NUL);
        if is_name { Ok(()) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    pub(crate) fn as_name(&self) -> Name<'_, U> {
        Name(&self.0)
    }
}

impl<U: Unit> Default for NameBuf<U> {
    fn default() -> Self {
        NameBuf(vec![U::NUL])
    }
}

impl<U: Unit> From<Name<'_, U>> for NameBuf<U> {
    fn from(name: Name<'_, U>) -> Self {
        NameBuf(name.terminated().to_vec())
    }
}

pub(crate) fn is_dot_or_dot_dot<U: Unit>(units: &[U]) -> bool {
    let dot = U::ascii(b'.');
    matches!(units, [first] if *first == dot)
        || matches!(units, [first, second] if *first == dot && *second == dot)
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Names<U> {
    units: Vec<U>,
}

impl<U: Unit> Names<U> {
    pub(crate) fn new() -> Self {
        Names { units: Vec::new() }
    }

    pub(crate) fn push(&mut self, name: Name<'_, U>) -> usize {
        let at = self.units.len();
        self.units.extend_from_slice(name.terminated());
        at
    }

    pub(crate) fn push_units(&mut self, units: &[U]) -> usize {
        let at = self.units.len();
        self.units.extend_from_slice(units);
        self.units.push(U::NUL);
        at
    }

    /// Returns the name at a position that [`Names::push`] returned, or that directly follows
    /// another name.
    pub(crate) fn get(&self, at: usize) -> Option<Name<'_, U>> {
        Name::until_nul(self.units.get(at..)?)
    }

    pub(crate) fn between(
        &self,
        mut at: usize,
        end: usize,
    ) -> impl Iterator<Item = (usize, Name<'_, U>)> {
        std::iter::from_fn(move || {
            let name = self.get(at).filter(|_| at < end)?;
            let next = at + name.terminated().len();
            Some((std::mem::replace(&mut at, next), name))
        })
    }

    pub(crate) fn part(&self, at: usize, end: usize) -> Names<U> {
        let end = end.min(self.units.len());
        Names { units: self.units.get(at..end).unwrap_or_default().to_vec() }
    }

    /// Compares two names without searching for their ends: the first difference decides, and NUL
    /// sorts before any other unit.
    pub(crate) fn compare(&self, one: usize, other: usize) -> Ordering {
        let rest = |at: usize| self.units.get(at..).unwrap_or_default();
        let mut pairs = rest(one).iter().zip(rest(other));
        match pairs.find(|(one, other)| one != other || **one == U::NUL) {
            Some((one, other)) => one.cmp(other),
            None => Ordering::Equal,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }

    pub(crate) fn truncate(&mut self, at: usize) {
        self.units.truncate(at);
    }

    pub(crate) fn append(&mut self, other: &Names<U>) {
        self.units.extend_from_slice(&other.units);
    }
}

/// Names or paths in one allocation, each followed by a NUL.
///
/// C and JavaScript can read the block as it is. A unit is a byte or a 16-bit unit of UTF-16 (see
/// `Units` in [`os`](crate::os)).
///
/// ```
/// use curt::list::NameBlock;
/// let (mut block, mut other) = (NameBlock::default(), NameBlock::default());
/// block.push(b"first");
/// let second = block.push(b"second");
/// assert_eq!(block.get(second), Some(&b"second"[..]));
/// other.push(b"third");
/// block.append(&other);
/// let names: Vec<&[u8]> = block.iter().collect();
/// assert_eq!(names, [&b"first"[..], b"second", b"third"]);
/// assert_eq!(block.units(), b"first\0second\0third\0");
/// block.clear();
/// assert_eq!(block.iter().len(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameBlock<U> {
    names: Names<U>,
    count: usize,
}

impl<U: Unit> NameBlock<U> {
    /// Adds a name, which must not contain NUL. Returns its position.
    pub fn push(&mut self, name: &[U]) -> usize {
        self.count += 1;
        self.names.push_units(name)
    }

    /// Returns the name at a position returned by [`NameBlock::push`].
    pub fn get(&self, at: usize) -> Option<&[U]> {
        self.names.get(at).map(Name::units)
    }

    /// Iterates over the names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[U]> {
        let mut at = 0;
        (0..self.count).map(move |_| {
            let name = self.get(at).unwrap_or_default();
            at += name.len() + 1;
            name
        })
    }

    /// Appends the names of another block.
    pub fn append(&mut self, other: &NameBlock<U>) {
        self.count += other.count;
        self.names.append(&other.names);
    }

    /// Removes all names, keeping the memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.names.truncate(0);
    }

    /// Reserves capacity for exactly this many more units, including NULs.
    pub fn reserve(&mut self, units: usize) {
        self.names.units.reserve_exact(units);
    }

    /// Returns the units of all names.
    pub fn units(&self) -> &[U] {
        &self.names.units
    }

    /// Returns the units of all names, without a copy.
    pub fn into_units(self) -> Vec<U> {
        self.names.units
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, NameBuf, Names};

    #[test]
    fn names_follow_one_another() {
        let mut names = Names::new();
        let first = names.push_units(b"first");
        let second = names.push(Name::until_nul(b"second\0rest").unwrap());
        assert_eq!(names.get(first).unwrap().units(), b"first");
        assert_eq!(names.get(second).unwrap().terminated(), b"second\0");
        assert_eq!(second, first + names.get(first).unwrap().terminated().len());
        assert!(names.get(names.len()).is_none());
        let longer = names.push_units(b"first ");
        for (one, other) in [(first, second), (first, longer), (longer, second), (first, first)] {
            let (text, other_text) = (names.get(one).unwrap(), names.get(other).unwrap());
            assert_eq!(names.compare(one, other), text.units().cmp(other_text.units()));
            assert_eq!(names.compare(other, one), other_text.units().cmp(text.units()));
        }
        let places = |at, end| -> Vec<usize> { names.between(at, end).map(|(at, _)| at).collect() };
        assert_eq!(places(first, names.len()), [first, second, longer]);
        assert_eq!(places(second, longer), [second]);
        assert_eq!((places(longer, longer), places(names.len(), usize::MAX)), (vec![], vec![]));
        assert_eq!(names.part(second, names.len()).units, b"second\0first \0");
        names.truncate(longer);
        names.truncate(second);
        assert!(names.get(second).is_none());
    }

    #[test]
    fn a_name_ends_at_its_nul() {
        assert_eq!(Name::until_nul(b"a\0b\0").map(Name::units), Some(&b"a"[..]));
        assert_eq!(Name::until_nul(b"a"), None);
        assert_eq!(Name::<u8>::until_nul(b""), None);
    }

    #[test]
    fn an_owned_name_has_one_nul_and_that_at_its_end() {
        assert_eq!(NameBuf::new(b"a".to_vec()).unwrap().as_name(), Name::from_c(c"a"));
        assert_eq!(NameBuf::<u16>::new(Vec::new()).unwrap().as_name(), Name::EMPTY);
        for wrong in [&b"\0"[..], b"a\0", b"a\0b"] {
            let error = NameBuf::new(wrong.to_vec()).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{wrong:?}");
            let mut name = NameBuf::default();
            name.set(&[b"a", b"/", b"b"]).unwrap();
            assert_eq!(name.as_name(), Name::from_c(c"a/b"));
            assert!(name.set(&[b"c", wrong]).is_err(), "{wrong:?}");
            assert_eq!(name.as_name(), Name::from_c(c""));
        }
    }

    #[test]
    fn only_one_and_two_dots_are_special() {
        for (text, special) in
            [(&b".\0"[..], true), (b"..\0", true), (b"...\0", false), (b"\0", false)]
        {
            assert_eq!(Name::until_nul(text).unwrap().is_dot_or_dot_dot(), special);
        }
    }
}
