//! Paths in the style of Ruby's `File.expand_path`: read off `file.c` and `win32/file.c`, and
//! compared with Ruby where it is installed.

#[cfg(feature = "ruby")]
pub(crate) mod encoding;

/// Texts are in no encoding but Unicode's, or in none.
#[cfg(not(feature = "ruby"))]
pub(crate) mod encoding {
    /// UTF-8, or bytes that a system took for a name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Encoding;

    impl Encoding {
        pub(crate) const UTF_8: Encoding = Encoding;
    }

    pub(super) fn is_refused(_: &crate::text::PathText) -> bool {
        false
    }
}

use crate::options::{DotDot, ExpandError};
use crate::place::Places;
use crate::posix;
use crate::rule::{Listener, Rule};
use crate::text::PathText;
use crate::unit::{Unit, has_nul};
use crate::windows::full_path;
use crate::windows::prefix::{Start, is_separator};

/// What Ruby finds wrong with a base, whatever the path is.
pub(crate) fn refusal_of_base(base: &PathText) -> Option<ExpandError> {
    if encoding::is_refused(base) {
        return Some(ExpandError::Encoding);
    }
    base.to_bytes().contains(&0).then_some(ExpandError::Nul)
}

/// POSIX. Slashes at the beginning stay as they are typed, home as it is set.
pub(crate) fn expand_posix<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    let rest = if text.first() == Some(&slash) {
        listener.fired(Rule::Root);
        let leading = text.iter().take_while(|&&unit| unit == slash).count();
        if leading > 1 {
            listener.fired(Rule::LeadingSlashes);
        }
        out.extend_from_slice(&text[..leading]);
        &text[leading..]
    } else if let Some((home, rest)) = posix::home(text, places, listener)? {
        out.extend_from_slice(&home);
        rest
    } else {
        out.extend_from_slice(&posix::start(places, listener)?.text);
        text
    };
    // What lies behind `out` is always one slash that is not written yet.
    if out.last() == Some(&slash) {
        out.pop();
    }
    let policy = places.options().dot_dot();
    for (index, name) in rest.split(|&unit| unit == slash).enumerate() {
        let is_dot = |unit: &U| *unit == U::ascii(b'.');
        match name {
            [] if index > 0 && !rest.is_empty() => listener.fired(Rule::Runs),
            [] => {}
            [only] if is_dot(only) => listener.fired(Rule::Dot),
            [first, second] if is_dot(first) && is_dot(second) && policy != DotDot::Keep => {
                up(policy, out, listener)?;
            }
            _ => {
                out.push(slash);
                out.extend_from_slice(name);
            }
        }
    }
    if out.iter().all(|&unit| unit == slash) {
        out.push(slash);
    }
    Ok(())
}

/// Cuts at the last run of slashes that something follows. Where there is none this is the root.
fn up<U: Unit>(
    policy: DotDot,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let name_end = out.iter().rposition(|&unit| unit != slash).map_or(0, |last| last + 1);
    let Some(last) = out[..name_end].iter().rposition(|&unit| unit == slash) else {
        if policy == DotDot::Refuse {
            return Err(ExpandError::Escape);
        }
        listener.fired(Rule::Clamped);
        return Ok(());
    };
    let run = out[..last].iter().rposition(|&unit| unit != slash).map_or(0, |before| before + 1);
    listener.fired(Rule::DotDot);
    out.truncate(run);
    Ok(())
}

/// Windows. The base, home and path are put together as text, and what that makes is read as the
/// system reads it.
pub(crate) fn expand_windows<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    let joined = join(text, places, listener)?;
    full_path::full(&joined, places.of_base(), out, listener)?;
    trim(out, listener);
    let backslash = U::ascii(b'\\');
    if out.contains(&backslash) {
        listener.fired(Rule::Slashes);
    }
    for unit in out.iter_mut().filter(|unit| **unit == backslash) {
        *unit = U::ascii(b'/');
    }
    Ok(())
}

/// The text that the system is asked about.
fn join<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    listener: &mut impl Listener,
) -> Result<Vec<U>, ExpandError> {
    let start = Start::of(text);
    if is_home(text, start, places) {
        return at_home(text, places, listener);
    }
    let is_full = matches!(start, Start::DriveAbsolute { .. });
    let base = if is_full || places.is_base() { None } else { places.base_text() };
    let mut joined = Vec::with_capacity(text.len() + 4);
    if let Some(base) = base.transpose()? {
        join_base(text, start, &base, places, listener, &mut joined)?;
    }
    let rest = match start {
        // The base has the drive already.
        Start::DriveRelative { letter } if !joined.is_empty() => letter + 1,
        _ => 0,
    };
    joined.extend_from_slice(&text[rest..]);
    let begins_names = start.drive().filter(|_| !is_full).unwrap_or(0);
    if begins_names == text.len() {
        joined.push(U::ascii(b'.'));
    }
    Ok(joined)
}

/// Whether a text begins with home; `~:` is a drive.
pub(crate) fn is_home<U: Unit>(text: &[U], start: Start, places: Places<'_, U>) -> bool {
    places.options().tilde() && text.first() == Some(&U::ascii(b'~')) && start.drive().is_none()
}

/// Writes as much of the base as the path goes on from, and a separator.
fn join_base<U: Unit>(
    text: &[U],
    start: Start,
    base: &[U],
    places: Places<'_, U>,
    listener: &mut impl Listener,
    joined: &mut Vec<U>,
) -> Result<(), ExpandError> {
    if has_nul(base) {
        return Err(ExpandError::Nul);
    }
    let base_start = Start::of(base);
    let is_rooted = text.first().copied().is_some_and(is_separator);
    let is_share = base.len() >= 2 && is_separator(base[0]) && is_separator(base[1]);
    if is_home(base, base_start, places) {
        // A rooted path goes on from home itself, as if it were relative.
        let used = if is_rooted { &base[..1] } else { base };
        joined.extend(at_home(used, places, listener)?);
    } else {
        let used = match (start, base_start.drive()) {
            (Start::Share | Start::LocalDevice | Start::BareDevice, _) => 0,
            (Start::DriveRelative { letter }, Some(drive))
                if !full_path::same_letter(&text[..letter], &base[..drive - 1]) =>
            {
                0
            }
            (_, Some(drive)) if is_rooted => drive,
            (_, None) if is_rooted && is_share => share_length(base),
            (_, None) if is_rooted => 0,
            // The path has a drive, and the base has none: it is written behind that drive.
            (Start::DriveRelative { letter }, None) => {
                joined.extend_from_slice(&text[..=letter]);
                base.len()
            }
            _ => base.len(),
        };
        if used == 0 {
            listener.fired(Rule::BaseIgnored);
            return Ok(());
        }
        joined.extend_from_slice(&base[..used]);
        listener.fired(Rule::Base);
    }
    if joined.last().is_some_and(|unit| !matches!(unit.to_ascii(), b'\\' | b'/' | b':')) {
        joined.push(U::ascii(b'\\'));
    }
    Ok(())
}

/// How much of a share's path is `//host/share`.
fn share_length<U: Unit>(base: &[U]) -> usize {
    let mut separators = (2..base.len()).filter(|&at| is_separator(base[at]));
    separators.nth(1).unwrap_or(base.len())
}

/// A path that begins with a tilde, with home in its place. `~user` is nobody.
pub(crate) fn at_home<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    listener: &mut impl Listener,
) -> Result<Vec<U>, ExpandError> {
    let mut rest = &text[1..];
    if let Some((&first, behind)) = rest.split_first() {
        if !is_separator(first) {
            listener.fired(Rule::UserHome);
            return Err(ExpandError::NoUser);
        }
        rest = behind;
    }
    listener.fired(Rule::Home);
    let mut path = places.home()?;
    if path.last().is_some_and(|unit| !matches!(unit.to_ascii(), b'\\' | b'/' | b':')) {
        path.push(U::ascii(b'\\'));
    }
    path.extend_from_slice(rest);
    if rest.is_empty() {
        path.push(U::ascii(b'.'));
    }
    Ok(path)
}

/// What Ruby takes off the end: one separator, one dot, and the name of the default stream.
fn trim<U: Unit>(out: &mut Vec<U>, listener: &mut impl Listener) {
    let is = |unit: Option<&U>, wanted: u8| unit.is_some_and(|unit| unit.to_ascii() == wanted);
    let before = out.len().checked_sub(2).and_then(|at| out.get(at));
    let is_root = out.len() == 2 && before.copied().is_some_and(is_separator);
    if out.last().copied().is_some_and(is_separator) && !is(before, b':') && !is_root {
        listener.fired(Rule::TrailingDropped);
        out.pop();
    }
    if is(out.last(), b'.') {
        out.pop();
    }
    let default = b":$DATA";
    let Some(at) = out.len().checked_sub(default.len()).filter(|&at| at > 0) else {
        return;
    };
    let is_default = out[at..]
        .iter()
        .zip(default)
        .all(|(unit, letter)| unit.to_ascii().eq_ignore_ascii_case(letter));
    if !is_default {
        return;
    }
    if is(out.get(at - 1), b':') {
        listener.fired(Rule::DataStream);
        out.truncate(at - 1);
        return;
    }
    let name = out[1..at].iter().rposition(|&unit| is_separator(unit)).map_or(1, |last| last + 2);
    if out[name..at].iter().any(|unit| unit.to_ascii() == b':') {
        listener.fired(Rule::DataStream);
        out.truncate(at);
    }
}
