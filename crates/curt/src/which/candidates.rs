//! Determines the candidates for a program: the file names to look for in a directory, best first.
//! Under POSIX rules the only candidate is the given name. Under Windows rules the policy appends
//! extensions of `PATHEXT`.

use super::found::Program;
use super::names::{ascii, extension_at, is_forbidden};
use super::policy::{Policy, Rules};
use crate::fields::Kind;
use crate::sys::{Match, Verdict};
use curt_paths::{Flavor, Unit};

/// The extensions of `PATHEXT` in order, with dots and without duplicates, and its dropped items.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExtensionList<U> {
    pub(super) extensions: Vec<Vec<U>>,
    pub(super) dropped: Vec<Vec<U>>,
}

impl<U: Unit> ExtensionList<U> {
    pub(super) fn new(pathext: Option<&[U]>, rules: &Rules) -> Self {
        let mut list = ExtensionList { extensions: Vec::new(), dropped: Vec::new() };
        if rules.flavor == Flavor::Posix {
            return list;
        }
        let configured = pathext.filter(|text| !text.is_empty() && !rules.are_of(Policy::Libuv));
        let default = ascii(rules.extensions);
        for item in configured.unwrap_or(&default).split(|unit| unit.to_ascii() == b';') {
            let has_dot = item.first().is_some_and(|unit| unit.to_ascii() == b'.');
            match item {
                [] => {}
                _ if has_dot && is_extension(item) => list.add(item.to_vec()),
                _ if !has_dot && rules.are_of(Policy::Go) && is_extension(item) => {
                    list.add([&[U::ascii(b'.')], item].concat());
                }
                _ => list.dropped.push(item.to_vec()),
            }
        }
        if rules.are_of(Policy::Zig) {
            let is_launched = |end: &Vec<U>| Program::of_extension(end) != Program::Association;
            list.extensions.retain(is_launched);
        }
        list
    }

    fn add(&mut self, extension: Vec<U>) {
        if !self.extensions.iter().any(|known| U::same_in_any_case(known, &extension)) {
            self.extensions.push(extension);
        }
    }
}

/// Returns whether the item can end a name. On Windows no name ends in a dot or a space.
fn is_extension<U: Unit>(item: &[U]) -> bool {
    let last = item.last().map_or(b'.', |unit| unit.to_ascii());
    !matches!(last, b'.' | b' ') && !item.iter().any(|&unit| is_forbidden(unit))
}

#[derive(Debug)]
struct Candidate<U> {
    name: Vec<U>,
    /// The spelling on the disk. Empty until a file with this name was seen.
    spelled: Vec<U>,
    /// The verdict, once known. A spelling without a verdict means that a listing showed the name
    /// but not its kind.
    verdict: Option<Verdict>,
}

#[derive(Debug)]
pub(super) struct Candidates<U> {
    all: Vec<Candidate<U>>,
    stem: Vec<U>,
    pub(super) wants_all: bool,
}

impl<U: Unit> Candidates<U> {
    pub(super) fn new(stem: &[U], wants_all: bool, rules: &Rules, list: &ExtensionList<U>) -> Self {
        let mut candidates = Candidates { all: Vec::new(), stem: stem.to_vec(), wants_all };
        let has_dot = extension_at(stem).is_some();
        let is_listed = |extension: &Vec<U>| {
            let begin = stem.len().checked_sub(extension.len());
            begin.is_some_and(|begin| U::same_in_any_case(extension, &stem[begin..]))
        };
        let is_literal = match rules.flavor {
            Flavor::Posix => true,
            Flavor::Windows if has_dot => {
                !rules.are_of(Policy::CPython) || list.extensions.iter().any(is_listed)
            }
            Flavor::Windows => rules.are_of(Policy::Zig),
        };
        if is_literal {
            candidates.push(&[]);
        }
        list.extensions.iter().for_each(|extension| candidates.push(extension));
        candidates
    }

    fn push(&mut self, extension: &[U]) {
        let name = [&self.stem, extension].concat();
        self.all.push(Candidate { name, spelled: Vec::new(), verdict: None });
    }

    pub(super) fn reset(&mut self) {
        for candidate in &mut self.all {
            candidate.spelled.clear();
            candidate.verdict = None;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn stem(&self) -> &[U] {
        &self.stem
    }

    pub(super) fn name(&self, at: usize) -> &[U] {
        &self.all[at].name
    }

    pub(super) fn spelled(&self, at: usize) -> &[U] {
        &self.all[at].spelled
    }

    pub(super) fn verdict(&self, at: usize) -> Option<Verdict> {
        self.all[at].verdict
    }

    pub(super) fn program_from(&self, from: usize) -> Option<usize> {
        (from..self.len()).find(|&at| self.verdict(at) == Some(Verdict::Program))
    }

    pub(super) fn first_unfit(&self) -> Option<usize> {
        let is_unfit = |verdict| matches!(verdict, Verdict::Directory | Verdict::NotExecutable);
        (0..self.len()).find(|&at| self.verdict(at).is_some_and(is_unfit))
    }

    /// Returns the number of candidates that are better than the first known program.
    pub(super) fn undecided_count(&self) -> usize {
        let best = if self.wants_all { None } else { self.program_from(0) };
        best.unwrap_or(self.len())
    }

    pub(super) fn judge(&mut self, at: usize, verdict: Verdict, spelled: &[U]) {
        let candidate = &mut self.all[at];
        candidate.verdict = Some(verdict);
        candidate.spelled.clear();
        candidate.spelled.extend_from_slice(spelled);
    }

    pub(super) fn judge_as_spelled(&mut self, at: usize, verdict: Verdict) {
        let candidate = &mut self.all[at];
        candidate.verdict = Some(verdict);
        if candidate.spelled.is_empty() {
            candidate.spelled.clone_from(&candidate.name);
        }
    }

    /// Notes a listed entry for each candidate that it matches, by its long or its short name.
    pub(super) fn note(&mut self, entry: &Match<'_, U>) {
        for candidate in &mut self.all {
            let name = &candidate.name;
            if [entry.name, entry.short].iter().any(|other| U::same_in_any_case(other, name)) {
                candidate.note(entry);
            }
        }
    }
}

impl<U: Unit> Candidate<U> {
    /// Notes a matching entry. On a case-sensitive filesystem, several entries may match. The exact
    /// spelling wins. Without it, the entry that sorts first wins, whatever the order of the
    /// listing.
    fn note(&mut self, entry: &Match<'_, U>) {
        let (name, known) = (&self.name[..], &self.spelled[..]);
        let keeps_known = known == name || (entry.name != name && known <= entry.name);
        if !known.is_empty() && keeps_known {
            return;
        }
        self.spelled.clear();
        self.spelled.extend_from_slice(entry.name);
        self.verdict = match entry.kind {
            Kind::Directory => Some(Verdict::Directory),
            Kind::File => Some(Verdict::Program),
            _ => None,
        };
    }
}
