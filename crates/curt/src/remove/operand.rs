//! Handles one operand: splits it into parent and name, then opens a directory, or removes any
//! other entry.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::callbacks::Question;
use super::engine::Engine;
use super::entry::{Found, Outcome};
use super::frame::{OperandEntry, Role};
use super::options::{DirectoryOperands, Preserve};
use super::shared::Parent;
use super::worker::Worker;
use crate::error::{Cause, Operation, RemainReason};
use crate::fields::{Facts, Kind};
use crate::name::{Name, Unit};
use crate::sys::{
    Identity, Last, Mounts, Opened, Request, SplitOperand, Sys, SystemUnit, is_not_permitted,
    is_shortage, os_error,
};
use crate::tree::TreePath;

impl<S: Sys> Engine<'_, S> {
    pub(super) fn remove_operand(&mut self, path: &Path) {
        let shown = self.worker.shared.parent.as_ref().map_or(path, |(_, shown)| shown);
        self.worker.path = TreePath::operand(S::Unit::units(shown));
        let base = self.stack.len();
        self.enter_operand(path);
        self.remove_levels(base);
        self.operand = None;
        self.worker.tick(1);
    }

    fn enter_operand(&mut self, path: &Path) {
        let given = match self.worker.shared.take_parent() {
            None => None,
            Some(Parent::Open(dir)) => Some(Ok(dir)),
            Some(Parent::Failed(error)) => Some(Err(error)),
            Some(Parent::Refused(cause)) => {
                return self.worker.operand_refused(Operation::Remove, cause);
            }
        };
        let operand = S::Unit::operand(path);
        let name = match &operand.last {
            Last::Name(name) => name.clone(),
            Last::DotOrDotDot if self.is_directory_to_empty(path) => S::ITSELF.into(),
            Last::DotOrDotDot => {
                return self.worker.refuse(RemainReason::DotOrDotDot);
            }
            Last::Root if self.worker.shared.options.preserve != Preserve::Nothing => {
                return self.worker.refuse(RemainReason::RootDirectory);
            }
            // Open the root as itself, because it has no name in a parent.
            Last::Root => S::ITSELF.into(),
            &Last::Invalid(kind) => {
                return self.worker.operand_failed(Operation::Remove, os_error(kind));
            }
        };
        if self.worker.gone.breaks(path, false, &self.worker.sys) {
            return self.worker.operand_failed(Operation::Remove, missing());
        }
        let parent = match self.open_parent(path, &operand, given) {
            Ok(parent) => parent,
            Err(error) if is_shortage(&error) && self.worker.shared.is_cancelled() => return,
            Err(error) => return self.worker.operand_failed(Operation::Remove, error),
        };
        let Some(dir) = self.open_tree(&parent, name.as_name(), operand.directory_only) else {
            return;
        };
        let identity = match self.worker.admit(&parent, &dir) {
            Ok(identity) => identity,
            Err(cause) => {
                self.worker.sys.close(dir);
                let is_refused = !matches!(cause, Cause::Os(_));
                let step = if is_refused { Operation::Remove } else { Operation::Stat };
                return self.worker.fail(step, cause);
            }
        };
        let is_protected = self.worker.is_protected(&parent, name.as_name(), Kind::Directory);
        self.buffer.forget_file_system();
        self.operand = Some(OperandEntry { parent, name, identity });
        self.push(dir, Role::Operand, is_protected);
    }

    /// Returns whether the path ends in `.`, which is permitted if only contents are removed.
    fn is_directory_to_empty(&self, path: &Path) -> bool {
        let shared = self.worker.shared;
        if shared.options.directories != DirectoryOperands::Contents || shared.parent.is_some() {
            return false;
        }
        let units = S::Unit::units(path);
        let end = units.iter().rposition(|unit| !unit.is_separator()).map_or(0, |last| last + 1);
        let before = units[..end].strip_suffix(&[Unit::ascii(b'.')]);
        before.is_some_and(|before| before.last().is_none_or(|unit| unit.is_separator()))
    }

    fn open_parent(
        &mut self,
        path: &Path,
        operand: &SplitOperand<S::Unit>,
        given: Option<io::Result<S::Dir>>,
    ) -> io::Result<Arc<S::Dir>> {
        let is_itself = matches!(operand.last, Last::Root | Last::DotOrDotDot);
        if let Some(dir) = given {
            let dir = if is_itself { Err(io::ErrorKind::InvalidInput.into()) } else { dir };
            return dir.map(Arc::new);
        }
        let path = if is_itself { path } else { &operand.parent };
        if let Some((known, dir)) = &self.parent {
            // Compare the paths as given, because other spellings may contain symlinks.
            if known.as_os_str() == path.as_os_str() {
                return Ok(Arc::clone(dir));
            }
        }
        let dir = loop {
            match self.worker.sys.open_for_lookup(path) {
                Ok(dir) => break Arc::new(dir),
                Err(error) if is_shortage(&error) && self.overcome_shortage() => {}
                Err(error) => return Err(error),
            }
        };
        self.close_parent();
        self.parent = Some((path.to_path_buf(), Arc::clone(&dir)));
        Ok(dir)
    }

    pub(super) fn close_parent(&mut self) {
        if let Some(dir) = self.parent.take().and_then(|(_, dir)| Arc::into_inner(dir)) {
            self.worker.sys.close(dir);
        }
    }

    fn open_tree(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        ends_in_separator: bool,
    ) -> Option<S::Dir> {
        let directories = self.worker.shared.options.directories;
        let directory_only = match directories {
            DirectoryOperands::OnlyEmpty | DirectoryOperands::Refuse => {
                self.remove_single(parent, name, ends_in_separator);
                return None;
            }
            DirectoryOperands::Recursive | DirectoryOperands::Removable => ends_in_separator,
            DirectoryOperands::Required | DirectoryOperands::Contents => true,
        };
        let tries = directories == DirectoryOperands::Removable && self.worker.shared.removes_all;
        let opened = if tries {
            self.try_to_remove(parent, name, ends_in_separator)?
        } else {
            self.open_operand(parent, name)
        };
        let worker = &mut self.worker;
        match opened {
            Opened::Dir(dir) => return Some(dir),
            Opened::Failed(error) if is_shortage(&error) && worker.shared.is_cancelled() => {}
            Opened::NotDirectory if directory_only => {
                match worker.sys.query(parent, name, Request::STAT) {
                    Ok(stat) => worker.not_a_directory(stat.kind.is_link()),
                    Err(error) => worker.operand_lost(parent, name, Operation::Stat, error),
                }
            }
            Opened::Gone | Opened::Pending => {
                let step = if tries { Operation::RemoveDirectory } else { Operation::Remove };
                worker.operand_failed(step, missing());
            }
            Opened::Failed(error) if directories == DirectoryOperands::Contents => {
                worker.fail(Operation::OpenDirectory, Cause::Os(error));
            }
            opened => {
                if let Outcome::Gone = worker.remove_unopened(parent, name, opened) {
                    worker.operand_lost(parent, name, Operation::RemoveFile, missing());
                }
            }
        }
        None
    }

    /// Tries to remove an operand. If it is a directory that is not empty, opens it. Returns `None`
    /// after a removal or a failure.
    fn try_to_remove(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        ends_in_separator: bool,
    ) -> Option<Opened<S::Dir>> {
        use io::ErrorKind::{DirectoryNotEmpty, NotADirectory};
        let worker = &mut self.worker;
        // On Windows, `rmdir` would remove a symlink to a directory.
        let is_link = ends_in_separator
            && worker.sys.query(parent, name, Request::STAT).is_ok_and(|stat| stat.kind.is_link());
        let removed = if is_link {
            Err(os_error(NotADirectory))
        } else {
            worker.sys.remove_empty_dir(parent, name)
        };
        let error = match removed {
            Ok(()) => {
                worker.removed_directory(None);
                return None;
            }
            Err(error) if error.kind() == DirectoryNotEmpty => {
                return Some(self.open_operand(parent, name));
            }
            Err(error) if error.kind() == NotADirectory && !ends_in_separator => {
                return Some(Opened::NotDirectory);
            }
            Err(error) => error,
        };
        // The system may refuse before it looks at the entry, so query the entry. A trailing
        // separator refers to a symlink's target.
        let request = Request { follow: ends_in_separator, ..Request::STAT };
        match worker.sys.query(parent, name, request) {
            Err(error) => worker.operand_failed(Operation::Remove, error),
            Ok(stat) if stat.kind == Kind::Directory => {
                if is_not_permitted(&error) {
                    return Some(self.open_operand(parent, name));
                }
                worker.fail(Operation::RemoveDirectory, Cause::Os(error));
            }
            Ok(_) if ends_in_separator => {
                worker.operand_failed(Operation::Remove, os_error(NotADirectory));
            }
            Ok(_) => return Some(Opened::NotDirectory),
        }
        None
    }

    fn open_operand(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) -> Opened<S::Dir> {
        loop {
            match self.worker.sys.open_child(parent, name, Mounts::Cross) {
                Opened::Failed(error) if is_shortage(&error) => {
                    if !self.overcome_shortage() {
                        return Opened::Failed(error);
                    }
                }
                opened => {
                    self.worker.shared.shortage.opened(self.stack.count_open() + 1);
                    return opened;
                }
            }
        }
    }

    fn remove_single(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, directory_only: bool) {
        if !directory_only {
            match self.worker.remove_entry(parent, name, Kind::Unknown, Found::Named) {
                Outcome::Directory => {}
                Outcome::Gone => {
                    return self.worker.operand_failed(Operation::Remove, missing());
                }
                _ => return,
            }
        }
        match self.worker.sys.query(parent, name, Request::STAT) {
            Err(error) if directory_only => {
                self.worker.operand_failed(Operation::Remove, error);
            }
            Err(error) => self.worker.operand_lost(parent, name, Operation::Remove, error),
            Ok(stat) if stat.kind != Kind::Directory => {
                self.worker.not_a_directory(directory_only && stat.kind.is_link());
            }
            Ok(_) if self.worker.shared.options.directories == DirectoryOperands::Refuse => {
                self.worker.refuse(RemainReason::IsADirectory);
            }
            Ok(stat) => self.remove_empty(parent, name, &stat),
        }
    }

    fn remove_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>, stat: &Facts) {
        use io::ErrorKind::{DirectoryNotEmpty, PermissionDenied, ReadOnlyFilesystem};
        let options = self.worker.shared.options;
        let is_protected = self.worker.is_protected(parent, name, Kind::Directory);
        let asks = options.confirm.asks(is_protected);
        // Do not ask about an operation that will fail.
        let looks = asks || options.dry_run;
        let empty = if looks { self.check_empty(parent, name) } else { Ok(()) };
        let question = match empty.as_ref().map_err(io::Error::kind) {
            Err(DirectoryNotEmpty) if asks => {
                let error = os_error(DirectoryNotEmpty);
                return self.worker.fail(Operation::RemoveDirectory, Cause::Os(error));
            }
            Err(PermissionDenied) => Question::RemoveUnreadableDirectory,
            _ => Question::RemoveDirectory,
        };
        if asks && !self.worker.ask_about_directory(question, is_protected) {
            return;
        }
        let removed = if options.dry_run {
            self.worker.sys.check_removal(parent, name, stat)
        } else {
            self.worker.sys.remove_empty_dir(parent, name)
        };
        let removed = match removed {
            Ok(()) if options.dry_run => empty.map_err(|error| match error.kind() {
                // Assume that the directory has entries, like most directories.
                PermissionDenied => os_error(DirectoryNotEmpty),
                _ => error,
            }),
            // Like GNU rm, prefer the error "not empty".
            Err(error) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {
                let empty = if looks { empty } else { self.check_empty(parent, name) };
                let full = empty.err();
                Err(full.filter(|full| full.kind() == DirectoryNotEmpty).unwrap_or(error))
            }
            removed => removed,
        };
        match removed {
            Ok(()) => {
                self.worker.gone.add(parent, name, stat, &self.worker.sys);
                self.worker.removed_directory(Some(stat));
            }
            Err(error) => {
                self.worker.operand_lost(parent, name, Operation::RemoveDirectory, error);
            }
        }
    }

    fn check_empty(&mut self, parent: &S::Dir, name: Name<'_, S::Unit>) -> io::Result<()> {
        let dir = self.open_operand(parent, name).into_result()?;
        let sys = &self.worker.sys;
        let empty = self.worker.gone.is_empty(&dir, sys);
        sys.close(dir);
        if empty? { Ok(()) } else { Err(os_error(io::ErrorKind::DirectoryNotEmpty)) }
    }
}

impl<S: Sys> Worker<'_, S> {
    fn admit(&self, parent: &S::Dir, dir: &S::Dir) -> Result<Identity, Cause> {
        let Worker { shared, sys, .. } = self;
        let identify = |dir| sys.query_dir(dir, Request::STAT).map(|facts| Identity::of(&facts));
        let identity = identify(dir).map_err(Cause::Os)?;
        let preserve = shared.options.preserve;
        if preserve != Preserve::Nothing
            && sys.is_root(dir, identity, &shared.root).map_err(Cause::Os)?
        {
            return Err(Cause::Remains(RemainReason::RootDirectory));
        }
        if preserve == Preserve::Mounted {
            let parent = identify(parent).map_err(Cause::Os)?;
            if parent.device != identity.device {
                return Err(Cause::Remains(RemainReason::OtherFileSystem));
            }
        }
        Ok(identity)
    }

    /// Reports a non-directory where a trailing separator or an option requires a directory.
    fn not_a_directory(&self, is_link: bool) {
        let error = os_error(io::ErrorKind::NotADirectory);
        let directories = self.shared.options.directories;
        let is_required =
            matches!(directories, DirectoryOperands::Required | DirectoryOperands::Contents);
        if is_link && directories == DirectoryOperands::Required {
            self.refuse(RemainReason::IsALink);
        } else if is_link || is_required {
            self.fail(Operation::Remove, Cause::Os(error));
        } else {
            self.operand_failed(Operation::Remove, error);
        }
    }
}

fn missing() -> io::Error {
    os_error(io::ErrorKind::NotFound)
}
