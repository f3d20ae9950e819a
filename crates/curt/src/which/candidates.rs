//! The candidates of a name: the file names that a directory is searched for, best first.
//!
//! By the rules of POSIX the name itself is the only candidate. By those of Windows the extensions
//! of `PATHEXT` are appended, as the policy says.

use std::borrow::Cow;
use std::ops::Range;

use super::names::{extension_at, is_forbidden};
use super::policy::{Bare, Extensions, Literal, Policy};
use crate::fields::Kind;
use crate::sys::{Match, Verdict};
use curt_paths::{Flavor, PathText, Unit};

/// The extensions that a policy appends, each once and with its dot, in order; and the items of
/// `PATHEXT` that were dropped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExtensionList<U> {
    pub(super) extensions: Vec<Vec<U>>,
    pub(super) dropped: Vec<Vec<U>>,
}

impl<U: Unit> ExtensionList<U> {
    /// The extensions of a policy, with `PATHEXT` where it asks for that.
    pub(super) fn new(pathext: Option<&[U]>, policy: &Policy) -> Self {
        let mut list = ExtensionList { extensions: Vec::new(), dropped: Vec::new() };
        if policy.rules == Flavor::Posix {
            return list;
        }
        let pathext = pathext.unwrap_or_default();
        let default = match &policy.extensions {
            Extensions::Environment(default) => default,
            Extensions::Behind(first, default) => {
                list.add_all(&units(first), policy);
                default
            }
            Extensions::Only(these) => {
                list.add_all(&units(these), policy);
                return list;
            }
            Extensions::Among(these) => {
                let mut among = ExtensionList { extensions: Vec::new(), dropped: Vec::new() };
                among.add_all(&units(these), policy);
                list.add_all(pathext, policy);
                list.extensions.retain(|extension| among.contains(extension));
                return list;
            }
        };
        if pathext.is_empty() {
            list.add_all(&units(default), policy);
        } else {
            list.add_all(pathext, policy);
        }
        list
    }

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

    fn contains(&self, extension: &[U]) -> bool {
        self.extensions.iter().any(|known| U::same_in_any_case(known, extension))
    }

    fn add(&mut self, extension: Vec<U>) {
        if !self.contains(&extension) {
            self.extensions.push(extension);
        }
    }
}

/// Whether names can end so: no name on Windows ends in a dot or a space.
fn is_extension<U: Unit>(item: &[U]) -> bool {
    let last = item.last().map_or(b'.', |unit| unit.to_ascii());
    !matches!(last, b'.' | b' ') && !item.iter().any(|&unit| is_forbidden(unit))
}

/// Converts text to units.
fn units<U: Unit>(text: &str) -> Vec<U> {
    // What this system cannot spell is in none of its names.
    U::of(&PathText::from(text)).map_or_else(|_| Vec::new(), Cow::into_owned)
}

/// Converts ASCII text to units.
pub(super) fn ascii<U: Unit>(text: &str) -> Vec<U> {
    text.bytes().map(U::ascii).collect()
}

/// One file name that a directory is searched for.
#[derive(Clone, Debug)]
struct Candidate {
    /// Where its name lies in [`Candidates::text`].
    name: Range<usize>,
    /// Where its spelling on the disk lies there; empty until a file of this name was seen.
    spelled: Range<usize>,
    /// `None` until the platform was asked. If it is spelled by then, a listing showed it without
    /// saying what it is.
    verdict: Option<Verdict>,
}

/// The candidates of one name in one directory. Keeps its memory from look-up to look-up.
#[derive(Debug)]
pub(super) struct Candidates<U> {
    all: Vec<Candidate>,
    /// The stem, the names of the candidates, and how the directory spells them, in this order.
    text: Vec<U>,
    stem_len: usize,
    names_len: usize,
    /// Whether every program is wanted, or only the first.
    pub(super) wants_all: bool,
}

impl<U> Default for Candidates<U> {
    fn default() -> Self {
        Candidates {
            all: Vec::new(),
            text: Vec::new(),
            stem_len: 0,
            names_len: 0,
            wants_all: false,
        }
    }
}

impl<U: Unit> Candidates<U> {
    /// Replaces the candidates by those of another name.
    pub(super) fn begin(
        &mut self,
        stem: &[U],
        is_path: bool,
        policy: &Policy,
        list: &ExtensionList<U>,
    ) {
        self.all.clear();
        self.text.clear();
        self.text.extend_from_slice(stem);
        self.stem_len = stem.len();
        self.wants_all = false;
        match policy.rules {
            Flavor::Posix => self.push(&[]),
            Flavor::Windows => self.push_by_windows(stem, is_path, policy, list),
        }
        self.names_len = self.text.len();
    }

    fn push_by_windows(
        &mut self,
        stem: &[U],
        is_path: bool,
        policy: &Policy,
        list: &ExtensionList<U>,
    ) {
        let has_dot = extension_at(stem).is_some();
        let is_listed = list.extensions.iter().any(|extension| {
            let begin = stem.len().checked_sub(extension.len());
            begin.is_some_and(|begin| U::same_in_any_case(extension, &stem[begin..]))
        });
        let is_literal_first = if has_dot {
            policy.literal == Literal::Dotted || is_listed
        } else {
            match policy.bare {
                Bare::First => true,
                Bare::WithDirectory => is_path,
                Bare::Never | Bare::Last => false,
            }
        };
        if is_literal_first {
            self.push(&[]);
        }
        let appends = !has_dot || policy.appends_to_dotted;
        if appends && !(policy.strict_extension && is_listed) {
            list.extensions.iter().for_each(|extension| self.push(extension));
        }
        if !has_dot && policy.bare == Bare::Last {
            self.push(&[]);
        }
    }

    fn push(&mut self, extension: &[U]) {
        let begin = self.text.len();
        self.text.extend_from_within(..self.stem_len);
        self.text.extend_from_slice(extension);
        self.all.push(Candidate { name: begin..self.text.len(), spelled: 0..0, verdict: None });
    }

    /// Forgets what another directory said.
    pub(super) fn reset(&mut self) {
        self.text.truncate(self.names_len);
        for candidate in &mut self.all {
            (candidate.spelled, candidate.verdict) = (0..0, None);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// What all candidates begin with.
    pub(super) fn stem(&self) -> &[U] {
        &self.text[..self.stem_len]
    }

    pub(super) fn name(&self, at: usize) -> &[U] {
        &self.text[self.all[at].name.clone()]
    }

    /// The name that the directory has; empty until a file of this name was seen.
    pub(super) fn spelled(&self, at: usize) -> &[U] {
        &self.text[self.all[at].spelled.clone()]
    }

    pub(super) fn verdict(&self, at: usize) -> Option<Verdict> {
        self.all[at].verdict
    }

    /// The first candidate from `from` on that is a program.
    pub(super) fn program_from(&self, from: usize) -> Option<usize> {
        (from..self.len()).find(|&at| self.verdict(at) == Some(Verdict::Program))
    }

    /// The first candidate that exists and cannot be executed.
    pub(super) fn first_unfit(&self) -> Option<usize> {
        let is_unfit = |verdict| matches!(verdict, Verdict::Directory | Verdict::NotExecutable);
        (0..self.len()).find(|&at| self.verdict(at).is_some_and(is_unfit))
    }

    /// How many candidates are worth asking about: those better than the first known program.
    pub(super) fn worth_asking(&self) -> usize {
        let best = if self.wants_all { None } else { self.program_from(0) };
        best.unwrap_or(self.len())
    }

    /// Stores what the platform said, and how it spells the name.
    pub(super) fn judge(&mut self, at: usize, verdict: Verdict, spelled: &[U]) {
        let begin = self.text.len();
        self.text.extend_from_slice(spelled);
        let candidate = &mut self.all[at];
        (candidate.verdict, candidate.spelled) = (Some(verdict), begin..self.text.len());
    }

    /// Stores what the platform said of a name that is spelled as it was asked for, or as a listing
    /// showed it.
    pub(super) fn judge_as_spelled(&mut self, at: usize, verdict: Verdict) {
        let candidate = &mut self.all[at];
        candidate.verdict = Some(verdict);
        if candidate.spelled.is_empty() {
            candidate.spelled = candidate.name.clone();
        }
    }

    /// Compares an entry of the directory with all candidates. An entry may be several of them, by
    /// its long and its short name.
    pub(super) fn note(&mut self, entry: &Match<'_, U>) {
        for at in 0..self.len() {
            let name = self.name(at);
            if [entry.name, entry.short].iter().any(|other| U::same_in_any_case(other, name)) {
                self.note_as(at, entry);
            }
        }
    }

    /// Where upper and lower case are told apart, several entries may be one candidate: the one
    /// that is spelled like it wins, otherwise the first by its units, whatever the order of the
    /// listing.
    fn note_as(&mut self, at: usize, entry: &Match<'_, U>) {
        let (name, known) = (self.name(at), self.spelled(at));
        let keeps_known = known == name || (entry.name != name && known <= entry.name);
        if !known.is_empty() && keeps_known {
            return;
        }
        let begin = self.text.len();
        self.text.extend_from_slice(entry.name);
        let candidate = &mut self.all[at];
        candidate.spelled = begin..self.text.len();
        candidate.verdict = match entry.kind {
            Kind::Directory => Some(Verdict::Directory),
            Kind::File => Some(Verdict::Program),
            _ => None,
        };
    }
}
