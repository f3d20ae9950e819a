use super::frame::Frame;
use crate::name::Names;
use crate::sys::Sys;
use crate::tree::{Branch, Handoff};

/// Part of a directory, for another worker: subdirectories to enter or, in a sorted walk, entries
/// to yield.
pub(super) struct Task<S: Sys> {
    pub(super) number: u64,
    handoff: Handoff<S>,
    names: Names<S::Unit>,
    frame: Frame,
}

impl<S: Sys> Task<S> {
    /// Takes half of the waiting work of the shallowest directory that has any.
    pub(super) fn split(
        branch: &mut Branch<S, Frame>,
        number: impl FnOnce() -> u64,
    ) -> Option<Self> {
        if branch.stack.len() == 0 {
            return None;
        }
        let index = branch.stack.open_from(0).find(|&index| branch.stack[index].is_needed())?;
        let waiting = match branch.stack[index].entries.left() {
            0 => branch.stack.count_waiting(index),
            left => left,
        };
        let ours = branch.stack.ours(index, waiting);
        if ours == waiting {
            return None;
        }
        let handoff = branch.hand_off(index)?;
        let number = number();
        let (level, all) = branch.stack.level_with_names(index);
        let (rules, left) = (level.rules.clone(), level.entries.left());
        let mut frame = Frame { is_listed: true, rules, ..Frame::default() };
        let names = if left > 0 {
            let (entries, names) = level.entries.split(ours, number, all);
            frame.entries = entries;
            names
        } else {
            branch.stack.split_waiting(index)?
        };
        Some(Task { number, handoff, names, frame })
    }

    pub(super) fn begin(self, branch: &mut Branch<S, Frame>) {
        let are_stored = self.frame.entries.left() > 0;
        branch.take_over(self.handoff, &self.names, self.frame);
        if let (true, Some(level)) = (are_stored, branch.stack.last_mut()) {
            // `take_over` has made all names wait, but they belong to stored entries.
            level.drop_waiting();
        }
    }
}
