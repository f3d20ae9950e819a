//! How an operand is taken apart and begun with.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::engine::Engine;
use super::frame::{Frame, Role};
use super::options::{Confirm, Directories, Question};
use super::worker::Outcome;
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::name::{Name, Names};
use crate::sys::{Batch, Entry, Last, Listing, Mounts, Opened, Operand, Stat, Sys, os_error};
use crate::tree::TreePath;

impl<S: Sys> Engine<'_, S> {
    /// Removes one operand.
    pub(super) fn remove_operand(&mut self, path: &Path) {
        self.at.path = TreePath::operand(S::units(path));
        let options = &self.at.run.options;
        let operand = S::operand(path);
        let name = match &operand.last {
            Last::Name(name) => name.clone(),
            Last::DotOrDotDot => return self.at.fail(Operation::Remove, Cause::DotOrDotDot),
            Last::Root if options.preserve_root => {
                return self.at.fail(Operation::Remove, Cause::RootDirectory);
            }
            // The root has no name in a parent; in itself, it is `.`.
            Last::Root => [b'.', b'\0'].map(crate::name::Unit::ascii).to_vec(),
            &Last::Invalid(kind) => return self.operand_failed(kind.into()),
        };
        let Some(name) = Name::until_nul(&name) else {
            return;
        };
        match self.open_parent(path, &operand) {
            Ok(parent) => self.remove_in(&parent, name, &operand),
            Err(error) => self.operand_failed(error),
        }
    }

    /// Opens the directory that an operand lies in, unless that of the operand before is the same.
    fn open_parent(&mut self, path: &Path, operand: &Operand<S::Unit>) -> io::Result<Arc<S::Dir>> {
        if let Some(below) = &self.at.run.below {
            let is_name = operand.parent.as_os_str().is_empty() && operand.last != Last::Root;
            return if is_name {
                Ok(Arc::clone(below))
            } else {
                Err(io::ErrorKind::InvalidInput.into())
            };
        }
        let parent = if operand.last == Last::Root { path } else { &operand.parent };
        if let Some((known, dir)) = &self.parent {
            // Compared by text: two spellings may differ in a link.
            if known.as_os_str() == parent.as_os_str() {
                return Ok(Arc::clone(dir));
            }
        }
        let dir = Arc::new(self.at.sys.open_parent(parent)?);
        self.forget_parent();
        self.parent = Some((parent.to_path_buf(), Arc::clone(&dir)));
        Ok(dir)
    }

    fn remove_in(
        &mut self,
        parent: &Arc<S::Dir>,
        name: Name<'_, S::Unit>,
        operand: &Operand<S::Unit>,
    ) {
        let options = &self.at.run.options;
        if options.directories != Directories::Recursive {
            return self.remove_single(parent, name, operand.directory_only);
        }
        match self.at.open_child(parent, name, Mounts::Cross) {
            Opened::Dir(dir) => self.remove_opened(parent, name, dir),
            Opened::NotDirectory if operand.directory_only || options.contents => {
                self.not_a_directory(parent, name);
            }
            Opened::NotDirectory => {
                let entry = Entry { name, kind: Kind::Unknown, id: 0 };
                if let Outcome::Directory = self.remove_operand_entry(parent, entry) {
                    self.at.fail(Operation::Remove, Cause::Replaced);
                }
            }
            // One that is about to go is as good as gone.
            Opened::Gone | Opened::Pending => {
                self.operand_failed(os_error(io::ErrorKind::NotFound));
            }
            Opened::Mount => self.at.fail(Operation::Remove, Cause::MountPoint),
            Opened::Shortage(error) | Opened::Failed(error) => {
                self.at.remove_unreadable(parent, name, error);
            }
        }
    }

    /// Removes an operand that is not known to be a directory.
    fn remove_operand_entry(&mut self, parent: &S::Dir, entry: Entry<'_, S::Unit>) -> Outcome {
        // The path of an operand is already that of the entry.
        let path = self.at.path.clone();
        let vanished = self.at.report.vanished;
        let outcome = self.at.remove_entry_here(parent, entry, true);
        self.at.path = path;
        if self.at.report.vanished > vanished {
            self.at.report.vanished = vanished;
            self.operand_failed(os_error(io::ErrorKind::NotFound));
            return Outcome::Kept;
        }
        outcome
    }

    /// Removes an operand where trees are not to be removed: one entry, or nothing.
    fn remove_single(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, directory_only: bool) {
        if !directory_only {
            let entry = Entry { name, kind: Kind::Unknown, id: 0 };
            match self.remove_operand_entry(parent, entry) {
                Outcome::Directory => {}
                Outcome::Removed | Outcome::Pending | Outcome::Kept => return,
            }
        }
        match self.at.sys.stat_child(parent, name) {
            Err(error) => self.operand_failed(error),
            Ok(stat) if stat.kind != Kind::Directory => {
                self.operand_failed(os_error(io::ErrorKind::NotADirectory));
            }
            Ok(_) if self.at.run.options.directories == Directories::Refuse => {
                self.at.fail(Operation::Remove, Cause::IsADirectory);
            }
            Ok(stat) => self.remove_empty(parent, name, &stat),
        }
    }

    /// Removes a directory operand if it is empty.
    fn remove_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, stat: &Stat) {
        let options = &self.at.run.options;
        let protected = options.confirm != Confirm::Never
            && !self.at.sys.may_write(parent, name, Kind::Directory);
        let asked = options.confirm.asks(protected);
        // Nobody is asked about what cannot be done.
        let empty = if asked { self.check_empty(parent, name) } else { Ok(()) };
        let question = match empty {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                return self.operand_failed(error);
            }
            // It may be empty all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Question::RemoveUnreadableDirectory
            }
            _ => Question::RemoveDirectory,
        };
        if asked && !self.at.ask(question, Kind::Directory, false, protected) {
            self.at.report.skipped += 1;
            return;
        }
        let removed = if options.dry_run {
            self.check_empty(parent, name)
        } else {
            self.at.sys.remove_empty_dir(parent, name)
        };
        match removed {
            Ok(()) => {
                self.at.report.directories += 1;
                self.at.count_bytes(Some(stat));
                self.at.tell_removed(Kind::Directory);
            }
            Err(error) => self.operand_failed(error),
        }
    }

    /// Whether a directory is empty, without trying to remove it.
    fn check_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) -> io::Result<()> {
        let dir = self.at.sys.open_child(parent, name, Mounts::Cross).into_result()?;
        let read = self.at.sys.read(&dir, &mut self.buf);
        self.at.sys.close(dir);
        match (read, self.buf.entry(0)) {
            (Err(error), _) => Err(error),
            (Ok(_), Some(_)) => Err(os_error(io::ErrorKind::DirectoryNotEmpty)),
            (Ok(_), None) => Ok(()),
        }
    }

    /// Removes the tree below an operand that has been opened.
    fn remove_opened(&mut self, parent: &Arc<S::Dir>, name: Name<'_, S::Unit>, dir: S::Dir) {
        if let Err(cause) = self.check_identity(parent, &dir) {
            self.at.sys.close(dir);
            return self.at.fail(Operation::Remove, cause);
        }
        self.order_pays = None;
        let floor = self.stack.len();
        let mut base = Frame::new(Role::Base, 0);
        base.listing = Batch::End;
        self.stack.push_base(Arc::clone(parent), 0, &Names::new(), base);
        let at = self.stack.keep(name);
        let protected = self.at.run.options.confirm != Confirm::Never
            && !self.at.sys.may_write(parent, name, Kind::Directory);
        self.push(dir, Role::Root, at, protected);
        self.drive(floor);
    }

    /// Refuses the root directory, and what is mounted where that was asked for.
    fn check_identity(&mut self, parent: &S::Dir, dir: &S::Dir) -> Result<(), Cause> {
        let options = &self.at.run.options;
        if !options.preserve_root && !options.one_device {
            return Ok(());
        }
        let identity = self.at.sys.stat_dir(dir).map_err(Cause::Os)?.identity;
        if options.preserve_root {
            let is_root = self.at.sys.is_root(dir, identity, &self.at.run.root);
            if is_root.map_err(Cause::Os)? {
                return Err(Cause::RootDirectory);
            }
        }
        if options.one_device {
            let around = self.at.sys.stat_dir(parent).map_err(Cause::Os)?.identity;
            if around.device != identity.device {
                return Err(Cause::OtherFileSystem);
            }
        }
        Ok(())
    }

    /// The operand has a separator at its end, or its contents were to go, and it is no directory.
    fn not_a_directory(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) {
        let error = os_error(io::ErrorKind::NotADirectory);
        let link = self.at.sys.stat_child(parent, name).is_ok_and(|stat| stat.kind.is_link());
        if link || self.at.run.options.contents {
            // Never forgiven: somebody who names what a link leads to must be told.
            self.at.fail(Operation::Remove, Cause::Os(error));
        } else {
            self.operand_failed(error);
        }
    }

    /// Reports an operand that could not be found, unless that is fine. A refusal is never fine: only
    /// where the system says that a name is invalid, nothing can have it.
    pub(super) fn operand_failed(&mut self, error: io::Error) {
        use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
        let missing = match error.kind() {
            NotFound | NotADirectory => true,
            InvalidInput => error.raw_os_error().is_some(),
            _ => false,
        };
        if !(missing && self.at.run.options.missing_is_fine) {
            self.at.fail(Operation::Remove, Cause::Os(error));
        }
    }
}
