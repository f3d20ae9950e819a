use crate::directory::Directory;
use crate::fold::{Fold, is_folded};
use crate::options::{ExpandError, Flavor, Options, Style};
use crate::rule::{Rule, Trace};
use crate::unit::{Unit, has_nul};

/// Writes the full path. Without a directory, the path must begin with a slash.
pub(crate) fn write<U: Unit>(
    directory: Option<&Directory<U>>,
    text: &[U],
    options: Options,
    out: &mut Vec<U>,
    trace: &mut impl Trace,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let (root, names) = if let Some(directory) = directory {
        out.reserve(directory.text.len() + text.len() + 1);
        out.extend_from_slice(&directory.text);
        if is_clean_tail(text) {
            if out.last() != Some(&slash) {
                out.push(slash);
            }
            out.extend_from_slice(text);
            return Ok(());
        }
        (directory.root, text)
    } else {
        trace.note(Rule::Root);
        let root = root_length(text);
        if root == 2 {
            trace.note(Rule::TwoSlashes);
        }
        out.reserve(text.len());
        out.extend_from_slice(&text[..root]);
        (root, &text[root..])
    };
    Fold::new(Flavor::Posix).dot_dot(options.dot_dot()).write(names, root, out, trace)?;
    if names.last() == Some(&slash) {
        if !options.keeps_meaning() {
            if out.len() > root {
                trace.note(Rule::TrailingDropped);
            }
        } else if out.last() != Some(&slash) {
            trace.note(Rule::TrailingKept);
            out.push(slash);
        }
    }
    Ok(())
}

pub(crate) fn directory<U: Unit>(
    text: &[U],
    options: Options,
    trace: &mut impl Trace,
) -> Result<Directory<U>, ExpandError> {
    if has_nul(text) {
        return Err(ExpandError::Nul);
    }
    if text.first() != Some(&U::ascii(b'/')) {
        return Err(ExpandError::Drive);
    }
    if options.style == Style::Ruby {
        return Ok(Directory { text: text.to_vec(), root: 0 });
    }
    let root = root_length(text);
    let mut full = text[..root].to_vec();
    let fold = Fold::new(Flavor::Posix).dot_dot(options.dot_dot());
    fold.write(&text[root..], root, &mut full, trace)?;
    Ok(Directory { text: full, root })
}

/// POSIX leaves the meaning of exactly two leading slashes to the system. Three or more mean one.
fn root_length<U: Unit>(text: &[U]) -> usize {
    let slash = U::ascii(b'/');
    let count = text.iter().take_while(|&&unit| unit == slash).count();
    if count == 2 { 2 } else { 1 }
}

/// Fast check that misses some clean paths.
pub(crate) fn is_clean<U: Unit>(text: &[U], options: Options) -> bool {
    let slash = U::ascii(b'/');
    match text {
        [only] => *only == slash,
        [first, names @ .., last] if *last == slash && options.keeps_meaning() => {
            *first == slash && is_folded(names)
        }
        [first, ..] => *first == slash && is_folded(text),
        [] => false,
    }
}

/// Returns whether a path can certainly be appended unchanged.
fn is_clean_tail<U: Unit>(text: &[U]) -> bool {
    let needs_folding = |first: U| matches!(first.to_ascii(), b'/' | b'.');
    text.first().is_some_and(|&first| !needs_folding(first)) && is_folded(text)
}
