//! Untrusted paths in single steps, so that tests can schedule events between them.

use std::io;

use super::dir::Dir;
use super::syscalls::Call;
use super::system::{Effect, Errno};
use super::{Memory, Sys, World};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::beneath::{
    Beneath, Change, Create, How, Link, Open, Purpose, Reading, Rules, Step, Want, Whole,
};
use curt_paths::Flavor;

impl Memory {
    pub(super) fn stepped(&self, opened: Effect<Option<u64>>) -> Step<Dir> {
        match opened {
            Ok(Some(number)) => Step::Done(self.new_dir(number)),
            Ok(None) => Step::Other,
            Err(error) => Step::Failed(error.into()),
        }
    }

    fn step(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        (create, mode): (Create, u32),
        is_wanted: impl Fn(Kind) -> bool,
    ) -> Step<Dir> {
        let opened = self.on(Call::Openat, at, |world, at| {
            world.has_descriptor()?;
            let found =
                if name.is_dot_or_dot_dot() { Ok(at) } else { world.child(at, name.units()) };
            let node = match found {
                Ok(_) if create == Create::New => return Err(Errno::EXIST),
                Ok(node) => node,
                Err(Errno::NOENT) if create != Create::Never => {
                    world.make(at, name.units(), Kind::File, mode)?
                }
                Err(error) => return Err(error),
            };
            is_wanted(world.stat(node).kind).then(|| world.open(node)).transpose()
        });
        self.stepped(opened)
    }
}

impl Beneath for Memory {
    type Handle = Dir;

    const FLAVOR: Flavor = Flavor::Posix;
    const SPELLING_IS_NAME: bool = true;
    const LONGEST: usize = 4096;

    fn whole(&self, _: &Dir, _: Name<'_, u8>, _: Want<'_>, _: Rules) -> Whole<Dir> {
        Whole::Unanswered
    }

    fn dir_from(&self, handle: Dir, _root: &Dir, _purpose: Purpose) -> io::Result<Dir> {
        Ok(handle)
    }

    fn close_handle(&self, handle: Dir) {
        self.close(handle);
    }

    fn enter(&self, at: &Dir, name: Name<'_, u8>, _purpose: Purpose) -> Step<Dir> {
        self.step(at, name, (Create::Never, 0), |kind| kind == Kind::Directory)
    }

    fn open(&self, at: &Dir, name: Name<'_, u8>, how: &How) -> Step<Dir> {
        self.step(at, name, (how.create, how.mode), |kind| kind != Kind::Symlink)
    }

    fn link(&self, at: &Dir, name: Name<'_, u8>, _reading: Reading) -> io::Result<Link<u8>> {
        let mut target = Vec::new();
        if name.is_dot_or_dot_dot() {
            return Ok(Link::No);
        }
        match self.read_link(at, name, &mut target) {
            Ok(()) => Ok(Link::To(target)),
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.0) => Ok(Link::No),
            Err(error) => Err(error),
        }
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, u8>, mode: u32) -> io::Result<()> {
        let make = |world: &mut World, at| world.make(at, name.units(), Kind::Directory, mode);
        self.on(Call::Mkdirat, at, make)?;
        Ok(())
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
        replace: bool,
    ) -> io::Result<()> {
        Ok(self.on(Call::Renameat2, from, |world, from| {
            let to = world.node_of(to.number)?;
            if !replace && world.child(to, fresh.units()).is_ok() {
                return Err(Errno::EXIST);
            }
            world.rename_over(from, name.units(), to, fresh.units())
        })?)
    }

    fn symlink(&self, target: Name<'_, u8>, at: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        Ok(self.on(Call::Symlinkat, at, |world, at| {
            world.make_link(at, name.units(), target.units())
        })?)
    }

    fn hard_link(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
    ) -> io::Result<()> {
        Ok(self.on(Call::Linkat, from, |world, from| {
            let to = world.node_of(to.number)?;
            world.link_at(from, name.units(), to, fresh.units())
        })?)
    }

    /// Only marks the node, whatever the change is.
    fn change(&self, at: &Dir, name: Name<'_, u8>, _change: &Change) -> Step<()> {
        let changed = |world: &mut World, at| {
            let node = world.child_or_itself(at, name.units())?;
            Ok(world.change(node))
        };
        match self.on(Call::Fchmodat, at, changed) {
            Ok(true) => Step::Done(()),
            Ok(false) => Step::Other,
            Err(error) => Step::Failed(error.into()),
        }
    }

    fn path_of(&self, open: Open<'_, Self>) -> io::Result<Vec<u8>> {
        let (Open::File(dir) | Open::Dir(dir)) = open;
        Ok(self.on(Call::Readlinkat, dir, |world, node| Ok(world.path_of(node)))?)
    }

    fn is_at(&self, _from: &Dir, _path: &[u8], _open: Open<'_, Self>) -> io::Result<bool> {
        Ok(true)
    }
}
