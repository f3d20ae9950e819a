//! Windows paths in the native style: what `GetFullPathNameW` does.
//!
//! First the start is told, which says what the rest goes on from and how much of that `..` cannot
//! take away. Then the rest is read from left to right: separators become backslashes, runs of them
//! one, `.` disappears, `..` takes a name away; a name inside loses a single dot at its end, and
//! the last name all dots and spaces there.

use std::borrow::Cow;

use super::device::device_at_end;
use super::prefix::{Start, is_separator, is_verbatim};
use crate::flavor::Flavor;
use crate::fold::{Fold, last_name};
use crate::options::{ExpandError, Options, Style};
use crate::place::{Place, Places};
use crate::rule::{Listener, Rule};
use crate::unit::{Unit, any_window, has_nul};
use crate::{posix, ruby};

/// The longest text that `GetFullPathNameW` takes, and the longest that it answers.
pub(crate) const LONGEST_TEXT: usize = 32765;
const LONGEST_RESULT: usize = 32766;

/// Writes the full path behind what `out` holds, which is nothing.
pub(crate) fn expand<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    if places.options().style == Style::Ruby {
        return ruby::expand_windows(text, places, out, listener);
    }
    if ruby::is_home(text, Start::of(text), places) {
        let at_home = ruby::at_home(text, places, listener)?;
        return full(&at_home, places, out, listener);
    }
    full(text, places, out, listener)
}

/// The same, where a tilde is a character like others.
pub(crate) fn full<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    // Whatever else is wrong.
    write(text, places, out, listener).map_err(|error| {
        let is_nul = error != ExpandError::Empty && has_nul(text);
        if is_nul { ExpandError::Nul } else { error }
    })
}

fn write<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let options = places.options();
    check(text)?;
    if options.keeps_verbatim() && is_verbatim(text) {
        if has_nul(text) {
            return Err(ExpandError::Nul);
        }
        listener.fired(Rule::Verbatim);
        out.extend_from_slice(text);
        return Ok(());
    }
    let start = Start::of(text);
    if let Some(name) = device_at_end(text, start, options.release) {
        if has_nul(text) {
            return Err(ExpandError::Nul);
        }
        listener.fired(Rule::Device);
        out.extend(br"\\.\".iter().map(|&byte| U::ascii(byte)));
        out.extend_from_slice(&text[name]);
        return Ok(());
    }
    out.reserve(text.len() + 1);
    let (root, rest) = match start {
        Start::DriveRelative { letter } => {
            let place = drive(&text[..letter], places, listener)?;
            out.extend_from_slice(&place.text);
            (place.root, letter + 1)
        }
        Start::Rooted => {
            listener.fired(Rule::Rooted);
            let place = posix::start(places, listener)?;
            out.extend_from_slice(&place.text[..place.root]);
            (place.root, 1)
        }
        Start::Relative => {
            let place = posix::start(places, listener)?;
            out.extend_from_slice(&place.text);
            (place.root, 0)
        }
        _ => root(text, start, out, listener),
    };
    if text[..rest].contains(&U::NUL) {
        return Err(ExpandError::Nul);
    }
    names(text, rest, root, options, out, listener)?;
    if out.len() > LONGEST_RESULT && U::wide_length(out) > LONGEST_RESULT {
        return Err(ExpandError::TooLong);
    }
    Ok(())
}

/// What is refused whatever it means.
fn check<U: Unit>(text: &[U]) -> Result<(), ExpandError> {
    let space = U::ascii(b' ');
    if text.first().is_none_or(|&first| first == space) && text.iter().all(|&unit| unit == space) {
        return Err(ExpandError::Empty);
    }
    if text.len() > LONGEST_TEXT && U::wide_length(text) > LONGEST_TEXT {
        return Err(ExpandError::TooLong);
    }
    Ok(())
}

/// Writes the root of a full path. Returns how long it is, and where the rest begins.
fn root<U: Unit>(
    text: &[U],
    start: Start,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> (usize, usize) {
    let backslash = U::ascii(b'\\');
    let rest = match start {
        Start::DriveAbsolute { letter } => {
            listener.fired(Rule::Drive);
            out.extend_from_slice(&text[..=letter]);
            out.push(backslash);
            letter + 2
        }
        Start::LocalDevice | Start::BareDevice => {
            listener.fired(Rule::DeviceRoot);
            out.extend_from_slice(&[backslash, backslash, text[2], backslash]);
            text.len().min(4)
        }
        _ => {
            listener.fired(Rule::Share);
            let part = |from: usize| {
                let rest = &text[from..];
                from + rest.iter().position(|&unit| is_separator(unit)).unwrap_or(rest.len())
            };
            let server = part(2);
            let share = if server < text.len() { part(server + 1) } else { server };
            out.extend_from_slice(&[backslash, backslash]);
            out.extend_from_slice(&text[2..server]);
            if server < text.len() {
                out.push(backslash);
                out.extend_from_slice(&text[server + 1..share]);
            }
            if share == text.len() {
                trim_root(out, listener);
            }
            share
        }
    };
    if text[..rest].contains(&U::ascii(b'/')) {
        listener.fired(Rule::Backslashes);
    }
    (out.len(), rest)
}

/// A server or share at the end of the text loses dots and spaces at its end, as any last name.
fn trim_root<U: Unit>(out: &mut Vec<U>, listener: &mut impl Listener) {
    let begin = out.iter().rposition(|&unit| is_separator(unit)).map_or(0, |last| last + 1);
    let length = last_name(&out[begin..]).len();
    if begin + length < out.len() {
        listener.fired(Rule::Trimmed);
        out.truncate(begin + length);
    }
}

/// The working directory of a drive: that of the base or the process where it is theirs, with their
/// spelling of the letter.
fn drive<'a, U: Unit>(
    letter: &[U],
    places: Places<'a, U>,
    listener: &mut impl Listener,
) -> Result<Cow<'a, Place<U>>, ExpandError> {
    let is_on_drive = |place: &&Place<U>| {
        Start::of(&place.text).drive() == Some(letter.len() + 1)
            && same_letter(&place.text[..letter.len()], letter)
    };
    if !places.is_base() && places.has_base() {
        if let Some(base) = places.from().ok().filter(is_on_drive) {
            listener.fired(Rule::Base);
            return Ok(Cow::Borrowed(base));
        }
        listener.fired(Rule::BaseIgnored);
    }
    if let Some(cwd) = places.cwd().ok().filter(is_on_drive) {
        listener.fired(Rule::WorkingDirectory);
        return Ok(Cow::Borrowed(cwd));
    }
    if let Some(known) = places.env().drive_directory(&U::to_text(letter)) {
        listener.fired(Rule::DriveDirectory);
        return places.place(&U::of(&known)?).map(Cow::Owned);
    }
    listener.fired(Rule::DriveRoot);
    let text = [letter, &[U::ascii(b':'), U::ascii(b'\\')]].concat();
    let root = text.len();
    Ok(Cow::Owned(Place { text, root }))
}

pub(crate) fn same_letter<U: Unit>(one: &[U], other: &[U]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(&one, &other)| {
            one == other
                || (one.to_ascii() < 0x80 && one.to_ascii().eq_ignore_ascii_case(&other.to_ascii()))
        })
}

/// A full path that others go on from.
pub(crate) fn place<U: Unit>(text: &[U], options: Options) -> Result<Place<U>, ExpandError> {
    check(text)
        .map_err(|error| if error == ExpandError::Empty { ExpandError::Drive } else { error })?;
    let start = Start::of(text);
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    if !start.is_full() {
        return Err(ExpandError::Drive);
    }
    let backslash = U::ascii(b'\\');
    let mut full = Vec::with_capacity(text.len());
    let (root, rest) = root(text, start, &mut full, &mut ());
    if options.keeps_verbatim() && is_verbatim(text) {
        full = text.to_vec();
    } else {
        names(text, rest, root, options, &mut full, &mut ())?;
    }
    if full.len() > root && full.last() == Some(&backslash) {
        full.pop();
    }
    // A drive or a share stays where paths go on from a device: `..` does not lead to another one.
    let root = match start {
        Start::LocalDevice | Start::BareDevice => volume_end(&full, root),
        _ => root,
    };
    Ok(Place { text: full, root })
}

/// Where the drive ends that follows a device's root, or the share, if that is `UNC\server\share`.
fn volume_end<U: Unit>(path: &[U], root: usize) -> usize {
    let mut names = path[root..].split(|&unit| is_separator(unit));
    let length = |name: &[U]| name.len() + 1;
    let Some(first) = names.next() else { return root };
    let unc = b"UNC".map(U::ascii);
    let share = if U::same_in_any_case(first, &unc) { 2 } else { 0 };
    let end = root + first.len() + names.take(share).map(length).sum::<usize>();
    end.min(path.len())
}

/// Whether a home directory says everything, as Ruby asks: from the root of a drive, or a share.
pub(crate) fn is_full_home<U: Unit>(home: &[U]) -> bool {
    !has_nul(home) && Start::of(home).is_full()
}

/// Adds the names of the text from `rest` on.
fn names<U: Unit>(
    text: &[U],
    rest: usize,
    root: usize,
    options: Options,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let backslash = U::ascii(b'\\');
    let fold = Fold::new(Flavor::Windows).dot_dot(options.dot_dot()).trimmed();
    let vanished = fold.write(text.get(rest..).unwrap_or_default(), root, out, listener)?;
    let is_kept = vanished || text.last().copied().is_some_and(is_separator);
    if is_kept && out.last() != Some(&backslash) {
        listener.fired(Rule::TrailingKept);
        out.push(backslash);
    }
    Ok(())
}

/// Whether this path is its own expansion. `false` may also mean that it takes a closer look.
pub(crate) fn is_clean<U: Unit>(text: &[U], options: Options) -> bool {
    let start = Start::of(text);
    // The root of a share and of a device begins with two separators; the rest of it has to be
    // clean.
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
        && !any_window(&text[from..], [U::ascii(b':'); 2], is_dirt)
        && device_at_end(text, start, options.release).is_none()
}

/// Whether two neighbours are not part of a clean path.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "branches would keep it from going many at a time")]
fn is_dirt<U: Unit>([a, b]: [U; 2]) -> bool {
    let (backslash, slash, dot) = (U::ascii(b'\\'), U::ascii(b'/'), U::ascii(b'.'));
    (a == U::NUL) | (a == slash) | ((b == backslash) & ((a == backslash) | (a == dot)))
}
