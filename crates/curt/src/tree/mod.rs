//! The traversal of a tree, which removing, walking, measuring and listing share.
//!
//! - `stack.rs`: the ancestors of the current entry, as many of them open as the descriptor budget
//!   allows, and the names that wait in them
//! - `path.rs`: the path of the current entry
//! - `branch.rs`: going down and up, on top of both; `loops.rs` detects loops
//! - `reader.rs`: the listing of the topmost directory
//! - `pool.rs`: where workers meet to share the work; `crew.rs`: how many there are; `workers.rs`:
//!   starts threads and keeps the first panic; `governor.rs`: how many speed it up
//! - `events.rs`: what workers leave for the caller's thread
//!
//! Removal does not use `branch.rs` and `loops.rs`.
//!
//! The words:
//!
//! - *Level*: one directory of the stack, open or closed, with its names and the state that the
//!   operation keeps for it. The operand's is the first, or follows its parent's; levels are
//!   shallow or deep as their directories are in the tree.
//! - *Topmost* directory: that of the last level, on top of the stack. It is the deepest one, and
//!   the one that is being listed, or whose subdirectories are being entered.
//! - A subdirectory *waits* while its name is kept in the level of its parent, until it is entered.
//! - *Base*: the level that a task begins with, and in a removal an operand. Its directory is open
//!   elsewhere too (another worker's, or the operand's parent), and is neither listed nor counted
//!   against the descriptor budget. A worker that does one task on top of another has several.

mod branch;
mod crew;
mod events;
mod governor;
mod loops;
mod path;
mod pool;
mod reader;
mod stack;
mod workers;

pub(crate) use branch::{Admitted, Branch, Handoff};
pub(crate) use crew::{Crew, Member, descriptor_budget};
pub(crate) use events::Events;
pub(crate) use loops::Limits;
pub(crate) use path::TreePath;
#[cfg(test)]
pub(crate) use pool::Pool;
pub(crate) use pool::{Join, Meanwhile, Waited, Work};
pub(crate) use reader::Reader;
pub(crate) use stack::{Level, Links, ReopenError, ReopenFailure, Stack, identity};
pub(crate) use workers::Workers;
