//! The one folding of paths: names are written one behind the other, `.` and doubled separators are
//! left out, and `..` takes the name before it away.
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

/// Folds the names of a path: leaves out `.` and doubled separators, and treats `..` as [`DotDot`]
/// says.
///
/// This is text alone. A path on which there may be a link means something else without its `..`,
/// except on Windows, which folds paths before it looks at any directory.
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

    /// Writes [`Unit::SEPARATOR`] instead of the flavor's separator, for a list in the style of
    /// Windows that another system is given.
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

    /// Writes names behind a path, of which `..` takes away neither the first `root` units nor a
    /// separator at the beginning. The path is of no use after an error.
    pub fn append<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
    ) -> Result<(), ExpandError> {
        self.write(names, root, path, &mut ()).map(drop)
    }

    /// Writes names behind a path. Returns whether the last one was nothing but dots and spaces,
    /// which are trimmed.
    ///
    /// All of them are written first, and what stays moves to the front: up to where something is
    /// first left out, it is there already. Names that lie in a row without dots and doubled
    /// slashes are moved at once.
    pub(crate) fn write<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
        listener: &mut impl Listener,
    ) -> Result<bool, ExpandError> {
        match self.flavor {
            Flavor::Posix => self.write_as::<U, false>(names, root, path, listener),
            Flavor::Windows => self.write_as::<U, true>(names, root, path, listener),
        }
    }

    /// The same, for one of the flavors.
    fn write_as<U: Unit, const WINDOWS: bool>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
        listener: &mut impl Listener,
    ) -> Result<bool, ExpandError> {
        let separator = if WINDOWS { self.separator() } else { U::ascii(b'/') };
        let mut vanished = false;
        let root = if path.first() == Some(&separator) { root.max(1) } else { root };
        // A root such as that of a drive ends in a separator, and that of a share does not.
        let root_is_joined = root == 0 || path.get(root - 1) == Some(&separator);
        // How much of what is written stays.
        let mut end = path.len();
        if end > root && path.last() == Some(&separator) {
            end -= 1;
        } else if end > root || !root_is_joined {
            path.push(separator);
        }
        let begin = path.len();
        path.extend_from_slice(names);
        let mut at = 0;
        while at < names.len() {
            // On Windows a name; on POSIX many names may lie in a row, of which the end is looked
            // for later.
            let row = if WINDOWS {
                let length = U::position(&names[at..], *b"\\/\0");
                length.map_or(&names[at..], |length| &names[at..at + length])
            } else {
                &names[at..]
            };
            if WINDOWS && names.get(at + row.len()) == Some(&U::NUL) {
                return Err(ExpandError::Nul);
            }
            match Part::of::<U, WINDOWS>(row) {
                Part::Nothing => {
                    tell_backslash::<U, WINDOWS>(names, at, listener);
                    if at > 0 {
                        listener.fired(Rule::Runs);
                    }
                    at += 1;
                    continue;
                }
                Part::Dot => {
                    tell_backslash::<U, WINDOWS>(names, at + 1, listener);
                    listener.fired(Rule::Dot);
                    at += 2;
                    continue;
                }
                Part::DotDot if self.dot_dot != DotDot::Keep => {
                    tell_backslash::<U, WINDOWS>(names, at + 2, listener);
                    end = above(&path[..end], root, separator, self.dot_dot, listener)?;
                    at += 3;
                    continue;
                }
                Part::DotDot => listener.fired(Rule::DotDotKept),
                Part::Name => {}
            }
            let stop = if WINDOWS { at + row.len() } else { U::row_end(names, at) };
            if !WINDOWS && names.get(stop) == Some(&U::NUL) {
                return Err(ExpandError::Nul);
            }
            tell_backslash::<U, WINDOWS>(names, stop, listener);
            let mut length = stop - at;
            if WINDOWS && self.trims {
                length = kept(row, stop == names.len(), listener);
                vanished = length == 0;
            }
            if !vanished {
                if end > root || !root_is_joined {
                    path[end] = separator;
                    end += 1;
                }
                if end != begin + at {
                    put(&names[at..], length, &mut path[end..]);
                }
                end += length;
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
}

/// Whether a POSIX path has names, and no NUL, no doubled slash, no slash at its end and no name
/// that is `.` or `..`. `false` may also mean that it takes a closer look.
///
/// ```
/// use curt_paths::is_folded;
/// assert!(is_folded(b"/usr/lib/.hidden"));
/// assert!(!is_folded(b"/usr/../etc") && !is_folded(b"a//b"));
/// ```
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from going many at a time")]
pub fn is_folded<U: Unit>(path: &[U]) -> bool {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    let names = match path {
        [first, names @ ..] if *first == slash => names,
        names => names,
    };
    // What stands behind the text makes a slash at its end, and a name that is a dot, look hidden.
    !any_window(names, [slash, dot], |[a, b, c]| {
        let hidden = (b == dot) & ((c == dot) | (c == slash));
        (a == U::NUL) | ((a == slash) & ((b == slash) | hidden))
    })
}

/// What stands where a name may begin.
enum Part {
    Nothing,
    Dot,
    DotDot,
    Name,
}

impl Part {
    /// What a name of Windows is, or the first of a row of POSIX names.
    #[inline]
    fn of<U: Unit, const WINDOWS: bool>(row: &[U]) -> Part {
        let ends = |at: usize| row.get(at).is_none_or(|&unit| !WINDOWS && unit == U::ascii(b'/'));
        let is_dot = |at: usize| row.get(at) == Some(&U::ascii(b'.'));
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
}

/// Tells that a slash that ends a name becomes a backslash.
#[inline]
fn tell_backslash<U: Unit, const WINDOWS: bool>(
    names: &[U],
    at: usize,
    listener: &mut impl Listener,
) {
    if WINDOWS && names.get(at) == Some(&U::ascii(b'/')) {
        listener.fired(Rule::Backslashes);
    }
}

/// How much Windows leaves of a name.
fn kept<U: Unit>(name: &[U], is_last: bool, listener: &mut impl Listener) -> usize {
    let kept = if is_last { last_name(name) } else { inner_name(name) }.len();
    if kept < name.len() {
        listener.fired(if is_last { Rule::Trimmed } else { Rule::InnerDot });
    }
    if kept == 0 {
        listener.fired(Rule::Vanished);
    }
    kept
}

/// Writes so many of these units, and perhaps some more behind them: most rows are short, and
/// sixteen at once take less time than asking how many there are.
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

/// A name at the end of a Windows path: without dots and spaces at its own end, unless it is `.` or
/// `..`.
pub(crate) fn last_name<U: Unit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    if matches!(*name, [only] if only == dot) || matches!(*name, [a, b] if a == dot && b == dot) {
        return name;
    }
    let end = name.iter().rposition(|unit| !matches!(unit.to_ascii(), b'.' | b' '));
    &name[..end.map_or(0, |last| last + 1)]
}

/// A name that a separator follows in a Windows path: without a dot at its end, if that is one and
/// not two.
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
        for fold in [refuse, Fold::new(Windows), Fold::new(Windows).trimmed()] {
            for text in ["\0", "a\0", "a/\0/b", "./.\0", "a/..\0", "a/..\0/b", "a/b /\0"] {
                assert_eq!(folded(fold, text), Err(ExpandError::Nul), "{text:?}");
            }
        }
    }

    #[test]
    fn a_root_stays() {
        for (path, root, names, expected) in [
            ("/", 1, "../a/", "/a"),
            ("/", 1, "..", "/"),
            ("/w", 1, "../../x", "/x"),
            ("/", 0, "../a//b", "/a/b"),
            ("/w", 0, "../../x", "/x"),
            ("w", 0, "../../x", "x"),
            ("w/", 0, "", "w"),
            ("", 0, "/x/..", ""),
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
