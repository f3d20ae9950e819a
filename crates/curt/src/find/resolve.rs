//! Texts of directories become paths from the root. Text alone, but for the base.

use super::lists::ascii;
use curt_paths::Flavor;
use curt_paths::Unit;
use curt_paths::windows::{Start, is_separator};

/// Whether a text of Windows names a drive or a share where there are none.
pub(super) fn is_elsewhere<U: Unit>(text: &[U], rules: Flavor) -> bool {
    let has_drives = U::SEPARATOR != U::ascii(b'/');
    rules == Flavor::Windows && !has_drives && {
        let start = Start::of(text);
        start.drive().is_some() || matches!(start, Start::LocalDevice | Start::BareDevice)
    }
}

/// Whether a path is absolute and written as the system takes it, by POSIX' rules where these are the system's.
/// `false` may also mean that it takes a closer look.
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from going many at a time")]
pub(super) fn is_clean<U: Unit>(text: &[U], rules: Flavor) -> bool {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    let [first, .., last] = *text else { return false };
    let mut is_odd = false;
    for (&unit, &next) in text.iter().zip(&text[1..]) {
        is_odd |= (unit == U::NUL) | ((unit == slash) & ((next == slash) | (next == dot)));
    }
    rules == Flavor::Posix
        && U::SEPARATOR == slash
        && first == slash
        && last != slash
        && last != U::NUL
        && !is_odd
}

/// Whether a path needs no base.
fn is_full<U: Unit>(text: &[U], rules: Flavor) -> bool {
    let is_rooted = text.first().is_some_and(|unit| match rules {
        Flavor::Posix => unit.to_ascii() == b'/',
        Flavor::Windows => is_separator(*unit),
    });
    if U::SEPARATOR == U::ascii(b'/') {
        return is_rooted || is_elsewhere(text, rules);
    }
    Start::of(text).is_full()
}

/// Writes a path from the root, without `.` and without separators at its end; whether it was relative.
pub(super) fn resolve<U: Unit>(
    text: &[U],
    rules: Flavor,
    base: &mut dyn FnMut() -> Vec<U>,
    into: &mut Vec<U>,
) -> bool {
    let separates = |unit: &U| match rules {
        Flavor::Posix => unit.is_separator(),
        Flavor::Windows => is_separator(*unit),
    };
    let full = is_full(text, rules);
    let start = Start::of(text);
    let has_drives = U::SEPARATOR != U::ascii(b'/');
    let mut rest = text;
    into.clear();
    into.reserve(text.len() + 1);
    if !full {
        into.extend_from_slice(&base());
        if has_drives && matches!(start, Start::Rooted) {
            into.truncate(Start::of(into.as_slice()).drive().unwrap_or(0));
        } else if let Some(drive) = start.drive().filter(|_| has_drives) {
            // From the working directory of that drive: ours, or the drive's root.
            let ours =
                into.get(..drive).is_some_and(|ours| U::same_in_any_case(ours, &text[..drive]));
            if !ours {
                into.clear();
                into.extend_from_slice(&text[..drive]);
            }
            rest = &text[drive..];
        }
    } else if has_drives {
        // A share begins with two separators, and a path of the kernel's is left as it is.
        let head = match start {
            Start::DriveAbsolute { .. } => start.drive().unwrap_or(0),
            Start::Share => 2,
            _ => text.len(),
        };
        into.extend(
            text[..head].iter().map(|unit| if separates(unit) { U::SEPARATOR } else { *unit }),
        );
        rest = &text[head..];
    }
    for part in rest.split(separates) {
        if part.is_empty() || part == [U::ascii(b'.')] {
            continue;
        }
        // Windows takes the name before away, whatever that is; elsewhere it may be a link.
        if has_drives && part == [U::ascii(b'.'), U::ascii(b'.')] {
            let floor = root_length(into);
            let last = into[floor..].iter().rposition(|&unit| unit == U::SEPARATOR);
            into.truncate(last.map_or(floor, |last| floor + last));
            continue;
        }
        if into.last().is_none_or(|&unit| unit != U::SEPARATOR) {
            into.push(U::SEPARATOR);
        }
        into.extend_from_slice(part);
    }
    let is_root =
        into.is_empty() || (has_drives && Start::of(into.as_slice()).drive() == Some(into.len()));
    if is_root {
        into.push(U::SEPARATOR);
    }
    !full
}

/// How much of a full path is its root, without a separator behind it: a drive, a share, or either as the
/// kernel has it.
fn root_length<U: Unit>(path: &[U]) -> usize {
    let start = Start::of(path);
    if let Some(drive) = start.drive() {
        return drive;
    }
    // Two names behind the first separators make a share; behind `\\?\` one makes a drive, three a share.
    let (begin, names) = match start {
        Start::Share => (2, 2),
        Start::LocalDevice => {
            let is_share =
                path.get(4..7).is_some_and(|name| U::same_in_any_case(name, &ascii("UNC")));
            (4, if is_share { 3 } else { 1 })
        }
        _ => return 0,
    };
    let rest = path.get(begin..).unwrap_or_default();
    let ends = rest.iter().enumerate().filter(|(_, unit)| is_separator(**unit));
    ends.map(|(at, _)| begin + at).nth(names - 1).unwrap_or(path.len())
}

#[cfg(test)]
mod tests {
    use super::{is_clean, resolve, root_length};
    use curt_paths::Flavor;

    fn wide(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn paths_of_windows_are_put_together_by_text() {
        for (base, text, expected, relative) in [
            (r"C:\w", r"C:/a//b\", r"C:\a\b", false),
            (r"C:\w", ".", r"C:\w", true),
            (r"C:\w", r".\x\.\y", r"C:\w\x\y", true),
            (r"C:\w", r"..\..\..\x", r"C:\x", true),
            (r"C:\w", "..", "C:\\", true),
            (r"C:\w", r"\x", r"C:\x", true),
            (r"C:\w", "c:x", r"C:\w\x", true),
            (r"C:\w", "D:x", r"D:\x", true),
            (r"C:\w", r"\\s\h\x", r"\\s\h\x", false),
            (r"\\?\C:\w", r"..\x", r"\\?\C:\x", true),
            (r"\\?\UNC\s\h\w", r"..\..\x", r"\\?\UNC\s\h\x", true),
            (r"\\s\h\w", r"..\..\x", r"\\s\h\x", true),
            (r"C:\w", r"\\?\D:\x\..", r"\\?\D:\x\..", false),
        ] {
            let mut into = Vec::new();
            let is_relative = resolve(&wide(text), Flavor::Windows, &mut || wide(base), &mut into);
            let found = String::from_utf16(&into).unwrap();
            assert_eq!((found.as_str(), is_relative), (expected, relative), "{base} {text}");
        }
        assert_eq!(root_length(&wide("x")), 0);
    }

    #[test]
    fn clean_paths_are_their_own_answer() {
        let letters = [b'/', b'.', b'a', 0];
        let mut clean = 0;
        for number in 0..letters.len().pow(6) {
            let at = |place: u32| letters[number / letters.len().pow(place) % letters.len()];
            let text: Vec<u8> = (0..6).map(at).collect();
            for text in [&text[..], &text[..3], &text[..1]] {
                let mut into = Vec::new();
                let relative = resolve(text, Flavor::Posix, &mut || b"/w".to_vec(), &mut into);
                if is_clean(text, Flavor::Posix) {
                    assert!(!relative && into == text && !text.contains(&0), "{text:?}");
                    clean += 1;
                }
                assert!(!is_clean(text, Flavor::Windows));
            }
        }
        assert!(clean > 100, "{clean}");
        assert!(
            is_clean(b"/usr/bin", Flavor::Posix) && !is_clean(&wide("/usr/bin"), Flavor::Posix)
        );
    }

    #[test]
    fn paths_of_posix_keep_what_links_may_lead_through() {
        for (text, expected, relative) in [
            ("/a//b/", "/a/b", false),
            ("..", "/w/..", true),
            ("./x/./y", "/w/x/y", true),
            ("/", "/", false),
            (r"a\b", r"/w/a\b", true),
        ] {
            let mut into = Vec::new();
            let base = &mut || b"/w".to_vec();
            let is_relative = resolve(text.as_bytes(), Flavor::Posix, base, &mut into);
            assert_eq!((into.as_slice(), is_relative), (expected.as_bytes(), relative), "{text}");
            // What is called clean is its own answer, and what is not clean is looked at.
            assert!(!is_clean(text.as_bytes(), Flavor::Posix) || text == expected, "{text}");
        }
    }
}
