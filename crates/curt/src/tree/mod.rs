//! The traversal of a tree, which removing, walking, measuring and listing share.
//!
//! - `stack.rs`: the directories on the way, as many of them open as the descriptor budget allows,
//!   and the names that wait in them
//! - `path.rs`: the path of the entry at hand
//! - `branch.rs`: going down and up, on top of both; `loops.rs` refuses what leads back
//! - `reader.rs`: the listing of the topmost directory
//! - `pool.rs`: where workers meet to share the work; `crew.rs`: how many there are; `workers.rs`:
//!   how they are started; `governor.rs`: how many pay

mod branch;
mod crew;
mod governor;
mod loops;
mod path;
mod pool;
mod reader;
mod stack;
mod workers;

pub(crate) use branch::{Admitted, Branch, Handoff, bug};
pub(crate) use crew::{Crew, Start, budget};
pub(crate) use governor::Sample;
pub(crate) use loops::Limits;
pub(crate) use path::TreePath;
#[cfg(test)]
pub(crate) use pool::Pool;
pub(crate) use pool::{Join, Waited, Work};
pub(crate) use reader::Reader;
pub(crate) use stack::{Level, Links, ReopenError, ReopenFailure, Stack, identity};
pub(crate) use workers::Workers;
