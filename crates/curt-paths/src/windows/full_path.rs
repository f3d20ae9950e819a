//! Makes native Windows paths full, as `GetFullPathNameW` does.
//!
//! The start of the path determines which directory precedes the rest, and which root `..` cannot
//! remove. Then the rest is folded. A name before a separator loses a single trailing dot, and the
//! last component all its trailing dots and spaces.

use std::borrow::Cow;

use super::device::device_at_end;
use super::prefix::{Start, is_separator, is_verbatim};
use crate::directory::Directory;
use crate::fold::{Fold, is_blank, last_name};
use crate::options::{ExpandError, Flavor, Options};
use crate::rule::{Rule, Trace};
use crate::scan::any_window;
use crate::unit::{Unit, has_nul};

/// The limits of `GetFullPathNameW`.
const LONGEST_TEXT: usize = 32765;
const LONGEST_RESULT: usize = 32766;

/// `directory` returns the starting directory of a path that is not full. A text with NUL can fail
/// with any error.
pub(crate) fn write<'a, U: Unit, T: Trace>(
    text: &[U],
    options: Options,
    directory: impl FnOnce(Start, &mut T) -> Result<Cow<'a, Directory<U>>, ExpandError>,
    out: &mut Vec<U>,
    trace: &mut T,
) -> Result<(), ExpandError> {
    check(text)?;
    if options.keeps_verbatim() && is_verbatim(text) {
        if has_nul(text) {
            return Err(ExpandError::Nul);
        }
        trace.note(Rule::Verbatim);
        out.extend_from_slice(text);
        return Ok(());
    }
    let start = Start::of(text);
    if let Some(name) = device_at_end(text, start, options.release) {
        if has_nul(text) {
            return Err(ExpandError::Nul);
        }
        trace.note(Rule::Device);
        out.extend(br"\\.\".iter().map(|&byte| U::ascii(byte)));
        out.extend_from_slice(&text[name]);
        return Ok(());
    }
    out.reserve(text.len() + 1);
    let (root, names_begin) = if start.is_full() {
        write_root(text, start, out, trace)
    } else {
        if start == Start::Rooted {
            trace.note(Rule::Rooted);
        }
        let directory = directory(start, trace)?;
        let kept = if start == Start::Rooted { directory.root } else { directory.text.len() };
        out.extend_from_slice(&directory.text[..kept]);
        (directory.root, start.drive().unwrap_or(usize::from(start == Start::Rooted)))
    };
    if text[..names_begin].contains(&U::NUL) {
        return Err(ExpandError::Nul);
    }
    write_names(text, names_begin, root, options, out, trace)?;
    if out.len() > LONGEST_RESULT && U::wide_length(out) > LONGEST_RESULT {
        return Err(ExpandError::TooLong);
    }
    Ok(())
}

fn check<U: Unit>(text: &[U]) -> Result<(), ExpandError> {
    if is_blank(text) {
        return Err(ExpandError::Empty);
    }
    if text.len() > LONGEST_TEXT && U::wide_length(text) > LONGEST_TEXT {
        return Err(ExpandError::TooLong);
    }
    Ok(())
}

/// Writes the root. Returns its length, and the position in the text where the names begin.
fn write_root<U: Unit>(
    text: &[U],
    start: Start,
    out: &mut Vec<U>,
    trace: &mut impl Trace,
) -> (usize, usize) {
    let backslash = U::ascii(b'\\');
    let names_begin = match start {
        Start::DriveAbsolute { letter } => {
            trace.note(Rule::Drive);
            out.extend_from_slice(&text[..=letter]);
            out.push(backslash);
            letter + 2
        }
        Start::LocalDevice | Start::BareDevice => {
            trace.note(Rule::DeviceRoot);
            out.extend_from_slice(&[backslash, backslash, text[2], backslash]);
            text.len().min(4)
        }
        _ => {
            trace.note(Rule::Share);
            let end_of_name = |from: usize| {
                let rest = &text[from..];
                from + rest.iter().position(|&unit| is_separator(unit)).unwrap_or(rest.len())
            };
            let server = end_of_name(2);
            let share = if server < text.len() { end_of_name(server + 1) } else { server };
            out.extend_from_slice(&[backslash, backslash]);
            out.extend_from_slice(&text[2..server]);
            if server < text.len() {
                out.push(backslash);
                out.extend_from_slice(&text[server + 1..share]);
            }
            if share == text.len() {
                trim_root(out, trace);
            }
            share
        }
    };
    if text[..names_begin].contains(&U::ascii(b'/')) {
        trace.note(Rule::Backslashes);
    }
    (out.len(), names_begin)
}

/// Trims a server or share at the end of the text, like any last component.
fn trim_root<U: Unit>(out: &mut Vec<U>, trace: &mut impl Trace) {
    let begin = out.iter().rposition(|&unit| is_separator(unit)).map_or(0, |last| last + 1);
    let length = last_name(&out[begin..]).len();
    if begin + length < out.len() {
        trace.note(Rule::Trimmed);
        out.truncate(begin + length);
    }
}

fn write_names<U: Unit>(
    text: &[U],
    begin: usize,
    root: usize,
    options: Options,
    out: &mut Vec<U>,
    trace: &mut impl Trace,
) -> Result<(), ExpandError> {
    let backslash = U::ascii(b'\\');
    let fold = Fold::new(Flavor::Windows).dot_dot(options.dot_dot()).trimmed();
    let vanished = fold.write(text.get(begin..).unwrap_or_default(), root, out, trace)?;
    let is_kept = vanished || text.last().copied().is_some_and(is_separator);
    if is_kept && out.last() != Some(&backslash) {
        trace.note(Rule::TrailingKept);
        out.push(backslash);
    }
    Ok(())
}

pub(crate) fn directory<U: Unit>(
    text: &[U],
    options: Options,
) -> Result<Directory<U>, ExpandError> {
    check(text)
        .map_err(|error| if error == ExpandError::Empty { ExpandError::Drive } else { error })?;
    let start = Start::of(text);
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    if !start.is_full() {
        return Err(ExpandError::Drive);
    }
    let mut full = Vec::with_capacity(text.len());
    let (root, names_begin) = write_root(text, start, &mut full, &mut ());
    if options.keeps_verbatim() && is_verbatim(text) {
        full = text.to_vec();
    } else {
        write_names(text, names_begin, root, options, &mut full, &mut ())?;
    }
    if full.len() > root && full.last() == Some(&U::ascii(b'\\')) {
        full.pop();
    }
    // A path that starts from `\\?\C:\` keeps that drive: `..` must not lead to a different one.
    let root = match start {
        Start::LocalDevice | Start::BareDevice => volume_end(&full, root),
        _ => root,
    };
    Ok(Directory { text: full, root })
}

/// Returns the end of the drive that follows a device root, or of the share in `UNC\server\share`.
fn volume_end<U: Unit>(path: &[U], root: usize) -> usize {
    let mut names = path[root..].split(|&unit| is_separator(unit));
    let length = |name: &[U]| name.len() + 1;
    let Some(first) = names.next() else { return root };
    let unc = b"UNC".map(U::ascii);
    let share = if U::same_in_any_case(first, &unc) { 2 } else { 0 };
    let end = root + first.len() + names.take(share).map(length).sum::<usize>();
    end.min(path.len())
}

pub(crate) fn is_same_letter<U: Unit>(one: &[U], other: &[U]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(&one, &other)| {
            one == other
                || (one.to_ascii() < 0x80 && one.to_ascii().eq_ignore_ascii_case(&other.to_ascii()))
        })
}

/// Fast check that misses some clean paths.
pub(crate) fn is_clean<U: Unit>(text: &[U], options: Options) -> bool {
    let start = Start::of(text);
    // Skip the separators at the start of a share or device, which would be unclean elsewhere.
    let from = match start {
        Start::DriveAbsolute { .. } => 0,
        Start::Share => 1,
        Start::LocalDevice => 3,
        _ => return false,
    };
    let slash = U::ascii(b'/');
    let [first, .., last] = *text else {
        return false;
    };
    first != slash
        && text.len() <= LONGEST_TEXT
        && !text[..from].contains(&slash)
        && !matches!(last.to_ascii(), b'.' | b' ' | b'/' | 0)
        && !any_window(&text[from..], [U::ascii(b':'); 2], is_unclean)
        && device_at_end(text, start, options.release).is_none()
}

#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from being vectors")]
fn is_unclean<U: Unit>([a, b]: [U; 2]) -> bool {
    let (backslash, slash, dot) = (U::ascii(b'\\'), U::ascii(b'/'), U::ascii(b'.'));
    (a == U::NUL) | (a == slash) | ((b == backslash) & ((a == backslash) | (a == dot)))
}
