//! One thread of a measurement: what it is told of is added to the directory it lies in, without a
//! lock and without a path, but for what is shown.
//!
//! The walk knows each directory by a tag: which thread was told of it, and where that thread keeps
//! it. What lies deeper than is shown has the tag of the directory it is counted in. A thread that
//! is handed a piece of another one's directory keeps its own sum for it; `gather.rs` adds the sums
//! up.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::operands::Operands;
use super::options::Usage;
use super::order;
use super::report::{Sizes, UsageRecord};
use super::{Identity, identity};
use crate::control::Next;
use crate::error::{Cause, Error};
use crate::fields::{Facts, Fields, Kind};
use crate::walk::{Visited, Visitor};

/// How many bits of a tag say where a thread keeps its directory; those above say which thread.
const PLACE_BITS: u32 = 40;

/// A directory, as the walk knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Tag(u64);

impl Tag {
    fn new(thread: u64, place: usize) -> Tag {
        Tag(thread << PLACE_BITS | place as u64)
    }

    /// Which thread was told of it.
    pub(super) fn thread(self) -> u64 {
        self.0 >> PLACE_BITS
    }

    /// Where that thread keeps it.
    pub(super) fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }
}

/// What the threads that measure one operand share.
pub(super) struct Shared<'r> {
    pub(super) usage: &'r Usage<'r>,
    operands: &'r Operands,
    index: usize,
    /// How long the operand's own path is.
    length: usize,
    /// Files with several names that were counted in earlier operands.
    counted: &'r HashSet<Identity>,
    /// The device of the operand, where only one is wanted.
    device: OnceLock<u64>,
    threads: AtomicU64,
    parts: Mutex<Vec<Part>>,
}

impl<'r> Shared<'r> {
    pub(super) fn new(
        usage: &'r Usage<'r>,
        operands: &'r Operands,
        index: usize,
        path: &Path,
        counted: &'r HashSet<Identity>,
    ) -> Shared<'r> {
        Shared {
            usage,
            operands,
            index,
            length: path.as_os_str().len(),
            counted,
            device: OnceLock::new(),
            threads: AtomicU64::new(0),
            parts: Mutex::default(),
        }
    }

    /// What the threads found, in no order.
    pub(super) fn into_parts(self) -> Vec<Part> {
        self.parts.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of an entry that is to be counted; `None` for one that is left out, or of
    /// which nothing is known.
    #[inline]
    pub(super) fn look(&self, entry: &mut Visited<'_>, has_failed: bool) -> Option<Found> {
        if entry.depth() > 0 && entry.is_mounted_ancestor() {
            return None;
        }
        let facts = &entry.metadata().facts;
        if !Sizes::count(facts, has_failed) || entry.depth() > 0 && self.is_left_out(facts) {
            return None;
        }
        if entry.depth() == 0 && facts.known.contains(Fields::DEVICE) {
            // Nobody else is told of the operand.
            let _ = self.device.set(facts.device);
        }
        let has_names = facts.links > 1 && facts.kind != Kind::Directory && !self.usage.count_links;
        let linked = has_names && identity(facts).is_some();
        let is_known = Sizes::are_known(facts);
        Some(Found { kind: facts.kind, sizes: Sizes::of(facts), is_known, linked })
    }

    /// Whether an entry below the operand is left out.
    fn is_left_out(&self, facts: &Facts) -> bool {
        let is_elsewhere = self.usage.one_file_system
            && facts.known.contains(Fields::DEVICE)
            && self.device.get().is_some_and(|&device| device != facts.device);
        is_elsewhere || self.operands.is_counted(facts, self.index)
    }

    /// The record of an entry.
    pub(super) fn record(&self, entry: &Visited<'_>, sizes: Sizes) -> UsageRecord {
        let (path, depth, kind) = (entry.path().into_owned(), entry.depth(), entry.kind());
        UsageRecord { path, operand: self.index, depth, kind, sizes }
    }

    /// Tells of a failure; where nobody wants to be told, it is handed back.
    pub(super) fn failed(&self, error: Error) -> Option<Error> {
        match self.usage.on_error {
            Some(tell) => tell(&error),
            None => return Some(error),
        }
        None
    }
}

/// What is known of an entry that is to be counted.
pub(super) struct Found {
    pub(super) kind: Kind,
    pub(super) sizes: Sizes,
    /// Whether the sizes are those that the system told.
    pub(super) is_known: bool,
    /// Whether it has several names and is counted once.
    pub(super) linked: bool,
}

/// What one thread found.
#[derive(Default)]
pub(super) struct Part {
    pub(super) thread: u64,
    /// What is shown: directories and operands, each with what was counted in it by this thread.
    pub(super) places: Vec<UsageRecord>,
    /// What was counted in directories of other threads.
    pub(super) others: HashMap<Tag, Sizes>,
    /// Files that are shown.
    pub(super) files: Vec<UsageRecord>,
    /// Files with several names.
    pub(super) links: HashMap<Identity, Charge>,
    pub(super) errors: Vec<Error>,
    pub(super) error_count: u64,
    pub(super) unknown: u64,
}

/// Where a file with several names is counted.
pub(super) struct Charge {
    /// The directory.
    pub(super) tag: Tag,
    /// The name by which it is counted: its path below the operand.
    below: Box<[u8]>,
    pub(super) sizes: Sizes,
    /// Its own record, where files are shown.
    pub(super) file: Option<UsageRecord>,
}

impl Charge {
    /// Whether it comes before another one for the same file.
    pub(super) fn is_before(&self, other: &Charge) -> bool {
        order::outer_first(&self.below, &other.below).is_lt()
    }
}

/// One thread of a measurement.
pub(super) struct Tally<'r> {
    shared: &'r Shared<'r>,
    part: Part,
    /// What was counted in one directory and not added to it yet.
    current: (Tag, Sizes),
}

impl<'r> Tally<'r> {
    pub(super) fn new(shared: &'r Shared<'r>) -> Tally<'r> {
        let thread = shared.threads.fetch_add(1, Ordering::Relaxed);
        let part = Part { thread, ..Part::default() };
        Tally { shared, part, current: Default::default() }
    }

    /// Adds to a directory.
    fn add(&mut self, tag: Tag, sizes: Sizes) {
        if self.current.0 != tag {
            self.settle();
            self.current.0 = tag;
        }
        self.current.1 += sizes;
    }

    fn settle(&mut self) {
        let (tag, sizes) = std::mem::take(&mut self.current);
        if sizes == Sizes::default() {
            return;
        }
        if tag.thread() != self.part.thread {
            *self.part.others.entry(tag).or_default() += sizes;
        } else if let Some(place) = self.part.places.get_mut(tag.place()) {
            place.sizes += sizes;
        }
    }

    /// Keeps an entry that has a record of its own, or several names.
    #[cold]
    fn keep(&mut self, mut entry: Visited<'_>, found: &Found, is_shown: bool) {
        let sizes = found.sizes;
        if found.kind == Kind::Directory || entry.depth() == 0 {
            let tag = Tag::new(self.part.thread, self.part.places.len());
            self.part.places.push(self.shared.record(&entry, sizes));
            entry.tag(tag.0);
            return;
        }
        let file = is_shown.then(|| self.shared.record(&entry, sizes));
        if found.linked {
            self.link(&entry, sizes, file);
        } else {
            self.part.files.extend(file);
        }
    }

    /// Counts a file that has several names.
    fn link(&mut self, entry: &Visited<'_>, sizes: Sizes, file: Option<UsageRecord>) {
        let Some(found) = identity(&entry.metadata().facts) else { return };
        if self.shared.counted.contains(&found) {
            return;
        }
        let path = entry.path();
        let below = order::below(path.as_os_str().as_encoded_bytes(), self.shared.length);
        let known = self.part.links.get(&found);
        if known.is_none_or(|known| order::outer_first(below, &known.below).is_lt()) {
            let tag = Tag(entry.parent_tag());
            self.part.links.insert(found, Charge { tag, below: below.into(), sizes, file });
        }
    }

    fn failed(&mut self, error: Error) {
        self.part.error_count += 1;
        self.part.errors.extend(self.shared.failed(error));
    }
}

impl Visitor for Tally<'_> {
    fn entry(&mut self, mut entry: Visited<'_>) -> Next {
        let shared = self.shared;
        let has_failed = entry.take_failures(|error| self.failed(error));
        let Some(found) = shared.look(&mut entry, has_failed) else {
            return Next::Skip;
        };
        self.part.unknown += u64::from(!found.is_known);
        let parent = Tag(entry.parent_tag());
        let is_directory = found.kind == Kind::Directory;
        let is_shown =
            entry.depth() <= shared.usage.max_depth && (is_directory || shared.usage.files);
        if entry.depth() == 0 || is_shown || found.linked {
            self.keep(entry, &found, is_shown);
            return Next::Continue;
        }
        // As nearly all are.
        self.add(parent, found.sizes);
        if is_directory {
            entry.tag(parent.0);
        }
        Next::Continue
    }

    fn error(&mut self, error: Error) -> Next {
        if !is_counted_above(&error) {
            self.failed(error);
        }
        Next::Continue
    }
}

/// Whether it says that a directory is mounted below itself, where it was counted already: systems
/// that do not say of an entry that it is a mount point tell so only when it is opened.
pub(super) fn is_counted_above(error: &Error) -> bool {
    matches!(error.cause(), Cause::Loop)
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        self.settle();
        let part = std::mem::take(&mut self.part);
        self.shared.parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }
}
