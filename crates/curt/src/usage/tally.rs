//! One thread of a measurement: what it is told of is added to the directory it lies in, without a lock
//! and without a path, but for what is shown.
//!
//! The walk knows each directory by a tag: which thread was told of it, and where that thread keeps it.
//! What lies deeper than is shown has the tag of the directory it is counted in. A thread that is handed
//! a piece of another one's directory keeps its own sum for it; `gather.rs` adds the sums up.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::operands::Operands;
use super::options::Usage;
use super::order;
use super::report::Sizes;
use super::{Identity, identity};
use crate::error::Error;
use crate::fields::{Facts, Fields, Kind};
use crate::walk::{Next, Visited, Visitor};

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
    usage: &'r Usage<'r>,
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
}

/// What one thread found.
#[derive(Default)]
pub(super) struct Part {
    pub(super) thread: u64,
    /// What is shown: directories and operands, each with what was counted in it by this thread.
    pub(super) places: Vec<Place>,
    /// What was counted in directories of other threads.
    pub(super) others: HashMap<Tag, Other>,
    /// Files that are shown.
    pub(super) files: Vec<Place>,
    /// Files with several names.
    pub(super) links: HashMap<Identity, Charge>,
    pub(super) errors: Vec<Error>,
    pub(super) error_count: u64,
    pub(super) unknown: u64,
}

/// Something that is shown.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) depth: usize,
    pub(super) kind: Kind,
    pub(super) sizes: Sizes,
    /// The path below the operand, where somebody asked for it.
    below: Option<Arc<[u8]>>,
}

/// A directory of another thread.
#[derive(Default)]
pub(super) struct Other {
    pub(super) sizes: Sizes,
    below: Option<Arc<[u8]>>,
}

/// Where a file with several names is counted.
pub(super) struct Charge {
    /// The directory, and its path below the operand.
    pub(super) tag: Tag,
    below: Arc<[u8]>,
    pub(super) sizes: Sizes,
    /// Its own record, where files are shown.
    pub(super) file: Option<Place>,
}

impl Charge {
    /// Whether it comes before another one for the same file: by directory, then by name.
    pub(super) fn is_before(&self, other: &Charge) -> bool {
        fn name(charge: &Charge) -> Option<&Path> {
            charge.file.as_ref().map(|file| file.path.as_path())
        }
        order::outer_first(&self.below, &other.below)
            .then_with(|| name(self).cmp(&name(other)))
            .is_lt()
    }
}

/// One thread of a measurement.
pub(super) struct Tally<'r> {
    shared: &'r Shared<'r>,
    part: Part,
    /// What was counted in one directory and not added to it yet.
    current: (Tag, Sizes),
    device: Option<u64>,
}

impl<'r> Tally<'r> {
    pub(super) fn new(shared: &'r Shared<'r>) -> Tally<'r> {
        let thread = shared.threads.fetch_add(1, Ordering::Relaxed);
        let part = Part { thread, ..Part::default() };
        Tally { shared, part, current: Default::default(), device: None }
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
            self.part.others.entry(tag).or_default().sizes += sizes;
        } else if let Some(place) = self.part.places.get_mut(tag.place()) {
            place.sizes += sizes;
        }
    }

    /// Whether an entry below the operand is left out.
    fn is_left_out(&mut self, facts: &Facts) -> bool {
        if self.shared.usage.one_file_system && facts.known.contains(Fields::DEVICE) {
            self.device = self.device.or_else(|| self.shared.device.get().copied());
            if self.device.is_some_and(|device| device != facts.device) {
                return true;
            }
        }
        self.shared.operands.is_counted(identity(facts), self.shared.index)
    }

    /// Counts a file that has several names.
    fn link(&mut self, entry: &Visited<'_>, found: Identity, sizes: Sizes, file: Option<Place>) {
        if self.shared.counted.contains(&found) {
            return;
        }
        let tag = Tag(entry.parent_tag());
        // Mostly the names of a file lie in one directory, and only one of them is shown.
        let known = self.part.links.get(&found);
        if known.is_some_and(|known| known.tag == tag && known.file.is_none()) {
            return;
        }
        let charge = Charge { tag, below: self.below(tag, entry), sizes, file };
        match self.part.links.entry(found) {
            Entry::Vacant(vacant) => {
                vacant.insert(charge);
            }
            Entry::Occupied(mut known) => {
                if charge.is_before(known.get()) {
                    known.insert(charge);
                }
            }
        }
    }

    /// The path, below the operand, of the directory in which an entry is counted.
    fn below(&mut self, tag: Tag, entry: &Visited<'_>) -> Arc<[u8]> {
        let length = self.shared.length;
        if tag.thread() != self.part.thread {
            let names = (entry.depth() - 1).min(self.shared.usage.max_depth);
            let cut = || {
                let path = entry.path();
                let below = order::below(path.as_os_str().as_encoded_bytes(), length);
                order::first(below, names).into()
            };
            return Arc::clone(
                self.part.others.entry(tag).or_default().below.get_or_insert_with(cut),
            );
        }
        match self.part.places.get_mut(tag.place()) {
            None => Arc::default(),
            Some(Place { path, below, .. }) => {
                let cut = || order::below(path.as_os_str().as_encoded_bytes(), length).into();
                Arc::clone(below.get_or_insert_with(cut))
            }
        }
    }

    fn failed(&mut self, error: Error) {
        self.part.error_count += 1;
        match self.shared.usage.on_error {
            Some(tell) => tell(&error),
            None => self.part.errors.push(error),
        }
    }
}

/// The record of an entry.
fn place(entry: &Visited<'_>, sizes: Sizes) -> Place {
    let (path, depth, kind) = (entry.path().into_owned(), entry.depth(), entry.kind());
    Place { path, depth, kind, sizes, below: None }
}

impl Visitor for Tally<'_> {
    fn entry(&mut self, entry: &mut Visited<'_>) -> Next {
        let facts = entry.metadata().facts;
        let failures = entry.take_failures();
        let has_failed = !failures.is_empty();
        for (_, error) in failures {
            self.failed(error);
        }
        let depth = entry.depth();
        let is_known = Sizes::are_known(&facts);
        // What is known is counted, whatever else could not be asked.
        if has_failed && !is_known || depth > 0 && self.is_left_out(&facts) {
            return Next::Skip;
        }
        if depth == 0 && facts.known.contains(Fields::DEVICE) {
            // Nobody else is told of the operand.
            let _ = self.shared.device.set(facts.device);
        }
        self.part.unknown += u64::from(!is_known);
        let sizes = Sizes::of(&facts);
        let usage = self.shared.usage;
        let parent = Tag(entry.parent_tag());
        let is_shown = depth <= usage.max_depth;
        let is_directory = facts.kind == Kind::Directory;
        if depth == 0 || is_directory && is_shown {
            let tag = Tag::new(self.part.thread, self.part.places.len());
            self.part.places.push(place(entry, sizes));
            entry.tag(tag.0);
        } else if is_directory {
            self.add(parent, sizes);
            entry.tag(parent.0);
        } else {
            let file = (usage.files && is_shown).then(|| place(entry, sizes));
            match (identity(&facts), file) {
                (Some(found), file) if facts.links > 1 && !usage.count_links => {
                    self.link(entry, found, sizes, file);
                }
                (_, Some(file)) => self.part.files.push(file),
                (_, None) => self.add(parent, sizes),
            }
        }
        Next::Continue
    }

    fn error(&mut self, error: Error) -> Next {
        self.failed(error);
        Next::Continue
    }
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        self.settle();
        let part = std::mem::take(&mut self.part);
        self.shared.parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }
}
