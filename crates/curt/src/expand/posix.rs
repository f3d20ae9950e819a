//! POSIX paths in the native style: bytes (or 16-bit units, which mean the same) and one separator.

use super::options::{DotDot, ExpandError, Options};
use super::place::{Place, Places};
use super::rule::{Listener, Rule};
use super::text::ExpandUnit;
use super::{Style, ruby, scan};

/// Writes the full path behind what `out` holds, which is nothing.
pub(super) fn expand<U: ExpandUnit>(
    text: &[U],
    places: Places<'_, U>,
    is_base: bool,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let options = places.options();
    if options.style == Style::Ruby {
        return ruby::expand_posix(text, places, is_base, out, listener);
    }
    if text.is_empty() && options.dot_dot() == DotDot::Keep {
        return Err(ExpandError::Empty);
    }
    write(text, places, is_base, out, listener).map_err(|error| {
        // Whatever else is wrong.
        if scan::has_nul(text) { ExpandError::Nul } else { error }
    })
}

fn write<U: ExpandUnit>(
    text: &[U],
    places: Places<'_, U>,
    is_base: bool,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let options = places.options();
    let (root, rest) = if text.first() == Some(&slash) {
        listener.fired(Rule::Root);
        let root = leading(text);
        if root == 2 {
            listener.fired(Rule::TwoSlashes);
        }
        out.reserve(text.len());
        out.extend_from_slice(&text[..root]);
        (root, &text[root..])
    } else if let Some((home, rest)) = home(text, places, listener)? {
        let root = leading(&home);
        out.reserve(home.len() + rest.len() + 1);
        out.extend_from_slice(&home[..root]);
        names(&home[root..], root, options, out, listener)?;
        (root, rest)
    } else {
        let place = start(places, is_base, listener)?;
        out.reserve(place.text.len() + text.len() + 1);
        out.extend_from_slice(&place.text);
        if scan::is_clean_tail(text) {
            if out.last() != Some(&slash) {
                out.push(slash);
            }
            out.extend_from_slice(text);
            return Ok(());
        }
        (place.root, text)
    };
    names(rest, root, options, out, listener)?;
    if text.last() == Some(&slash) {
        if !options.keeps_trailing() {
            if out.len() > root {
                listener.fired(Rule::TrailingDropped);
            }
        } else if out.last() != Some(&slash) {
            listener.fired(Rule::TrailingKept);
            out.push(slash);
        }
    }
    Ok(())
}

/// What a relative path goes on from.
pub(super) fn start<'a, U: ExpandUnit>(
    places: Places<'a, U>,
    is_base: bool,
    listener: &mut impl Listener,
) -> Result<&'a Place<U>, ExpandError> {
    if is_base || !places.has_base() {
        listener.fired(Rule::WorkingDirectory);
        places.cwd()
    } else {
        listener.fired(Rule::Base);
        places.from()
    }
}

/// The home that a tilde at the beginning stands for, and what comes behind it.
#[allow(clippy::type_complexity, reason = "two slices and whether there are any")]
pub(super) fn home<'t, U: ExpandUnit>(
    text: &'t [U],
    places: Places<'_, U>,
    listener: &mut impl Listener,
) -> Result<Option<(Vec<U>, &'t [U])>, ExpandError> {
    if text.first() != Some(&U::ascii(b'~')) || !places.options().tilde() {
        return Ok(None);
    }
    let end = text.iter().position(|&unit| unit == U::ascii(b'/')).unwrap_or(text.len());
    let (user, rest) = (&text[1..end], &text[end..]);
    let home = if user.is_empty() {
        listener.fired(Rule::Home);
        places.home()?
    } else {
        listener.fired(Rule::UserHome);
        places.home_of(user)?
    };
    Ok(Some((home, rest)))
}

/// A full path that others go on from.
pub(super) fn place<U: ExpandUnit>(text: &[U], options: Options) -> Result<Place<U>, ExpandError> {
    if scan::has_nul(text) {
        return Err(ExpandError::Nul);
    }
    if text.first() != Some(&U::ascii(b'/')) {
        return Err(ExpandError::Drive);
    }
    if options.style == Style::Ruby {
        return Ok(Place { text: text.to_vec(), root: 0, volume: 0 });
    }
    let root = leading(text);
    let mut full = text[..root].to_vec();
    names(&text[root..], root, options, &mut full, &mut ())?;
    Ok(Place { text: full, root, volume: root })
}

/// How many slashes of a full path stay: exactly two are the system's affair, more are one.
fn leading<U: ExpandUnit>(text: &[U]) -> usize {
    let slash = U::ascii(b'/');
    let count = text.iter().take_while(|&&unit| unit == slash).count();
    if count == 2 { 2 } else { 1 }
}

/// Adds the names in `rest`, one by one.
fn names<U: ExpandUnit>(
    rest: &[U],
    root: usize,
    options: Options,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    let policy = options.dot_dot();
    let mut at = 0;
    while at < rest.len() {
        let name = &rest[at..];
        let stop = U::position(name, *b"/\0");
        let length = stop.unwrap_or(name.len());
        if stop.is_some_and(|stop| name[stop] == U::NUL) {
            return Err(ExpandError::Nul);
        }
        let name = &name[..length];
        match *name {
            [] if at > 0 => listener.fired(Rule::Runs),
            [] => {}
            [only] if only == dot => listener.fired(Rule::Dot),
            [first, second] if first == dot && second == dot && policy != DotDot::Keep => {
                up(root, slash, policy, out, listener)?;
            }
            _ => {
                if length == 2 && name[0] == dot && name[1] == dot {
                    listener.fired(Rule::DotDotKept);
                }
                if out.last() != Some(&slash) {
                    out.push(slash);
                }
                out.extend_from_slice(name);
            }
        }
        at += length + 1;
    }
    Ok(())
}

/// Takes the last name away.
pub(super) fn up<U: ExpandUnit>(
    root: usize,
    separator: U,
    policy: DotDot,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    if out.len() <= root {
        if policy == DotDot::Refuse {
            return Err(ExpandError::Escape);
        }
        listener.fired(Rule::Clamped);
        return Ok(());
    }
    listener.fired(Rule::DotDot);
    let last = out[root..].iter().rposition(|&unit| unit == separator);
    out.truncate(root + last.unwrap_or(0));
    Ok(())
}
