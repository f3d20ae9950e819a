//! POSIX paths in the native style: bytes (or 16-bit units, which mean the same) and one separator.

use crate::options::{DotDot, ExpandError, Options, Style};
use crate::place::{Place, Places};
use crate::rule::{Listener, Rule};
use crate::unit::Unit;
use crate::{ruby, scan};

/// Writes the full path behind what `out` holds, which is nothing.
pub(crate) fn expand<U: Unit>(
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

fn write<U: Unit>(
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
pub(crate) fn start<'a, U: Unit>(
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
pub(crate) fn home<'t, U: Unit>(
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
pub(crate) fn place<U: Unit>(text: &[U], options: Options) -> Result<Place<U>, ExpandError> {
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
fn leading<U: Unit>(text: &[U]) -> usize {
    let slash = U::ascii(b'/');
    let count = text.iter().take_while(|&&unit| unit == slash).count();
    if count == 2 { 2 } else { 1 }
}

/// What stands where a name may begin.
enum Part {
    Nothing,
    Dot,
    DotDot,
    Name,
}

impl Part {
    fn of<U: Unit>(text: &[U]) -> Part {
        let ends = |at: usize| text.get(at).is_none_or(|&unit| unit == U::ascii(b'/'));
        let is_dot = |at: usize| text.get(at) == Some(&U::ascii(b'.'));
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

/// Adds the names in `rest`: those that lie in a row without dots and doubled slashes at once.
///
/// All of `rest` is written first, and what is to stay moves to the front: up to where the first thing is
/// left out, it is there already.
fn names<U: Unit>(
    rest: &[U],
    root: usize,
    options: Options,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let policy = options.dot_dot();
    // How much of what is written stays.
    let mut end = out.len();
    if end > root {
        out.push(slash);
    }
    let begin = out.len();
    out.extend_from_slice(rest);
    let mut at = 0;
    while at < rest.len() {
        let row = &rest[at..];
        match Part::of(row) {
            Part::Nothing => {
                if at > 0 {
                    listener.fired(Rule::Runs);
                }
                at += 1;
                continue;
            }
            Part::Dot => {
                listener.fired(Rule::Dot);
                at += 2;
                continue;
            }
            Part::DotDot if policy != DotDot::Keep => {
                end = above(&out[..end], root, slash, policy, listener)?;
                at += 3;
                continue;
            }
            Part::DotDot => listener.fired(Rule::DotDotKept),
            Part::Name => {}
        }
        let stop = U::row_end(rest, at);
        if rest.get(stop) == Some(&U::NUL) {
            return Err(ExpandError::Nul);
        }
        if end > root {
            out[end] = slash;
            end += 1;
        }
        if end != begin + at {
            put(&rest[at..], stop - at, &mut out[end..]);
        }
        end += stop - at;
        at = stop + 1;
    }
    out.truncate(end);
    Ok(())
}

/// Writes so many of these units, and perhaps some more behind them: most rows are short, and sixteen at once
/// take less time than asking how many there are.
fn put<U: Copy>(units: &[U], length: usize, to: &mut [U]) {
    match (units.first_chunk::<16>(), to.first_chunk_mut::<16>()) {
        (Some(units), Some(to)) if length <= 16 => *to = *units,
        _ => to[..length].copy_from_slice(&units[..length]),
    }
}

/// Takes the last name away.
pub(crate) fn up<U: Unit>(
    root: usize,
    separator: U,
    policy: DotDot,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    out.truncate(above(out, root, separator, policy, listener)?);
    Ok(())
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
