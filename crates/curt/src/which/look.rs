//! Looking into one directory: the candidates in the order of their ranks, and what became of each.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;

use super::directories::{Directory, Known};
use super::lists::Extension;
use super::names::{Asked, Refusal, extension_at, read};
use super::policy::{Bare, Literal, Policy};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{Batch, Candidate, Lookup, Match, Opened};
use curt_paths::Flavor;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It was not asked about: a better one was found.
    Unasked,
    Absent,
    Program,
    Directory,
    NotExecutable,
    /// A listing told of it and not what it is.
    Listed,
}

/// A candidate: the name as it is, or with an extension.
#[derive(Debug)]
pub(super) struct Rank {
    /// Its place in the list of extensions.
    pub(super) extension: Option<usize>,
    pub(super) verdict: Verdict,
    /// Where in the names what it is called on the disk lies.
    called: Range<usize>,
}

/// What became of a directory.
#[derive(Debug)]
pub(super) enum Outcome {
    Searched,
    /// It is not there, or is no directory.
    Absent,
    /// It may not be searched at all.
    Unsearchable,
    /// It may not be listed, and the policy passes over such.
    Unlistable,
    Failed(io::Error),
    /// The system lacked what a search takes.
    Shortage(io::Error),
}

/// By which rules, and for how many, is looked.
pub(super) struct Rules<'a, U> {
    pub(super) policy: &'a Policy,
    pub(super) extensions: &'a [Extension<U>],
    /// For all candidates and not for the best alone.
    pub(super) all: bool,
}

impl<U> Rules<'_, U> {
    /// What a candidate has behind the name.
    pub(super) fn ending(&self, rank: &Rank) -> &[U] {
        let extension = rank.extension.and_then(|index| self.extensions.get(index));
        extension.map_or(&[], |extension| &extension.text)
    }
}

/// What was passed over, for the error.
#[derive(Debug)]
pub(super) struct Missed<U> {
    /// The first file that may not be executed, or directory in its place.
    pub(super) unfit: Vec<U>,
    /// The first loop of links.
    pub(super) looped: Vec<U>,
    pub(super) is_too_long: bool,
    /// The places that could not be searched, by their numbers.
    pub(super) unsearchable: Vec<usize>,
    /// What else failed first, and in which place.
    pub(super) other: Option<(usize, io::Error)>,
}

impl<U> Missed<U> {
    fn clear(&mut self) {
        self.unfit.clear();
        self.looped.clear();
        self.unsearchable.clear();
        (self.is_too_long, self.other) = (false, None);
    }
}

/// What one look-up needs, kept from one to the next.
pub(super) struct Look<S: Lookup> {
    buf: S::DirBuf,
    /// A path on its way to the system.
    path: Vec<S::Unit>,
    /// The name that is looked for.
    pub(super) name: Vec<S::Unit>,
    /// The last part of the name that is looked for.
    pub(super) stem: Vec<S::Unit>,
    pub(super) ranks: Vec<Rank>,
    /// What candidates are called on the disk.
    names: Vec<S::Unit>,
    spelled: Vec<S::Unit>,
    pub(super) missed: Missed<S::Unit>,
}

impl<S: Lookup> Default for Look<S> {
    fn default() -> Self {
        Look {
            buf: S::DirBuf::default(),
            path: Vec::new(),
            name: Vec::new(),
            stem: Vec::new(),
            ranks: Vec::new(),
            names: Vec::new(),
            spelled: Vec::new(),
            missed: Missed {
                unfit: Vec::new(),
                looped: Vec::new(),
                is_too_long: false,
                unsearchable: Vec::new(),
                other: None,
            },
        }
    }
}

impl<S: Lookup> Look<S> {
    /// Reads a name and ranks its candidates.
    pub(super) fn begin(
        &mut self,
        name: &OsStr,
        policy: &Policy,
        extensions: &[Extension<S::Unit>],
    ) -> Result<Asked, Refusal> {
        self.name.clear();
        S::put(name, &mut self.name);
        self.missed.clear();
        let asked = read(&self.name, policy.rules)?;
        let begin = match asked {
            Asked::Bare => 0,
            Asked::Given(begin) => begin,
        };
        self.stem.clear();
        self.stem.extend_from_slice(&self.name[begin..]);
        self.ranks.clear();
        let rank = |extension| Rank { extension, verdict: Verdict::Unasked, called: 0..0 };
        if policy.rules == Flavor::Posix {
            self.ranks.push(rank(None));
            return Ok(asked);
        }
        let dot = extension_at(&self.stem);
        let is_listed = extensions.iter().any(|known| {
            let begin = self.stem.len().checked_sub(known.text.len());
            begin.is_some_and(|at| S::Unit::same_in_any_case(&known.text, &self.stem[at..]))
        });
        let is_first = match policy.literal {
            _ if dot.is_none() => match policy.bare {
                Bare::First => true,
                Bare::WithDirectory => asked != Asked::Bare,
                Bare::Never | Bare::Last => false,
            },
            Literal::Dotted => true,
            Literal::Listed => is_listed,
        };
        if is_first {
            self.ranks.push(rank(None));
        }
        let appends = dot.is_none() || policy.appends_to_dotted;
        if appends && !(policy.strict_extension && is_listed) {
            self.ranks.extend((0..extensions.len()).map(|index| rank(Some(index))));
        }
        if dot.is_none() && policy.bare == Bare::Last {
            self.ranks.push(rank(None));
        }
        Ok(asked)
    }

    /// What a candidate that was found is called on the disk.
    pub(super) fn called(&self, rank: usize) -> &[S::Unit] {
        self.ranks
            .get(rank)
            .and_then(|rank| self.names.get(rank.called.clone()))
            .unwrap_or_default()
    }

    /// The best candidate that is a program, from a rank on.
    pub(super) fn best(&self, from: usize) -> Option<usize> {
        let ranks = self.ranks.iter().enumerate().skip(from);
        ranks.filter(|(_, rank)| rank.verdict == Verdict::Program).map(|(at, _)| at).next()
    }

    /// Forgets what became of the candidates in another directory.
    pub(super) fn forget(&mut self) {
        self.names.clear();
        for rank in &mut self.ranks {
            (rank.verdict, rank.called) = (Verdict::Unasked, 0..0);
        }
    }

    /// Looks into a directory, for the best candidate or for all.
    pub(super) fn look_in(
        &mut self,
        sys: &S,
        root: &S::Dir,
        directory: &Directory<S::Unit, S::Dir>,
        rules: &Rules<'_, S::Unit>,
    ) -> Outcome {
        self.forget();
        let Some(spot) = Spot::of(root, directory) else { return Outcome::Absent };
        match rules.policy.rules {
            Flavor::Posix => self.ask(sys, spot),
            Flavor::Windows if self.ranks.len() <= PROBED => {
                self.probe(sys, spot, rules, self.ranks.len())
            }
            Flavor::Windows => self.search(sys, spot, rules),
        }
    }

    /// By POSIX' rules: one question, and another one where something is there.
    fn ask(&mut self, sys: &S, spot: Spot<'_, S>) -> Outcome {
        self.write_path(spot, &[]);
        let candidate = sys.executable(spot.dir, Name::of_terminated(&self.path));
        self.names.extend_from_slice(&self.stem);
        self.judge(0, candidate, 0..self.stem.len())
    }

    /// By Windows' rules with few candidates, or where a listing cannot tell: one question for each of the
    /// first ranks that nothing is known of, until one is a program.
    fn probe(
        &mut self,
        sys: &S,
        spot: Spot<'_, S>,
        rules: &Rules<'_, S::Unit>,
        ranks: usize,
    ) -> Outcome {
        for at in 0..ranks {
            match self.ranks[at].verdict {
                Verdict::Unasked => {}
                Verdict::Program if !rules.all => break,
                _ => continue,
            }
            self.write_path(spot, rules.ending(&self.ranks[at]));
            let path = Name::of_terminated(&self.path);
            let candidate = sys.probe(spot.dir, path, &mut self.buf, &mut self.spelled);
            let begin = self.names.len();
            self.names.extend_from_slice(&self.spelled);
            match self.judge(at, candidate, begin..self.names.len()) {
                Outcome::Searched if self.ranks[at].verdict == Verdict::Program && !rules.all => {
                    break;
                }
                Outcome::Searched => {}
                outcome => return outcome,
            }
        }
        Outcome::Searched
    }

    /// By Windows' rules with many candidates: one listing of the names that begin so, and no question
    /// for a candidate unless there are more such names than one buffer holds.
    fn search(&mut self, sys: &S, spot: Spot<'_, S>, rules: &Rules<'_, S::Unit>) -> Outcome {
        let dir = match self.open(sys, spot) {
            Opened::Dir(dir) => dir,
            Opened::NotDirectory | Opened::Gone | Opened::Pending | Opened::Mount => {
                return Outcome::Absent;
            }
            Opened::Failed(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                if !rules.policy.probes_unlistable {
                    return Outcome::Unlistable;
                }
                return self.probe(sys, spot, rules, self.ranks.len());
            }
            Opened::Failed(error) => return Outcome::Failed(error),
            Opened::Shortage(error) => return Outcome::Shortage(error),
        };
        let outcome = self.search_open(sys, &dir, rules);
        sys.close(dir);
        outcome.unwrap_or_else(Outcome::Failed)
    }

    pub(super) fn open(&mut self, sys: &S, spot: Spot<'_, S>) -> Opened<S::Dir> {
        if spot.path.is_empty() {
            return sys.open_again(spot.dir);
        }
        self.path.clear();
        self.path.extend_from_slice(spot.path);
        self.path.push(S::Unit::NUL);
        sys.open_search(spot.dir, Name::of_terminated(&self.path))
    }

    /// The listing, and what it takes to know the best candidate: nothing if that is of the first rank or
    /// the listing is complete, one question if that is of the second, one more reading if there was room
    /// for more, and else a question for each better one.
    fn search_open(
        &mut self,
        sys: &S,
        dir: &S::Dir,
        rules: &Rules<'_, S::Unit>,
    ) -> io::Result<Outcome> {
        let mut batch = self.list(sys, dir, rules)?;
        let decided = |look: &Self| !rules.all && look.best(0).is_some_and(|rank| rank < 2);
        if batch == Batch::ProbablyLast && !decided(self) {
            batch = self.list(sys, dir, rules)?;
        }
        if batch == Batch::End {
            return Ok(self.settle(sys, dir));
        }
        let spot = Spot { dir, path: &[] };
        let better = self.best(0).filter(|_| !rules.all).unwrap_or(self.ranks.len());
        Ok(self.probe(sys, spot, rules, better))
    }

    /// Reads what the listing has next.
    fn list(&mut self, sys: &S, dir: &S::Dir, rules: &Rules<'_, S::Unit>) -> io::Result<Batch> {
        let mut buf = std::mem::take(&mut self.buf);
        let stem = std::mem::take(&mut self.stem);
        let batch = sys.matching(dir, Some(&stem), &mut buf, &mut |entry| {
            note_all(&mut self.ranks, &mut self.names, &stem, rules, &entry);
        });
        (self.buf, self.stem) = (buf, stem);
        batch
    }

    /// Notes a name that a directory holds.
    pub(super) fn note(&mut self, entry: &Match<'_, S::Unit>, rules: &Rules<'_, S::Unit>) {
        note_all(&mut self.ranks, &mut self.names, &self.stem, rules, entry);
    }

    /// Decides about all candidates, once the whole directory is known.
    pub(super) fn settle(&mut self, sys: &S, dir: &S::Dir) -> Outcome {
        for at in 0..self.ranks.len() {
            match self.ranks[at].verdict {
                Verdict::Unasked => self.ranks[at].verdict = Verdict::Absent,
                Verdict::Listed => {
                    match self.ask_listed(sys, Spot { dir, path: &[] }, at) {
                        // The directory went away; what was in it went with it.
                        Outcome::Searched | Outcome::Absent => {}
                        outcome => return outcome,
                    }
                }
                _ => {}
            }
        }
        Outcome::Searched
    }

    /// Asks what a name is that a listing told of.
    fn ask_listed(&mut self, sys: &S, spot: Spot<'_, S>, at: usize) -> Outcome {
        self.path.clear();
        let called = self.ranks[at].called.clone();
        self.path.extend_from_slice(self.names.get(called.clone()).unwrap_or_default());
        self.path.push(S::Unit::NUL);
        let path = Name::of_terminated(&self.path);
        let candidate = sys.probe(spot.dir, path, &mut self.buf, &mut self.spelled);
        self.judge(at, candidate, called)
    }

    /// Notes what became of a candidate; an outcome other than [`Outcome::Searched`] is the directory's.
    fn judge(&mut self, at: usize, candidate: Candidate, called: Range<usize>) -> Outcome {
        let (verdict, outcome) = match candidate {
            Candidate::Program => (Verdict::Program, Outcome::Searched),
            Candidate::Absent => (Verdict::Absent, Outcome::Searched),
            Candidate::NoDirectory => (Verdict::Unasked, Outcome::Absent),
            Candidate::Directory => (Verdict::Directory, Outcome::Searched),
            Candidate::NotExecutable => (Verdict::NotExecutable, Outcome::Searched),
            Candidate::Unsearchable => (Verdict::Unasked, Outcome::Unsearchable),
            Candidate::Failed(error) => (Verdict::Unasked, Outcome::Failed(error)),
        };
        if let Some(rank) = self.ranks.get_mut(at) {
            (rank.verdict, rank.called) = (verdict, called);
        }
        outcome
    }

    /// Writes the path of a candidate.
    fn write_path(&mut self, spot: Spot<'_, S>, ending: &[S::Unit]) {
        self.path.clear();
        self.path.extend_from_slice(spot.path);
        if self.path.last().is_some_and(|&unit| unit != S::Unit::SEPARATOR) {
            self.path.push(S::Unit::SEPARATOR);
        }
        self.path.extend_from_slice(&self.stem);
        self.path.extend_from_slice(ending);
        self.path.push(S::Unit::NUL);
    }
}

/// With so few candidates, a question for each takes fewer calls than opening, listing and closing.
const PROBED: usize = 2;

/// Where candidates are: below an open directory.
pub(super) struct Spot<'a, S: Lookup> {
    dir: &'a S::Dir,
    path: &'a [S::Unit],
}

impl<'a, S: Lookup> Spot<'a, S> {
    /// That of a directory; `None` where that is known to be absent.
    pub(super) fn of(root: &'a S::Dir, directory: &'a Directory<S::Unit, S::Dir>) -> Option<Self> {
        match &directory.known {
            Known::Absent | Known::Never => None,
            Known::Open(dir) => Some(Spot { dir, path: &[] }),
            Known::Nothing => Some(Spot { dir: root, path: directory.native() }),
        }
    }
}

impl<S: Lookup> Clone for Spot<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Lookup> Copy for Spot<'_, S> {}

/// Whether a name is the stem and the ending, in any case of letters.
fn is_called<U: Unit>(name: &[U], stem: &[U], ending: &[U]) -> bool {
    name.len() == stem.len() + ending.len() && {
        let (beginning, rest) = name.split_at(stem.len());
        U::same_in_any_case(beginning, stem) && U::same_in_any_case(rest, ending)
    }
}

/// Notes a name for every candidate that it is.
fn note_all<U: Unit>(
    ranks: &mut [Rank],
    names: &mut Vec<U>,
    stem: &[U],
    rules: &Rules<'_, U>,
    entry: &Match<'_, U>,
) {
    for rank in ranks {
        let ending = rules.ending(rank);
        if [entry.name, entry.short].iter().any(|called| is_called(called, stem, ending)) {
            note(names, stem, ending, rank, entry);
        }
    }
}

/// Notes that a directory holds a candidate. Where case counts it may hold several: what is written as
/// it was asked for is taken first, and else the first by its units, whatever the order of the listing.
fn note<U: Unit>(
    names: &mut Vec<U>,
    stem: &[U],
    ending: &[U],
    rank: &mut Rank,
    entry: &Match<'_, U>,
) {
    let is_exact = |name: &[U]| name.strip_prefix(stem).is_some_and(|rest| rest == ending);
    let known = names.get(rank.called.clone()).unwrap_or_default();
    if !known.is_empty() && (is_exact(known) || (!is_exact(entry.name) && known <= entry.name)) {
        return;
    }
    rank.called = names.len()..names.len() + entry.name.len();
    names.extend_from_slice(entry.name);
    rank.verdict = match entry.kind {
        Kind::Directory => Verdict::Directory,
        Kind::File => Verdict::Program,
        _ => Verdict::Listed,
    };
}
