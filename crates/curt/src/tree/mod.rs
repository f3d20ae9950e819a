//! The traversal of a tree: what removing, walking and measuring share.
//!
//! `stack.rs` has the directories on the way, of which as many are open as may be, and the names that
//! wait in them · `path.rs` the path of the entry at hand · `pool.rs` where threads meet that share the
//! work · `crew.rs` how many there are, and how they come to be · `governor.rs` when they pay.

mod crew;
mod governor;
mod panics;
mod path;
mod pool;
mod stack;

pub(crate) use crew::{Crew, HELPER_STACK, Start, budget};
pub(crate) use governor::Sample;
pub(crate) use panics::Panics;
pub(crate) use path::TreePath;
pub(crate) use pool::{Pool, SharedJoin, Waited, Work};
pub(crate) use stack::{Level, Links, Lost, Stack, Way, Why, identity};
