//! The in-memory tree, which tests build and check.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::events::Events;
use super::system::parts;
use crate::fields::Kind;

pub(super) const ROOT: usize = 0;
pub(crate) const UMASK: u32 = 0o022;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    Created,
    Reversed,
    ByName,
    /// By a hash of the name, as on ext4.
    Hashed,
    /// By slot, as on FAT. A new entry takes the first free slot, which a listing may have passed
    /// already.
    Slots,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A listing ends with an empty batch, as on Linux.
    #[default]
    Empty,
    /// A listing ends with the batch of the last entry, as in a directory stream.
    Exact,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Positions {
    /// A position is the last entry listed, so removals do not matter.
    #[default]
    Stable,
    /// A position is the number of entries listed, so each removal makes a listing skip an entry,
    /// as on some network filesystems.
    #[cfg_attr(windows, allow(dead_code, reason = "only tests on Unix list so"))]
    Counted,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) order: Order,
    pub(crate) ending: Ending,
    pub(crate) positions: Positions,
    /// How many entries fit in the buffer.
    pub(crate) page: usize,
    /// The most entries per call. If smaller than `page`, a short batch does not mean the end, as
    /// with FUSE.
    pub(crate) given: usize,
    pub(crate) kinds: bool,
    pub(crate) descriptors: usize,
    pub(crate) processors: usize,
    pub(crate) inode_order: bool,
    pub(crate) reflinks: bool,
    pub(crate) call_time: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Denied {
    /// Listing this directory fails with `EACCES`.
    pub(crate) list: bool,
    /// Adding or removing entries of this directory fails with `EACCES`.
    pub(crate) change: bool,
    /// Removing or moving this entry fails with `EPERM`.
    pub(crate) removal: bool,
}

pub(super) type Key = (u64, Vec<u8>);

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) links: u64,
    pub(crate) size: u64,
    /// The node that the whole content is from: this one, or the original of a copy.
    pub(crate) content: Option<usize>,
    /// Directories and files without the owner's bits are denied.
    pub(crate) mode: u32,
    /// When the entry was created or moved.
    pub(super) made: Duration,
    /// When an entry was last added or removed, or content was written.
    pub(crate) altered: Duration,
    pub(crate) target: Vec<u8>,
    /// Of a file, the directory of its first name.
    pub(super) parent: usize,
    pub(crate) mounted: Option<u64>,
    pub(super) denied: Denied,
    pub(super) short: Vec<u8>,
    pub(super) no_execution: bool,
    /// Whether searches under Windows rules are case-sensitive here.
    pub(super) case_counts: bool,
    pub(super) is_changed: bool,
    pub(super) children: Children,
}

#[derive(Debug, Default)]
pub(super) struct Children {
    pub(super) by_name: BTreeMap<Vec<u8>, Key>,
    pub(super) in_order: BTreeMap<Key, (Vec<u8>, usize)>,
    added: u64,
    free: BTreeSet<u64>,
}

pub(super) struct Handle {
    pub(super) node: usize,
    pub(super) cursor: Cursor,
}

#[derive(Default)]
pub(super) struct Cursor {
    pub(super) last: Option<Key>,
    pub(super) taken: usize,
}

/// The tree and all open directories.
///
/// Paths begin at the root, use `/`, and follow no symlink. Methods that build the tree create
/// missing ancestors, and panic where a system call would fail. The methods from `rename` to
/// `deepen` act as an intruder, and do nothing if the entry is gone.
pub(crate) struct World {
    pub(crate) rules: Rules,
    pub(crate) clock: Duration,
    pub(crate) max_open: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) handles: BTreeMap<u64, Handle>,
    pub(super) next_handle: u64,
    pub(super) events: Events,
    /// The nodes that calls have changed, not counting what events did.
    pub(crate) touched: BTreeSet<usize>,
    made_up: u64,
    #[cfg(all(test, unix))]
    deepest: Option<usize>,
    canary: Vec<String>,
    #[cfg(test)]
    _watch: std::sync::Arc<curt_testkit::Watch>,
}

const CANARY: &str = "canary";

impl World {
    /// Creates a tree with only a canary, listed in order of creation, in pages of 1000.
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
                reflinks: false,
                call_time: Duration::from_micros(1),
            },
            clock: Duration::ZERO,
            max_open: 0,
            nodes: vec![Node::new(Kind::Directory)],
            handles: BTreeMap::new(),
            next_handle: 0,
            events: Events::default(),
            touched: BTreeSet::new(),
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

    pub(crate) fn dir(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        self.make_dirs(path.as_ref());
        self
    }

    pub(crate) fn file(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        self.sized_file(path, 0)
    }

    pub(crate) fn sized_file(&mut self, path: impl AsRef<[u8]>, size: u64) -> &mut Self {
        self.place(path.as_ref(), Node { size, ..Node::new(Kind::File) })
    }

    pub(crate) fn special(&mut self, path: impl AsRef<[u8]>, kind: Kind) -> &mut Self {
        self.place(path.as_ref(), Node::new(kind))
    }

    pub(crate) fn link(&mut self, path: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> &mut Self {
        let target = target.as_ref().to_vec();
        self.place(path.as_ref(), Node { target, ..Node::new(Kind::Symlink) })
    }

    pub(crate) fn hard_link(&mut self, original: &str, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(original.as_ref());
        assert!(!self.is_directory(node));
        let (parent, name) = self.make_parent(path.as_ref());
        self.attach(parent, &name, node);
        self
    }

    /// Mounts a device on a directory. Device 1, the root's, makes a bind mount.
    pub(crate) fn mount(&mut self, path: impl AsRef<[u8]>, device: u64) -> &mut Self {
        let node = self.make_dirs(path.as_ref());
        self.nodes[node].mounted = Some(device);
        self
    }

    /// Mounts an existing directory on another name.
    pub(crate) fn bind(&mut self, path: impl AsRef<[u8]>, mounted: &str) -> &mut Self {
        let node = self.expect(mounted.as_bytes());
        let (parent, name) = self.make_parent(path.as_ref());
        self.attach(parent, &name, node);
        self.nodes[node].mounted = Some(1);
        self
    }

    pub(crate) fn deny(&mut self, path: impl AsRef<[u8]>, denied: Denied) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].denied = denied;
        self
    }

    pub(crate) fn mode(&mut self, path: impl AsRef<[u8]>, mode: u32) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].mode = mode;
        self
    }

    pub(crate) fn modified(&mut self, path: impl AsRef<[u8]>, time: Duration) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].altered = time;
        self
    }

    pub(crate) fn short(&mut self, path: impl AsRef<[u8]>, short: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].short = short.as_ref().to_vec();
        self
    }

    pub(crate) fn no_execution(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].no_execution = true;
        self
    }

    pub(crate) fn case_counts(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let node = self.expect(path.as_ref());
        self.nodes[node].case_counts = true;
        self
    }

    pub(crate) fn exists(&self, path: impl AsRef<[u8]>) -> bool {
        self.find(path.as_ref()).is_some()
    }

    pub(crate) fn rename(&mut self, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> &mut Self {
        if let Some(node) = self.take(from.as_ref()) {
            let (parent, name) = self.make_parent(to.as_ref());
            self.attach(parent, &name, node);
        }
        self
    }

    pub(crate) fn vanish(&mut self, path: impl AsRef<[u8]>) -> &mut Self {
        let mut gone = Vec::from_iter(self.take(path.as_ref()));
        while let Some(node) = gone.pop() {
            let children = std::mem::take(&mut self.nodes[node].children);
            for (_, child) in children.in_order.into_values() {
                self.nodes[child].links -= 1;
                gone.push(child);
            }
        }
        self
    }

    /// Replaces an entry with a symlink, and moves the entry to the root.
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

    pub(crate) fn intrude(&mut self, directory: impl AsRef<[u8]>) -> &mut Self {
        if let Some(node) = self.find(directory.as_ref()).filter(|&node| self.is_directory(node)) {
            let name = self.made_up_name("intruder");
            let file = self.add(Node::new(Kind::File));
            self.attach(node, name.as_bytes(), file);
        }
        self
    }

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

    /// Returns the entries of a directory, ordered by name.
    pub(crate) fn children(&self, node: usize) -> Vec<(String, usize)> {
        let children = self.nodes[node].children.by_name.iter();
        let named = |(name, key): (&Vec<u8>, &Key)| {
            (String::from_utf8_lossy(name).into_owned(), self.nodes[node].children.in_order[key].1)
        };
        children.map(named).collect()
    }

    pub(crate) fn leads_to(&self, parent: usize, name: &str) -> Option<usize> {
        self.resolve(parent, name.as_bytes(), true).ok()
    }

    pub(crate) fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// Lists the tree in sorted lines: a letter, a space and the relative path. The letter is `-`,
    /// `d`, `l`, `?`, or `*` for a changed entry.
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

    pub(crate) fn assert_canary_lives(&self) {
        assert!(self.exists(CANARY), "the canary is gone");
        assert_eq!(self.list(CANARY), self.canary, "something was done to the canary");
    }

    pub(crate) fn assert_unharmed(&self) {
        self.assert_canary_lives();
        assert_eq!(self.open_now(), 0, "a directory was left open");
    }

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
        // A file stays on the device of its first name.
        if self.is_directory(node) || self.nodes[node].links == 1 {
            self.nodes[node].parent = parent;
        }
        self.touched.insert(parent);
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
        self.touched.insert(parent);
        Some(node)
    }

    pub(crate) fn find(&self, path: &[u8]) -> Option<usize> {
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
        self.nodes.push(Node { content: Some(self.nodes.len()), ..node });
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
            content: None,
            mode: if kind == Kind::File { 0o644 } else { 0o755 },
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
            // If no slot is free, all slots below the number of entries are in use.
            Order::Slots => {
                let free = self.free.pop_first();
                (free.unwrap_or(self.in_order.len() as u64), Vec::new())
            }
        }
    }
}
