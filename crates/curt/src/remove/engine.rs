//! The traversal: one worker, depth first, without recursion.
//!
//! A directory is read one buffer at a time. Files are removed straight from the buffer; the names
//! of subdirectories are copied to an arena, because the same buffer serves the whole worker. Then
//! each subdirectory is entered, and the next buffer is read after that. When nothing is left, the
//! attempt to remove the directory is the test for its end.
//!
//! The files of this module: `batch.rs` what happens to one buffer · `finish.rs` how a directory
//! ends · `room.rs` what happens when descriptors run out · `share.rs` how work is handed over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::frame::{Frame, Hold, Role};
use super::options::{Confirm, Question, Subject};
use super::path::LogicalPath;
use super::report::Report;
use super::run::{Run, Start, to_path};
use crate::error::{Cause, Error, Operation};
use crate::fields::Kind;
use crate::name::{Name, Names};
use crate::pool::Sample;
use crate::sys::{Batch, Entry, Listing, Mounts, Opened, Removed, Stat, Sys};

/// Entries between two checkpoints.
pub(super) const CHECKPOINT: u32 = 256;

/// One worker of a removal.
pub(super) struct Engine<'r, S: Sys> {
    pub(super) at: Worker<'r, S>,
    pub(super) buf: S::DirBuf,
    /// Positions of the entries at hand, where they are taken in another order.
    pub(super) order: Vec<(u64, usize)>,
    /// Whether another order pays on the file system of the operand; asked at most once for each.
    pub(super) order_pays: Option<bool>,
    pub(super) names: Names<S::Unit>,
    pub(super) frames: Vec<Frame<S>>,
    /// The frames that hold a descriptor of their own, from the bottom up.
    pub(super) held: Vec<usize>,
    /// How many may.
    pub(super) descriptors: usize,
    /// The frame that directories from too deep below are moved to.
    pub(super) top: usize,
    pub(super) may_hoist: bool,
    /// Whether the last base that was taken off had something left in it.
    pub(super) base_kept: bool,
    /// Since when no descriptor was to be had.
    pub(super) short_since: Option<Duration>,
    /// The directory of the operand before: many operands lie in the same.
    pub(super) parent: Option<(PathBuf, Arc<S::Dir>)>,
    /// The operand before was not a directory; then this one probably is not either.
    pub(super) expect_file: bool,
}

/// What a worker needs in order to deal with one entry.
pub(super) struct Worker<'r, S: Sys> {
    pub(super) run: &'r Run<'r, S>,
    pub(super) sys: S,
    pub(super) path: LogicalPath<S::Unit>,
    pub(super) report: Report,
    number: usize,
    start: Option<Start<'r>>,
    /// Entries until the next checkpoint, and what had been done and used at the last.
    pub(super) until_checkpoint: u32,
    processor: Duration,
    progress: (u64, u64),
}

/// What became of the attempt to enter a directory.
pub(super) enum Entered {
    Pushed,
    /// It was dealt with otherwise, and may have stayed.
    Not {
        kept: bool,
    },
    /// There is no descriptor at the moment: try again.
    Later,
}

/// What became of an entry.
pub(super) enum Outcome {
    Removed,
    /// It stays: it failed, or the caller wants it to.
    Kept,
    /// It is a directory, and has to be entered.
    Directory,
}

impl<'r, S: Sys> Engine<'r, S> {
    pub(super) fn new(
        run: &'r Run<'r, S>,
        setup: &S::Setup,
        number: usize,
        start: Option<Start<'r>>,
    ) -> Self {
        Engine {
            at: Worker {
                run,
                sys: S::start(setup),
                path: LogicalPath::operand(Vec::new()),
                report: Report::default(),
                number,
                start,
                until_checkpoint: CHECKPOINT,
                processor: Duration::ZERO,
                progress: (0, 0),
            },
            buf: S::DirBuf::default(),
            order: Vec::new(),
            order_pays: None,
            names: Names::new(),
            frames: Vec::new(),
            held: Vec::new(),
            descriptors: run.descriptors,
            top: 0,
            may_hoist: run.may_hoist,
            base_kept: false,
            short_since: None,
            parent: None,
            expect_file: false,
        }
    }

    /// Works until nothing is left for anybody, then adds its part to the report.
    pub(super) fn work(mut self) {
        loop {
            if let Some(task) = self.at.run.pool.try_take() {
                self.run_task(task);
            } else if let Some(path) = self.at.run.next_operand() {
                if !self.at.run.is_cancelled() {
                    self.remove_operand(path);
                }
            } else if let Some(task) = self.at.run.pool.take(self.at.number) {
                self.run_task(task);
            } else {
                break;
            }
        }
        self.forget_parent();
        self.at.checkpoint_now();
        let report = std::mem::take(&mut self.at.report);
        self.at.run.add(report, &self.at.sys);
    }

    /// Runs until no frame is left above the first `floor`.
    pub(super) fn drive(&mut self, floor: usize) {
        while self.frames.len() > floor {
            if self.at.run.is_cancelled() {
                self.abandon(floor);
                return;
            }
            if self.at.run.pool.is_hungry() {
                self.share_directories(floor);
            }
            let Some(frame) = self.frames.last() else {
                return;
            };
            let more = frame.role != Role::Base && frame.listing == Batch::More;
            // Where entries may stay, a directory that was closed early must not be listed again,
            // so it is listed to its end before the traversal goes deeper.
            let list_first = more && !self.may_hoist;
            if frame.has_children() && !list_first {
                self.enter_next();
            } else if more {
                self.read_batch();
            } else {
                self.leave();
            }
        }
    }

    /// Enters the next child of the topmost frame.
    fn enter_next(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let at = frame.next;
        let Some(name) = self.names.get(at) else {
            frame.next = frame.end;
            return;
        };
        frame.next += name.terminated().len();
        if !self.reopen_topmost() || !self.make_room(at) {
            return;
        }
        let index = self.frames.len() - 1;
        let path_len = self.at.path.len();
        if let Entered::Later = self.enter(index, at, Role::Child, path_len) {
            self.frames[index].next = at;
        }
    }

    /// Opens the child whose name lies at `at` in the arena, below the frame `parent`, which is the
    /// topmost, and pushes a frame for it. The logical path still ends with the parent, unless the
    /// child was moved here: then it is that of the child.
    pub(super) fn enter(
        &mut self,
        parent: usize,
        at: usize,
        role: Role,
        path_len: usize,
    ) -> Entered {
        let nothing = Entered::Not { kept: false };
        let Some(name) = self.names.get(at) else {
            return nothing;
        };
        let Some(dir) = self.frames[parent].dir() else {
            return nothing;
        };
        let mounts = if self.at.run.options.cross_mounts {
            Mounts::Cross
        } else {
            Mounts::Refuse
        };
        if role != Role::Moved {
            self.at.path.push(name);
        }
        let protected = self.at.run.options.confirm != Confirm::Never
            && !self.at.sys.may_write(dir, name, Kind::Directory);
        match self.at.sys.open_child(dir, name, mounts) {
            Opened::Dir(dir) => {
                self.push(dir, role, at, path_len, protected);
                Entered::Pushed
            }
            Opened::Shortage(_) if self.wait_for_descriptors() => {
                self.at.path.truncate(path_len);
                Entered::Later
            }
            opened => Entered::Not {
                kept: self.not_entered(parent, at, path_len, opened),
            },
        }
    }

    /// Pushes a frame for a directory that was just opened.
    pub(super) fn push(
        &mut self,
        dir: S::Dir,
        role: Role,
        name: usize,
        path_len: usize,
        protected: bool,
    ) {
        let mut frame = Frame::new(Hold::Own(dir), role, name, self.names.len(), path_len);
        frame.protected = protected;
        self.held.push(self.frames.len());
        self.frames.push(frame);
        self.confirm_descent();
    }

    /// Deals with a child that could not be entered. Returns whether it stays.
    fn not_entered(
        &mut self,
        parent: usize,
        at: usize,
        path_len: usize,
        opened: Opened<S::Dir>,
    ) -> bool {
        let Some(name) = self.names.get(at) else {
            return false;
        };
        let Some(dir) = self.frames[parent].dir() else {
            return false;
        };
        let kept = match opened {
            Opened::Gone => {
                self.at.report.vanished += 1;
                false
            }
            Opened::NotDirectory => {
                // It was a directory when it was listed, or nobody knew. Now it is something else.
                self.at.path.truncate(path_len);
                let entry = Entry {
                    name,
                    kind: Kind::Unknown,
                    id: 0,
                };
                match self.at.remove_entry(dir, entry, true) {
                    Outcome::Removed => false,
                    Outcome::Kept => true,
                    Outcome::Directory => {
                        // And back again: somebody is playing with it.
                        self.at.path.push(name);
                        self.at.fail(Operation::Remove, Cause::Replaced);
                        true
                    }
                }
            }
            Opened::Mount => {
                self.at.fail(Operation::Remove, Cause::MountPoint);
                true
            }
            Opened::Failed(error) | Opened::Shortage(error) => {
                !self.at.remove_unreadable(dir, name, error)
            }
            Opened::Dir(_) => false,
        };
        self.frames[parent].kept |= kept;
        self.at.path.truncate(path_len);
        kept
    }

    /// Where questions are asked: reads the first entries of the directory just opened, and asks
    /// whether to go on unless it is empty.
    fn confirm_descent(&mut self) {
        let confirm = self.at.run.options.confirm;
        let Some(frame) = self.frames.last() else {
            return;
        };
        if confirm == Confirm::Never || (confirm == Confirm::WriteProtected && !frame.protected) {
            return;
        }
        let protected = frame.protected;
        let Some(dir) = frame.dir() else { return };
        let read = self.at.sys.read(dir, &mut self.buf);
        let empty = self.buf.entry(0).is_none();
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        match read {
            Ok(batch) => frame.prefetched = Some(batch),
            Err(error) => {
                frame.kept = true;
                frame.listing = Batch::End;
                self.at.fail(Operation::ReadDirectory, Cause::Os(error));
                return;
            }
        }
        if !empty
            && !self
                .at
                .ask(Question::Descend, Kind::Directory, false, protected)
        {
            frame.kept = true;
            frame.listing = Batch::End;
            frame.prefetched = None;
            self.at.report.skipped += 1;
        }
    }

    /// Stops here: closes everything above the first `floor` frames. Directories that were moved
    /// upwards and are still there are named in the report.
    pub(super) fn abandon(&mut self, floor: usize) {
        while self.frames.len() > floor {
            if let Some(frame) = self.frames.last_mut() {
                frame.kept = true;
                frame.next = frame.end;
                frame.listing = Batch::End;
                frame.prefetched = None;
            }
            self.leave();
        }
    }

    /// Closes the directory that operands were removed from.
    pub(super) fn forget_parent(&mut self) {
        if let Some(dir) = self.parent.take().and_then(|(_, dir)| Arc::into_inner(dir)) {
            self.at.sys.close(dir);
        }
    }
}

impl<S: Sys> Worker<'_, S> {
    /// Removes one entry that is not known to be a directory, with everything that the caller
    /// wants to know, be asked or have counted. A `chosen` one is not asked about for exclusion.
    pub(super) fn remove_entry(
        &mut self,
        dir: &S::Dir,
        entry: Entry<'_, S::Unit>,
        chosen: bool,
    ) -> Outcome {
        self.until_checkpoint = self.until_checkpoint.saturating_sub(1);
        let path_len = self.path.len();
        self.path.push(entry.name);
        let outcome = self.remove_entry_here(dir, entry, chosen);
        self.path.truncate(path_len);
        if self.until_checkpoint == 0 {
            self.checkpoint_now();
        }
        outcome
    }

    pub(super) fn remove_entry_here(
        &mut self,
        dir: &S::Dir,
        entry: Entry<'_, S::Unit>,
        chosen: bool,
    ) -> Outcome {
        let options = &self.run.options;
        let mut kind = entry.kind;
        let mut stat = None;
        let asks = options.confirm != Confirm::Never;
        if asks || options.count_bytes || (options.dry_run && kind == Kind::Unknown) {
            match self.sys.stat_child(dir, entry.name) {
                Ok(known) => {
                    kind = known.kind;
                    stat = Some(known);
                }
                Err(error) => return self.failed(Operation::Remove, error),
            }
        }
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        if !chosen && self.is_excluded(kind) {
            self.report.skipped += 1;
            return Outcome::Kept;
        }
        if asks && !self.confirm_file(dir, entry.name, kind, stat.as_ref()) {
            self.report.skipped += 1;
            return Outcome::Kept;
        }
        let removed = if options.dry_run {
            Removed::Done
        } else {
            self.sys.remove_child(dir, entry.name, kind)
        };
        match removed {
            Removed::Done => {
                self.report.files += 1;
                self.count_bytes(stat.as_ref());
                self.tell_removed(kind);
                Outcome::Removed
            }
            Removed::Gone => {
                self.report.vanished += 1;
                Outcome::Removed
            }
            Removed::IsDirectory => Outcome::Directory,
            // Whether it is a directory may be what the refusal hid.
            Removed::Failed(error)
                if kind == Kind::Unknown
                    && error.kind() == std::io::ErrorKind::PermissionDenied
                    && !chosen =>
            {
                Outcome::Directory
            }
            Removed::Failed(error) => self.failed(Operation::Remove, error),
        }
    }

    fn failed(&mut self, operation: Operation, error: std::io::Error) -> Outcome {
        if error.kind() == std::io::ErrorKind::NotFound {
            self.report.vanished += 1;
            return Outcome::Removed;
        }
        self.fail(operation, Cause::Os(error));
        Outcome::Kept
    }

    /// Whether the caller wants to keep the entry that the path names.
    pub(super) fn is_excluded(&self, kind: Kind) -> bool {
        self.run
            .options
            .exclude
            .is_some_and(|exclude| exclude.excludes(&S::path(self.path.relative()), kind))
    }

    fn confirm_file(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        stat: Option<&Stat>,
    ) -> bool {
        let protected = !self.sys.may_write(dir, name, kind);
        if self.run.options.confirm == Confirm::WriteProtected && !protected {
            return true;
        }
        let empty = kind == Kind::File && stat.is_some_and(|stat| stat.size == 0);
        self.ask(Question::RemoveFile, kind, empty, protected)
    }

    /// Asks the observer about the entry that the path names.
    pub(super) fn ask(
        &self,
        question: Question,
        kind: Kind,
        empty_file: bool,
        write_protected: bool,
    ) -> bool {
        let path = to_path::<S>(&self.path);
        let subject = Subject {
            path: &path,
            kind,
            empty_file,
            write_protected,
        };
        self.run.options.observer.confirm(question, &subject) && !self.run.is_cancelled()
    }

    /// Tries to remove a directory that could not be opened: it may be empty. Returns whether it
    /// is gone; the error that is reported otherwise is that of opening it.
    pub(super) fn remove_unreadable(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        error: std::io::Error,
    ) -> bool {
        let options = &self.run.options;
        let denied = error.kind() == std::io::ErrorKind::PermissionDenied;
        if denied && options.confirm != Confirm::Never {
            let question = Question::RemoveUnreadableDirectory;
            if !self.ask(question, Kind::Directory, false, true) {
                self.report.skipped += 1;
                return false;
            }
        }
        if denied && !options.dry_run && self.sys.remove_empty_dir(parent, name).is_ok() {
            self.report.directories += 1;
            self.tell_removed(Kind::Directory);
            return true;
        }
        self.fail(Operation::Remove, Cause::Os(error));
        false
    }

    /// Reports a failure at the path.
    pub(super) fn fail(&mut self, operation: Operation, cause: Cause) {
        let path = to_path::<S>(&self.path);
        let error = Error::new(operation, path, cause);
        self.run.options.observer.failed(&error);
        self.report.error_count += 1;
        if self.report.errors.len() < self.run.options.keep_errors {
            self.report.errors.push(error);
        }
    }

    /// Tells the observer that the entry at the path is gone.
    pub(super) fn tell_removed(&self, kind: Kind) {
        if self.run.options.observer.wants_removed() {
            self.run
                .options
                .observer
                .removed(&to_path::<S>(&self.path), kind);
        }
    }

    /// Adds what an entry gives back when its last link goes.
    pub(super) fn count_bytes(&mut self, stat: Option<&Stat>) {
        if let Some(stat) = stat {
            if self.run.options.count_bytes && (stat.links <= 1 || stat.kind == Kind::Directory) {
                *self.report.bytes.get_or_insert(0) += stat.allocated;
            }
        }
    }

    /// Counts one entry towards the next checkpoint.
    pub(super) fn tick(&mut self) {
        self.until_checkpoint -= 1;
        if self.until_checkpoint == 0 {
            self.checkpoint_now();
        }
    }

    /// Tells the others, and the observer, what was done since the last checkpoint.
    pub(super) fn checkpoint_now(&mut self) {
        let entries = u64::from(CHECKPOINT - self.until_checkpoint.min(CHECKPOINT));
        self.until_checkpoint = CHECKPOINT;
        let done = (self.report.files, self.report.directories);
        self.run
            .progress(done.0 - self.progress.0, done.1 - self.progress.1);
        self.progress = done;
        if !self.run.may_share() {
            return;
        }
        let processor = self.sys.thread_time().unwrap_or_default();
        let sample = Sample {
            now: self.sys.now(),
            entries,
            processor: processor.saturating_sub(self.processor),
        };
        self.processor = processor;
        self.run.checkpoint(self.number, &sample, self.start);
    }
}
