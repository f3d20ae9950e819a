//! The traversal of a tree, which removing, walking, measuring and listing share.
//!
//! The directories from an operand down to the current entry are the *levels* of a stack. The
//! *topmost* level is that of the current entry, so the deepest in the tree; the lowest is the
//! *base*. The name of a subdirectory that was listed and not entered yet *waits* in its level.
//!
//! - `stack.rs`: the ancestors of the current entry, as many of them open as the descriptor budget
//!   allows, and the names that wait in them
//! - `path.rs`: the path of the current entry
//! - `branch.rs`: going down and up, on top of both; `loops.rs` detects loops
//! - `reader.rs`: the listing of the topmost directory
//! - `pool.rs`: where workers meet to share the work; `crew.rs`: how many there are; `workers.rs`:
//!   starts threads and keeps the first panic; `governor.rs`: how many speed it up
//! - `stop.rs`: when all this stops, and the calls of callbacks
//! - `events.rs`: what workers leave for the caller's thread
//!
//! Removal uses neither `branch.rs` nor `loops.rs`: it keeps the name of each directory, to remove
//! it later, and the parts that other workers have; it follows no link, so it meets no loop.

mod branch;
mod crew;
mod events;
mod governor;
mod loops;
mod path;
mod pool;
mod reader;
mod reopen;
mod stack;
mod stop;
mod workers;

pub(crate) use branch::{Admitted, Branch, Handoff, Own};
pub(crate) use crew::{Crew, Member, descriptor_budget};
pub(crate) use events::Events;
pub(crate) use loops::Limits;
pub(crate) use path::TreePath;
#[cfg(test)]
pub(crate) use pool::Pool;
pub(crate) use pool::{Join, Meanwhile, Waited, Work};
pub(crate) use reader::Reader;
pub(crate) use reopen::{ReopenError, ReopenFailure};
pub(crate) use stack::{Level, Links, Stack, identity};
pub(crate) use stop::Stop;
pub(crate) use workers::Workers;
