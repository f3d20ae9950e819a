//! Operands: taken apart, opened, and removed where they are no trees.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batch::{Buffer, check_empty};
use super::options::{Directories, Question};
use super::worker::{Outcome, Worker};
use crate::error::{Cause, Operation};
use crate::fields::{Facts, Kind};
use crate::name::{Name, NameBuf};
use crate::sys::{Ask, Entry, Identity, Last, Mounts, Opened, Operand, Sys, SystemUnit, os_error};
use crate::tree::TreePath;

/// An operand that is a directory, open and ready to be emptied.
pub(super) struct Tree<S: Sys> {
    pub(super) parent: Arc<S::Dir>,
    /// Terminated.
    pub(super) name: NameBuf<S::Unit>,
    pub(super) dir: S::Dir,
    pub(super) is_protected: bool,
}

/// The directory that the operand before lies in: many operands lie in the same.
pub(super) struct Parents<S: Sys>(Option<(PathBuf, Arc<S::Dir>)>);

impl<S: Sys> Default for Parents<S> {
    fn default() -> Self {
        Parents(None)
    }
}

impl<S: Sys> Parents<S> {
    /// Opens a directory, unless it is that of the operand before.
    fn open(&mut self, path: &Path, sys: &S) -> io::Result<Arc<S::Dir>> {
        if let Some((known, dir)) = &self.0 {
            // Compared by text: two spellings may differ in a link.
            if known.as_os_str() == path.as_os_str() {
                return Ok(Arc::clone(dir));
            }
        }
        let dir = Arc::new(sys.open_parent(path)?);
        self.close(sys);
        self.0 = Some((path.to_path_buf(), Arc::clone(&dir)));
        Ok(dir)
    }

    /// Closes the one that is open.
    pub(super) fn close(&mut self, sys: &S) {
        if let Some(dir) = self.0.take().and_then(|(_, dir)| Arc::into_inner(dir)) {
            sys.close(dir);
        }
    }
}

/// What operands are dealt with by.
pub(super) struct Operands<'e, 'r, S: Sys> {
    pub(super) worker: &'e mut Worker<'r, S>,
    pub(super) buffer: &'e mut Buffer<S>,
    pub(super) parents: &'e mut Parents<S>,
}

impl<S: Sys> Operands<'_, '_, S> {
    /// Removes an operand, or opens it, where it is a tree that is to be removed.
    pub(super) fn remove(&mut self, path: &Path) -> Option<Tree<S>> {
        self.worker.path = TreePath::operand(S::Unit::units(path));
        let operand = S::Unit::operand(path);
        let name = match &operand.last {
            Last::Name(name) => name.clone(),
            Last::DotOrDotDot => {
                self.worker.fail(Operation::Remove, Cause::DotOrDotDot);
                return None;
            }
            Last::Root if self.worker.run.options.preserve_root => {
                self.worker.fail(Operation::Remove, Cause::RootDirectory);
                return None;
            }
            // The root has no name in a parent; in itself, it is `.`.
            Last::Root => S::ITSELF.into(),
            &Last::Invalid(kind) => {
                self.worker.operand_failed(kind.into());
                return None;
            }
        };
        let parent = match self.open_parent(path, &operand) {
            Ok(parent) => parent,
            Err(error) => {
                self.worker.operand_failed(error);
                return None;
            }
        };
        let (dir, is_protected) = self.remove_in(&parent, name.as_name(), &operand)?;
        Some(Tree { parent, name, dir, is_protected })
    }

    /// Opens the directory that an operand lies in.
    fn open_parent(&mut self, path: &Path, operand: &Operand<S::Unit>) -> io::Result<Arc<S::Dir>> {
        let is_root = operand.last == Last::Root;
        if let Some(below) = &self.worker.run.below {
            let is_name = operand.parent.as_os_str().is_empty() && !is_root;
            return if is_name {
                Ok(Arc::clone(below))
            } else {
                Err(io::ErrorKind::InvalidInput.into())
            };
        }
        self.parents.open(if is_root { path } else { &operand.parent }, &self.worker.sys)
    }

    /// Removes an operand, or opens it, where it is a tree: its directory, and whether the process may
    /// not write to that.
    fn remove_in(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        operand: &Operand<S::Unit>,
    ) -> Option<(S::Dir, bool)> {
        let worker = &mut *self.worker;
        let options = &worker.run.options;
        if options.directories != Directories::Recursive {
            self.remove_single(parent, name, operand.directory_only);
            return None;
        }
        match worker.open_child(parent, name, Mounts::Cross) {
            Opened::Dir(dir) => match self.check_identity(parent, &dir) {
                Ok(()) => {
                    let is_protected = self.worker.is_protected(parent, name, Kind::Directory);
                    return Some((dir, is_protected));
                }
                Err(cause) => {
                    self.worker.sys.close(dir);
                    self.worker.fail(Operation::Remove, cause);
                }
            },
            Opened::NotDirectory if operand.directory_only || options.contents => {
                self.not_a_directory(parent, name);
            }
            Opened::NotDirectory => {
                if self.remove_file(parent, name) {
                    self.worker.fail(Operation::Remove, Cause::Replaced);
                }
            }
            // One that is about to go is as good as gone.
            Opened::Gone | Opened::Pending => {
                worker.operand_failed(os_error(io::ErrorKind::NotFound));
            }
            Opened::Mount => worker.fail(Operation::Remove, Cause::MountPoint),
            Opened::Shortage(error) | Opened::Failed(error) => {
                worker.remove_unreadable(parent, name, error);
            }
        }
        None
    }

    /// Removes an operand that is not known to be a directory. Returns whether it is one.
    fn remove_file(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) -> bool {
        let entry = Entry { name, kind: Kind::Unknown, id: 0 };
        let outcome = self.worker.remove_entry_here(parent, entry, true);
        if let Outcome::Gone = outcome {
            self.worker.operand_failed(os_error(io::ErrorKind::NotFound));
        }
        matches!(outcome, Outcome::Directory)
    }

    /// Removes an operand where trees are not to be removed: one entry, or nothing.
    fn remove_single(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, directory_only: bool) {
        if !directory_only && !self.remove_file(parent, name) {
            return;
        }
        match self.worker.sys.query(parent, name, Ask::STAT) {
            Err(error) => self.worker.operand_failed(error),
            Ok(stat) if stat.kind != Kind::Directory => {
                self.worker.operand_failed(os_error(io::ErrorKind::NotADirectory));
            }
            Ok(_) if self.worker.run.options.directories == Directories::Refuse => {
                self.worker.fail(Operation::Remove, Cause::IsADirectory);
            }
            Ok(stat) => self.remove_empty(parent, name, &stat),
        }
    }

    /// Removes a directory operand if it is empty.
    fn remove_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, stat: &Facts) {
        let options = &self.worker.run.options;
        let protected = self.worker.is_protected(parent, name, Kind::Directory);
        let asked = options.confirm.asks(protected);
        // Nobody is asked about what cannot be done.
        let empty = if asked { self.check_empty(parent, name) } else { Ok(()) };
        let question = match empty {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                return self.worker.operand_failed(error);
            }
            // It may be empty all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Question::RemoveUnreadableDirectory
            }
            _ => Question::RemoveDirectory,
        };
        if asked && !self.worker.ask(question, Kind::Directory, false, protected) {
            self.worker.skipped();
            return;
        }
        let removed = if options.dry_run {
            self.check_empty(parent, name)
        } else {
            self.worker.sys.remove_empty_dir(parent, name)
        };
        match removed {
            Ok(()) => self.worker.removed_directory(Some(stat)),
            Err(error) => self.worker.operand_failed(error),
        }
    }

    /// Whether a directory is empty, without trying to remove it.
    fn check_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) -> io::Result<()> {
        let sys = &self.worker.sys;
        let dir = sys.open_child(parent, name, Mounts::Cross).into_result()?;
        let empty = check_empty(&dir, self.buffer, sys);
        sys.close(dir);
        empty
    }

    /// Refuses the root directory, and what is mounted where that was asked for.
    fn check_identity(&mut self, parent: &S::Dir, dir: &S::Dir) -> Result<(), Cause> {
        let options = &self.worker.run.options;
        if !options.preserve_root && !options.one_device {
            return Ok(());
        }
        let identity =
            |dir| self.worker.sys.query_dir(dir, Ask::STAT).map(|facts| Identity::of(&facts));
        let own = identity(dir).map_err(Cause::Os)?;
        if options.preserve_root {
            let is_root = self.worker.sys.is_root(dir, own, &self.worker.run.root);
            if is_root.map_err(Cause::Os)? {
                return Err(Cause::RootDirectory);
            }
        }
        if options.one_device {
            let around = identity(parent).map_err(Cause::Os)?;
            if around.device != own.device {
                return Err(Cause::OtherFileSystem);
            }
        }
        Ok(())
    }

    /// The operand has a separator at its end, or its contents were to go, and it is no directory.
    fn not_a_directory(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) {
        let error = os_error(io::ErrorKind::NotADirectory);
        let link =
            self.worker.sys.query(parent, name, Ask::STAT).is_ok_and(|stat| stat.kind.is_link());
        if link || self.worker.run.options.contents {
            // Never forgiven: somebody who names what a link leads to must be told.
            self.worker.fail(Operation::Remove, Cause::Os(error));
        } else {
            self.worker.operand_failed(error);
        }
    }
}
