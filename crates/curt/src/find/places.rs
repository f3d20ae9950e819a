//! Where is looked, in order: the entries of `PATH` and the places that a policy adds, each directory
//! once. Text alone, but for the working directory.

use super::found::FoundIn;
use super::lists::{ascii, path_entries};
use super::policy::{Cwd, Policy};
use crate::flavor::Flavor;
use crate::win_path::{Start, WinUnit, is_separator};

/// A directory to look into.
#[derive(Debug)]
pub(super) struct Place<U, D> {
    /// The directory as programs in it are told of: absolute.
    pub(super) shown: Vec<U>,
    /// The same as the system takes it.
    pub(super) native: Vec<U>,
    pub(super) origin: FoundIn,
    /// Whether only relative texts led here.
    pub(super) relative: bool,
    /// Entries of `PATH` that are the same directory.
    pub(super) duplicates: Vec<usize>,
    pub(super) known: Known<D>,
}

/// What is known of a place before it is looked into.
#[derive(Debug)]
pub(super) enum Known<D> {
    Nothing,
    /// It was no directory when it was last looked for, or cannot be one.
    Absent,
    Open(D),
}

/// What the places come from.
pub(super) struct Sources<'a, U> {
    pub(super) path: Option<&'a [U]>,
    /// The system's own `PATH`.
    pub(super) default_path: &'a str,
    /// `SystemRoot`.
    pub(super) system_root: Option<&'a [U]>,
    /// Whether the environment forbids the working directory, on Windows.
    pub(super) forbids_cwd: bool,
}

/// A text of a place, before it is known which directory it is.
struct Raw<U> {
    text: Vec<U>,
    origin: FoundIn,
}

/// Whether the place that nobody named is to be searched.
pub(super) fn searches_cwd(policy: &Policy, forbids_cwd: bool) -> bool {
    match policy.cwd {
        Cwd::Never => false,
        Cwd::Auto => policy.rules == Flavor::Posix || !forbids_cwd,
        Cwd::Always | Cwd::Report => true,
    }
}

/// The places, and the one that nobody named where it is not to be searched and a name that is found
/// there alone should be told of.
pub(super) struct Places<U, D> {
    pub(super) all: Vec<Place<U, D>>,
    pub(super) left_out: Option<Place<U, D>>,
    /// Entries of `PATH` that say nothing.
    pub(super) empty: Vec<usize>,
}

/// Puts the places in order. `base` is asked for only where something is relative.
pub(super) fn places<U: WinUnit, D>(
    sources: &Sources<'_, U>,
    policy: &Policy,
    base: &mut dyn FnMut() -> Vec<U>,
) -> Places<U, D> {
    let mut found = Places { all: Vec::new(), left_out: None, empty: Vec::new() };
    let mut tails = Vec::new();
    let implicit = searches_cwd(policy, sources.forbids_cwd);
    let mut leaves_out = false;
    let mut raws = Vec::new();
    if policy.rules == Flavor::Windows {
        leaves_out = !implicit;
        if implicit {
            raws.push(Raw { text: ascii("."), origin: FoundIn::Cwd });
        }
        if let Some(root) = sources.system_root.filter(|_| policy.system_directories) {
            for name in ["\\System32", "\\System", ""] {
                let text = [root, &ascii::<U>(name)].concat();
                raws.push(Raw { text, origin: FoundIn::System });
            }
        }
    }
    let usual = ascii(sources.default_path);
    let uses_default = policy.rules == Flavor::Posix && policy.default_path;
    let path = sources.path.or_else(|| uses_default.then_some(&usual[..]));
    for entry in path.map_or_else(Vec::new, |path| path_entries(path, policy)) {
        let origin = FoundIn::Path(entry.index);
        if !entry.text.is_empty() {
            raws.push(Raw { text: entry.text, origin });
            continue;
        }
        found.empty.push(entry.index);
        match policy.rules {
            Flavor::Windows if policy.empty_is_cwd => raws.push(Raw { text: ascii("."), origin }),
            Flavor::Posix if implicit => raws.push(Raw { text: ascii("."), origin: FoundIn::Cwd }),
            Flavor::Posix => leaves_out = true,
            Flavor::Windows => {}
        }
    }
    for raw in raws {
        found.add(resolved(&raw, policy.rules, base), &mut tails, policy.rules);
    }
    if leaves_out {
        let raw = Raw { text: ascii("."), origin: FoundIn::Cwd };
        let place = resolved(&raw, policy.rules, base);
        let is_searched = |known: &Place<U, D>| is_same(&known.shown, &place.shown, policy.rules);
        if !found.all.iter().any(is_searched) {
            found.left_out = Some(place);
        }
    }
    found
}

impl<U: WinUnit, D> Places<U, D> {
    /// Adds a place, unless it is there: then what led to it is noted. `tails` are those of all places.
    fn add(&mut self, place: Place<U, D>, tails: &mut Vec<Option<Tail>>, rules: Flavor) {
        let tail = tail(&place.shown, rules);
        // Every place is compared with all before it: with hundreds of them, comparing whole texts was a
        // seventh of a search.
        let may_be = |known: &Option<Tail>| known.is_none() || tail.is_none() || *known == tail;
        let mut like = tails.iter().enumerate().filter(|(_, known)| may_be(known));
        match like.find(|&(at, _)| is_same(&self.all[at].shown, &place.shown, rules)) {
            None => {
                self.all.push(place);
                tails.push(tail);
            }
            Some((at, _)) => {
                let known = &mut self.all[at];
                known.relative &= place.relative;
                if let FoundIn::Path(index) = place.origin {
                    known.duplicates.push(index);
                }
            }
        }
    }
}

/// How long a directory's text is, and its last letters.
type Tail = (usize, u64);

/// The tail of a text, the same for all texts that are the same directory. `None` where letters beyond ASCII
/// may be capitals of others, and of another length.
fn tail<U: WinUnit>(text: &[U], rules: Flavor) -> Option<Tail> {
    if rules == Flavor::Windows && !text.iter().all(|unit| unit.to_ascii().is_ascii()) {
        return None;
    }
    let letters = text.iter().rev().take(8).map(|unit| unit.to_ascii().to_ascii_lowercase());
    Some((text.len(), letters.fold(0, |all, letter| all << 8 | u64::from(letter))))
}

fn resolved<U: WinUnit, D>(
    raw: &Raw<U>,
    rules: Flavor,
    base: &mut dyn FnMut() -> Vec<U>,
) -> Place<U, D> {
    let mut shown = Vec::new();
    let relative = resolve(&raw.text, rules, base, &mut shown);
    Place {
        known: if is_elsewhere(&raw.text, rules) { Known::Absent } else { Known::Nothing },
        native: Vec::new(),
        shown,
        origin: raw.origin,
        relative,
        duplicates: Vec::new(),
    }
}

/// Whether a text of Windows names a drive or a share where there are none.
pub(super) fn is_elsewhere<U: WinUnit>(text: &[U], rules: Flavor) -> bool {
    let has_drives = U::SEPARATOR != U::ascii(b'/');
    rules == Flavor::Windows && !has_drives && {
        let start = Start::of(text);
        start.drive().is_some() || matches!(start, Start::LocalDevice | Start::BareDevice)
    }
}

/// Whether two directories are one by their texts.
fn is_same<U: WinUnit>(left: &[U], right: &[U], rules: Flavor) -> bool {
    match rules {
        Flavor::Posix => left == right,
        Flavor::Windows => U::same_in_any_case(left, right),
    }
}

/// Whether a path needs no base.
fn is_full<U: WinUnit>(text: &[U], rules: Flavor) -> bool {
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
pub(super) fn resolve<U: WinUnit>(
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
fn root_length<U: WinUnit>(path: &[U]) -> usize {
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
    use super::{is_same, resolve, root_length, tail};
    use crate::flavor::Flavor;

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
    fn what_is_the_same_directory_has_the_same_tail() {
        let texts = [
            "C:\\Bin",
            "c:\\bIN",
            "C:\\b\u{131}n",
            "C:\\\u{e4}",
            "C:\\\u{c4}",
            "c",
            "C:\\a-long-one\\bin",
            "",
        ];
        let mut same = 0;
        for rules in [Flavor::Posix, Flavor::Windows] {
            for (one, other) in texts.iter().flat_map(|one| texts.map(|other| (*one, other))) {
                let (bytes, units) = ((one.as_bytes(), other.as_bytes()), (wide(one), wide(other)));
                let tails = |one: Option<_>, other: Option<_>| {
                    one.is_none() || other.is_none() || one == other
                };
                if is_same(bytes.0, bytes.1, rules) {
                    assert!(tails(tail(bytes.0, rules), tail(bytes.1, rules)), "{one} {other}");
                    same += 1;
                }
                if is_same(&units.0, &units.1, rules) {
                    assert!(tails(tail(&units.0, rules), tail(&units.1, rules)), "{one} {other}");
                }
            }
        }
        assert!(same >= 2 * texts.len() + 4, "{same}");
        assert_ne!(tail(b"/usr/bin", Flavor::Posix), tail(b"/usr/lib", Flavor::Posix));
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
