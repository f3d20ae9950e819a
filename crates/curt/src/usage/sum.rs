//! Adds up the entries of one operand.
//!
//! Adding each entry to its directory under a lock would slow the threads, and keep all directories
//! in memory. So the threads of the walk only note which amounts to add to which directory, and one
//! thread at a time adds up chunks of these notes. If there are records inside the operand, the
//! walk is sorted and the chunks come in order. Then only the directories on the current path are
//! in memory: a directory is complete when the first entry outside it arrives, and a file with
//! several names is charged to the first path. If only the operand has a record, chunks come in any
//! order.
//!
//! A separate algorithm for any order was a tenth faster for `--top`, but took 460 lines.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::operands::OperandSet;
use super::options::Usage;
use super::report::{Entry, Part, Records, Sizes, UsageRecord, UsageReport};
use crate::control::Next;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Follow, Kind};
use crate::sys::{Identity, os_error};
use crate::tree::Stop;
use crate::walk::Visited;

pub(super) struct Notes<'r> {
    usage: &'r Usage<'r>,
    operands: &'r OperandSet,
    index: usize,
    stop: &'r Stop<'r>,
    device: OnceLock<u64>,
    /// The identities of all entries so far, if symlinks may lead to an entry again.
    seen: Option<&'r Mutex<HashSet<Identity>>>,
}

#[derive(Default)]
pub(super) struct Chunk {
    notes: Vec<Note>,
    errors: Vec<Error>,
    error_count: u64,
    unknown: u64,
}

enum Note {
    /// The operand, or a directory with a record. The notes about its contents follow.
    Enter(Entry, Part),
    Add(Share),
    File(Entry, Part),
    /// A file with several names, with an `Entry` if it has a record.
    Linked(Identity, Share, Option<Entry>),
}

/// An amount to add to the directory at `depth` on the current path.
struct Share {
    depth: usize,
    is_own: bool,
    part: Part,
}

impl Chunk {
    /// Merges a share into the last note if possible, because most consecutive notes are about the
    /// same directory.
    #[inline]
    fn add(&mut self, share: Share) {
        match self.notes.last_mut() {
            Some(Note::Add(last)) if (last.depth, last.is_own) == (share.depth, share.is_own) => {
                last.part += share.part;
            }
            _ => self.notes.push(Note::Add(share)),
        }
    }

    fn fail(&mut self, notes: &Notes<'_>, error: Error) {
        self.error_count += 1;
        self.errors.extend(notes.usage.report(error, notes.stop));
    }
}

impl<'r> Notes<'r> {
    pub(super) fn new(
        usage: &'r Usage<'r>,
        operands: &'r OperandSet,
        index: usize,
        seen: &'r Mutex<HashSet<Identity>>,
        stop: &'r Stop<'r>,
    ) -> Self {
        let seen = usage.remembers_all().then_some(seen);
        Notes { usage, operands, index, stop, device: OnceLock::new(), seen }
    }

    #[inline]
    fn is_first_visit(&self, entry: &mut Visited<'_>, has_failed: bool) -> bool {
        let depth = entry.depth();
        if depth > 0 && entry.is_ancestor() {
            return false;
        }
        let facts = &entry.metadata().facts;
        if !Sizes::count(facts, has_failed) {
            return false;
        }
        if depth == 0 {
            if facts.known.contains(Fields::DEVICE) {
                let _ = self.device.set(facts.device);
            }
            return self.seen.is_none_or(|seen| is_new(facts, seen));
        }
        let is_elsewhere = self.usage.same_file_system
            && self.device.get().is_some_and(|&device| {
                device != facts.device || !facts.known.contains(Fields::DEVICE)
            });
        !is_elsewhere
            && self.operands.claim(facts, self.index)
            && self.seen.is_none_or(|seen| is_new(facts, seen))
    }

    /// Returns the identity of a file with several names, unless it counts once for each name.
    fn linked(&self, facts: &Facts) -> Option<Identity> {
        let has_names = facts.has_several_names() && facts.kind != Kind::Directory;
        if has_names && !self.usage.count_links { Identity::known(facts) } else { None }
    }

    pub(super) fn take(&self, entry: Result<Visited<'_>, Error>, chunk: &mut Chunk) -> Next {
        match entry {
            Ok(entry) => self.entry(entry, chunk),
            Err(error) => self.error(error, chunk),
        }
    }

    fn entry(&self, mut entry: Visited<'_>, chunk: &mut Chunk) -> Next {
        let has_failed = entry.take_failures(|error| chunk.fail(self, error));
        if self.usage.follow == Follow::Links && entry.depth() > 0 && entry.kind().is_link() {
            if entry.is_broken_link() {
                let missing = Cause::Os(os_error(io::ErrorKind::NotFound));
                chunk.fail(self, Error::new(Operation::Stat, entry.path().into_owned(), missing));
            }
            return Next::Continue;
        }
        if !self.is_first_visit(&mut entry, has_failed) {
            return Next::Skip;
        }
        let facts = &entry.metadata().facts;
        let (kind, linked) = (facts.kind, self.linked(facts));
        let part = Part::of(facts, self.usage.newest);
        chunk.unknown += u64::from(!Sizes::are_known(facts));
        let (depth, deepest) = (entry.depth(), self.usage.max_depth);
        let parent = depth.saturating_sub(1);
        let is_own = parent <= deepest && kind != Kind::Directory;
        let share = Share { depth: parent.min(deepest), is_own, part };
        let is_file = depth > 0 && kind != Kind::Directory;
        let has_record = depth == 0 || depth <= deepest && (self.usage.files || !is_file);
        if !has_record && linked.is_none() {
            chunk.add(share);
            return Next::Continue;
        }
        let recorded = has_record.then(|| Entry { path: entry.path().into_owned(), depth, kind });
        chunk.notes.push(match (recorded, linked) {
            (Some(entry), _) if !is_file => Note::Enter(entry, part),
            (Some(entry), None) => Note::File(entry, part),
            (recorded, Some(linked)) => Note::Linked(linked, share, recorded),
            (None, None) => Note::Add(share),
        });
        Next::Continue
    }

    fn error(&self, error: Error, chunk: &mut Chunk) -> Next {
        // Skip a directory mounted inside itself, because it was already counted. Systems whose
        // queries do not mark mount points detect this loop only when the directory is opened.
        if !matches!(error.cause(), Cause::Loop(_)) {
            chunk.fail(self, error);
        }
        Next::Continue
    }
}

/// Returns whether an entry was not seen before. A single thread visits all entries, in order.
fn is_new(facts: &Facts, seen: &Mutex<HashSet<Identity>>) -> bool {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    Identity::known(facts).is_none_or(|identity| seen.insert(identity))
}

pub(super) struct Sum<'r, 't> {
    /// The directories on the current path. Only the path of the deepest is stored, because the
    /// others are prefixes of it.
    levels: Vec<Level>,
    path: PathBuf,
    operand: PathBuf,
    index: usize,
    has_operand: bool,
    entries: u64,
    counted: &'r mut HashSet<Identity>,
    records: &'r mut Records<'t>,
    report: &'r mut UsageReport,
    stop: &'r Stop<'r>,
}

#[derive(Default)]
struct Level {
    kind: Kind,
    own: Part,
    deeper: Part,
}

impl<'r, 't> Sum<'r, 't> {
    pub(super) fn new(
        operand: &Path,
        index: usize,
        counted: &'r mut HashSet<Identity>,
        records: &'r mut Records<'t>,
        report: &'r mut UsageReport,
        stop: &'r Stop<'r>,
    ) -> Self {
        Sum {
            levels: vec![Level::default()],
            path: PathBuf::new(),
            operand: operand.to_owned(),
            index,
            has_operand: false,
            entries: 0,
            counted,
            records,
            report,
            stop,
        }
    }

    /// Adds up and empties the chunk. Returns how many entries it counted.
    pub(super) fn take(&mut self, chunk: &mut Chunk) -> u64 {
        let before = self.entries;
        self.report.errors.append(&mut chunk.errors);
        self.report.error_count += std::mem::take(&mut chunk.error_count);
        self.report.unknown += std::mem::take(&mut chunk.unknown);
        for note in chunk.notes.drain(..) {
            match note {
                Note::Enter(Entry { depth: 0, kind, .. }, own) => {
                    self.has_operand = true;
                    self.entries += own.sizes.entries;
                    self.levels[0].kind = kind;
                    self.levels[0].own += own;
                }
                Note::Enter(Entry { path, depth, kind }, own) => {
                    self.leave(depth);
                    self.entries += own.sizes.entries;
                    self.levels.push(Level { kind, own, deeper: Part::default() });
                    self.path = path;
                }
                Note::Add(share) => self.add(share),
                Note::File(entry, part) => self.file(entry, part),
                Note::Linked(linked, share, file) => {
                    if self.counted.insert(linked) {
                        match file {
                            Some(entry) => self.file(entry, share.part),
                            None => self.add(share),
                        }
                    }
                }
            }
        }
        self.entries - before
    }

    pub(super) fn finish(mut self) {
        self.leave(1);
        if self.has_operand {
            let level = self.levels.swap_remove(0);
            let operand = std::mem::take(&mut self.operand);
            self.complete(level, operand, 0);
        }
    }

    /// Completes the directories at this depth or deeper, except the operand.
    fn leave(&mut self, depth: usize) {
        while self.levels.len() > depth.max(1) {
            let Some(level) = self.levels.pop() else { return };
            let depth = self.levels.len();
            let parent = self.path.parent().map(Path::to_owned).unwrap_or_default();
            let path = std::mem::replace(&mut self.path, parent);
            let sum = self.complete(level, path, depth);
            self.levels[depth - 1].deeper += sum;
        }
    }

    fn complete(
        &mut self,
        Level { kind, own, deeper }: Level,
        path: PathBuf,
        depth: usize,
    ) -> Part {
        let mut sum = own;
        sum += deeper;
        let entry = Entry { path, depth, kind };
        self.records.add(UsageRecord::new(entry, self.index, sum, own), self.stop);
        sum
    }

    fn add(&mut self, Share { depth, is_own, part }: Share) {
        self.leave(depth + 1);
        self.entries += part.sizes.entries;
        if let Some(directory) = self.levels.last_mut() {
            *(if is_own { &mut directory.own } else { &mut directory.deeper }) += part;
        }
    }

    fn file(&mut self, entry: Entry, part: Part) {
        self.add(Share { depth: entry.depth - 1, is_own: true, part });
        self.records.add(UsageRecord::new(entry, self.index, part, part), self.stop);
    }
}
