//! The text of a path, split at its last name. Nothing is folded before the system has seen it.

use crate::name::{Name, Unit, is_dot_or_dot_dot};
use curt_paths::{Flavor, Fold, Refusal};

/// A path with a NUL behind it.
#[derive(Clone, Debug)]
pub(super) struct Text<U>(Vec<U>);

impl<U: Unit> Text<U> {
    /// Takes units without a NUL.
    pub(super) fn new(mut units: Vec<U>) -> Self {
        debug_assert!(!units.contains(&U::NUL));
        units.push(U::NUL);
        Text(units)
    }

    /// Takes a path that may begin with separators, and drops those.
    pub(super) fn below_root(mut units: Vec<U>) -> Self {
        let begin = units.iter().position(|unit| !unit.is_separator()).unwrap_or(units.len());
        units.drain(..begin);
        if units.is_empty() {
            units.push(U::ascii(b'.'));
        }
        Text::new(units)
    }

    /// Returns the buffer, which includes the NUL.
    pub(super) fn into_buffer(self) -> Vec<U> {
        self.0
    }

    pub(super) fn name(&self) -> Name<'_, U> {
        Name::of_terminated(&self.0)
    }

    pub(super) fn units(&self) -> &[U] {
        self.name().units()
    }

    /// Returns the directory that the last name is in (empty for the root), and that name. `None`
    /// if the path ends in `.` or `..`. Trailing separators belong to neither: see
    /// [`Text::is_directory`].
    pub(super) fn split(&self) -> Option<(Text<U>, Text<U>)> {
        let units = self.units();
        let end = units.iter().rposition(|unit| !unit.is_separator())? + 1;
        let begin = units[..end].iter().rposition(|unit| unit.is_separator());
        let begin = begin.map_or(0, |separator| separator + 1);
        let name = &units[begin..end];
        let text = |units: &[U]| Text::new(units.to_vec());
        (!is_dot_or_dot_dot(name)).then(|| (text(&units[..begin]), text(name)))
    }

    /// Returns whether the path must be a directory: it ends in a separator, `.` or `..`.
    pub(super) fn is_directory(&self) -> bool {
        let units = self.units();
        units.last().is_none_or(|unit| unit.is_separator()) || self.split().is_none()
    }
}

/// Joins names by the system's separator; `.` for none.
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

/// Folds a path that leads through no symbolic link: `a/./b/../c` is `a/c`. A leading `..` stays at
/// the root.
pub(super) fn folded<U: Unit>(path: &[U], flavor: Flavor) -> Result<Vec<U>, Refusal> {
    // Folding fails on a NUL only, which no path of the system's has.
    Fold::new(flavor).fold(path).map_err(|_| Refusal::Nul)
}

/// Returns the rest of a full path below a root.
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
        Text::new(path.as_bytes().to_vec()).split().map(|(parent, name)| (text(parent), text(name)))
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
            let text = Text::new(path.as_bytes().to_vec());
            assert_eq!(text.is_directory(), is_directory, "{path}");
        }
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
