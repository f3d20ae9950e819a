use crate::options::{DotDot, ExpandError, Flavor, Release};
use crate::rule::{Rule, Trace};
use crate::scan::any_window;
use crate::unit::Unit;
use crate::windows::{Start, device_at_end, is_separator};

/// Folds a path: removes `.` and repeated separators, and treats `..` according to [`DotDot`].
///
/// Except on Windows, folding can change the meaning of `a/..` if `a` is a symlink.
///
/// A relative path remains relative. Folding can move a name to the front that begins with `~` (or
/// on Windows contains a colon or is a device name). It then puts a `.` before this name, as Go and
/// Node do for drives: `a/../~/x` becomes `./~/x`, and on Windows `a/../c:/x` becomes `.\c:\x`.
///
/// Windows treats the last component specially: it can be a device, and loses trailing dots and
/// spaces. If folding would make such a name the last component, the separator after it is kept, as
/// in Node: `a/nul/.` becomes `a\nul\`.
///
/// ```
/// use curt_paths::{DotDot, Flavor, Fold};
/// let fold = Fold::new(Flavor::Posix);
/// assert_eq!(fold.fold(b"a/./b//../c/").unwrap(), b"a/c");
/// assert_eq!(fold.dot_dot(DotDot::Keep).fold(b"a/./b//../c/").unwrap(), b"a/b/../c");
/// assert!(fold.dot_dot(DotDot::Refuse).fold(b"a/../../b").is_err());
///
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
    /// Creates a folding with the flavor's separator and [`DotDot::Clamp`].
    pub const fn new(flavor: Flavor) -> Fold {
        Fold { flavor, dot_dot: DotDot::Clamp, has_native_separators: false, trims: false }
    }

    /// Sets how to treat `..`.
    pub const fn dot_dot(self, dot_dot: DotDot) -> Fold {
        Fold { dot_dot, ..self }
    }

    /// Writes [`Unit::SEPARATOR`] instead of the flavor's separator.
    pub const fn native_separators(self) -> Fold {
        Fold { has_native_separators: true, ..self }
    }

    /// Also trims names by [`inner_name`] and [`last_name`].
    pub(crate) const fn trimmed(self) -> Fold {
        Fold { trims: true, ..self }
    }

    /// Returns the folded path, or `.` if no name remains. Leading separators are dropped.
    ///
    /// To keep the root of a full path, [append](Fold::append) the names to it:
    ///
    /// ```
    /// use curt_paths::{Flavor, Fold};
    /// assert_eq!(Fold::new(Flavor::Posix).fold(b"/a/../b").unwrap(), b"b");
    /// let mut full = b"/".to_vec();
    /// Fold::new(Flavor::Posix).append(b"/a/../b", 1, &mut full).unwrap();
    /// assert_eq!(full, b"/b");
    /// ```
    ///
    /// Fails with [`ExpandError::Nul`], or with [`ExpandError::Escape`] under [`DotDot::Refuse`].
    pub fn fold<U: Unit>(self, names: &[U]) -> Result<Vec<U>, ExpandError> {
        let mut path = Vec::new();
        self.append(names, 0, &mut path)?;
        if path.is_empty() {
            path.push(U::ascii(b'.'));
        }
        Ok(path)
    }

    /// Folds names and appends them to a path.
    ///
    /// `..` removes neither the first `root` units of the path nor a leading separator. After an
    /// error the content of the path is unspecified.
    pub fn append<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
    ) -> Result<(), ExpandError> {
        self.write(names, root, path, &mut ()).map(drop)
    }

    /// Folds and appends names. Returns whether trimming removed the whole last component.
    ///
    /// All names are copied first, and then moved towards the front as needed. A run of names
    /// without dots and double slashes moves as a whole.
    pub(crate) fn write<U: Unit>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
        trace: &mut impl Trace,
    ) -> Result<bool, ExpandError> {
        match self.flavor {
            Flavor::Posix => self.write_as::<U, false>(names, root, path, trace),
            Flavor::Windows => self.write_as::<U, true>(names, root, path, trace),
        }
    }

    fn write_as<U: Unit, const WINDOWS: bool>(
        self,
        names: &[U],
        root: usize,
        path: &mut Vec<U>,
        trace: &mut impl Trace,
    ) -> Result<bool, ExpandError> {
        let separator = match (WINDOWS, self.has_native_separators) {
            (false, _) => U::ascii(b'/'),
            (true, false) => U::ascii(b'\\'),
            (true, true) => U::SEPARATOR,
        };
        let mut vanished = false;
        let root = if path.first() == Some(&separator) { root.max(1) } else { root };
        let root_is_joined = root == 0 || path.get(root - 1) == Some(&separator);
        let mut end = path.len();
        if end > root && path.last() == Some(&separator) {
            end -= 1;
        } else if end > root || !root_is_joined {
            path.push(separator);
        }
        let begin = path.len();
        path.extend_from_slice(names);
        let mut at = 0;
        let mut first = 0;
        while at < names.len() {
            // On POSIX search for the end of a run only if one begins here.
            let name = if WINDOWS {
                let length = U::position(&names[at..], *b"\\/\0");
                length.map_or(&names[at..], |length| &names[at..at + length])
            } else {
                &names[at..]
            };
            if WINDOWS && names.get(at + name.len()) == Some(&U::NUL) {
                return Err(ExpandError::Nul);
            }
            match Kind::of::<U, WINDOWS>(name) {
                Kind::Empty => {
                    note_backslash::<U, WINDOWS>(names, at, trace);
                    if at > 0 {
                        trace.note(Rule::Runs);
                    }
                    at += 1;
                    continue;
                }
                Kind::Dot => {
                    note_backslash::<U, WINDOWS>(names, at + 1, trace);
                    trace.note(Rule::Dot);
                    at += 2;
                    continue;
                }
                Kind::DotDot if self.dot_dot != DotDot::Keep => {
                    note_backslash::<U, WINDOWS>(names, at + 2, trace);
                    end = parent(&path[..end], root, separator, self.dot_dot, trace)?;
                    at += 3;
                    continue;
                }
                Kind::DotDot => trace.note(Rule::DotDotKept),
                Kind::Normal => {}
            }
            let stop = if WINDOWS { at + name.len() } else { U::run_end(names, at) };
            if !WINDOWS && names.get(stop) == Some(&U::NUL) {
                return Err(ExpandError::Nul);
            }
            note_backslash::<U, WINDOWS>(names, stop, trace);
            let mut length = stop - at;
            if WINDOWS && self.trims {
                length = trimmed_length(name, stop == names.len(), trace);
                vanished = length == 0;
            }
            if !vanished {
                if end == root {
                    first = begin + at;
                }
                if end > root || !root_is_joined {
                    path[end] = separator;
                    end += 1;
                }
                if end != begin + at {
                    copy(&names[at..], length, &mut path[end..]);
                }
                end += length;
            }
            at = stop + 1;
        }
        path.truncate(end);
        // A trimming fold drops the separator, as Windows does.
        let is_for_windows = WINDOWS && !self.trims && separator == U::ascii(b'\\');
        if is_for_windows && end > root && !ends_in_name(names) && is_read_differently(path) {
            path.push(separator);
        }
        if root < 2 && leads_elsewhere::<U, WINDOWS>(path, root, first, names) {
            path.splice(root..root, [U::ascii(b'.'), separator]);
        }
        Ok(vanished)
    }
}

fn ends_in_name<U: Unit>(names: &[U]) -> bool {
    let last = names.rsplit(|&unit| is_separator(unit)).next().unwrap_or_default();
    matches!(Kind::of::<U, true>(last), Kind::Normal)
}

/// Returns whether a separator after the last component changes how Windows reads the component.
/// The names reserved by Windows 10 include those of Windows 11.
fn is_read_differently<U: Unit>(path: &[U]) -> bool {
    let name = path.rsplit(|&unit| is_separator(unit)).next().unwrap_or_default();
    last_name(name) != inner_name(name)
        || device_at_end(path, Start::of(path), Release::Windows10).is_some()
}

/// Returns whether folding moved a drive, a device or a home directory to the front, or left only
/// spaces, which Windows refuses.
fn leads_elsewhere<U: Unit, const WINDOWS: bool>(
    path: &[U],
    root: usize,
    first: usize,
    names: &[U],
) -> bool {
    let is_moved = first > root;
    if root == 1 {
        // The kernel reads `\??\` as the start of a full path.
        let mark = U::ascii(b'?');
        return WINDOWS
            && is_moved
            && matches!(*path, [_, a, b, ref rest @ ..] if a == mark && b == mark
                && rest.first().is_none_or(|&unit| is_separator(unit)));
    }
    if is_moved && path.first() == Some(&U::ascii(b'~')) {
        return true;
    }
    if !WINDOWS {
        return false;
    }
    if is_moved && !path.is_empty() && is_blank(path) {
        return true;
    }
    let end = path.iter().position(|&unit| is_separator(unit)).unwrap_or(path.len());
    let is_device = |path: &[U]| {
        device_at_end(path, Start::of(path), Release::Windows11).is_some_and(|name| name.start == 0)
    };
    (is_moved && path[..end].contains(&U::ascii(b':')))
        || (end == path.len() && is_device(path) && !is_device(names))
}

/// Fast check that misses some folded paths.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from being vectors")]
pub(crate) fn is_folded<U: Unit>(path: &[U]) -> bool {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    let names = match path {
        [first, names @ ..] if *first == slash => names,
        names => names,
    };
    // Pad with a slash and a dot, to find a trailing slash and a trailing `.`, too.
    !any_window(names, [slash, dot], |[a, b, c]| {
        let begins_with_dots = (b == dot) & ((c == dot) | (c == slash));
        (a == U::NUL) | ((a == slash) & ((b == slash) | begins_with_dots))
    })
}

pub(crate) enum Kind {
    Empty,
    Dot,
    DotDot,
    Normal,
}

impl Kind {
    #[inline]
    pub(crate) fn of<U: Unit, const WINDOWS: bool>(name: &[U]) -> Kind {
        let ends = |at: usize| name.get(at).is_none_or(|&unit| !WINDOWS && unit == U::ascii(b'/'));
        let is_dot = |at: usize| name.get(at) == Some(&U::ascii(b'.'));
        if ends(0) {
            Kind::Empty
        } else if !is_dot(0) {
            Kind::Normal
        } else if ends(1) {
            Kind::Dot
        } else if is_dot(1) && ends(2) {
            Kind::DotDot
        } else {
            Kind::Normal
        }
    }
}

#[inline]
fn note_backslash<U: Unit, const WINDOWS: bool>(names: &[U], at: usize, trace: &mut impl Trace) {
    if WINDOWS && names.get(at) == Some(&U::ascii(b'/')) {
        trace.note(Rule::Backslashes);
    }
}

fn trimmed_length<U: Unit>(name: &[U], is_last: bool, trace: &mut impl Trace) -> usize {
    let kept = if is_last { last_name(name) } else { inner_name(name) }.len();
    if kept < name.len() {
        trace.note(if is_last { Rule::Trimmed } else { Rule::InnerDot });
    }
    if kept == 0 {
        trace.note(Rule::Vanished);
    }
    kept
}

/// Copies `length` units, and may write garbage after them: always copying sixteen is faster for
/// short runs.
fn copy<U: Copy>(units: &[U], length: usize, to: &mut [U]) {
    match (units.first_chunk::<16>(), to.first_chunk_mut::<16>()) {
        (Some(units), Some(to)) if length <= 16 => *to = *units,
        _ => to[..length].copy_from_slice(&units[..length]),
    }
}

fn parent<U: Unit>(
    path: &[U],
    root: usize,
    separator: U,
    dot_dot: DotDot,
    trace: &mut impl Trace,
) -> Result<usize, ExpandError> {
    if path.len() <= root {
        if dot_dot == DotDot::Refuse {
            return Err(ExpandError::Escape);
        }
        trace.note(Rule::Clamped);
        return Ok(path.len());
    }
    trace.note(Rule::DotDot);
    Ok(root + U::rposition(&path[root..], separator).unwrap_or(0))
}

pub(crate) fn is_blank<U: Unit>(text: &[U]) -> bool {
    let space = U::ascii(b' ');
    text.first().is_none_or(|&first| first == space) && text.iter().all(|&unit| unit == space)
}

/// Drops all trailing dots and spaces, as Windows does from the last component unless it is `.` or
/// `..`.
pub(crate) fn last_name<U: Unit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    if matches!(*name, [only] if only == dot) || matches!(*name, [a, b] if a == dot && b == dot) {
        return name;
    }
    let end = name.iter().rposition(|unit| !matches!(unit.to_ascii(), b'.' | b' '));
    &name[..end.map_or(0, |last| last + 1)]
}

/// Drops a single trailing dot, as Windows does from a name before a separator.
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
    use crate::options::Flavor::{Posix, Windows};
    use crate::options::{DotDot, ExpandError, Release};
    use crate::tests::{rows, wide};
    use crate::windows::Start;
    use crate::{Env, Expander};

    fn folded(fold: Fold, text: &str) -> Result<String, ExpandError> {
        let bytes = fold.fold(text.as_bytes()).map(|path| String::from_utf8(path).unwrap());
        let units = fold.fold(&wide(text)).map(|path| String::from_utf16(&path).unwrap());
        assert_eq!(units, bytes);
        bytes
    }

    #[test]
    fn dot_dot_is_kept_or_refused_on_request() {
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
    fn a_relative_path_stays_relative() {
        let windows = r"
            a/../c:/b→.\c:\b .\c: ./c:x→.\c:x a/../../c:/b→.\c:\b //c:/b→.\c:\b c:/../d:/x→.\d:\x
            a/../é:/x→.\é:\x ./file:stream→.\file:stream a/c:/b→a\c:\b c:/./b/→c:\b c:b ./~→.\~
            ./~/x→.\~\x x/../~root→.\~root /~/x→.\~\x ~/./x→~\x a~ a/../CON→.\CON ./con.·→.\con.·
            con/→con\ con/.→con\ a/nul/→a\nul\ a/nul/b/..→a\nul\ ./NUL.txt/.→NUL.txt\
            a/nul:/→a\nul:\ a./→a. a.·/→a.·\ .../.→...\ ./·→.\· x/../com¹→.\com¹
            ./nul:x→.\nul:x CON ./con.txt→con.txt
            ./con/x→con\x ./COM0→COM0 a\..\\\?\x→?\x .\\\server\share→server\share a/..→.
        ";
        let fold = Fold::new(Windows);
        for (text, expected) in rows(windows) {
            assert_eq!(folded(fold, &text).as_ref(), Ok(&expected), "{text}");
            assert_eq!(folded(fold, &expected).as_ref(), Ok(&expected), "{text}");
            if !text.contains("../..") && !text.starts_with("c:/..") {
                let refuse = fold.dot_dot(DotDot::Refuse);
                assert_eq!(folded(refuse, &text).as_ref(), Ok(&expected), "{text}");
            }
            if !text.contains("..") {
                let keep = fold.dot_dot(DotDot::Keep);
                assert_eq!(folded(keep, &text).as_ref(), Ok(&expected), "{text}");
            }
        }
        for (text, expected) in rows("./~/x x/../~root→./~root ~/./x→~/x ./c:/x→c:/x") {
            assert_eq!(folded(Fold::new(Posix), &text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_full_path_of_a_folded_path_is_that_of_the_path() {
        const PIECES: [&str; 12] =
            ["a", "con", "NUL", "conin$", ".txt", ":", " ", ".", "..", "/", r"\", "/./"];
        let expander = |release| {
            let env = Env::none().cwd(r"C:\dir\sub");
            Expander::new(env).flavor(Windows).release(release)
        };
        let expanders = [expander(Release::Windows10), expander(Release::Windows11)];
        let full = |expander: &Expander, text: &str| {
            let full = expander.expand(text.as_bytes()).ok()?.into_owned();
            Some(full.strip_suffix(br"\").map_or(full.clone(), <[u8]>::to_vec))
        };
        let mut number = 0;
        for length in 1..=4 {
            for choice in 0..PIECES.len().pow(length) {
                let piece = |at| PIECES[choice / PIECES.len().pow(at) % PIECES.len()];
                let text: String = (0..length).map(piece).collect();
                if Start::of(text.as_bytes()) != Start::Relative {
                    continue;
                }
                for dot_dot in [DotDot::Refuse, DotDot::Keep] {
                    let fold = Fold::new(Windows).dot_dot(dot_dot);
                    let Ok(name) = fold.fold(text.as_bytes()) else { continue };
                    let name = String::from_utf8(name).unwrap();
                    for expander in &expanders {
                        let Some(expected) = full(expander, &text) else { continue };
                        assert_eq!(full(expander, &name), Some(expected), "{text:?} {name:?}");
                        number += 1;
                    }
                }
            }
        }
        assert!(number > 30_000, "{number}");
    }

    #[test]
    fn dot_dot_stops_at_the_root_of_what_is_appended_to() {
        let windows = Fold::new(Windows);
        for (fold, path, root, names, expected) in [
            (Fold::new(Posix), "/", 1, "../a/", "/a"),
            (Fold::new(Posix), "/", 1, "..", "/"),
            (Fold::new(Posix), "/w", 1, "../../x", "/x"),
            (Fold::new(Posix), "/", 0, "../a//b", "/a/b"),
            (Fold::new(Posix), "/w", 0, "../../x", "/x"),
            (Fold::new(Posix), "w", 0, "../../x", "x"),
            (Fold::new(Posix), "w/", 0, "", "w"),
            (Fold::new(Posix), "", 0, "/x/..", ""),
            (Fold::new(Posix), "/w/", 1, "x", "/w/x"),
            (windows, r"\\s\h", 5, r"a\..\..\b/c", r"\\s\h\b\c"),
            (windows.native_separators(), "/w", 1, r"a\..\b/c", "/w/b/c"),
            (windows, r"\", 1, r"a\..\??\c:\x", r"\.\??\c:\x"),
            (windows, r"\", 1, r"??\c:\x", r"\??\c:\x"),
            (windows, r"\", 1, r"a\..\???\x", r"\???\x"),
            (windows, r"\", 1, r".\c:\x", r"\c:\x"),
            (windows, "a", 0, r"..\c:\x", r".\c:\x"),
            (windows, "c:", 0, "x", r"c:\x"),
            (windows, r"c:\", 3, r".\d:\x", r"c:\d:\x"),
            (windows, r"c:\", 3, "nul/", r"c:\nul\"),
            (windows, "a", 0, "nul/x/..", r"a\nul\"),
            (windows, r"\\s\nul", 7, ".", r"\\s\nul"),
        ] {
            let mut path = path.as_bytes().to_vec();
            fold.append(names.as_bytes(), root, &mut path).unwrap();
            assert_eq!(path, expected.as_bytes());
        }
    }
}
