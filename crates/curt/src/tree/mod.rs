//! The traversal of a tree, which removing, walking and measuring share.
//!
//! `stack.rs`: the directories on the way, open within a descriptor budget, and the names that wait in
//! them · `path.rs`: the current path · `pool.rs`: handing off work between threads · `crew.rs`: how
//! many threads there are, and how they are started · `governor.rs`: whether one more thread pays.

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
#[cfg(test)]
pub(crate) use pool::Pool;
pub(crate) use pool::{Join, Waited, Work};
pub(crate) use stack::{Level, Links, ReopenError, ReopenFailure, Stack, identity};
