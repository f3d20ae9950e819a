//! A small in-memory filesystem for tests, with listings, failures and races that no real system
//! produces on demand.
//!
//! Error numbers are those of Linux on every system.

mod beneath;
mod copying;
pub(crate) mod dir;
mod events;
pub(crate) mod machine;
#[cfg(test)]
pub(crate) mod play;
mod syscalls;
mod system;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
mod which;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use self::dir::{Dir, DirBuf};
use self::syscalls::{Call, Syscalls};
use self::system::{Effect, Errno};
#[cfg(unix)]
pub(crate) use self::tree::Positions;
pub(crate) use self::tree::{Denied, Ending, Order, World};
pub(crate) use super::Setup;
use super::canonical::{Links, Missing};
use super::{Batch, Host, Mounts, Opened, Owners, Removed, Request, Sources, Sys, SystemUnit};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf};

#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<World>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Setup {
    pub(crate) fn new(world: World) -> Self {
        Setup { world: Some(Shared(Arc::new(Mutex::new(world)))), ..Setup::default() }
    }

    #[cfg(test)]
    pub(crate) fn with_faults(mut self, faults: super::fault::Faults) -> Self {
        self.faults = Some(Arc::new(faults));
        self
    }

    fn shared(&self) -> &Shared {
        self.world.as_ref().expect("a platform in memory is started with a tree")
    }

    /// Locks the tree for a closure, because two guards in one expression would deadlock.
    pub(crate) fn world<T>(&self, with: impl FnOnce(&mut World) -> T) -> T {
        with(&mut self.shared().lock())
    }
}

pub(crate) struct Memory {
    syscalls: Syscalls,
}

impl Memory {
    fn on<T>(
        &self,
        call: Call,
        dir: &Dir,
        effect: impl FnOnce(&mut World, usize) -> Effect<T>,
    ) -> Effect<T> {
        let mut world = self.syscalls.begin_in(call, Some(dir.number))?;
        let node = world.node_of(dir.number)?;
        effect(&mut world, node)
    }

    fn new_dir(&self, number: u64) -> Dir {
        Dir { world: self.syscalls.world.clone(), number }
    }

    fn opened(&self, opened: Effect<u64>) -> Opened<Dir> {
        match opened {
            Ok(number) => Opened::Dir(self.new_dir(number)),
            Err(Errno::NOTDIR | Errno::LOOP) => Opened::NotDirectory,
            Err(Errno::NOENT) => Opened::Gone,
            Err(Errno::XDEV) => Opened::Mount,
            Err(error) => Opened::Failed(error.into()),
        }
    }

    fn rmdir(&self, parent: &Dir, name: Name<'_, u8>) -> Effect<()> {
        self.on(Call::Unlinkat, parent, |world, parent| world.rmdir(parent, name.units()))
    }
}

impl Sys for Memory {
    type Unit = u8;
    type Dir = Dir;
    type DirBuf = DirBuf;

    const ITSELF: Name<'static, u8> = Name::from_c(c".");

    fn start(setup: &Setup) -> Self {
        Memory { syscalls: Syscalls::new(setup.shared().clone(), setup) }
    }

    fn calls(&self) -> Calls {
        self.syscalls.calls()
    }

    fn open_for_lookup(&self, path: &Path) -> io::Result<Dir> {
        if path.as_os_str().is_empty() {
            return Ok(self.new_dir(dir::WORKING));
        }
        let mut world = self.syscalls.pass(Call::Openat)?;
        let node = world.follow(path.as_os_str().as_encoded_bytes())?;
        Ok(self.new_dir(world.open(node)?))
    }

    fn open_child(&self, parent: &Dir, name: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        self.opened(self.on(Call::Openat, parent, |world, parent| {
            let node = match mounts {
                Mounts::Cross => world.resolve(parent, name.units(), false)?,
                Mounts::Refuse => world.child_or_itself(parent, name.units())?,
            };
            world.may_list(node, mounts == Mounts::Refuse)?;
            world.open(node)
        }))
    }

    fn close(&self, dir: Dir) {
        if dir.number != dir::WORKING {
            // As on Linux, the directory is closed even if the call fails.
            drop(self.syscalls.pass(Call::Close));
        }
        drop(dir);
    }

    fn read_entries(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        buf.names.truncate(0);
        buf.heads.clear();
        Ok(self.syscalls.pass(Call::Getdents64)?.read(dir.number, buf)?)
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        Ok(self.syscalls.pass(Call::Lseek)?.rewind(dir.number)?)
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, u8>, _kind: Kind) -> Removed {
        match self.on(Call::Unlinkat, parent, |world, parent| world.unlink(parent, name.units())) {
            Ok(()) => Removed::Done,
            Err(Errno::ISDIR) => Removed::IsDirectory,
            Err(Errno::NOENT) => Removed::Gone,
            Err(error) => Removed::Failed(error.into()),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        Ok(self.rmdir(parent, name)?)
    }

    const SOURCES: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: system::STAT,
        extended: Fields::NONE,
        secured: Fields::NONE,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, NameBuf<u8>)> {
        Ok((self.new_dir(dir::WORKING), NameBuf::new(u8::units(path))?))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, u8>, follow: bool) -> Opened<Dir> {
        if !follow {
            return super::open_step_by_step(self, from, path, Mounts::Cross);
        }
        self.opened(self.on(Call::Openat, from, |world, from| {
            let node = world.resolve(from, path.units(), true)?;
            world.may_list(node, false)?;
            world.open(node)
        }))
    }

    fn query_into(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        request: Request,
        known: &mut Facts,
    ) -> io::Result<()> {
        self.on(Call::Statx, parent, |world, parent| {
            if name.units().is_empty() {
                return Err(Errno::NOENT);
            }
            let node = world.resolve(parent, name.units(), request.follow)?;
            known.update(world.stat(node));
            Ok(())
        })?;
        Ok(())
    }

    fn query_dir(&self, dir: &Dir, _request: Request) -> io::Result<Facts> {
        Ok(self.on(Call::Statx, dir, |world, node| Ok(world.stat(node)))?)
    }

    fn read_link(&self, parent: &Dir, name: Name<'_, u8>, target: &mut Vec<u8>) -> io::Result<()> {
        self.on(Call::Readlinkat, parent, |world, parent| {
            let node = world.resolve(parent, name.units(), false)?;
            target.extend_from_slice(world.target(node)?);
            Ok(())
        })?;
        Ok(())
    }

    fn absolute(&self, path: &Path, _is_opened: bool) -> io::Result<PathBuf> {
        Ok(Path::new("/").join(path))
    }

    /// Any component may be missing, and symlinks are followed.
    fn canonical_name(&self, path: &Path, _: Missing, _: Links) -> io::Result<PathBuf> {
        let world = self.syscalls.pass(Call::Readlinkat)?;
        match world.follow(path.as_os_str().as_encoded_bytes()) {
            Ok(node) => Ok(u8::path(world.path_of(node))),
            Err(_) => self.absolute(path, false),
        }
    }

    fn read_file(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        follow: bool,
        _most: usize,
    ) -> io::Result<Vec<u8>> {
        self.on(Call::Openat, parent, |world, at| world.resolve(at, name.units(), follow))?;
        Ok(Vec::new())
    }

    fn may(&self, parent: &Dir, name: Name<'_, u8>, fields: Fields) -> io::Result<Fields> {
        let allowed = self.on(Call::Faccessat2, parent, |world, at| {
            let node = world.resolve(at, name.units(), true)?;
            Ok(world.allowed(node))
        })?;
        Ok(fields.intersection(allowed))
    }

    fn check_removal(&self, parent: &Dir, name: Name<'_, u8>, _facts: &Facts) -> io::Result<()> {
        Ok(self.on(Call::Faccessat2, parent, |world, parent| {
            let node = world.resolve(parent, name.units(), false)?;
            world.may_take(parent, node)
        })?)
    }

    fn owners(
        &self,
        _parent: &Dir,
        _name: Name<'_, u8>,
        _fields: Fields,
        _facts: &Facts,
    ) -> io::Result<Owners> {
        Ok(Owners::default())
    }

    fn inode_order_pays(&self, _dir: &Dir) -> bool {
        self.syscalls.pass(Call::Fstatfs).is_ok_and(|world| world.rules.inode_order)
    }
}

impl Host for Memory {
    fn descriptor_limit(&self) -> usize {
        self.syscalls.pass(Call::Prlimit64).map_or(usize::MAX, |world| world.rules.descriptors)
    }

    fn processors(&self) -> usize {
        self.syscalls.pass(Call::SchedGetaffinity).map_or(1, |world| world.rules.processors)
    }

    fn now(&self) -> Duration {
        self.syscalls.world.lock().clock
    }

    fn wall_clock(&self) -> Duration {
        self.now()
    }

    fn sleep(&self, time: Duration) {
        if let Ok(mut world) = self.syscalls.pass(Call::Nanosleep) {
            world.clock += time;
        }
    }
}
