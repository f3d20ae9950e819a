//! Traversal of a tree, shared by removal, walks, measuring and listing.
//!
//! The directories from an operand down to the current entry are the *levels* of a stack. The
//! *base* is the level at the bottom. The *topmost* level, at the end, contains the current entry.
//! A listed subdirectory *waits* in its level, which stores its name, until it is entered.
//!
//! - `stack.rs`: the levels, as many of them open as the descriptor budget allows
//! - `path.rs`: the path of the current entry
//! - `branch.rs`: entering and leaving directories
//! - `loops.rs`: detecting loops
//! - `reader.rs`: the listing of the topmost directory
//! - `task_queue.rs`: handing off work between workers
//! - `worker_pool.rs`: starting and pausing workers
//! - `governor.rs`: choosing the number of workers
//! - `workers.rs`: starting threads and keeping the first panic
//! - `stop.rs`: when an operation stops, and calls of callbacks
//! - `events.rs`: the queue to the caller's thread
//!
//! Removal uses neither `branch.rs` nor `loops.rs`. It stores the name of each directory, to remove
//! it later, and follows no symlink, so it cannot meet a loop.

mod branch;
mod events;
mod governor;
mod loops;
mod path;
mod reader;
mod reopen;
mod stack;
mod stop;
mod task_queue;
mod worker_pool;
mod workers;

pub(crate) use branch::{Admitted, Branch, Handoff, Own};
pub(crate) use events::Events;
pub(crate) use loops::Limits;
pub(crate) use path::TreePath;
pub(crate) use reader::Reader;
pub(crate) use reopen::{ReopenError, ReopenFailure};
pub(crate) use stack::{Level, Links, Stack, identity, open_names};
pub(crate) use stop::{POLL_INTERVAL, Stop};
#[cfg(test)]
pub(crate) use task_queue::TaskQueue;
pub(crate) use task_queue::{Join, Meanwhile, Waited, Work};
pub(crate) use worker_pool::{Member, WorkerPool, descriptor_budget};
pub(crate) use workers::Workers;
