//! Telling of each record as soon as its sum is known.
//!
//! The walk is sorted, so it comes to everything in the order of the report. Its threads note what
//! they are told of, and hand their notes over in that order; whoever's turn it is adds them up on
//! one stack, the directories on the way. A directory is done when something comes that does not
//! lie in it. What has several names is counted by the first that comes, which is the smallest of
//! its paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::report::{Sizes, UsageRecord};
use super::tally::{Found, Shared, is_counted_above};
use super::{Identity, identity};
use crate::control::Next;
use crate::error::Error;
use crate::fields::Kind;
use crate::walk::{InOrder, Visited};

/// What threads note, each of a few hundred entries.
pub(super) struct Notes<'r>(pub(super) &'r Shared<'r>);

/// The notes.
#[derive(Default)]
pub(super) struct Chunk {
    notes: Vec<Note>,
    pub(super) errors: Vec<Error>,
    pub(super) error_count: u64,
    pub(super) unknown: u64,
}

enum Note {
    /// A directory, or an operand, in which what follows may lie.
    Enter(UsageRecord),
    /// To be added to the directory on the way at this depth.
    Add(usize, Sizes),
    /// A file that is shown.
    File(UsageRecord),
    /// A file with several names, in the directory at this depth, and its record where files are
    /// shown.
    Linked(usize, Identity, Sizes, Option<UsageRecord>),
}

impl Chunk {
    /// Adds to a directory; mostly there is much to add to one.
    fn add(&mut self, depth: usize, sizes: Sizes) {
        match self.notes.last_mut() {
            Some(Note::Add(last, sum)) if *last == depth => *sum += sizes,
            _ => self.notes.push(Note::Add(depth, sizes)),
        }
    }

    fn failed(&mut self, shared: &Shared<'_>, error: Error) {
        self.error_count += 1;
        self.errors.extend(shared.failed(error));
    }
}

impl InOrder for Notes<'_> {
    type Chunk = Chunk;

    fn entry(&self, mut entry: Visited<'_>, chunk: &mut Chunk) -> Next {
        let shared = self.0;
        let has_failed = entry.take_failures(|error| chunk.failed(shared, error));
        let Some(found) = shared.look(&mut entry, has_failed) else {
            return Next::Skip;
        };
        let Found { kind, sizes, is_known, linked } = found;
        chunk.unknown += u64::from(!is_known);
        let (depth, deepest) = (entry.depth(), shared.usage.max_depth);
        // The operand is the first of the directories on the way, and has none above it.
        let parent = depth.saturating_sub(1).min(deepest);
        let is_shown = depth <= deepest;
        let shows_file = shared.usage.files && is_shown;
        if depth == 0 || kind == Kind::Directory && is_shown {
            chunk.notes.push(Note::Enter(shared.record(&entry, sizes)));
        } else if let Some(found) = identity(&entry.metadata().facts).filter(|_| linked) {
            let file = shows_file.then(|| shared.record(&entry, sizes));
            chunk.notes.push(Note::Linked(parent, found, sizes, file));
        } else if shows_file && kind != Kind::Directory {
            chunk.notes.push(Note::File(shared.record(&entry, sizes)));
        } else {
            chunk.add(parent, sizes);
        }
        Next::Continue
    }

    fn error(&self, error: Error, chunk: &mut Chunk) -> Next {
        if !is_counted_above(&error) {
            chunk.failed(self.0, error);
        }
        Next::Continue
    }
}

/// The directories on the way, each with what was counted in it so far. Their paths are the
/// beginnings of one path, so a chain of them takes no more memory than the last.
pub(super) struct Stack<'t> {
    levels: Vec<Level>,
    /// The operand, as it was typed.
    operand: UsageRecord,
    /// The last directory on the way, below the operand.
    path: PathBuf,
    /// Files with several names that were counted.
    counted: &'t mut HashSet<Identity>,
    /// Who is told of what is done.
    tell: &'t mut (dyn FnMut(&UsageRecord) + Send + 't),
}

struct Level {
    kind: Kind,
    sizes: Sizes,
}

impl<'t> Stack<'t> {
    pub(super) fn new(
        operand: UsageRecord,
        counted: &'t mut HashSet<Identity>,
        tell: &'t mut (dyn FnMut(&UsageRecord) + Send + 't),
    ) -> Stack<'t> {
        Stack { levels: Vec::new(), operand, path: PathBuf::new(), counted, tell }
    }

    /// Adds up what was noted.
    pub(super) fn take(&mut self, chunk: &mut Chunk) {
        for note in chunk.notes.drain(..) {
            match note {
                Note::Enter(UsageRecord { path, depth, kind, sizes, .. }) => {
                    self.leave(depth);
                    self.levels.push(Level { kind, sizes });
                    self.path = path;
                }
                Note::Add(depth, sizes) => self.add(depth, sizes),
                Note::File(record) => self.file(&record),
                Note::Linked(depth, found, sizes, file) => {
                    if self.counted.insert(found) {
                        match file {
                            Some(record) => self.file(&record),
                            None => self.add(depth, sizes),
                        }
                    }
                }
            }
        }
    }

    /// Everything was counted: the operand, if it could be asked about.
    pub(super) fn finish(mut self) -> Option<UsageRecord> {
        self.leave(1);
        let Level { kind, sizes } = self.levels.pop()?;
        let operand = UsageRecord { kind, sizes, ..self.operand };
        (self.tell)(&operand);
        Some(operand)
    }

    /// Everything in the directories at this depth, and below it, was counted.
    fn leave(&mut self, depth: usize) {
        while self.levels.len() > depth.max(1) {
            let Some(Level { kind, sizes }) = self.levels.pop() else { return };
            let above = self.path.parent().map(Path::to_owned).unwrap_or_default();
            let path = std::mem::replace(&mut self.path, above);
            let (operand, depth) = (self.operand.operand, self.levels.len());
            (self.tell)(&UsageRecord { path, operand, depth, kind, sizes });
            if let Some(parent) = self.levels.last_mut() {
                parent.sizes += sizes;
            }
        }
    }

    fn add(&mut self, depth: usize, sizes: Sizes) {
        self.leave(depth + 1);
        if let Some(directory) = self.levels.last_mut() {
            directory.sizes += sizes;
        }
    }

    fn file(&mut self, record: &UsageRecord) {
        self.add(record.depth - 1, record.sizes);
        (self.tell)(record);
    }
}
