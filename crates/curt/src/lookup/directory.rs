//! The cached listing of a directory, and the stamp that reveals changes.

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;

use crate::fields::{Facts, Fields, Kind, Time};
use crate::name::{NameBuf, Unit as _};
use crate::sys::{Batch, Identity, Request, Sys, SystemUnit};
use crate::tree::Reader;

pub(super) struct Context<S: Sys> {
    pub(super) sys: S,
    /// Increased by each `revalidate`. A directory is checked once per round.
    pub(super) round: u64,
    reader: Reader<S>,
}

impl<S: Sys> Context<S> {
    pub(super) fn new(sys: S) -> Context<S> {
        Context { sys, round: 1, reader: Reader::new(S::DirBuf::default()) }
    }

    pub(super) fn is_file(&self, path: &[S::Unit]) -> bool {
        let request = Request { fields: Fields::KIND, follow: true };
        let path = S::Unit::path(path.to_vec());
        let located = self.sys.locate(&path);
        let found = located.and_then(|(dir, name)| self.sys.query(&dir, name.as_name(), request));
        found.is_ok_and(|facts| !facts.kind.is_dir())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    identity: Identity,
    modified: Time,
    changed: Time,
}

impl Stamp {
    const REQUEST: Request = Request {
        fields: Fields::KIND
            .union(Fields::ID)
            .union(Fields::DEVICE)
            .union(Fields::MODIFIED)
            .union(Fields::CHANGED),
        follow: true,
    };

    fn of(facts: &Facts) -> Stamp {
        let Facts { modified, changed, .. } = *facts;
        Stamp { identity: Identity::of(facts), modified, changed }
    }

    /// Returns whether the stamp is older than a clock tick, so that later changes will alter it.
    fn is_settled(&self, now: Duration) -> bool {
        let is_settled = |time: Time| {
            let tick = if time.nanoseconds == 0 { 2_000 } else { 20 };
            let since = u64::try_from(time.seconds).unwrap_or_default();
            let since = Duration::new(since, time.nanoseconds);
            now > since + Duration::from_millis(tick)
        };
        is_settled(self.modified) && is_settled(self.changed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListedKind {
    Absent,
    File,
    Directory,
    /// Not known until the system is queried.
    Unclear,
}

impl ListedKind {
    fn of(kind: Kind) -> ListedKind {
        match kind {
            Kind::Directory => ListedKind::Directory,
            Kind::File | Kind::Fifo | Kind::Socket | Kind::CharacterDevice | Kind::BlockDevice => {
                ListedKind::File
            }
            _ => ListedKind::Unclear,
        }
    }
}

struct Names<U> {
    exact: HashMap<Vec<U>, ListedKind>,
    /// The lower-case forms of names that contain capitals.
    folded: HashSet<Vec<U>>,
}

enum Contents<U> {
    Nothing,
    Names(Names<U>),
    Unclear,
}

pub(super) struct Directory<S: Sys> {
    located: io::Result<(S::Dir, NameBuf<S::Unit>)>,
    checked_in: u64,
    /// The stamp taken before the listing. `None` if it is too recent to reveal every later change.
    settled: Option<Stamp>,
    contents: Contents<S::Unit>,
}

impl<S: Sys> Directory<S> {
    pub(super) fn new(path: &[S::Unit], sys: &S) -> Directory<S> {
        let located = sys.locate(&S::Unit::path(path.to_vec()));
        Directory { located, checked_in: 0, settled: None, contents: Contents::Nothing }
    }

    /// Returns `Unclear` for a name that is listed with different capitalization.
    pub(super) fn kind_of(&self, name: &[S::Unit]) -> ListedKind {
        let names = match &self.contents {
            Contents::Nothing => return ListedKind::Absent,
            Contents::Names(names) => names,
            Contents::Unclear => return ListedKind::Unclear,
        };
        if let Some(&kind) = names.exact.get(name) {
            return kind;
        }
        let is_spelled = |names: &Names<_>| names.folded.contains(&folded(name));
        let is_listed = |names: &Names<_>| names.exact.contains_key(&folded(name));
        let has_capitals = name.iter().any(|unit| unit.to_ascii().is_ascii_uppercase());
        let may_be =
            (!names.folded.is_empty() && is_spelled(names)) || (has_capitals && is_listed(names));
        if may_be { ListedKind::Unclear } else { ListedKind::Absent }
    }

    /// Relists the directory if it has changed.
    pub(super) fn refresh(&mut self, context: &mut Context<S>) {
        if self.checked_in == context.round {
            return;
        }
        self.checked_in = context.round;
        let before = self.settled.take();
        self.contents = match self.query(&context.sys) {
            Ok(facts) if facts.kind.is_dir() => {
                let stamp = Stamp::of(&facts);
                if before == Some(stamp) {
                    self.settled = before;
                    return;
                }
                self.settled = stamp.is_settled(context.sys.wall_clock()).then_some(stamp);
                self.list(context).map_or(Contents::Unclear, Contents::Names)
            }
            Ok(_) => Contents::Nothing,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Contents::Nothing,
                _ => Contents::Unclear,
            },
        };
    }

    fn query(&self, sys: &S) -> io::Result<Facts> {
        let (dir, name) = self.located()?;
        sys.query(dir, name.as_name(), Stamp::REQUEST)
    }

    fn located(&self) -> io::Result<&(S::Dir, NameBuf<S::Unit>)> {
        self.located.as_ref().map_err(|error| error.kind().into())
    }

    fn list(&self, context: &mut Context<S>) -> io::Result<Names<S::Unit>> {
        let Context { sys, reader, .. } = context;
        let (dir, name) = self.located()?;
        let dir = sys.open_below(dir, name.as_name(), true).into_result()?;
        let mut names = Names { exact: HashMap::new(), folded: HashSet::new() };
        reader.reset();
        let read = loop {
            match reader.read(&dir, sys) {
                Ok(batch) => {
                    while let Some((entry, _)) = reader.next() {
                        names.add(entry.name.units(), entry.kind);
                    }
                    if batch == Batch::End {
                        break Ok(names);
                    }
                }
                Err(error) => break Err(error),
            }
        };
        sys.close(dir);
        read
    }
}

impl<U: SystemUnit> Names<U> {
    fn add(&mut self, name: &[U], kind: Kind) {
        if name.iter().any(|unit| unit.to_ascii().is_ascii_uppercase()) {
            self.folded.insert(folded(name));
        }
        self.exact.insert(name.to_vec(), ListedKind::of(kind));
    }
}

fn folded<U: SystemUnit>(name: &[U]) -> Vec<U> {
    let folded = |&unit: &U| match unit.to_ascii() {
        letter if letter.is_ascii_uppercase() => U::ascii(letter.to_ascii_lowercase()),
        _ => unit,
    };
    name.iter().map(folded).collect()
}
