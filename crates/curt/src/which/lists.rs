//! `PATH` and `PATHEXT`, taken apart by text alone. Nothing in them can fail; what is left out has a
//! reason.

use std::borrow::Cow;

use super::policy::{EXTENSIONS, Extensions, LAUNCHABLE, Policy, Program};
use curt_paths::Flavor;
use curt_paths::Unit;

/// One entry of `PATH`: its place in it, from 0, and its text, which is empty for an empty entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathEntry<'a, U: Clone> {
    pub(super) index: usize,
    pub(super) text: Cow<'a, [U]>,
}

/// The entries of `PATH` by a policy's rules. Empty ones are among them.
pub(super) fn path_entries<'a, U: Unit>(path: &'a [U], policy: &Policy) -> Vec<PathEntry<'a, U>> {
    if path.is_empty() && !policy.empty_path_is_entry {
        return Vec::new();
    }
    let entry = |(index, text)| PathEntry { index, text };
    match policy.rules {
        Flavor::Posix => {
            let texts = path.split(|&unit| unit == U::ascii(b':'));
            texts.map(Cow::Borrowed).enumerate().map(entry).collect()
        }
        Flavor::Windows => {
            let texts = windows_entries(path, policy.quotes).into_iter();
            texts.map(Cow::Owned).enumerate().map(entry).collect()
        }
    }
}

/// Entries end at `;`. A quote anywhere begins or ends a part in which they do not, and belongs to no
/// name; a lonely one does no harm.
fn windows_entries<U: Unit>(path: &[U], quotes: bool) -> Vec<Vec<U>> {
    let mut entries = vec![Vec::new()];
    let mut is_quoted = false;
    for &unit in path {
        match unit.to_ascii() {
            b'"' if quotes => is_quoted = !is_quoted,
            b';' if !is_quoted => entries.push(Vec::new()),
            _ => {
                if let Some(entry) = entries.last_mut() {
                    entry.push(unit);
                }
            }
        }
    }
    // A quote that is never closed would have swallowed the entries behind it.
    if is_quoted { windows_entries(&without_last_quote(path), quotes) } else { entries }
}

fn without_last_quote<U: Unit>(path: &[U]) -> Vec<U> {
    let last = path.iter().rposition(|unit| unit.to_ascii() == b'"');
    let units = path.iter().enumerate().filter(|&(at, _)| Some(at) != last);
    units.map(|(_, &unit)| unit).collect()
}

/// An extension that is appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extension<U> {
    /// With its dot, as it is written in the list.
    pub(super) text: Vec<U>,
    pub(super) program: Program,
}

/// The extensions by a policy's rules, each once, in order; and the items that were dropped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExtensionList<U> {
    pub(super) extensions: Vec<Extension<U>>,
    pub(super) dropped: Vec<Vec<U>>,
}

/// The extensions that a policy appends.
pub(super) fn extensions<U: Unit>(pathext: Option<&[U]>, policy: &Policy) -> ExtensionList<U> {
    let mut list = ExtensionList { extensions: Vec::new(), dropped: Vec::new() };
    if policy.rules == Flavor::Posix {
        return list;
    }
    let (given, usual) = match policy.extensions {
        Extensions::Environment(usual) => (pathext, usual),
        Extensions::Behind(first, usual) => {
            list.add(ascii(first));
            (pathext, usual)
        }
        Extensions::Only(these) => (None, these),
        Extensions::Among(these) => {
            list.add_all(pathext.unwrap_or_default(), policy);
            list.extensions.retain(|extension| {
                these.iter().any(|&one| U::same_in_any_case(&extension.text, &ascii::<U>(one)))
            });
            return list;
        }
    };
    match given.filter(|text| !text.is_empty()) {
        Some(text) => list.add_all(text, policy),
        None => usual.iter().for_each(|&text| list.add(ascii(text))),
    }
    list
}

impl<U: Unit> ExtensionList<U> {
    fn add_all(&mut self, pathext: &[U], policy: &Policy) {
        for item in pathext.split(|unit| unit.to_ascii() == b';') {
            let has_dot = item.first().is_some_and(|unit| unit.to_ascii() == b'.');
            match item {
                [] => {}
                _ if has_dot && is_extension(item) => self.add(item.to_vec()),
                _ if !has_dot && policy.completes_extensions && is_extension(item) => {
                    self.add([&[U::ascii(b'.')], item].concat());
                }
                _ => self.dropped.push(item.to_vec()),
            }
        }
    }

    fn add(&mut self, text: Vec<U>) {
        if !self.extensions.iter().any(|known| U::same_in_any_case(&known.text, &text)) {
            let program = program_of(&text);
            self.extensions.push(Extension { text, program });
        }
    }
}

/// Whether a name can end so: a lone dot, and what ends in a dot or a space, no name of Windows does.
fn is_extension<U: Unit>(item: &[U]) -> bool {
    let last = item.last().map_or(b'.', |unit| unit.to_ascii());
    !matches!(last, b'.' | b' ') && !item.iter().any(|&unit| is_forbidden(unit))
}

/// What no name of Windows holds: separators, what the kernel takes for a pattern, and control
/// characters.
pub(super) fn is_forbidden<U: Unit>(unit: U) -> bool {
    matches!(
        unit.to_ascii(),
        b'\\' | b'/' | b':' | b'*' | b'?' | b'"' | b'<' | b'>' | b'|' | 0..=31
    )
}

/// How a file is started whose name ends so: the whole extension counts, in any case of letters. Asked of
/// every hit, so nothing is allocated.
pub(super) fn program_of<U: Unit>(extension: &[U]) -> Program {
    let is_it = |known: &str| {
        let mut pairs = known.bytes().zip(extension);
        known.len() == extension.len()
            && pairs.all(|(known, &unit)| U::same_in_any_case(&[U::ascii(known)], &[unit]))
    };
    let known = LAUNCHABLE.iter().find(|(known, _)| is_it(known));
    known.map_or(Program::Association, |&(_, program)| program)
}

/// An ASCII text in units.
pub(super) fn ascii<U: Unit>(text: &str) -> Vec<U> {
    text.bytes().map(U::ascii).collect()
}

const _: () = assert!(EXTENSIONS.len() == LAUNCHABLE.len(), "one list of what can be launched");
