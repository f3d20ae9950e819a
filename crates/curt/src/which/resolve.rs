//! Texts of directories become paths from the root. Text alone, but for the base.

use curt_paths::windows::{Start, is_separator, is_verbatim};
use curt_paths::{DotDot, Env, Expander, Flavor, Fold, PathText, Unit};

/// Whether a text of Windows names a drive or a share where there are none.
pub(super) fn is_elsewhere<U: Unit>(text: &[U], rules: Flavor) -> bool {
    let has_drives = U::SEPARATOR != U::ascii(b'/');
    rules == Flavor::Windows && !has_drives && {
        let start = Start::of(text);
        start.drive().is_some() || matches!(start, Start::LocalDevice | Start::BareDevice)
    }
}

/// Writes a path from the root, without `.` and without separators at its end; whether it was relative. A
/// text that cannot be a path stays as it is.
pub(super) fn resolve<U: Unit>(
    text: &[U],
    rules: Flavor,
    base: &mut dyn FnMut() -> Vec<U>,
    into: &mut Vec<U>,
) -> bool {
    into.clear();
    if U::SEPARATOR != U::ascii(b'/') {
        return resolve_windows(text, base, into);
    }
    let is_rooted = text.first().is_some_and(|unit| match rules {
        Flavor::Posix => unit.to_ascii() == b'/',
        Flavor::Windows => is_separator(*unit),
    });
    let is_relative = !is_rooted && !is_elsewhere(text, rules);
    if is_relative {
        into.extend_from_slice(&base());
    }
    if into.is_empty() {
        into.push(U::SEPARATOR);
    }
    let begin = into.len();
    // There may be links: `..` is for the system.
    let fold = Fold::new(rules).native_separators().dot_dot(DotDot::Keep);
    if fold.append(text, 1, into).is_err() {
        into.truncate(begin);
        into.extend_from_slice(text);
    }
    is_relative
}

/// The same where the system is Windows: as it reads the directory of a path, whatever the name behind it.
fn resolve_windows<U: Unit>(
    text: &[U],
    base: &mut dyn FnMut() -> Vec<U>,
    into: &mut Vec<U>,
) -> bool {
    let is_full = Start::of(text).is_full();
    let env = if is_full { Env::none() } else { Env::none().cwd(PathText::from_units(&base())) };
    // As a directory: its name is not that of a device, and keeps what Windows drops from last names.
    let mut directory = text.to_vec();
    let is_verbatim = is_verbatim(text);
    if !is_verbatim && text.last().is_some_and(|unit| unit.to_ascii() != b':') {
        directory.push(U::SEPARATOR);
    }
    if !is_verbatim {
        directory.push(U::ascii(b'.'));
    }
    let expander = Expander::new(env).flavor(Flavor::Windows);
    if expander.expand_into(&directory, into).is_err() {
        into.clear();
        into.extend_from_slice(text);
    }
    !is_full
}

#[cfg(test)]
mod tests {
    use super::resolve;
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
        }
    }
}
