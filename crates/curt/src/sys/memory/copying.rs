//! Copies in memory. The content of a file is a size, and the number of the node that it is from.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::dir::Dir;
use super::syscalls::Call;
use super::system::Errno;
use super::tree::Node;
use super::{Memory, Sys};
use crate::error::Operation;
use crate::fields::{Facts, Kind};
use crate::name::Name;
use crate::sys::Request;
use crate::sys::beneath::{Beneath, Open, Step};
use crate::sys::copying::{Attributes, Copying, End, Kept, Target};

/// As on Unix.
const PIECE: u64 = 16 << 20;

impl Copying for Memory {
    fn open_source(&self, at: &Dir, name: Name<'_, u8>, follow: bool) -> Step<Dir> {
        let opened = self.on(Call::Openat, at, |world, at| {
            let node = world.resolve(at, name.units(), follow)?;
            if world.denied(node).list {
                return Err(Errno::ACCES);
            }
            (world.nodes[node].kind != Kind::Symlink).then(|| world.open(node)).transpose()
        });
        self.stepped(opened)
    }

    fn query_file(&self, file: &Dir) -> io::Result<Facts> {
        self.query_dir(file, Request::STAT)
    }

    fn reflink(&self, from: &Dir, to: &Dir, size: u64) -> io::Result<()> {
        let shared = self.on(Call::Ioctl, to, |world, to| {
            let from = world.node_of(from.number)?;
            if !world.rules.reflinks {
                return Err(Errno::OPNOTSUPP);
            }
            if world.mount_of(from) != world.mount_of(to) {
                return Err(Errno::XDEV);
            }
            world.fill(from, to, size);
            Ok(())
        });
        shared.map_err(|error| match error {
            Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
            error => error.into(),
        })
    }

    /// Makes a call for each piece, and one for the end.
    fn copy_data(
        &self,
        from: &Dir,
        to: &Dir,
        _facts: &Facts,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<u64, (End, io::Error)> {
        let mut copied = 0;
        loop {
            let piece = self.on(Call::CopyFileRange, to, |world, to| {
                let from = world.node_of(from.number)?;
                let piece = world.nodes[from].size.saturating_sub(copied).min(PIECE);
                world.fill(from, to, copied + piece);
                Ok(piece)
            });
            let end = |error| if error == Errno::NOSPC { End::Target } else { End::Source };
            let piece = piece.map_err(|error| (end(error), error.into()))?;
            if piece == 0 {
                return Ok(copied);
            }
            copied += piece;
            if !goes_on(piece) {
                return Err((End::Target, io::ErrorKind::Interrupted.into()));
            }
        }
    }

    fn finish_file(&self, file: Dir) -> io::Result<()> {
        // As on Linux, the file is closed even if the call fails.
        let closed = self.syscalls.pass(Call::Close).map(drop);
        drop(file);
        Ok(closed?)
    }

    /// Leaves relative targets relative.
    fn copy_link(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
        _base: Option<&Path>,
    ) -> Result<(), (Operation, io::Error)> {
        let mut target = Vec::new();
        let read = self.read_link(from, name, &mut target);
        read.map_err(|error| (Operation::ReadLink, error))?;
        target.push(0);
        let target = Name::until_nul(&target).ok_or(io::ErrorKind::InvalidInput.into());
        let made = target.and_then(|target| self.symlink(target, to, fresh));
        made.map_err(|error| (Operation::CreateLink, error))
    }

    fn create_special(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        facts: &Facts,
        mode: u32,
    ) -> io::Result<()> {
        if matches!(facts.kind, Kind::File | Kind::Directory | Kind::Symlink) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.on(Call::Mknodat, at, |world, at| world.make(at, name.units(), facts.kind, mode))?;
        Ok(())
    }

    fn attributes(&self, _of: Open<'_, Memory>, kept: Kept) -> io::Result<Attributes> {
        if kept.attributes || kept.mode {
            drop(self.syscalls.pass(Call::Flistxattr)?);
        }
        Ok(Attributes::new())
    }

    /// There are no owners.
    fn keep(
        &self,
        target: &Target<'_, Memory>,
        facts: &Facts,
        _attributes: &Attributes,
        kept: Kept,
        failed: &mut dyn FnMut(Operation, io::Error),
    ) {
        let (dir, name) = match target {
            Target::Open(Open::File(dir) | Open::Dir(dir)) => (*dir, Self::ITSELF),
            Target::Named(dir, name) => (*dir, *name),
        };
        let mut set = |call, operation, change: &dyn Fn(&mut Node)| {
            let set = self.on(call, dir, |world, at| {
                let node = world.child_or_itself(at, name.units())?;
                world.touched.insert(node);
                change(&mut world.nodes[node]);
                Ok(())
            });
            if let Err(error) = set {
                failed(operation, error.into());
            }
        };
        if kept.owner {
            set(Call::Fchownat, Operation::SetOwner, &|_| ());
        }
        if kept.mode && !facts.kind.is_link() {
            set(Call::Fchmodat, Operation::SetPermissions, &|node| node.mode = facts.mode & 0o7777);
        }
        if kept.times {
            let seconds = facts.modified.seconds.try_into().unwrap_or(0);
            let modified = Duration::new(seconds, facts.modified.nanoseconds);
            set(Call::Utimensat, Operation::SetTimes, &|node| node.altered = modified);
        }
    }
}
