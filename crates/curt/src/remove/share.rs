//! Work that is handed over from one worker to another.

use std::sync::{Arc, PoisonError};

use super::frame::{Directories, Left};
use super::worker::{Worker, may_hide_directory};
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::{Removed, Sys};
use crate::tree::{SharedJoin, TreePath};

/// A part of a directory that is handed over.
pub(super) struct Task<S: Sys> {
    pub(super) dir: Arc<S::Dir>,
    pub(super) names: Names<S::Unit>,
    pub(super) what: Piece,
    /// The path of the directory.
    pub(super) path: TreePath<S::Unit>,
    pub(super) join: SharedJoin,
    pub(super) left: Left<S::Unit>,
}

/// What the names of a task are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Directories,
    /// What is no directory, or of which that is not known.
    Files(Kind),
}

/// Hands over half of the waiting subdirectories of the directory nearest to the base that has any.
pub(super) fn give_directories<S: Sys>(
    base: usize,
    stack: &mut Directories<S>,
    worker: &Worker<'_, S>,
) {
    let mut open = stack.open_from(base);
    // A directory that has to be listed again must know what failed in it.
    let may_give =
        |&index: &usize| stack[index].has_waiting() && !stack[index].passes.has_forgotten();
    let Some(index) = open.find(may_give) else { return };
    drop(open);
    if let Some((names, _)) = stack.split_waiting(index) {
        give(index, names, Piece::Directories, stack, worker);
    }
}

/// Hands over entries of a directory.
pub(super) fn give<S: Sys>(
    index: usize,
    names: Names<S::Unit>,
    what: Piece,
    stack: &mut Directories<S>,
    worker: &Worker<'_, S>,
) {
    let level = &mut stack[index];
    let path = worker.path_of(level);
    let (join, left) = level.hand_over();
    let Some(dir) = level.share() else { return };
    join.add();
    worker.run.pool().give(Task { dir, names, what, path, join, left });
}

/// Removes files by name. Returns whether one stays, and the names of directories among them: the
/// listing did not tell, or they were put there since.
pub(super) fn remove_files<S: Sys>(
    names: &Names<S::Unit>,
    kind: Kind,
    dir: &S::Dir,
    left: &Left<S::Unit>,
    worker: &mut Worker<'_, S>,
) -> (bool, Names<S::Unit>) {
    let mut kept = false;
    let mut directories = Names::new();
    for (_, name) in names.between(0, names.len()) {
        if worker.run.is_cancelled() {
            return (true, Names::new());
        }
        match worker.remove_child(dir, name, kind) {
            Removed::Done => worker.removed_file(),
            Removed::Gone => worker.vanished(),
            Removed::IsDirectory => {
                directories.push(name);
            }
            // A listing that shows it again says so.
            Removed::Pending => {}
            Removed::Failed(error) if may_hide_directory(kind, &error) => {
                directories.push(name);
            }
            Removed::Failed(error) => {
                worker.fail_in(name, error);
                let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                left.insert(name.units().to_vec());
                kept = true;
            }
        }
        worker.tick();
    }
    (kept, directories)
}
