//! A path that can be split at its last component. It is not folded, because POSIX systems must see
//! it unchanged.

use std::ops::Range;

use crate::name::{Name, NameBuf, Unit, is_dot_or_dot_dot};
use curt_paths::{Flavor, Fold, Refusal};

#[derive(Clone, Debug)]
pub(super) struct Text<U>(NameBuf<U>);

impl<U: Unit> Text<U> {
    pub(super) fn new(units: Vec<U>) -> Result<Self, Refusal> {
        NameBuf::new(units).map(Text).map_err(|_| Refusal::Nul)
    }

    pub(super) fn below_root(mut units: Vec<U>) -> Result<Self, Refusal> {
        let begin = units.iter().position(|unit| !unit.is_separator()).unwrap_or(units.len());
        units.drain(..begin);
        if units.is_empty() {
            units.push(U::ascii(b'.'));
        }
        Text::new(units)
    }

    pub(super) fn into_buffer(self) -> Vec<U> {
        self.0.into_buffer()
    }

    pub(super) fn name(&self) -> Name<'_, U> {
        self.0.as_name()
    }

    pub(super) fn units(&self) -> &[U] {
        self.name().units()
    }

    /// Returns the last component, even `.` or `..`; `None` if there are only separators.
    fn last(&self) -> Option<Range<usize>> {
        let units = self.units();
        let end = units.iter().rposition(|unit| !unit.is_separator())? + 1;
        let begin = units[..end].iter().rposition(|unit| unit.is_separator());
        Some(begin.map_or(0, |separator| separator + 1)..end)
    }

    fn part(&self, part: Range<usize>) -> Text<U> {
        Text(NameBuf::part(self.name(), part))
    }

    /// Returns the parent (empty for the root) and the name without trailing separators. Returns
    /// `None` if the path ends in `.` or `..`.
    pub(super) fn split(&self) -> Option<(Text<U>, Text<U>)> {
        let name = self.last()?;
        let is_name = !is_dot_or_dot_dot(&self.units()[name.clone()]);
        is_name.then(|| (self.part(0..name.start), self.part(name)))
    }

    /// Drops the last component, even `.` or `..`. Returns `None` if it is the only one.
    pub(super) fn parent(&self) -> Option<Text<U>> {
        let parent = self.part(0..self.last()?.start);
        parent.last().map(|name| parent.part(0..name.end))
    }

    pub(super) fn is_parent(&self) -> bool {
        self.last().is_some_and(|name| self.units()[name] == [U::ascii(b'.'); 2])
    }

    pub(super) fn is_directory(&self) -> bool {
        let units = self.units();
        units.last().is_none_or(|unit| unit.is_separator()) || self.split().is_none()
    }
}

pub(super) fn joined<'a, U: Unit>(names: impl Iterator<Item = &'a [U]>) -> Vec<U> {
    let mut path = Vec::new();
    for name in names {
        if !path.is_empty() {
            path.push(U::SEPARATOR);
        }
        path.extend_from_slice(name);
    }
    if path.is_empty() { vec![U::ascii(b'.')] } else { path }
}

/// Folds a path, which must not contain symlinks. `..` at the root is dropped.
pub(super) fn folded<U: Unit>(path: &[U], flavor: Flavor) -> Result<Vec<U>, Refusal> {
    // The leading separator keeps folding from putting `.` before a first name such as `~`. A path
    // from the system never contains NUL.
    let mut full = vec![U::SEPARATOR];
    Fold::new(flavor).append(path, 1, &mut full).map_err(|_| Refusal::Nul)?;
    full.remove(0);
    Ok(if full.is_empty() { vec![U::ascii(b'.')] } else { full })
}

/// Returns whether a symlink's target names a drive, device or stream (with a colon) or a server
/// (with two leading separators).
pub(super) fn leads_elsewhere<U: Unit>(target: &[U], flavor: Flavor) -> bool {
    let is_server = target.len() >= 2 && target[..2].iter().all(|unit| unit.is_separator());
    flavor == Flavor::Windows && (is_server || target.contains(&U::ascii(b':')))
}

pub(super) fn below<'a, U: Unit>(path: &'a [U], root: &[U]) -> Option<&'a [U]> {
    let end = root.iter().rposition(|unit| !unit.is_separator()).map_or(0, |last| last + 1);
    let rest = path.strip_prefix(&root[..end])?;
    match rest.split_first() {
        None => Some(&[]),
        Some((first, names)) => first.is_separator().then_some(names),
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, below};

    fn split(path: &str) -> Option<(String, String)> {
        let text = |text: Text<u8>| String::from_utf8(text.units().to_vec()).unwrap();
        Text::new(path.as_bytes().to_vec())
            .unwrap()
            .split()
            .map(|(parent, name)| (text(parent), text(name)))
    }

    #[test]
    fn the_last_name_is_split_off() {
        for (path, expected) in [
            ("a", Some(("", "a"))),
            ("a/b", Some(("a/", "b"))),
            ("a//b//", Some(("a//", "b"))),
            ("../a", Some(("../", "a"))),
            ("...", Some(("", "..."))),
            ("a/..", None),
            ("a/.", None),
            ("./", None),
            (".", None),
            ("/", None),
        ] {
            let expected = expected.map(|(parent, name)| (parent.to_owned(), name.to_owned()));
            assert_eq!(split(path), expected, "{path}");
        }
        for (path, is_directory) in [("a", false), ("a/", true), ("a/.", true), ("..", true)] {
            let text = Text::new(path.as_bytes().to_vec()).unwrap();
            assert_eq!(text.is_directory(), is_directory, "{path}");
        }
    }

    #[test]
    fn the_parents_of_a_path_keep_their_dots() {
        let mut path = Text::new(b"a//../b/./c/".to_vec()).unwrap();
        for expected in ["a//../b/.", "a//../b", "a//..", "a"] {
            path = path.parent().unwrap();
            assert_eq!(path.units(), expected.as_bytes());
        }
        assert!(path.parent().is_none());
    }

    #[test]
    fn a_sibling_with_a_longer_name_is_not_below() {
        for (path, root, expected) in [
            ("/jail/a/b", "/jail", Some("a/b")),
            ("/jail", "/jail", Some("")),
            ("/jail-evil/a", "/jail", None),
            ("/a", "/", Some("a")),
            ("/", "/", Some("")),
            ("/other", "/jail", None),
        ] {
            let found = below(path.as_bytes(), root.as_bytes());
            assert_eq!(found, expected.map(str::as_bytes), "{path} {root}");
        }
    }
}
