//! The one folding of paths: names are written one behind the other, `.` and doubled separators are left
//! out, and `..` takes the name before it away.
//!
//! ```
//! use curt_paths::{DotDot, Flavor, Fold};
//! let fold = Fold::new(Flavor::Posix);
//! assert_eq!(fold.fold(b"a/./b//../c/").unwrap(), b"a/c");
//! assert_eq!(fold.dot_dot(DotDot::Keep).fold(b"a/./b//../c/").unwrap(), b"a/b/../c");
//! assert!(fold.dot_dot(DotDot::Refuse).fold(b"a/../../b").is_err());
//! ```

use crate::flavor::Flavor;
use crate::options::{DotDot, ExpandError};
use crate::rule::{Listener, Rule};
use crate::unit::{Unit, any_window};

/// Folds the names of a path: leaves out `.` and doubled separators, and treats `..` as [`DotDot`] says.
///
/// This is text alone. A path on which there may be a link means something else without its `..`, except on
/// Windows, which folds paths before it looks at any directory.
///
/// ```
/// use curt_paths::{Flavor, Fold};
/// let mut path = br"C:\work".to_vec();
/// Fold::new(Flavor::Windows).append(br"..\..\x/y", 3, &mut path).unwrap();
/// assert_eq!(path, br"C:\x\y");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "this folds nothing until it is given names"]
pub struct Fold {
    flavor: Flavor,
    dot_dot: DotDot,
    has_native_separators: bool,
    trims: bool,
}

impl Fold {
    /// Folds paths of this flavor and writes its separator. `..` takes the name before it away
    /// ([`DotDot::Clamp`]).
    pub const fn new(flavor: Flavor) -> Fold {
        Fold { flavor, dot_dot: DotDot::Clamp, has_native_separators: false, trims: false }
    }

    /// Sets what becomes of `..`.
    pub const fn dot_dot(self, dot_dot: DotDot) -> Fold {
        Fold { dot_dot, ..self }
    }

    /// Writes [`Unit::SEPARATOR`] instead of the flavor's separator, for a list in the style of Windows that
    /// another system is given.
    pub const fn native_separators(self) -> Fold {
        Fold { has_native_separators: true, ..self }
    }

    /// Drops what Windows drops at the end of names: see [`inner_name`] and [`last_name`].
    pub(crate) const fn trimmed(self) -> Fold {
        Fold { trims: true, ..self }
    }

    /// The folded names; `.` if there are none. [`ExpandError::Nul`], or [`ExpandError::Escape`] if
    /// [`DotDot::Refuse`] says so.
    pub fn fold<U: Unit>(self, names: &[U]) -> Result<Vec<U>, ExpandError> {
        let mut path = Vec::new();
        self.append(names, 0, &mut path)?;
        if path.is_empty() {
            path.push(U::ascii(b'.'));
        }
        Ok(path)
    }

    /// Writes names behind a path, whose first `root` units `..` does not take away. The path is of no use
    /// after an error.
    pub fn append<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
    ) -> Result<(), ExpandError> {
        self.write(names, root, path, &mut ()).map(drop)
    }

    /// Writes names behind a path. Returns whether the last one was nothing but dots and spaces, which are
    /// trimmed.
    ///
    /// All of them are written first, and what stays moves to the front: up to where something is first
    /// left out, it is there already. Names that lie in a row without dots and doubled slashes are moved
    /// at once.
    pub(crate) fn write<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
        listener: &mut impl Listener,
    ) -> Result<bool, ExpandError> {
        let separator = self.separator();
        let mut vanished = false;
        // How much of what is written stays.
        let mut end = path.len();
        if path.last().is_some_and(|&last| last != separator) {
            path.push(separator);
        }
        let begin = path.len();
        path.extend_from_slice(names);
        let mut at = 0;
        while at < names.len() {
            let row = &names[at..];
            let part = self.part(row);
            let is_kept = match part {
                Part::Nothing | Part::Dot => false,
                Part::DotDot => self.dot_dot == DotDot::Keep,
                Part::Name => true,
            };
            let stop = if is_kept { self.row_end(names, at) } else { at + part as usize };
            if self.flavor == Flavor::Windows && names.get(stop) == Some(&U::ascii(b'/')) {
                listener.fired(Rule::Backslashes);
            }
            match part {
                Part::Nothing if at > 0 => listener.fired(Rule::Runs),
                Part::Nothing | Part::Name => {}
                Part::Dot => listener.fired(Rule::Dot),
                Part::DotDot if is_kept => listener.fired(Rule::DotDotKept),
                Part::DotDot => {
                    end = above(&path[..end], root, separator, self.dot_dot, listener)?;
                }
            }
            if is_kept {
                if names.get(stop) == Some(&U::NUL) {
                    return Err(ExpandError::Nul);
                }
                let length = self.kept(&names[at..stop], stop == names.len(), listener);
                vanished = length == 0;
                if length > 0 {
                    if end > 0 && path[end - 1] != separator {
                        path[end] = separator;
                        end += 1;
                    }
                    if end != begin + at {
                        put(row, length, &mut path[end..]);
                    }
                    end += length;
                }
            }
            at = stop + 1;
        }
        path.truncate(end);
        Ok(vanished)
    }

    fn separator<U: Unit>(self) -> U {
        match self.flavor {
            Flavor::Windows if self.has_native_separators => U::SEPARATOR,
            Flavor::Windows => U::ascii(b'\\'),
            Flavor::Posix => U::ascii(b'/'),
        }
    }

    fn separates<U: Unit>(self, unit: U) -> bool {
        unit == U::ascii(b'/') || (self.flavor == Flavor::Windows && unit == U::ascii(b'\\'))
    }

    /// What the first name of these is.
    #[inline]
    fn part<U: Unit>(self, names: &[U]) -> Part {
        let ends = |at: usize| names.get(at).is_none_or(|&unit| self.separates(unit));
        let is_dot = |at: usize| names.get(at) == Some(&U::ascii(b'.'));
        if ends(0) {
            Part::Nothing
        } else if !is_dot(0) {
            Part::Name
        } else if ends(1) {
            Part::Dot
        } else if is_dot(1) && ends(2) {
            Part::DotDot
        } else {
            Part::Name
        }
    }

    /// The end of the names from there on that can be written at once.
    #[inline]
    fn row_end<U: Unit>(self, names: &[U], from: usize) -> usize {
        match self.flavor {
            Flavor::Posix => U::row_end(names, from),
            Flavor::Windows => {
                U::position(&names[from..], *b"\\/\0").map_or(names.len(), |length| from + length)
            }
        }
    }

    /// How much of a name stays.
    #[inline]
    fn kept<U: Unit>(self, name: &[U], is_last: bool, listener: &mut impl Listener) -> usize {
        if !self.trims {
            return name.len();
        }
        let kept = if is_last { last_name(name) } else { inner_name(name) }.len();
        if kept < name.len() {
            listener.fired(if is_last { Rule::Trimmed } else { Rule::InnerDot });
        }
        if kept == 0 {
            listener.fired(Rule::Vanished);
        }
        kept
    }
}

/// Whether a POSIX path has no NUL, no doubled slash and no name that is `.` or `..`. `false` may also mean that
/// it takes a closer look.
///
/// ```
/// use curt_paths::is_folded;
/// assert!(is_folded(b"/usr/lib/.hidden"));
/// assert!(!is_folded(b"/usr/../etc") && !is_folded(b"a//b"));
/// ```
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from going many at a time")]
pub fn is_folded<U: Unit>(path: &[U]) -> bool {
    // Stands behind the text, and is in no text that is common.
    let end = U::ascii(1);
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    let first = match *path {
        [a, b, ..] => a == dot && (b == dot || b == slash),
        [a] => a == dot,
        [] => false,
    };
    !first
        && !any_window(path, end, |[a, b, c]| {
            let hidden = (b == dot) & ((c == dot) | (c == slash) | (c == end));
            (a == U::NUL) | ((a == slash) & ((b == slash) | hidden))
        })
}

/// What stands where a name may begin. The number is its length, where that says it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing = 0,
    Dot = 1,
    DotDot = 2,
    Name = 3,
}

/// Writes so many of these units, and perhaps some more behind them: most rows are short, and sixteen at once
/// take less time than asking how many there are.
fn put<U: Copy>(units: &[U], length: usize, to: &mut [U]) {
    match (units.first_chunk::<16>(), to.first_chunk_mut::<16>()) {
        (Some(units), Some(to)) if length <= 16 => *to = *units,
        _ => to[..length].copy_from_slice(&units[..length]),
    }
}

/// How much of a path is that of the directory above.
fn above<U: Unit>(
    path: &[U],
    root: usize,
    separator: U,
    policy: DotDot,
    listener: &mut impl Listener,
) -> Result<usize, ExpandError> {
    if path.len() <= root {
        if policy == DotDot::Refuse {
            return Err(ExpandError::Escape);
        }
        listener.fired(Rule::Clamped);
        return Ok(path.len());
    }
    listener.fired(Rule::DotDot);
    Ok(root + U::rposition(&path[root..], separator).unwrap_or(0))
}

/// A name at the end of a Windows path: without dots and spaces at its own end, unless it is `.` or `..`.
pub(crate) fn last_name<U: Unit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    if matches!(*name, [only] if only == dot) || matches!(*name, [a, b] if a == dot && b == dot) {
        return name;
    }
    let end = name.iter().rposition(|unit| !matches!(unit.to_ascii(), b'.' | b' '));
    &name[..end.map_or(0, |last| last + 1)]
}

/// A name that a separator follows in a Windows path: without a dot at its end, if that is one and not two.
fn inner_name<U: Unit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    match *name {
        [.., before, last] if last == dot && before != dot => &name[..name.len() - 1],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::Fold;
    use crate::flavor::Flavor::{Posix, Windows};
    use crate::options::{DotDot, ExpandError};

    fn folded(fold: Fold, text: &str) -> Result<String, ExpandError> {
        let bytes = fold.fold(text.as_bytes()).map(|path| String::from_utf8(path).unwrap());
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(fold.fold(&units).map(|path| String::from_utf16(&path).unwrap()), bytes);
        bytes
    }

    #[test]
    fn names_are_folded() {
        for (flavor, path, expected) in [
            (Posix, "a/./b//../c/", "a/c"),
            (Posix, "a/..", "."),
            (Posix, "../a", "a"),
            (Posix, ".", "."),
            (Posix, "", "."),
            (Posix, "/a", "a"),
            (Posix, "a/...", "a/..."),
            (Posix, r"a\..\b", r"a\..\b"),
            (Windows, r"a\.\b//..\c. /", r"a\c. "),
            (Windows, r"..\a", "a"),
        ] {
            assert_eq!(folded(Fold::new(flavor), path).as_deref(), Ok(expected), "{path}");
        }
        let trimmed = Fold::new(Windows).trimmed();
        assert_eq!(folded(trimmed, r"a.\b. \...\c. ").as_deref(), Ok(r"a\b. \...\c"));
        assert_eq!(folded(trimmed, r"a\ ..").as_deref(), Ok("a"));
    }

    #[test]
    fn dots_stay_or_are_refused_if_that_is_wanted() {
        let keep = Fold::new(Posix).dot_dot(DotDot::Keep);
        assert_eq!(folded(keep, "./../a/..//b/").as_deref(), Ok("../a/../b"));
        let refuse = Fold::new(Posix).dot_dot(DotDot::Refuse);
        assert_eq!(folded(refuse, "a/../b").as_deref(), Ok("b"));
        assert_eq!(folded(refuse, "a/../../b"), Err(ExpandError::Escape));
        assert_eq!(folded(refuse, "a\0"), Err(ExpandError::Nul));
    }

    #[test]
    fn a_root_stays() {
        for (path, root, names, expected) in [
            ("/", 1, "../a/", "/a"),
            ("/", 1, "..", "/"),
            ("/w", 1, "../../x", "/x"),
            ("/w/", 1, "x", "/w/x"),
        ] {
            let mut path = path.as_bytes().to_vec();
            Fold::new(Posix).append(names.as_bytes(), root, &mut path).unwrap();
            assert_eq!(path, expected.as_bytes());
        }
        let mut share = br"\\s\h".to_vec();
        let root = share.len();
        Fold::new(Windows).append(br"a\..\..\b/c", root, &mut share).unwrap();
        assert_eq!(share, br"\\s\h\b\c");
        let mut path = b"/w".to_vec();
        let native = Fold::new(Windows).native_separators();
        native.append(br"a\..\b/c", 1, &mut path).unwrap();
        assert_eq!(path, b"/w/b/c");
    }
}
