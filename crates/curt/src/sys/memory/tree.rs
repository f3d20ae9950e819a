//! The tree, and how a test builds and checks it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::events::Events;
use super::system::parts;
use crate::fields::Kind;

/// The node of the root directory, which is also the working directory.
pub(super) const ROOT: usize = 0;

/// The order in which a directory lists its entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    Created,
    Reversed,
    ByName,
    /// By a hash of the name, as ext4 does.
    Hashed,
    /// By slots, of which a new entry takes the first free one, as on FAT. It may land behind the
    /// position of a listing.
    Slots,
}

/// What a batch says about the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As on Linux: an empty batch is the end.
    #[default]
    Empty,
    /// As for a directory stream: the batch with the last entry says so.
    Exact,
}

/// How a listing remembers its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Positions {
    /// By the last entry: removing entries changes nothing.
    #[default]
    Stable,
    /// By the number of entries listed: removing entries makes it skip others, as on some network
    /// file systems.
    #[cfg_attr(windows, allow(dead_code, reason = "only tests on Unix list so"))]
    Counted,
}

/// How the file system behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) order: Order,
    pub(crate) ending: Ending,
    pub(crate) positions: Positions,
    /// How many entries the buffer holds.
    pub(crate) page: usize,
    /// How many entries the file system returns at a time. Fewer than a page makes short batches
    /// before the end, as with FUSE.
    pub(crate) given: usize,
    /// Whether listings give kinds.
    pub(crate) kinds: bool,
    /// How many directories may be open.
    pub(crate) descriptors: usize,
    pub(crate) processors: usize,
    /// Whether removing in the order of file numbers is faster.
    pub(crate) inode_order: bool,
    /// How long a call takes.
    pub(crate) call_time: Duration,
}

/// What is denied on a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Denied {
    /// Listing this directory: `EACCES`.
    pub(crate) list: bool,
    /// Adding and removing entries of this directory: `EACCES`.
    pub(crate) change: bool,
    /// Removing or moving this entry: `EPERM`.
    pub(crate) removal: bool,
}

/// The place of an entry in a listing.
pub(super) type Key = (u64, Vec<u8>);

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) links: u64,
    pub(super) size: u64,
    /// When it was created or moved.
    pub(super) made: Duration,
    /// When an entry of this directory came or went.
    pub(super) altered: Duration,
    /// The target of a link.
    pub(super) target: Vec<u8>,
    /// The parent of a directory.
    pub(super) parent: usize,
    /// The device that is mounted here.
    pub(super) mounted: Option<u64>,
    pub(super) denied: Denied,
    /// The short name (8.3).
    pub(super) short: Vec<u8>,
    /// Executing this file, or searching this directory, is denied to program searches.
    pub(super) no_execution: bool,
    /// Whether this directory is case-sensitive for searches by the rules of Windows.
    pub(super) case_counts: bool,
    /// Whether its permissions or times were changed.
    pub(super) is_changed: bool,
    pub(super) children: Children,
}

/// The entries of a directory, by name and in the order of listing.
#[derive(Debug, Default)]
pub(super) struct Children {
    pub(super) by_name: BTreeMap<Vec<u8>, Key>,
    pub(super) in_order: BTreeMap<Key, (Vec<u8>, usize)>,
    added: u64,
    /// Places that were left.
    free: BTreeSet<u64>,
}

/// An open directory.
pub(super) struct Handle {
    pub(super) node: usize,
    pub(super) cursor: Cursor,
}

/// The position of a listing.
#[derive(Default)]
pub(super) struct Cursor {
    pub(super) last: Option<Key>,
    pub(super) taken: usize,
}

/// The tree, and all open directories.
///
/// Paths begin at the root, are written with `/`, and follow no link. Building panics where a
/// system would return an error.
pub(crate) struct World {
    pub(crate) rules: Rules,
    pub(crate) clock: Duration,
    /// The highest number of directories open at a time.
    pub(crate) most_open: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) handles: BTreeMap<u64, Handle>,
    pub(super) next_handle: u64,
    pub(super) events: Events,
    made_up: u64,
    /// The last level that an intruder made.
    #[cfg(all(test, unix))]
    deepest: Option<usize>,
    canary: Vec<String>,
    #[cfg(test)]
    _watch: std::sync::Arc<curt_testkit::Watch>,
}

/// The directory of the canary.
const CANARY: &str = "canary";

impl World {
    /// Makes a tree with a canary only, which lists in the order of creation in pages of 1000.
    pub(crate) fn new() -> Self {
        let mut world = World {
            rules: Rules {
                order: Order::default(),
                ending: Ending::default(),
                positions: Positions::default(),
                page: 1000,
                given: usize::MAX,
                kinds: true,
                descriptors: 1024,
                processors: 1,
                inode_order: false,
                call_time: Duration::from_micros(1),
            },
            clock: Duration::ZERO,
            most_open: 0,
            nodes: vec![Node::new(Kind::Directory)],
            handles: BTreeMap::new(),
            next_handle: 0,
            events: Events::default(),
            made_up: 0,
            #[cfg(all(test, unix))]
            deepest: None,
            canary: Vec::new(),
            #[cfg(test)]
            _watch: curt_testkit::watch(),
        };
        world.file("canary/song").file("canary/nest/egg").dir("canary/nest/empty");
        world.canary = world.list(CANARY);
        world
    }

    /// Makes a directory and its ancestors.
    pub(crate) fn dir(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        self.make_dirs(path.as_ref());
        self
    }

    /// Makes an empty file and its ancestors.
    pub(crate) fn file(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        self.sized_file(path, 0)
    }

    pub(crate) fn sized_file(&mut self, path: impl AsRef<[u8]>, size: u64) -> &mut Self {
        self.place(path.as_ref(), Node { size, ..Node::new(Kind::File) })
    }

    /// Makes an entry of another kind.
    pub(crate) fn special(&mut self, path: impl AsRef<[u8]>, kind: Kind) -> &mut Self {
        self.place(path.as_ref(), Node::new(kind))
    }

    pub(crate) fn link(&mut self, path: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> &mut Self {
        let target = target.as_ref().to_vec();
        self.place(path.as_ref(), Node { target, ..Node::new(Kind::Symlink) })
    }

    /// Gives a file a second name.
    pub(crate) fn hard_link(&mut self, original: &str, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(original.as_ref());
        assert!(!self.is_directory(node));
        let (parent, name) = self.make_parent(path.as_ref());
        self.attach(parent, &name, node);
        self
    }

    /// Makes a directory a mount point. Device 1 is that of the root: a bind mount.
    pub(crate) fn mount(&mut self, path: impl AsRef<[u8]>, device: u64) -> &mut Self {
        let node = self.make_dirs(path.as_ref());
        self.nodes[node].mounted = Some(device);
        self
    }

    pub(crate) fn deny(&mut self, path: impl AsRef<[u8]>, denied: Denied) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].denied = denied;
        self
    }

    /// Gives an entry a short name (8.3).
    pub(crate) fn short(&mut self, path: impl AsRef<[u8]>, short: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].short = short.as_ref().to_vec();
        self
    }

    /// Denies executing a file, or searching a directory.
    pub(crate) fn no_execution(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].no_execution = true;
        self
    }

    /// Makes a directory case-sensitive.
    pub(crate) fn case_counts(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].case_counts = true;
        self
    }

    pub(crate) fn exists(&self, path: impl AsRef<[u8]>) -> bool {
        self.find(path.as_ref()).is_some()
    }

    /// Moves an entry, as an intruder does. Does nothing if it is gone.
    pub(crate) fn rename(&mut self, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> &mut Self {
        if let Some(node) = self.take(from.as_ref()) {
            let (parent, name) = self.make_parent(to.as_ref());
            self.attach(parent, &name, node);
        }
        self
    }

    /// Removes an entry with everything below it. Does nothing if it is gone.
    pub(crate) fn vanish(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let mut gone = Vec::from_iter(self.take(path.as_ref()));
        // Directories that are open are found empty.
        while let Some(node) = gone.pop() {
            let children = std::mem::take(&mut self.nodes[node].children);
            for (_, child) in children.in_order.into_values() {
                self.nodes[child].links -= 1;
                gone.push(child);
            }
        }
        self
    }

    /// Replaces an entry by a link, and moves the entry to the root. Does nothing if it is gone.
    pub(crate) fn swap_for_link(
        &mut self,
        path: impl AsRef<[u8]>,
        target: impl AsRef<[u8]>,
    ) -> &mut Self {
        if let Some(node) = self.take(path.as_ref()) {
            let aside = self.made_up_name("aside");
            self.attach(ROOT, aside.as_bytes(), node);
            self.link(path, target);
        }
        self
    }

    /// Adds a file of a new name to a directory. Does nothing if that is gone.
    pub(crate) fn intrude(&mut self, directory: impl AsRef<[u8]>) -> &mut Self {
        if let Some(node) = self.find(directory.as_ref()).filter(|&node| self.is_directory(node)) {
            let name = self.made_up_name("intruder");
            let file = self.add(Node::new(Kind::File));
            self.attach(node, name.as_bytes(), file);
        }
        self
    }

    /// Adds a level below the last level that this made. Does nothing if the first one is gone.
    #[cfg(all(test, unix))]
    pub(crate) fn deepen(&mut self, directory: impl AsRef<[u8]>) -> &mut Self {
        if self.deepest.is_none() {
            self.deepest = self.find(directory.as_ref());
        }
        if let Some(node) = self.deepest.filter(|&node| self.nodes[node].links > 0) {
            let level = self.add(Node::new(Kind::Directory));
            self.attach(node, b"level", level);
            self.deepest = Some(level);
        }
        self
    }

    /// The tree below a path as sorted lines: `-`, `d`, `l`, `?` or, for what was changed,
    /// `*`; a space; the path below it.
    pub(crate) fn list(&self, path: impl AsRef<[u8]>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut waiting = vec![(self.expect(path.as_ref()), String::new())];
        while let Some((node, above)) = waiting.pop() {
            for (name, child) in self.nodes[node].children.in_order.values() {
                let below = format!("{above}{}", String::from_utf8_lossy(name));
                let letter = match self.nodes[*child].kind {
                    _ if self.nodes[*child].is_changed => '*',
                    Kind::File => '-',
                    Kind::Directory => 'd',
                    Kind::Symlink => 'l',
                    _ => '?',
                };
                lines.push(format!("{letter} {below}"));
                waiting.push((*child, format!("{below}/")));
            }
        }
        lines.sort();
        lines
    }

    /// Panics unless everything in `canary`, which no test may remove, is unchanged.
    pub(crate) fn assert_canary_lives(&self) {
        assert!(self.exists(CANARY), "the canary is gone");
        assert_eq!(self.list(CANARY), self.canary, "something was done to the canary");
    }

    /// Panics unless [the canary lives](Self::assert_canary_lives) and no directory is open.
    pub(crate) fn assert_unharmed(&self) {
        self.assert_canary_lives();
        assert_eq!(self.open_now(), 0, "a directory was left open");
    }

    /// Returns how many directories are open.
    pub(crate) fn open_now(&self) -> usize {
        self.handles.len()
    }

    pub(super) fn is_directory(&self, node: usize) -> bool {
        self.nodes[node].kind == Kind::Directory
    }

    pub(super) fn lookup(&self, parent: usize, name: &[u8]) -> Option<usize> {
        let children = &self.nodes[parent].children;
        Some(children.in_order.get(children.by_name.get(name)?)?.1)
    }

    pub(super) fn attach(&mut self, parent: usize, name: &[u8], node: usize) {
        assert!(self.is_directory(parent) && self.lookup(parent, name).is_none());
        let children = &mut self.nodes[parent].children;
        let key = children.key(self.rules.order, name);
        children.added += 1;
        children.by_name.insert(name.to_vec(), key.clone());
        children.in_order.insert(key, (name.to_vec(), node));
        self.nodes[node].links += 1;
        self.nodes[node].parent = parent;
        self.nodes[node].made = self.clock;
        self.nodes[parent].altered = self.clock;
    }

    pub(super) fn detach(&mut self, parent: usize, name: &[u8]) -> Option<usize> {
        let children = &mut self.nodes[parent].children;
        let key = children.by_name.remove(name)?;
        let (_, node) = children.in_order.remove(&key)?;
        children.free.insert(key.0);
        self.nodes[node].links -= 1;
        self.nodes[parent].altered = self.clock;
        Some(node)
    }

    fn find(&self, path: &[u8]) -> Option<usize> {
        parts(path).iter().rev().try_fold(ROOT, |at, name| self.lookup(at, name))
    }

    fn expect(&self, path: &[u8]) -> usize {
        let found = self.find(path);
        found.unwrap_or_else(|| panic!("nothing at {}", String::from_utf8_lossy(path)))
    }

    fn take(&mut self, path: &[u8]) -> Option<usize> {
        let name = parts(path).into_iter().next()?;
        let parent =
            self.find(&path[..path.iter().rposition(|&byte| byte == b'/').unwrap_or(0)])?;
        self.detach(parent, &name)
    }

    fn make_dirs(&mut self, path: &[u8]) -> usize {
        let mut at = ROOT;
        for name in parts(path).iter().rev() {
            at = self.lookup(at, name).unwrap_or_else(|| {
                let made = self.add(Node::new(Kind::Directory));
                self.attach(at, name, made);
                made
            });
        }
        at
    }

    fn make_parent(&mut self, path: &[u8]) -> (usize, Vec<u8>) {
        let slash = path.iter().rposition(|&byte| byte == b'/');
        let name = path[slash.map_or(0, |slash| slash + 1)..].to_vec();
        assert!(!name.is_empty(), "a path ends in a name");
        (self.make_dirs(&path[..slash.unwrap_or(0)]), name)
    }

    fn place(&mut self, path: &[u8], node: Node) -> &mut Self {
        let (parent, name) = self.make_parent(path);
        let node = self.add(node);
        self.attach(parent, &name, node);
        self
    }

    pub(super) fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn made_up_name(&mut self, what: &str) -> String {
        self.made_up += 1;
        format!("{what}-{}", self.made_up)
    }
}

impl Node {
    pub(super) fn new(kind: Kind) -> Self {
        Node {
            kind,
            links: 0,
            size: 0,
            made: Duration::ZERO,
            altered: Duration::ZERO,
            target: Vec::new(),
            parent: ROOT,
            mounted: None,
            denied: Denied::default(),
            short: Vec::new(),
            no_execution: false,
            case_counts: false,
            is_changed: false,
            children: Children::default(),
        }
    }
}

impl Children {
    /// The place that a new entry of this name gets.
    fn key(&mut self, order: Order, name: &[u8]) -> Key {
        match order {
            Order::Created => (self.added, Vec::new()),
            Order::Reversed => (u64::MAX - self.added, Vec::new()),
            Order::ByName => (0, name.to_vec()),
            Order::Hashed => {
                let step =
                    |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                (name.iter().fold(0xcbf2_9ce4_8422_2325, step), name.to_vec())
            }
            // Without a free slot all are taken, so there are as many as entries.
            Order::Slots => {
                let free = self.free.pop_first();
                (free.unwrap_or(self.in_order.len() as u64), Vec::new())
            }
        }
    }
}
