//! Determines the search directories in order: the entries of `PATH` and those that a policy adds,
//! without duplicates.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::names::ascii;
use super::policy::{Policy, Quotes, Rules};
use crate::name::NameBuf;
use crate::sys::{SystemUnit, Which};
use curt_paths::windows::{Start, is_separator, is_verbatim};
use curt_paths::{DotDot, Env, Expander, Flavor, Fold, PathText, Unit};

/// In which search directory a program was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FoundIn {
    /// The working directory, searched implicitly: see [`Search::cwd`](super::Search::cwd).
    Cwd,
    /// The directory in the name itself, if the name has a separator or a drive.
    #[default]
    Given,
    /// The entry of `PATH` with this index, from 0. Empty entries count.
    Path(usize),
}

impl fmt::Display for FoundIn {
    /// Writes `cwd`, `given` or `path:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoundIn::Cwd => f.write_str("cwd"),
            FoundIn::Given => f.write_str("given"),
            FoundIn::Path(index) => write!(f, "path:{index}"),
        }
    }
}

pub(super) struct SearchDirectory<S: Which> {
    /// The absolute path, which is prepended to names found in the directory.
    pub(super) path: Vec<S::Unit>,
    pub(super) origin: FoundIn,
    pub(super) is_relative: bool,
    pub(super) duplicates: Vec<usize>,
    /// An open directory and the path relative to it. `None` if the text is not a valid path on
    /// this system, or if it is relative and there is no base.
    located: Option<(S::Dir, NameBuf<S::Unit>)>,
}

/// An open directory and a path relative to it, which is empty for the open directory itself.
pub(super) struct Location<'a, S: Which> {
    pub(super) dir: &'a S::Dir,
    pub(super) path: &'a [S::Unit],
}

impl<S: Which> SearchDirectory<S> {
    pub(super) fn new(
        text: &[S::Unit],
        origin: FoundIn,
        base: &mut Base<S::Unit>,
        sys: &S,
    ) -> Self {
        let rules = base.rules;
        let is_relative = is_relative(text, rules);
        let from = if is_relative { base.units(sys) } else { &[] };
        // A relative path without a base finds no program. It must not be resolved from the root.
        let is_lost = is_relative && from.is_empty();
        let path = if is_lost { text.to_vec() } else { resolve(text, rules, from) };
        let located = if is_lost || is_elsewhere(text, rules) {
            None
        } else {
            sys.locate(Path::new(&*S::Unit::text(&path))).ok()
        };
        let duplicates = Vec::new();
        SearchDirectory { path, origin, is_relative, duplicates, located }
    }

    /// Returns where to search, or `None` if the path cannot exist.
    pub(super) fn location(&self) -> Option<Location<'_, S>> {
        let (dir, path) = self.located.as_ref()?;
        Some(Location { dir, path: path.as_name().units() })
    }

    pub(super) fn to_path(&self) -> PathBuf {
        S::Unit::path(self.path.clone())
    }

    pub(super) fn join(&self, name: &[S::Unit]) -> Vec<S::Unit> {
        [&self.path, separator(&self.path).as_slice(), name].concat()
    }

    fn entry(&self) -> Option<usize> {
        match self.origin {
            FoundIn::Path(index) => Some(index),
            _ => None,
        }
    }
}

pub(super) fn separator<U: Unit>(directory: &[U]) -> Option<U> {
    (directory.last() != Some(&U::SEPARATOR)).then_some(U::SEPARATOR)
}

#[derive(Clone, Debug, Default)]
pub(super) enum RelativeTo {
    #[default]
    WorkingDirectory,
    Directory(PathBuf),
    Nothing,
}

pub(super) struct Base<U> {
    rules: Flavor,
    pub(super) given: Option<PathBuf>,
    /// The absolute path of the base, once needed. Empty if there is no working directory.
    known: Option<Vec<U>>,
}

impl<U: SystemUnit> Base<U> {
    pub(super) fn new(rules: Flavor, base: &RelativeTo) -> Self {
        let (given, known) = match base {
            RelativeTo::WorkingDirectory => (None, None),
            RelativeTo::Directory(given) => (Some(given.clone()), None),
            RelativeTo::Nothing => (None, Some(Vec::new())),
        };
        Base { rules, given, known }
    }

    pub(super) fn units<S: Which<Unit = U>>(&mut self, sys: &S) -> &[U] {
        let Base { given, known, .. } = self;
        known.get_or_insert_with(|| {
            let given = given.as_deref().unwrap_or(Path::new(""));
            let full = sys.absolute(given, true).unwrap_or_else(|_| given.to_owned());
            let mut units = S::Unit::units(&full);
            while units.len() > 1 && units.last().is_some_and(|unit| unit.is_separator()) {
                units.pop();
            }
            units
        })
    }
}

pub(super) struct Directories<S: Which> {
    pub(super) all: Vec<SearchDirectory<S>>,
    /// The working directory, if it is not searched. If only it contains the program, the error
    /// says so.
    pub(super) left_out: Option<SearchDirectory<S>>,
    pub(super) empty: Vec<usize>,
}

impl<S: Which> Directories<S> {
    pub(super) fn new(
        path: Option<&[S::Unit]>,
        searches_cwd: bool,
        rules: &Rules,
        base: &mut Base<S::Unit>,
        sys: &S,
    ) -> Self {
        let here = [S::Unit::ascii(b'.')];
        let is_windows = rules.flavor == Flavor::Windows;
        let default = ascii(S::DEFAULT_PATH);
        // Without `PATH`, Go searches no directory.
        let has_default = !is_windows && !rules.are_of(Policy::Go);
        let default = has_default.then_some(&default[..]);
        let entries = path.or(default).map_or_else(Vec::new, |path| entries(path, rules));
        let is_empty = |&index: &usize| entries[index].is_empty();
        let empty: Vec<usize> = (0..entries.len()).filter(is_empty).collect();

        let mut found = Vec::new();
        let mut add =
            |text: &[_], origin| found.push(SearchDirectory::new(text, origin, base, sys));
        if is_windows && searches_cwd {
            add(&here, FoundIn::Cwd);
        }
        for (index, text) in entries.iter().enumerate() {
            match rules.flavor {
                _ if !text.is_empty() => add(text, FoundIn::Path(index)),
                Flavor::Windows if rules.are_of(Policy::CPython) => {
                    add(&here, FoundIn::Path(index));
                }
                Flavor::Posix if searches_cwd => add(&here, FoundIn::Cwd),
                Flavor::Windows | Flavor::Posix => {}
            }
        }
        // Under POSIX rules, the working directory is searched only because of an empty entry.
        let leaves_out = !searches_cwd && (is_windows || !empty.is_empty());
        let all = deduplicate(found, rules.flavor);
        let left_out = leaves_out.then(|| SearchDirectory::new(&here, FoundIn::Cwd, base, sys));
        let is_left_out = |left_out: &SearchDirectory<S>| {
            !all.iter().any(|known| is_same(&known.path, &left_out.path, rules.flavor))
        };
        let left_out = left_out.filter(is_left_out);
        Directories { all, left_out, empty }
    }
}

fn deduplicate<S: Which>(found: Vec<SearchDirectory<S>>, rules: Flavor) -> Vec<SearchDirectory<S>> {
    let mut all: Vec<SearchDirectory<S>> = Vec::with_capacity(found.len());
    // Comparing hundreds of entries in pairs would take longer than the search.
    let mut known = HashMap::with_capacity(found.len());
    for directory in found {
        let first = match rules {
            Flavor::Posix => known.get(&directory.path).copied(),
            Flavor::Windows => {
                all.iter().position(|known| is_same(&known.path, &directory.path, rules))
            }
        };
        if let Some(first) = first {
            all[first].is_relative &= directory.is_relative;
            all[first].duplicates.extend(directory.entry());
            continue;
        }
        if rules == Flavor::Posix {
            known.insert(directory.path.clone(), all.len());
        }
        all.push(directory);
    }
    all
}

fn is_same<U: Unit>(left: &[U], right: &[U], rules: Flavor) -> bool {
    match rules {
        Flavor::Posix => left == right,
        Flavor::Windows => U::same_in_any_case(left, right),
    }
}

pub(super) fn entries<'a, U: Unit>(path: &'a [U], rules: &Rules) -> Vec<Cow<'a, [U]>> {
    match rules.flavor {
        _ if path.is_empty() && !rules.empty_path_is_entry => Vec::new(),
        Flavor::Posix => path.split(|&unit| unit == U::ascii(b':')).map(Cow::Borrowed).collect(),
        Flavor::Windows => windows_entries(path, rules.quotes),
    }
}

fn windows_entries<U: Unit>(path: &[U], quotes: Quotes) -> Vec<Cow<'_, [U]>> {
    let is_quote = |unit: &U| match unit.to_ascii() {
        b'"' => quotes != Quotes::Literal,
        b'\'' => quotes == Quotes::Around,
        _ => false,
    };
    // How many quotes still have an effect. Under `Paired`, an unpaired last quote has none.
    let mut counting = path.iter().filter(|unit| is_quote(unit)).count();
    if quotes == Quotes::Paired {
        counting -= counting % 2;
    }
    let mut entries = Vec::new();
    let (mut begin, mut quote) = (0, None);
    for (at, &unit) in path.iter().enumerate() {
        let may_begin = quote.is_none() && (quotes != Quotes::Around || at == begin);
        if is_quote(&unit) && counting > 0 && (may_begin || quote == Some(unit)) {
            counting -= 1;
            quote = if quote.is_none() { Some(unit) } else { None };
        } else if unit.to_ascii() == b';' && quote.is_none() {
            entries.push(&path[begin..at]);
            begin = at + 1;
        }
    }
    entries.push(&path[begin..]);
    let unquoted = |entry: &[U]| {
        if quotes != Quotes::Around {
            return entry.iter().copied().filter(|unit| !is_quote(unit)).collect();
        }
        let name = &entry[usize::from(entry.first().is_some_and(is_quote))..];
        let name = &name[..name.len() - usize::from(name.last().is_some_and(is_quote))];
        // An entry that consists of two quotes means the working directory.
        if name.is_empty() && entry.len() > 1 { vec![U::ascii(b'.')] } else { name.to_vec() }
    };
    entries.into_iter().map(|entry| Cow::Owned(unquoted(entry))).collect()
}

fn is_elsewhere<U: Unit>(text: &[U], rules: Flavor) -> bool {
    let start = Start::of(text);
    rules == Flavor::Windows
        && !has_drives::<U>()
        && (start.drive().is_some() || matches!(start, Start::LocalDevice | Start::BareDevice))
}

fn has_drives<U: Unit>() -> bool {
    U::SEPARATOR != U::ascii(b'/')
}

fn is_relative<U: Unit>(text: &[U], rules: Flavor) -> bool {
    if has_drives::<U>() {
        return !Start::of(text).is_full();
    }
    let is_rooted = text.first().is_some_and(|&unit| match rules {
        Flavor::Posix => unit.to_ascii() == b'/',
        Flavor::Windows => is_separator(unit),
    });
    !is_rooted && !is_elsewhere(text, rules)
}

/// Returns an absolute path without `.` and trailing separators. If the text cannot be a path,
/// returns it unchanged. `base` is empty unless the text is relative.
fn resolve<U: Unit>(text: &[U], rules: Flavor, base: &[U]) -> Vec<U> {
    if has_drives::<U>() {
        return resolve_on_windows(text, base);
    }
    let mut path = if base.is_empty() { vec![U::SEPARATOR] } else { base.to_vec() };
    let begin = path.len();
    // Keep `..`, because after a symlink only the system can resolve it.
    let fold = Fold::new(rules).native_separators().dot_dot(DotDot::Keep);
    if fold.append(text, 1, &mut path).is_err() {
        path.truncate(begin);
        path.extend_from_slice(text);
    }
    path
}

/// Resolves the path of a directory as Windows does when a name in the directory follows: the last
/// component keeps trailing dots and spaces, and is never a device name.
fn resolve_on_windows<U: Unit>(text: &[U], base: &[U]) -> Vec<U> {
    let mut directory = text.to_vec();
    if !is_verbatim(text) {
        if text.last().is_some_and(|unit| unit.to_ascii() != b':') {
            directory.push(U::SEPARATOR);
        }
        directory.push(U::ascii(b'.'));
    }
    let env =
        if base.is_empty() { Env::none() } else { Env::none().cwd(PathText::from_units(base)) };
    let mut path = Vec::new();
    let expander = Expander::new(env).flavor(Flavor::Windows);
    if expander.expand_into(&directory, &mut path).is_err() {
        path.clear();
        path.extend_from_slice(text);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{is_relative, resolve};
    use curt_paths::{Flavor, Unit};

    fn wide(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn resolved<U: Unit>(base: &[U], text: &[U], rules: Flavor) -> (Vec<U>, bool) {
        let is_relative = is_relative(text, rules);
        (resolve(text, rules, if is_relative { base } else { &[] }), is_relative)
    }

    #[test]
    fn windows_paths_are_resolved_by_text() {
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
            let (path, is_relative) = resolved(&wide(base), &wide(text), Flavor::Windows);
            let path = String::from_utf16(&path).unwrap();
            assert_eq!((path.as_str(), is_relative), (expected, relative), "{base} {text}");
        }
    }

    #[test]
    fn posix_paths_keep_dot_dot() {
        for (text, expected, relative) in [
            ("/a//b/", "/a/b", false),
            ("..", "/w/..", true),
            ("./x/./y", "/w/x/y", true),
            ("/", "/", false),
            (r"a\b", r"/w/a\b", true),
        ] {
            let (path, is_relative) = resolved(b"/w", text.as_bytes(), Flavor::Posix);
            assert_eq!((path.as_slice(), is_relative), (expected.as_bytes(), relative), "{text}");
        }
    }
}
