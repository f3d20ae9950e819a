//! The traversal of one worker: depth first, without recursion.
//!
//! The source is a `Branch`, and the destination a `Stack` with the same levels, except those that
//! do not exist in a dry run. A directory is
//! listed to its end through the worker's only buffer. Meanwhile its files are copied straight from
//! the buffer, and the names of its subdirectories are stored. Then the subdirectories are entered,
//! one by one.
//!
//! A directory gets its final permissions and times after all its entries exist, which other
//! workers may create. So all workers of a directory share a `Finish`, and the last one applies it.
//! Nobody waits for it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::{Directory, Filling};
use super::worker::{Ends, Failure, Outcome, To, Worker, to_path};
use crate::error::{Cause, CopyRefusal, Operation, bug};
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::copying::{COPIED, Copying, End};
use crate::sys::{Entry, Identity, Request, Sys};
use crate::tree::{
    Admitted, Branch, Handoff, Links, Meanwhile, Own, Reader, ReopenError, Stack, TreePath, Work,
};

const ENTRIES_PER_CHECK: usize = 16;
const MIN_SPLIT: usize = 32;

/// The state of a source directory.
pub(super) struct Origin {
    is_listed: bool,
    device: u64,
    /// The length of the destination's path.
    target_len: usize,
    /// In a dry run, the device on which the destination would be, if it does not exist.
    absent: Option<u64>,
}

impl Own for Origin {
    fn give_up(&mut self) {
        self.is_listed = true;
    }
}

/// A part of a directory for another worker.
pub(super) struct Task<S: Sys> {
    source: Handoff<S>,
    device: u64,
    /// Subdirectories, or other entries with these kinds.
    names: Names<S::Unit>,
    kinds: Vec<Kind>,
    target: Arc<S::Dir>,
    path: TreePath<S::Unit>,
    filling: Filling<S>,
    /// The directories above the destination.
    above: Vec<Identity>,
}

pub(super) struct Engine<'r, S: Copying> {
    pub(super) worker: Worker<'r, S>,
    pub(super) source: Branch<S, Origin>,
    pub(super) target: Stack<S, Filling<S>>,
    pub(super) path: TreePath<S::Unit>,
    /// The directories of this copy above the target stack.
    pub(super) above: Vec<Identity>,
    reader: Reader<S>,
    /// The directory of the previous operand's destination, and the identities of its ancestors.
    pub(super) parent: Option<Parent<S>>,
    /// The paths already created, if several sources may have one.
    pub(super) taken: HashSet<OsString>,
}

pub(super) struct Parent<S: Sys> {
    pub(super) path: PathBuf,
    pub(super) dir: Arc<S::Dir>,
    pub(super) device: u64,
    pub(super) ancestors: Option<Vec<Identity>>,
}

impl<'r, S: Copying> Engine<'r, S> {
    pub(super) fn new(worker: Worker<'r, S>) -> Self {
        let descriptors = worker.member.descriptors / 2;
        Engine {
            source: Branch::new(worker.shared.limits, descriptors),
            target: Stack::new(descriptors, Links::Refuse),
            path: TreePath::default(),
            above: Vec::new(),
            reader: Reader::new(S::DirBuf::default()),
            parent: None,
            taken: HashSet::new(),
            worker,
        }
    }

    pub(super) fn work<'p>(mut self, next_operand: impl Fn() -> Option<&'p Path>) {
        let queue = &self.worker.shared.pool.queue;
        loop {
            let is_over = self.worker.is_over();
            let number = self.worker.member.number;
            let next = |attend: Meanwhile<'_>| queue.next(number, &next_operand, attend);
            match self.worker.while_attending(next) {
                None => break,
                Some(Work::Task(task)) => self.begin(task),
                Some(Work::Operand(_)) if is_over => continue,
                Some(Work::Operand(path)) => self.copy_operand(path),
            }
            self.drive();
        }
        self.close_parent();
        self.worker.end();
    }

    fn drive(&mut self) {
        while self.source.stack.len() > 0 {
            if self.worker.is_over() {
                return self.abandon();
            }
            if self.worker.shared.pool.queue.wants_tasks() {
                self.hand_off();
            }
            self.step();
        }
    }

    fn abandon(&mut self) {
        while self.source.leave(&self.worker.sys).is_some() {}
        while self.target.pop(&self.worker.sys).is_some() {}
        self.reader.reset();
    }

    fn step(&mut self) {
        let level = self.source.stack.top();
        self.source.path.truncate(level.path_len());
        self.path.truncate(level.target_len);
        if level.is_listed {
            self.enter_next();
        } else if self.reader.has_next() {
            self.copy_entries();
        } else if self.reader.is_at_end() {
            self.source.stack.top_mut().is_listed = true;
        } else {
            self.read();
        }
    }

    fn read(&mut self) {
        let Engine { source, reader, worker, path, .. } = self;
        let cause = match source.stack.top().dir() {
            Some(dir) => reader.read(dir, &worker.sys).err().map(Cause::Os),
            None => Some(bug("a directory was closed while it was listed")),
        };
        if let Some(cause) = cause {
            source.stack.top_mut().is_listed = true;
            let failure = Failure { operation: Operation::ReadDirectory, end: End::Source, cause };
            worker.fail(failure, &source.path, path);
        }
    }

    fn copy_entries(&mut self) {
        let Engine { worker, source, target, path, reader, .. } = self;
        for _ in 0..ENTRIES_PER_CHECK {
            let Some((entry, _)) = reader.next() else { return };
            copy_entry(entry, worker, source, target, path);
            if worker.is_over() {
                return;
            }
        }
    }

    fn enter_next(&mut self) {
        let limits = self.worker.shared.limits;
        // A directory that is refused is queried in its parent.
        let keeps = |_: &Origin| limits.one_device || limits.refuse_mounts;
        let Engine { worker, source, target, path, .. } = self;
        let mut release = || target.lower_budget(&worker.sys);
        let Some(opened) = source.open_next_or(keeps, &mut release, &worker.sys) else {
            return self.leave();
        };
        let level = source.stack.top();
        if let Some(name) = source.path.name_below(level.path_len()) {
            path.push(name);
        }
        match opened {
            Ok(admitted) => self.enter(admitted),
            Err(error) => worker.shared.notifier.failed(worker.member.is_caller(), error),
        }
        self.worker.tick(8);
    }

    /// Creates the copy of the current directory and enters both. Without a directory, which the
    /// options do not enter, creates only an empty one.
    fn enter(&mut self, admitted: Option<Admitted<S::Dir>>) {
        let Engine { worker, source, target, path, above, .. } = self;
        let dir = admitted.as_ref().map(|admitted| &admitted.dir);
        let made = loop {
            match make_copy(worker, source, (target, above), path, dir) {
                Err(failure)
                    if failure.is_shortage()
                        && (source.stack.lower_budget(&worker.sys)
                            | target.lower_budget(&worker.sys)) => {}
                made => break made,
            }
        };
        match (made, admitted) {
            (Ok((device, made)), Some(admitted)) => self.descend(admitted, device, made),
            (Ok((_, made)), None) => {
                let Some((dir, Filling { finish, .. })) = made else { return };
                if let Some(finish) = finish.and_then(Arc::into_inner) {
                    worker.apply(&dir, finish, &source.path, path);
                }
                worker.sys.close(dir);
            }
            (Err(failure), admitted) => {
                if let Some(admitted) = admitted {
                    worker.sys.close(admitted.dir);
                }
                worker.fail(failure, &source.path, path);
            }
        }
    }

    pub(super) fn descend(
        &mut self,
        admitted: Admitted<S::Dir>,
        device: u64,
        made: Option<Directory<S>>,
    ) {
        let above = self.target.last().map(|level| level.place.device);
        let above = above.or(self.parent.as_ref().map(|parent| parent.device));
        let (absent, target_len) = (above.filter(|_| made.is_none()), self.path.len());
        self.source.enter(admitted, Origin { is_listed: false, device, target_len, absent });
        self.reader.reset();
        if let Some((dir, made)) = made {
            self.target.push(dir, self.path.len(), None, made);
        }
    }

    fn leave(&mut self) {
        let Engine { worker, source, target, path, .. } = self;
        let Some(listed) = source.leave(&worker.sys) else { return };
        if listed.absent.is_some() {
            return;
        }
        let finish = target.top_mut().finish.take().and_then(Arc::into_inner);
        if let Some(finish) = finish {
            let index = target.len() - 1;
            let reopened = loop {
                match target.reopen(index, path.units(), &worker.sys) {
                    Err(lost)
                        if lost.reason.is_shortage() && source.stack.lower_budget(&worker.sys) => {}
                    reopened => break reopened,
                }
            };
            match reopened {
                Ok(()) => {
                    if let Some(dir) = target.top().dir() {
                        worker.apply(dir, finish, &source.path, path);
                    }
                }
                Err(lost) => worker.fail(reopening(lost), &source.path, path),
            }
        }
        target.pop(&worker.sys);
    }

    fn hand_off(&mut self) {
        if self.hand_off_files() {
            return;
        }
        let Engine { source, .. } = self;
        let waiting = |&index: &usize| source.stack[index].has_waiting();
        let Some(index) = source.stack.open_from(0).find(waiting) else { return };
        let count = source.stack.count_waiting(index);
        if source.stack.ours(index, count) == count {
            return;
        }
        let Some(mut task) = self.share(index) else { return };
        if let Some(names) = self.source.stack.split_waiting(index) {
            task.names = names;
            self.worker.shared.pool.queue.hand_off(task);
        }
    }

    /// Hands off half of the listed entries, also subdirectories.
    fn hand_off_files(&mut self) -> bool {
        let left = self.reader.left();
        if self.source.stack.top().is_listed || left < MIN_SPLIT {
            return false;
        }
        let Some(mut task) = self.share(self.source.stack.len() - 1) else { return false };
        while self.reader.left() > left / 2 {
            let Some((entry, _)) = self.reader.next() else { break };
            task.names.push(entry.name);
            task.kinds.push(entry.kind);
        }
        if !task.kinds.is_empty() {
            self.worker.shared.pool.queue.hand_off(task);
        }
        true
    }

    /// Returns a task without entries in a directory. Both ends must be open.
    fn share(&mut self, index: usize) -> Option<Task<S>> {
        let (device, target) = (self.source.stack[index].device, self.target[index].share()?);
        let source = self.source.hand_off(index)?;
        let level = &self.target[index];
        let mut path = self.path.clone();
        path.truncate(level.path_len());
        let (place, finish) = (level.place.clone(), level.finish.clone());
        let filling = Filling { place, identity: level.identity, finish };
        let (names, kinds) = (Names::new(), Vec::new());
        let inner = (0..index).filter_map(|index| self.target[index].identity);
        let above = self.above.iter().copied().chain(inner).collect();
        Some(Task { source, device, names, kinds, target, path, filling, above })
    }

    fn begin(&mut self, task: Task<S>) {
        let Task { source, device, names, kinds, target, path, filling, above } = task;
        self.above = above;
        let target_len = path.len();
        let listed = Origin { is_listed: true, device, target_len, absent: None };
        let waiting = if kinds.is_empty() { &names } else { &Names::new() };
        self.source.take_over(source, waiting, listed);
        self.path = path;
        self.target.push_base(target, self.path.len(), &Names::new(), filling);
        if kinds.is_empty() {
            return;
        }
        let Engine { worker, source, target, path, .. } = self;
        for ((_, name), kind) in names.between(0, names.len()).zip(kinds) {
            if worker.is_over() {
                return;
            }
            copy_entry(Entry { name, kind, id: 0 }, worker, source, target, path);
        }
    }
}

fn reopening(lost: ReopenError) -> Failure {
    Failure { operation: Operation::OpenDirectory, end: End::Target, cause: lost.into_cause() }
}

/// Creates the copy of the current directory in the topmost one. Also returns the source's device.
fn make_copy<S: Copying>(
    worker: &mut Worker<'_, S>,
    source: &Branch<S, Origin>,
    (target, above): (&mut Stack<S, Filling<S>>, &[Identity]),
    path: &TreePath<S::Unit>,
    dir: Option<&S::Dir>,
) -> Result<(u64, Option<Directory<S>>), Failure> {
    let request = Request { fields: COPIED, follow: worker.shared.limits.follow };
    let facts = match dir {
        Some(dir) => worker.sys.query_dir(dir, request),
        None => match source.parent_and_name() {
            Ok((dir, name)) => worker.sys.query(dir, name, request),
            Err(cause) => {
                return Err(Failure { operation: Operation::Stat, end: End::Source, cause });
            }
        },
    };
    let facts = facts.map_err(|error| Failure::source(Operation::Stat, error))?;
    // A symlink, a mount or a rename may lead from the source into its own copy.
    let identity = Identity::known(&facts);
    let inner = (0..target.len()).map(|index| target[index].identity);
    if identity.is_some() && above.iter().copied().map(Some).chain(inner).any(|it| it == identity) {
        return Err(Failure::refused(CopyRefusal::IntoItself, to_path(path)));
    }
    let level = source.stack.top();
    let parent = match target.len().checked_sub(1).filter(|_| level.absent.is_none()) {
        None => None,
        Some(top) => {
            let parent = &path.units()[..target.top().path_len()];
            target.reopen(top, parent, &worker.sys).map_err(reopening)?;
            target.release_if_full(&worker.sys);
            let level = target.top();
            level.dir().map(|dir| (dir, &level.place))
        }
    };
    let name = source.path.name_below(level.path_len()).ok_or_else(|| {
        let cause = bug("a path has no end");
        Failure { operation: Operation::CreateDirectory, end: End::Target, cause }
    })?;
    let made = worker.make_directory(parent, name, dir, &facts, (&source.path, path))?;
    Ok((facts.device, made))
}

fn copy_entry<S: Copying>(
    entry: Entry<'_, S::Unit>,
    worker: &mut Worker<'_, S>,
    source: &mut Branch<S, Origin>,
    target: &mut Stack<S, Filling<S>>,
    path: &mut TreePath<S::Unit>,
) {
    let (source_len, path_len) = (source.path.len(), path.len());
    source.path.push(entry.name);
    path.push(entry.name);
    if worker.is_excluded(&source.path, entry.kind) {
    } else if entry.kind == Kind::Directory {
        source.add_waiting();
    } else {
        copy_other(entry, worker, source, target, path);
    }
    source.path.truncate(source_len);
    path.truncate(path_len);
}

fn copy_other<S: Copying>(
    entry: Entry<'_, S::Unit>,
    worker: &mut Worker<'_, S>,
    source: &mut Branch<S, Origin>,
    target: &mut Stack<S, Filling<S>>,
    path: &TreePath<S::Unit>,
) {
    loop {
        let level = source.stack.top();
        let to = match (level.absent, target.last()) {
            (Some(device), _) => Some(To::Absent(device)),
            (None, above) => above.and_then(|above| Some(To::Dir(above.dir()?, &above.place))),
        };
        let (Some(from), Some(to)) = (level.dir(), to) else {
            let cause = bug("a directory was closed while it was copied");
            let failure = Failure { operation: Operation::Copy, end: End::Source, cause };
            return worker.fail(failure, &source.path, path);
        };
        let ends = Ends {
            from,
            name: entry.name,
            source: &source.path,
            device: level.device,
            follow: worker.shared.limits.follow,
            to,
            fresh: entry.name,
            target: path,
        };
        match worker.copy(&ends, entry.kind) {
            Outcome::Done => return,
            Outcome::Directory => return source.add_waiting(),
            Outcome::Shortage(failure) => {
                if !(source.stack.lower_budget(&worker.sys) | target.lower_budget(&worker.sys)) {
                    return worker.fail(failure, &source.path, path);
                }
            }
        }
    }
}
