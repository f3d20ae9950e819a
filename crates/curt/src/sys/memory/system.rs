//! Effects of system calls on the tree, as on Linux.

use std::time::SystemTime;

use super::dir::{DirBuf, WORKING};
use super::tree::{Cursor, Denied, Ending, Handle, Key, Node, Positions, ROOT, UMASK, World};
use crate::fields::{Facts, Fields, Kind, Time};
use crate::sys::Batch;
use crate::sys::os_error::OsError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(pub(super) i32);

impl Errno {
    pub(super) const PERM: Errno = Errno(1);
    pub(super) const NOENT: Errno = Errno(2);
    pub(super) const BADF: Errno = Errno(9);
    pub(super) const ACCES: Errno = Errno(13);
    pub(super) const BUSY: Errno = Errno(16);
    pub(super) const EXIST: Errno = Errno(17);
    pub(super) const XDEV: Errno = Errno(18);
    pub(super) const NOTDIR: Errno = Errno(20);
    pub(super) const ISDIR: Errno = Errno(21);
    pub(super) const INVAL: Errno = Errno(22);
    pub(super) const MFILE: Errno = Errno(24);
    pub(super) const NOSPC: Errno = Errno(28);
    pub(super) const NAMETOOLONG: Errno = Errno(36);
    pub(super) const NOTEMPTY: Errno = Errno(39);
    pub(super) const LOOP: Errno = Errno(40);
    pub(super) const OPNOTSUPP: Errno = Errno(95);
}

/// Errors that callers recognize by number get the host's number.
impl From<Errno> for std::io::Error {
    fn from(error: Errno) -> Self {
        match error {
            Errno::LOOP => OsError::TooManyLinks.error(),
            Errno::NAMETOOLONG => OsError::TooLong.error(),
            // `ERROR_TOO_MANY_OPEN_FILES` (4) stands for ENOMEM, ENFILE and EMFILE.
            Errno(12 | 23 | 24) if cfg!(windows) => std::io::Error::from_raw_os_error(4),
            Errno(number) => std::io::Error::from_raw_os_error(number),
        }
    }
}

pub(super) const STAT: Fields = Fields::KIND
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::MODIFIED)
    .union(Fields::CREATED)
    .union(Fields::LINKS)
    .union(Fields::MODE);

pub(super) type Effect<T> = Result<T, Errno>;

impl World {
    pub(super) fn follow(&self, path: &[u8]) -> Effect<usize> {
        let at = self.resolve(ROOT, path, true)?;
        if self.is_directory(at) { Ok(at) } else { Err(Errno::NOTDIR) }
    }

    /// Follows a symlink in the last component if `last` is set. Only a directory may precede a
    /// separator, `.` or `..`.
    pub(super) fn resolve(&self, from: usize, path: &[u8], last: bool) -> Effect<usize> {
        let mut waiting = steps(path);
        let mut at = if path.first() == Some(&b'/') { ROOT } else { from };
        let mut links = 0;
        while let Some(part) = waiting.pop() {
            if !self.is_directory(at) {
                return Err(Errno::NOTDIR);
            }
            if part == b"." {
                continue;
            }
            if part == b".." {
                at = self.nodes[at].parent;
                continue;
            }
            let next = self.child(at, &part)?;
            if self.nodes[next].kind == Kind::Symlink && (last || !waiting.is_empty()) {
                links += 1;
                if links > 40 {
                    return Err(Errno::LOOP);
                }
                let target = &self.nodes[next].target;
                if target.first() == Some(&b'/') {
                    at = ROOT;
                }
                waiting.extend(steps(target));
            } else {
                at = next;
            }
        }
        Ok(at)
    }

    pub(super) fn target(&self, node: usize) -> Effect<&[u8]> {
        let found = &self.nodes[node];
        if found.kind == Kind::Symlink { Ok(&found.target) } else { Err(Errno::INVAL) }
    }

    pub(super) fn child(&self, parent: usize, name: &[u8]) -> Effect<usize> {
        if !self.is_directory(parent) {
            return Err(Errno::NOTDIR);
        }
        self.lookup(parent, name).ok_or(Errno::NOENT)
    }

    pub(super) fn child_or_itself(&self, parent: usize, name: &[u8]) -> Effect<usize> {
        if name == b"." { Ok(parent) } else { self.child(parent, name) }
    }

    pub(super) fn may_list(&self, node: usize, refuse_mounts: bool) -> Effect<()> {
        match self.nodes[node].kind {
            Kind::Directory if refuse_mounts && self.nodes[node].mounted.is_some() => {
                Err(Errno::XDEV)
            }
            Kind::Directory if self.denied(node).list => Err(Errno::ACCES),
            Kind::Directory => Ok(()),
            Kind::Symlink => Err(Errno::LOOP),
            _ => Err(Errno::NOTDIR),
        }
    }

    pub(super) fn has_descriptor(&self) -> Effect<()> {
        if self.handles.len() < self.rules.descriptors { Ok(()) } else { Err(Errno::MFILE) }
    }

    pub(super) fn open(&mut self, node: usize) -> Effect<u64> {
        self.has_descriptor()?;
        self.next_handle += 1;
        self.handles.insert(self.next_handle, Handle { node, cursor: Cursor::default() });
        self.max_open = self.max_open.max(self.handles.len());
        Ok(self.next_handle)
    }

    pub(super) fn close(&mut self, number: u64) {
        self.handles.remove(&number);
    }

    pub(super) fn node_of(&self, number: u64) -> Effect<usize> {
        if number == WORKING {
            return Ok(ROOT);
        }
        self.handles.get(&number).map(|handle| handle.node).ok_or(Errno::BADF)
    }

    pub(super) fn rewind(&mut self, number: u64) -> Effect<()> {
        self.handles.get_mut(&number).ok_or(Errno::BADF)?.cursor = Cursor::default();
        Ok(())
    }

    pub(super) fn read(&mut self, number: u64, buf: &mut DirBuf) -> Effect<Batch> {
        let handle = self.handles.get_mut(&number).ok_or(Errno::BADF)?;
        let listed = &self.nodes[handle.node].children;
        let most = self.rules.page.min(self.rules.given).max(1);
        let skipped = match self.rules.positions {
            Positions::Stable => 0,
            Positions::Counted => handle.cursor.taken,
        };
        let after = match (&handle.cursor.last, self.rules.positions) {
            (Some(last), Positions::Stable) => std::ops::Bound::Excluded(last.clone()),
            _ => std::ops::Bound::Unbounded,
        };
        let mut rest =
            listed.in_order.range((after, std::ops::Bound::<Key>::Unbounded)).skip(skipped);
        let mut taken = 0;
        let mut last = None;
        for (key, (name, child)) in rest.by_ref().take(most) {
            let kind = if self.rules.kinds { self.nodes[*child].kind } else { Kind::Unknown };
            // As on Unix, a mount point is listed with the inode of the covered directory, which
            // here has bit 32 set.
            let below = if self.nodes[*child].mounted.is_some() { 1 << 32 } else { 0 };
            buf.heads.push((buf.names.push_units(name), kind, *child as u64 | below));
            taken += 1;
            last = Some(key.clone());
        }
        let more = rest.next().is_some();
        handle.cursor.taken += taken;
        handle.cursor.last = last.or(handle.cursor.last.take());
        Ok(match self.rules.ending {
            _ if taken == 0 => Batch::End,
            Ending::Exact if !more => Batch::End,
            Ending::Exact | Ending::Empty => Batch::More,
        })
    }

    pub(super) fn unlink(&mut self, parent: usize, name: &[u8]) -> Effect<()> {
        let node = self.child(parent, name)?;
        if self.is_directory(node) {
            return Err(Errno::ISDIR);
        }
        self.may_take(parent, node)?;
        self.detach(parent, name);
        Ok(())
    }

    pub(super) fn rmdir(&mut self, parent: usize, name: &[u8]) -> Effect<()> {
        let node = self.child(parent, name)?;
        if !self.is_directory(node) {
            return Err(Errno::NOTDIR);
        }
        self.may_take(parent, node)?;
        if self.nodes[node].mounted.is_some() {
            return Err(Errno::BUSY);
        }
        if !self.nodes[node].children.by_name.is_empty() {
            return Err(Errno::NOTEMPTY);
        }
        self.detach(parent, name);
        Ok(())
    }

    pub(super) fn rename_at(
        &mut self,
        from: usize,
        name: &[u8],
        to: usize,
        fresh: &[u8],
    ) -> Effect<()> {
        let node = self.child(from, name)?;
        if self.mount_of(from) != self.mount_of(to) {
            return Err(Errno::XDEV);
        }
        if self.child(to, fresh).is_ok() {
            return Err(Errno::EXIST);
        }
        // A removed directory accepts no entries.
        if to != ROOT && self.nodes[to].links == 0 {
            return Err(Errno::NOENT);
        }
        if self.nodes[node].mounted.is_some() {
            return Err(Errno::BUSY);
        }
        self.may_take(from, node)?;
        // Moving a directory changes its `..`, so it must be writable.
        if self.denied(to).change || (self.is_directory(node) && self.denied(node).change) {
            return Err(Errno::ACCES);
        }
        if self.is_directory(node) && self.ancestors(to).any(|above| above == node) {
            return Err(Errno::INVAL);
        }
        self.detach(from, name);
        self.attach(to, fresh, node);
        Ok(())
    }

    /// A file may replace anything but a directory; a directory may replace an empty directory.
    pub(super) fn rename_over(
        &mut self,
        from: usize,
        name: &[u8],
        to: usize,
        fresh: &[u8],
    ) -> Effect<()> {
        let node = self.child(from, name)?;
        let Ok(replaced) = self.child(to, fresh) else {
            return self.rename_at(from, name, to, fresh);
        };
        if node == replaced {
            return Ok(());
        }
        match (self.is_directory(node), self.is_directory(replaced)) {
            (true, true) => self.rmdir(to, fresh)?,
            (false, false) => self.unlink(to, fresh)?,
            (true, false) => return Err(Errno::NOTDIR),
            (false, true) => return Err(Errno::ISDIR),
        }
        let renamed = self.rename_at(from, name, to, fresh);
        if renamed.is_err() {
            self.attach(to, fresh, replaced);
        }
        renamed
    }

    /// The content of a new file is from no node yet.
    pub(super) fn make(
        &mut self,
        parent: usize,
        name: &[u8],
        kind: Kind,
        mode: u32,
    ) -> Effect<usize> {
        if self.child(parent, name).is_ok() {
            return Err(Errno::EXIST);
        }
        if self.denied(parent).change {
            return Err(Errno::ACCES);
        }
        if parent != ROOT && self.nodes[parent].links == 0 {
            return Err(Errno::NOENT);
        }
        let (mode, altered) = (mode & !UMASK, self.clock);
        let node = self.add(Node { mode, altered, ..Node::new(kind) });
        self.nodes[node].content = None;
        self.attach(parent, name, node);
        Ok(node)
    }

    pub(super) fn make_link(&mut self, parent: usize, name: &[u8], target: &[u8]) -> Effect<()> {
        let link = self.make(parent, name, Kind::Symlink, 0o777)?;
        self.nodes[link].target = target.to_vec();
        Ok(())
    }

    pub(super) fn link_at(
        &mut self,
        from: usize,
        name: &[u8],
        to: usize,
        fresh: &[u8],
    ) -> Effect<()> {
        let node = self.child(from, name)?;
        if self.mount_of(from) != self.mount_of(to) {
            return Err(Errno::XDEV);
        }
        if self.child(to, fresh).is_ok() {
            return Err(Errno::EXIST);
        }
        if to != ROOT && self.nodes[to].links == 0 {
            return Err(Errno::NOENT);
        }
        if self.is_directory(node) {
            return Err(Errno::PERM);
        }
        if self.denied(to).change {
            return Err(Errno::ACCES);
        }
        self.attach(to, fresh, node);
        Ok(())
    }

    pub(super) fn change(&mut self, node: usize) -> bool {
        let found = &mut self.nodes[node];
        found.is_changed |= found.kind != Kind::Symlink;
        found.kind != Kind::Symlink
    }

    pub(crate) fn path_of(&self, node: usize) -> Vec<u8> {
        let name = |&at: &usize| {
            let children = self.nodes[self.nodes[at].parent].children.in_order.values();
            children.clone().find(|(_, child)| *child == at).map(|(name, _)| name.clone())
        };
        let mut names: Vec<Vec<u8>> = self.ancestors(node).filter_map(|at| name(&at)).collect();
        names.push(Vec::new());
        names.reverse();
        names.join(&b'/')
    }

    pub(super) fn stat(&self, node: usize) -> Facts {
        let found = &self.nodes[node];
        let time = |since| Time::from(SystemTime::UNIX_EPOCH + since);
        Facts {
            known: STAT,
            kind: found.kind,
            id: node as u128,
            device: self.mount_of(node).1,
            links: found.links,
            mode: found.mode,
            size: found.size,
            allocated: found.size.next_multiple_of(4096),
            modified: time(found.altered),
            created: time(found.made),
            ..Facts::default()
        }
    }

    /// Gives a file the content of another one, up to this size.
    pub(super) fn fill(&mut self, from: usize, to: usize, size: u64) {
        let is_whole = size == self.nodes[from].size;
        let content = self.nodes[from].content.filter(|_| is_whole);
        let altered = self.clock;
        self.touched.insert(to);
        let node = &mut self.nodes[to];
        (node.content, node.size, node.altered) = (content, size, altered);
    }

    pub(super) fn denied(&self, node: usize) -> Denied {
        let Node { mode, denied, .. } = self.nodes[node];
        let changing = if self.is_directory(node) { 0o300 } else { 0o200 };
        Denied {
            list: denied.list || mode & 0o400 == 0,
            change: denied.change || mode & changing != changing,
            ..denied
        }
    }

    pub(crate) fn allowed(&self, node: usize) -> Fields {
        let Denied { list, change, .. } = self.denied(node);
        let allow = |is_allowed, field| if is_allowed { field } else { Fields::NONE };
        allow(!list, Fields::READABLE)
            | allow(!change, Fields::WRITABLE)
            | allow(self.nodes[node].mode & 0o100 != 0, Fields::EXECUTABLE)
    }

    pub(super) fn may_take(&self, parent: usize, node: usize) -> Effect<()> {
        if self.denied(parent).change {
            return Err(Errno::ACCES);
        }
        if self.denied(node).removal { Err(Errno::PERM) } else { Ok(()) }
    }

    /// Returns the root and device of the node's mount.
    pub(crate) fn mount_of(&self, node: usize) -> (usize, u64) {
        let mounted = |above: usize| self.nodes[above].mounted.map(|device| (above, device));
        self.ancestors(node).find_map(mounted).unwrap_or((ROOT, 1))
    }

    /// Begins with the node itself.
    fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let above = |&node: &usize| (node != ROOT).then(|| self.nodes[node].parent);
        std::iter::successors(Some(node), above)
    }
}

/// Splits a path, last component first. A separator at the end becomes `.`, which only a directory
/// has.
fn steps(path: &[u8]) -> Vec<Vec<u8>> {
    let named = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty());
    let mut steps: Vec<Vec<u8>> = named.map(<[u8]>::to_vec).collect();
    if path.ends_with(b"/") && !steps.is_empty() {
        steps.push(b".".to_vec());
    }
    steps.reverse();
    steps
}

/// Like [`steps`], but without `.`.
pub(super) fn parts(path: &[u8]) -> Vec<Vec<u8>> {
    let named = |part: &&[u8]| !part.is_empty() && *part != b".";
    path.split(|&byte| byte == b'/').filter(named).rev().map(<[u8]>::to_vec).collect()
}
