//! POSIX paths in the native style: bytes (or 16-bit units, which mean the same) and one separator.

use crate::flavor::Flavor;
use crate::fold::{Fold, is_folded};
use crate::options::{DotDot, ExpandError, Options, Style};
use crate::place::{Place, Places};
use crate::ruby;
use crate::rule::{Listener, Rule};
use crate::unit::{Unit, has_nul};

/// Writes the full path behind what `out` holds, which is nothing.
pub(crate) fn expand<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let options = places.options();
    if options.style == Style::Ruby {
        return ruby::expand_posix(text, places, out, listener);
    }
    if text.is_empty() && options.dot_dot() == DotDot::Keep {
        return Err(ExpandError::Empty);
    }
    write(text, places, out, listener).map_err(|error| {
        // Whatever else is wrong.
        if has_nul(text) { ExpandError::Nul } else { error }
    })
}

fn write<U: Unit>(
    text: &[U],
    places: Places<'_, U>,
    out: &mut Vec<U>,
    listener: &mut impl Listener,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let options = places.options();
    let fold = Fold::new(Flavor::Posix).dot_dot(options.dot_dot());
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
        fold.write(&home[root..], root, out, listener)?;
        (root, rest)
    } else {
        let place = start(places, listener)?;
        out.reserve(place.text.len() + text.len() + 1);
        out.extend_from_slice(&place.text);
        if is_clean_tail(text) {
            if out.last() != Some(&slash) {
                out.push(slash);
            }
            out.extend_from_slice(text);
            return Ok(());
        }
        (place.root, text)
    };
    fold.write(rest, root, out, listener)?;
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
    listener: &mut impl Listener,
) -> Result<&'a Place<U>, ExpandError> {
    if places.is_base() || !places.has_base() {
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
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    if text.first() != Some(&U::ascii(b'/')) {
        return Err(ExpandError::Drive);
    }
    if options.style == Style::Ruby {
        return Ok(Place { text: text.to_vec(), root: 0 });
    }
    let root = leading(text);
    let mut full = text[..root].to_vec();
    Fold::new(Flavor::Posix).dot_dot(options.dot_dot()).append(&text[root..], root, &mut full)?;
    Ok(Place { text: full, root })
}

/// How many slashes of a full path stay: exactly two are the system's affair, more are one.
fn leading<U: Unit>(text: &[U]) -> usize {
    let slash = U::ascii(b'/');
    let count = text.iter().take_while(|&&unit| unit == slash).count();
    if count == 2 { 2 } else { 1 }
}

/// Whether this path is its own expansion. `false` may also mean that it takes a closer look.
pub(crate) fn is_clean<U: Unit>(text: &[U], options: Options) -> bool {
    let slash = U::ascii(b'/');
    match text {
        [only] => *only == slash,
        [first, names @ .., last] if *last == slash && options.keeps_trailing() => {
            *first == slash && is_folded(names)
        }
        [first, ..] => *first == slash && is_folded(text),
        [] => false,
    }
}

/// Whether this relative path can be written as it is behind a directory and a slash. `false` may
/// also mean that it takes a closer look.
fn is_clean_tail<U: Unit>(text: &[U]) -> bool {
    let is_odd = |first: U| matches!(first.to_ascii(), b'/' | b'.');
    text.first().is_some_and(|&first| !is_odd(first)) && is_folded(text)
}
